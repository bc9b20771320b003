"""How does code of users reach other machines? As an archive of the working directory, named by its content.

It holds what a user's file may import or read. It leaves out what is large or made by runs: stores, reports, hidden
folders, caches and virtual environments.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from mohs.core.errors import UsageError

LARGEST = 200 * 2**20  # bytes in all
_STORES = (".db", ".db-wal", ".db-shm", ".db-journal", ".sqlite", ".sqlite3", ".lock")
_FOLDERS = ("__pycache__", "mohs-report", "node_modules", "site-packages")
_MARKS = ("pyvenv.cfg", "verdict.json")  # of a virtual environment, of a report


def pack(folder: Path) -> bytes:
    """The archive of a folder, the same for the same content.

    Raises:
        UsageError: it holds too much.
    """
    total, buffer = 0, io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(_files(folder)):
            total += path.stat().st_size
            if total > LARGEST:
                raise UsageError(
                    f"{folder} cannot be sent to other machines: it holds more than {LARGEST // 2**20} MB besides "
                    "stores and reports; run from a folder with the code of the study only."
                )
            entry = zipfile.ZipInfo(str(path.relative_to(folder)))  # without the time, which is no content
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return buffer.getvalue()


def digest(code: bytes) -> str:
    """The name of an archive."""
    return hashlib.sha256(code).hexdigest()[:16]


def unpack(code: bytes) -> tempfile.TemporaryDirectory[str]:
    """The content of an archive in a new folder, from which modules are imported."""
    folder = tempfile.TemporaryDirectory(prefix=f"mohs-code-{digest(code)}-")
    with zipfile.ZipFile(io.BytesIO(code)) as archive:
        archive.extractall(folder.name)
    if folder.name not in sys.path:
        sys.path.append(folder.name)
    return folder


def _files(folder: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(folder):
        place = Path(here)
        kept = [name for name in folders if not name.startswith(".") and name not in _FOLDERS]
        folders[:] = [name for name in kept if not any((place / name / mark).exists() for mark in _MARKS)]
        for name in files:
            path = place / name
            if not name.startswith(".") and not name.endswith(_STORES) and path.is_file() and not path.is_symlink():
                yield path
