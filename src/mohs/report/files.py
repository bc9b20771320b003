"""How does a report get to the disk, and which files is it made from?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from string import Template

from mohs.core.errors import UsageError
from mohs.core.files import replace


@contextmanager
def told(directory: Path) -> Iterator[None]:
    """Turns a failure of the file system into one sentence."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"the report cannot be written to {str(directory)!r}: {reason}.") from error


def write(path: Path, text: str) -> Path:
    with told(path.parent):
        replace(path, lambda file: file.write(text.encode()))
    return path


def resource(name: str) -> str:
    """A file of the package's `page` folder."""
    return files("mohs.report").joinpath("page", name).read_text(encoding="utf-8")


def filled(name: str, /, **values: str) -> str:
    """A page's part with its `${names}` filled in; the values must be HTML already."""
    return Template(resource(name)).substitute(values)
