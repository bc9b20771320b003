"""How is a file written atomically? To a temporary file beside it, which is then renamed."""

from __future__ import annotations

import os
import stat
import tempfile
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


def private_directory(name: str) -> Path | None:
    """A directory for files that run as code: below the user's cache, or a temporary one, where nobody else can write.

    It and the directory above it are owned by the user, closed to others, and no symbolic links. None where there is
    no such directory.
    """
    homes = [user_cache()]
    if hasattr(os, "getuid"):
        homes.append(Path(tempfile.gettempdir()) / f"mohs-{os.getuid()}")
    for home in homes:
        try:
            home.parent.mkdir(parents=True, exist_ok=True)
            if _is_private(home) and _is_private(home / name):
                with tempfile.TemporaryFile(dir=home / name):
                    return home / name
        except OSError:
            continue
    return None


def _is_private(directory: Path) -> bool:
    """Makes a directory, or closes to others one of the user's that they could read; False where they could write."""
    with suppress(FileExistsError):
        directory.mkdir(mode=0o700)
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or (hasattr(os, "geteuid") and found.st_uid != os.geteuid()):
        return False
    if found.st_mode & 0o022:
        return False
    if found.st_mode & 0o077:
        directory.chmod(0o700)
    return True
