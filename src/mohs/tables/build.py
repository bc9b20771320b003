"""How is a task turned into a table? From an id and parameters, or from a `Task`."""

from __future__ import annotations

from typing import Any

from mohs.core.task import Task
from mohs.tables.table import Table


def table(env: str | Task, /, *, seed: int | None = None, limit: int | None = None, **params: Any) -> Table:
    """Makes the exact table of a task, dials included.

    Args:
        env: The id of an environment, or a task.
        seed: The structure seed; 0, or that of the task, by default.
        limit: The largest number of states; by default that of the environment.
        **params: Parameters of the environment; they override those of the task.

    Returns:
        The table of all reachable states.

    Raises:
        UsageError: The environment has no table, a parameter is invalid, or there are more than `limit` states.

    Example:
        >>> import mohs
        >>> mohs.table("toy/discrete", delay=1)
        <deterministic table: 9 states × 8 actions, horizon 100>
    """
    task = env.replace(seed, **params) if isinstance(env, Task) else Task.make(env, seed=seed or 0, **params)
    options = {} if limit is None else {"limit": limit}
    return task.environment.realisation("table")(task, **options)  # type: ignore[no-any-return]
