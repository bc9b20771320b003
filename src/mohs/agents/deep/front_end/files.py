"""Where are front-ends kept? In files of arrays; those that agents use, in the user's cache under their names.

A file is an npz archive: the weights, and a header (kind and how it was made) as JSON text in bytes. It is read without
pickle, and only if its arrays are what a front-end of that kind has. A name ends in the hash of the contents, so an
agent that names its front-end is another agent where the contents are others.
"""

from __future__ import annotations

import json
import re
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.agents.deep.front_end import network
from mohs.agents.deep.front_end.front_end import GENERIC, MOTION, FrontEnd
from mohs.core import files
from mohs.core.domain import Domain
from mohs.core.errors import UsageError, invalid
from mohs.core.reading import arrays as read_arrays
from mohs.core.reading import opened
from mohs.core.values import canonical_json

NAME = re.compile(rf"{MOTION}@[0-9a-f]{{16}}")
_HEADER = "header"
_LARGEST, _LONGEST = 2**24, 2**16  # bytes of all arrays and of the header
_MOST_SLOTS, _WIDEST = 64, 256


def save(front_end: FrontEnd, path: str | Path) -> None:
    """Writes a front-end to an npz file.

    Raises:
        UsageError: The file cannot be written.
    """
    header = canonical_json({"kind": front_end.kind, "about": dict(front_end.about)}).encode()
    arrays = {**front_end.arrays, _HEADER: np.frombuffer(header, dtype=np.uint8)}
    try:
        files.replace(Path(path), lambda file: np.savez(file, allow_pickle=False, **arrays))
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {files.reason(error)}.") from error


def load(path: str | Path) -> FrontEnd:
    """Reads a front-end that `save` wrote.

    Raises:
        UsageError: The file cannot be read, or is no front-end.
    """
    try:
        return _read(Path(path))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {files.reason(error)}.") from error
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, RecursionError) as error:
        raise UsageError(f"{path} is not a front-end: {' '.join(str(error).split())}.") from error
    except Exception as error:  # what an archive that is damaged on purpose can raise is not listed anywhere
        raise UsageError(f"{path} is not a front-end: {type(error).__name__}.") from error


def _read(path: Path) -> FrontEnd:
    with opened(path) as file, zipfile.ZipFile(file) as archive:
        if sum(member.file_size for member in archive.infolist()) > _LARGEST:
            raise ValueError(f"its arrays have more than {_LARGEST} bytes")
    found = read_arrays(path)
    text = found.pop(_HEADER, np.empty(0))
    if text.dtype != np.uint8 or not 0 < text.size <= _LONGEST:
        raise ValueError("it has no header")
    header = json.loads(text.tobytes())
    if not isinstance(header, dict) or header.keys() != {"kind", "about"} or not isinstance(header["about"], dict):
        raise ValueError("its header is not that of a front-end")
    if header["kind"] != MOTION:
        raise ValueError(f"its kind is {header['kind']!r}")
    _check(found)
    arrays = {name: np.ascontiguousarray(array, dtype=np.float32) for name, array in sorted(found.items())}
    return FrontEnd(MOTION, arrays, header["about"])


def _check(arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Kernels trust the shapes of weights."""
    slots, width = arrays["fine_bias"].size - 1, arrays["one_bias"].size
    if not 1 <= slots <= _MOST_SLOTS or not 4 <= width <= _WIDEST or width % 4:
        raise ValueError(f"it has {slots} slots and {width} filters")
    for name, shape in network.shapes(slots, width).items():
        array = arrays[name]
        if array.shape != shape or array.dtype != np.float32 or not np.isfinite(array).all():
            raise ValueError(f"{name} is not an array of {' × '.join(map(str, shape))} finite numbers")
    if len(arrays) != len(network.shapes(slots, width)):
        raise ValueError("it has other arrays, too")


def folder() -> Path:
    """Where front-ends are kept by name."""
    return files.user_cache() / "front_ends"


def keep(front_end: FrontEnd) -> str:
    """Keeps a front-end in the user's cache, and returns the name under which agents find it."""
    if front_end.kind == GENERIC:
        return GENERIC
    path = folder() / f"{front_end.name}.npz"
    if not path.is_file():
        save(front_end, path)
    return front_end.name


@lru_cache(maxsize=32)
def named(name: str) -> FrontEnd:
    """The front-end that an agent names.

    Raises:
        UsageError: It is not in the user's cache, or its file has changed.
    """
    if name == GENERIC:
        return FrontEnd(GENERIC, {})
    path = folder() / f"{name}.npz"
    if not path.is_file():
        raise UsageError(f"the front-end {name} is not in {folder()}: pretrain it again, or give the path of its file.")
    found = load(path)
    if found.name != name:
        raise UsageError(f"{path} holds {found.name} instead of {name}; remove it.")
    return found


class Names:
    """Names of front-ends. `pin` also takes the path of a file, which it keeps under its name."""

    def parse(self, name: str, value: Any) -> str:
        if isinstance(value, str) and (value in ("", GENERIC) or NAME.fullmatch(value)):
            return value
        raise invalid(name, value, self.describe())

    def pin(self, name: str, value: Any) -> str:
        if isinstance(value, str | Path) and str(value).endswith(".npz"):
            return keep(load(value))
        return self.parse(name, value)

    def describe(self) -> str:
        return '"", "generic", the path of an npz file or the name of a kept front-end (motion@…)'


NAMES: Domain = Names()
