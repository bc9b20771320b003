"""What becomes of an exception that nobody expected? A log file, and one sentence that names it."""

from __future__ import annotations

import os
import platform
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from mohs.core.files import user_cache
from mohs.runs.store import shown

DEBUG = "MOHS_DEBUG"  # set to 1, a traceback is printed


def wants_traceback() -> bool:
    return os.environ.get(DEBUG, "") not in ("", "0")


def sentence(error: BaseException, words: Sequence[str]) -> str:
    """What is said of an error; where it is a mistake of mohs, its traceback is in a file."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for this: use fewer workers, smaller packs or a smaller task."
    if isinstance(error, RecursionError):
        return f"something that was read is nested too deep{_logged(error, words)}."
    return f"this is a mistake of mohs ({type(error).__name__}){_logged(error, words)}; {DEBUG}=1 prints it."


def _logged(error: BaseException, words: Sequence[str]) -> str:
    """Writes the traceback to a file that the user alone can read, and says where; nothing if it cannot be written."""
    from mohs import __version__

    folder = user_cache() / "errors"
    path = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    command = " ".join(shown(word) if "://" in word or "@" in word else word for word in words)
    head = f"mohs {__version__}, Python {platform.python_version()}, {platform.platform()}\nmohs {command}\n\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(path, head + "".join(traceback.format_exception(error)))
    except OSError:
        return f": {' '.join(str(error).split())[:200]}"
    return f"; what happened is in {path}"


def _write(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
