"""How does a file appear whole or not at all? It is written beside its place, then moved there."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO


def replace(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Lets `write` fill a draft that then takes the place of `path`; a reader never sees half of it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(draft, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        with suppress(OSError):
            draft.unlink()


def reason(error: OSError) -> str:
    """Why the file system refused, in words."""
    if isinstance(error, FileExistsError | NotADirectoryError):
        return "a file stands where a directory should be"
    return error.strerror or str(error)


def user_cache() -> Path:
    """Where what can be made anew is kept: below XDG_CACHE_HOME or ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "mohs"
