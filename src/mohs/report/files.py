"""How does a report get to the disk, and which files is it made from?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from string import Template

from mohs.core.errors import UsageError
from mohs.core.files import replace
from mohs.core.values import content_hash

LONGEST_NAME = 120  # of a directory


def slug(text: str) -> str:
    """A name for a directory; a long one is cut, and a hash keeps it apart from others."""
    name = "".join(c if c.isalnum() or c in "_-" else "-" for c in text).strip("-")
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 9]}-{content_hash(text)[:8]}"


def check_directory(path: Path) -> None:
    """Raises UsageError where no file can be written to a directory. Nothing is made yet."""
    there = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not there.is_dir():
        raise UsageError(f"the report cannot be written to {str(path)!r}: {str(there)!r} is not a directory.")
    if not os.access(there, os.W_OK):
        raise UsageError(f"the report cannot be written to {str(path)!r}: permission denied.")


@contextmanager
def explained(directory: Path) -> Iterator[None]:
    """Turns a failure of the file system into one sentence."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"the report cannot be written to {str(directory)!r}: {reason}.") from error


def write(path: Path, text: str) -> Path:
    with explained(path.parent):
        replace(path, lambda file: file.write(text.encode()))
    return path


def resource(package: str | None, name: str) -> str:
    """A text file beside the modules of a package."""
    return files(str(package)).joinpath(name).read_text(encoding="utf-8")


def filled(package: str | None, name: str, /, **values: str) -> str:
    """A template with its `${names}` filled in; the values must be HTML already."""
    return Template(resource(package, name)).substitute(values)
