"""Which library plays? That of the package, or its copy with painted sprites. Neither imports the old `gym`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from mohs.envs.suites.procgen.copies import copy_of, package

_ALIAS = "_procgen_without_gym"
_BUFFER = 2**20  # bytes of a serialised state, at most


def library() -> ModuleType:
    """Procgen's `env` module, imported without its package, which would import the old `gym`."""
    return _imported(_ALIAS)


def painted_library(game: str) -> ModuleType:
    """The same module once more, which loads the copy of the library that is painted for a game."""
    module = _imported(f"{_ALIAS}_painted_{game}")
    place: Path = copy_of(game)
    module.SCRIPT_DIR = str(place)  # type: ignore[attr-defined]
    return module


def _imported(alias: str) -> ModuleType:
    if alias not in sys.modules:
        parent = ModuleType(alias)
        parent.__path__ = [str(package())]
        sys.modules[alias] = parent
    return importlib.import_module(f"{alias}.env")


def state_of(game: Any, i: int = 0) -> bytes:
    """The serialised state of one game of a vector. Procgen's own function allocates its buffer anew each time."""
    buffer = game.__dict__.setdefault("_buffer", None)
    if buffer is None:
        buffer = game._buffer = game._ffi.new(f"char[{_BUFFER}]")
    written = game.call_c_func("get_state", i, buffer, _BUFFER)
    return bytes(game._ffi.buffer(buffer, written))
