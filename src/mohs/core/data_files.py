"""How is a file of values read? TOML, YAML or JSON, by its extension."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from mohs.core import reading
from mohs.core.errors import UsageError, unknown

ENDINGS = (".toml", ".yaml", ".yml", ".json")
MOST_NODES = 10**6  # of a YAML file, each alias counted as what it stands for
FLOAT = r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"  # of YAML 1.2


def shipped(folder: Path, ending: str = ".toml") -> dict[str, Path]:
    """The files of a folder of the package, by name."""
    return {file.stem: file for file in sorted(folder.glob(f"*{ending}"))}


def find_file(kind: str, source: str, folder: Path, endings: tuple[str, ...] = ENDINGS) -> Path:
    """The file at a path, or the shipped one of this name, which has the first of the endings."""
    path, known = Path(source), shipped(folder, endings[0])
    if path.suffix in endings:
        if not path.is_file():
            raise UsageError(f"there is no {kind} file {source!r}.")
        return path
    if source not in known:
        raise unknown(kind, source, [*known, f"file{endings[0]}"])
    return known[source]


def read_table(path: Path) -> dict[str, Any]:
    """Reads the values of a file, by name."""
    if path.suffix not in ENDINGS:
        raise UsageError(f"{path} must have one of the extensions {', '.join(ENDINGS)}.")
    try:
        data = _parsed(path.suffix, reading.text(path))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from error
    except RecursionError as error:
        raise UsageError(f"{path} cannot be read: it is nested too deep.") from error
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{path} cannot be read: {' '.join(str(error).split()).rstrip('.')}.") from error
    if not isinstance(data, dict) or not all(isinstance(name, str) for name in data):
        raise UsageError(f"{path} must be a mapping of names to values.")
    return data


def _parsed(ending: str, text: str) -> Any:
    if ending == ".toml":
        return tomllib.loads(text)
    if ending == ".json":
        return reading.parsed(text)
    import yaml

    class Loader(yaml.SafeLoader):
        """Reads 1e-3 as a number, as YAML 1.2 does (section 10.3.2), and not as text."""

    Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(FLOAT), list("-+.0123456789"))
    try:
        if _expanded(yaml.compose(text, Loader)) > MOST_NODES:
            raise ValueError(f"its aliases stand for more than {MOST_NODES:,} values")
        return yaml.load(text, Loader)  # safe: `Loader` constructs plain values only
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def _expanded(root: Any) -> int:
    """How many values a YAML document has where every alias is written out; an alias to what it is in is refused."""
    sizes: dict[int, int] = {}

    def size(node: Any) -> int:
        if node is None or isinstance(node.value, str):
            return 1
        if id(node) not in sizes:
            sizes[id(node)] = -1
            parts = [part for each in node.value for part in (each if isinstance(each, tuple) else (each,))]
            sizes[id(node)] = min(1 + sum(map(size, parts)), 2 * MOST_NODES)
        if sizes[id(node)] < 0:
            raise ValueError("a value is a part of itself")
        return sizes[id(node)]

    return size(root)
