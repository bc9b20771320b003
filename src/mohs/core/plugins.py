"""Which objects do other installed packages add to mohs? Those that they name in an entry point group.

A package declares them in its `pyproject.toml`, as `[project.entry-points."mohs.environments"]` does.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any


@cache
def load(group: str) -> list[tuple[str, Any]]:
    """The objects of an entry point group by their names, imported once per process.

    An entry point that cannot be imported is left out, with a warning that names its package.

    Args:
        group: `mohs.environments`, `mohs.agents` or `mohs.protocols`.

    Returns:
        Pairs of the entry point's name and the object, sorted by name.
    """
    found: list[tuple[str, Any]] = []
    for point in sorted(entry_points(group=group), key=lambda point: (point.name, point.value)):
        with _skipped(point):
            found.append((point.name, point.load()))
    return found


@contextmanager
def skipping(group: str, name: str) -> Iterator[None]:
    """Turns whatever a plugin raises while its object is used into one warning that names its package."""
    with _skipped(next(iter(entry_points(group=group, name=name)))):
        yield


@contextmanager
def _skipped(point: EntryPoint) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # code of another package may raise anything, and must not stop mohs
        package = point.dist.name if point.dist is not None else point.value
        warnings.warn(
            f"the plugin {point.name!r} of the package {package} is skipped ({point.group}): "
            f"{type(error).__name__}: {error}",
            RuntimeWarning,
            stacklevel=4,
        )
