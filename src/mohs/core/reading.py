"""How is a file of somebody else's read? Only regular files, of bounded size, and arrays that are as large as they say.

A file that is too large, too deep or a pipe is refused in a sentence before it is read. The environment variables
`MOHS_LARGEST_TEXT` and `MOHS_LARGEST_ARRAYS` raise the limits, in bytes.
"""

from __future__ import annotations

import json
import math
import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError

LARGEST_TEXT = 2**26  # bytes of a TOML, YAML, JSON, CSV or level file
LARGEST_ARRAYS = 2**32  # bytes of the arrays in a file, once inflated
MOST_MEMBERS = 1000  # of an archive
_HEADERS: dict[tuple[int, int], Callable[[Any], tuple[tuple[int, ...], bool, np.dtype[Any]]]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def limit(name: str, usual: int) -> int:
    """A limit in bytes: the usual one, or what the environment variable `MOHS_<NAME>` says."""
    given = os.environ.get(f"MOHS_{name}", "")
    if given and not (given.isdecimal() and 0 < len(given) < 20):
        raise UsageError(f"MOHS_{name} is {given!r}, but must be a number of bytes.")
    return int(given) if given else usual


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A regular file, open for reading. A pipe or a device would be waited for.

    Raises:
        OSError: There is no such file, it cannot be read, or it is none.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    with open(descriptor, "rb") as file:
        kind = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(kind):
            what = "a directory" if stat.S_ISDIR(kind) else "a pipe or a device"
            raise OSError(0, f"it is {what}, not a file", os.fspath(path))
        yield file


def text(path: str | os.PathLike[str], encoding: str = "utf-8") -> str:
    """The text of a file.

    Raises:
        OSError: It cannot be read.
        ValueError: It is too large, or is no text.
    """
    most = limit("LARGEST_TEXT", LARGEST_TEXT)
    with opened(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"it has more than {most:,} bytes (MOHS_LARGEST_TEXT={2 * most} allows twice as many)")
    return data.decode(encoding)


def parsed(words: str) -> Any:
    """What a JSON text says.

    Raises:
        ValueError: It is no JSON, or is nested too deep.
    """
    try:
        return json.loads(words)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def arrays(path: str | os.PathLike[str]) -> dict[str, npt.NDArray[Any]]:
    """The arrays of an npz file, of numbers and words.

    Raises:
        OSError: It cannot be read.
        ValueError: It is no npz file, or its arrays are larger than is allowed or than they say.
    """
    with opened(path) as file:
        try:
            with zipfile.ZipFile(file) as archive:
                members = archive.infolist()
                _check_sizes(members)
                for member in members:
                    with archive.open(member) as packed:
                        _check_array(packed, member.file_size, member.filename)
            file.seek(0)
            with np.load(file, allow_pickle=False) as found:
                return {name: found[name] for name in found.files}
        except (OSError, ValueError):
            raise
        except Exception as error:  # what an archive that is damaged on purpose can raise is not listed anywhere
            raise ValueError(" ".join(f"{error or type(error).__name__}".split())) from error


def array(path: str | os.PathLike[str]) -> npt.NDArray[Any]:
    """The array of an npy file, as `arrays` reads those of an npz file."""
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        _check_largest(size)
        _check_array(file, size, "it")
        file.seek(0)
        return np.load(file, allow_pickle=False)  # type: ignore[no-any-return]


def _check_sizes(members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MOST_MEMBERS:
        raise ValueError(f"it has {len(members):,} arrays, and {MOST_MEMBERS:,} are allowed")
    if any(member.flag_bits & 1 for member in members):
        raise ValueError("it is encrypted")
    _check_largest(sum(member.file_size for member in members))


def _check_largest(size: int) -> None:
    most = limit("LARGEST_ARRAYS", LARGEST_ARRAYS)
    if size > most:
        raise ValueError(
            f"its arrays have {size:,} bytes, and {most:,} are allowed (MOHS_LARGEST_ARRAYS={size} allows them)"
        )


def _check_array(file: Any, size: int, name: str) -> None:
    """Raises ValueError where the header of an array does not fit the bytes that follow it."""
    try:
        version = np.lib.format.read_magic(file)
        shape, _, dtype = _HEADERS[version](file)
        whole = math.prod(shape) * dtype.itemsize
    except Exception as error:  # the header is a literal of Python, which fails in many ways
        raise ValueError(f"{name} is no array ({' '.join(str(error).split())[:100]})") from None
    if dtype.hasobject:
        raise ValueError(f"{name} holds Python objects, which are not read")
    if any(length < 0 for length in shape) or file.tell() + whole != size:
        raise ValueError(f"{name} has {size:,} bytes, but says that it has {whole + file.tell():,}")
