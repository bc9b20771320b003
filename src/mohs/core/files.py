"""How is a file written atomically? To a temporary file beside it, which is then renamed."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO


def replace(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Lets `write` fill a temporary file, then renames it to `path`. A reader never sees a partial file."""
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
    """The cache directory of mohs, below XDG_CACHE_HOME or ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "mohs"
