"""How does a file of values become data? TOML, YAML and JSON, told apart by their endings."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from mohs.core.errors import UsageError

ENDINGS = (".toml", ".yaml", ".yml", ".json")


def read_table(path: Path) -> dict[str, Any]:
    """What the file says, by name."""
    if path.suffix not in ENDINGS:
        raise UsageError(f"{path} must end in {', '.join(ENDINGS)}: the ending says how it is written.")
    try:
        data = _parsed(path.suffix, path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {' '.join(str(error).split())}.") from error
    if not isinstance(data, dict) or not all(isinstance(name, str) for name in data):
        raise UsageError(f"{path} must be a table of values by name.")
    return data


def _parsed(ending: str, text: str) -> Any:
    if ending == ".toml":
        return tomllib.loads(text)
    if ending == ".json":
        return json.loads(text)
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
