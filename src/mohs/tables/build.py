"""How is a task turned into a table? From an id and parameters, or from a `Task`."""

from __future__ import annotations

from typing import Any

from mohs.core.arguments import checked
from mohs.core.task import EnvFactory, Task
from mohs.tables.table import Table


@checked
def table(
    env: str | Task | EnvFactory, /, *, seed: int | None = None, limit: int | None = None, **params: Any
) -> Table:
    """Builds a task, its dials included, as a finite MDP.

    Args:
        env: An id, a `Task`, or a class or factory of environments, as for `mohs.make`.
        seed: The structure seed; 0 by default.
        limit: The most states that the table may have; by default 4 million in most environments.
        **params: Dials and other parameters of the environment.

    Returns:
        The table: every state and action, where it leads and what it pays. Rewards are means: reward noise is left out.

    Raises:
        UsageError: The environment has no table, a dial cannot be part of one, or it has more than `limit` states; the
            message says how many.

    Example:
        >>> import mohs
        >>> mohs.table("toy/grid", grid_shape=(3, 3))
        <deterministic table: 9 states × 4 actions, horizon 100>
        >>> mohs.table("FrozenLake-v1").states
        16
    """
    task = env.replace(seed, **params) if isinstance(env, Task) else Task.make(env, seed=seed or 0, **params)
    options = {} if limit is None else {"limit": limit}
    return task.environment.realisation("table")(task, **options)  # type: ignore[no-any-return]
