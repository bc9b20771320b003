"""How does a user get a table? From an id and parameters, or from a task."""

from __future__ import annotations

from typing import Any

from mohs.core.task import Task
from mohs.tables.table import Table


def table(env: str | Task, /, *, seed: int | None = None, limit: int | None = None, **params: Any) -> Table:
    """The task, dials included, as a finite MDP; an error that says the size where it has more than `limit` states."""
    task = env.replace(seed, **params) if isinstance(env, Task) else Task.make(env, seed=seed or 0, **params)
    options = {} if limit is None else {"limit": limit}
    return task.environment.realisation("table")(task, **options)  # type: ignore[no-any-return]
