"""How does a file appear whole or not at all?"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from string import Template

from mohs.core.errors import UsageError


@contextmanager
def told(directory: Path) -> Iterator[None]:
    """Turns a failure of the file system into one sentence."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"the report cannot be written to {str(directory)!r}: {reason}.") from error


def write(path: Path, text: str) -> Path:
    """Written beside its place, then moved there: a reader never sees half of it."""
    with told(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    return path


def _umask() -> int:
    """mkstemp's files are private; a report is as open as any other file."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def resource(name: str) -> str:
    """A file of the package's `page` folder."""
    return files("mohs.report").joinpath("page", name).read_text(encoding="utf-8")


def filled(name: str, /, **values: str) -> str:
    """A page's part with its `${names}` filled in; the values must be HTML already."""
    return Template(resource(name)).substitute(values)
