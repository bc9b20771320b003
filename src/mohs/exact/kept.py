"""What was solved before? Exact results, kept in files of the user's cache, because studies ask for the same tasks.

There is one file for each kind of result, with one line for each task. A cache that cannot be read or written costs
time only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from mohs.core.files import user_cache
from mohs.core.task import Task
from mohs.core.values import FunctionRef

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")


def kept(kind: str, key: str, task: Task, solve: Callable[[], T], read: Callable[[dict[str, Any]], T]) -> T:
    """A result for a task: from the file where it was solved before, else solved and appended to it.

    Args:
        kind: Names the file. It must change with every definition and constant that the result depends on.
        key: Of the line.
        task: The task. Nothing is kept of one that may mean something else tomorrow.
        solve: Computes the result.
        read: Makes the result from its fields.

    Returns:
        The result.
    """
    if not _lasting(task):
        return solve()
    path = file_of(kind)
    known = lines(path)
    if key in known:
        return read(known[key])
    found = solve()
    known[key] = asdict(found)
    # A read-only or full cache: the result is computed again next time.
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a") as file:  # one short line: written whole, whoever else appends
            file.write(f"{key} {json.dumps(known[key])}\n")
    return found


def file_of(kind: str) -> Path:
    """The file of a kind of result, for this version of mohs."""
    return _file_of(kind, os.environ.get("XDG_CACHE_HOME"), os.environ.get("HOME"))


@cache
def _file_of(kind: str, *_where: str | None) -> Path:
    return user_cache() / "exact" / f"{kind}-mohs-{_version()}.jsonl"


@cache
def lines(path: Path) -> dict[str, dict[str, Any]]:
    """What the file holds. A line that is not whole is left out: its writer was interrupted, or is still writing."""
    text, found = "", {}
    with suppress(OSError):  # there is none yet, or it may not be read
        text = path.read_text()
    for line in text.splitlines():
        key, _, rest = line.partition(" ")
        with suppress(ValueError):
            found[key] = json.loads(rest)
    return found


@cache
def _version() -> str:
    return version("mohs")


def _lasting(task: Task) -> bool:
    """Whether the task means the same tomorrow: it is one of mohs, and none of its parameters is a custom function."""
    source = task.environment.table or task.environment.score
    own = source is not None and source.startswith("mohs.")
    return own and not any(isinstance(value, FunctionRef) for _, value in task.params)
