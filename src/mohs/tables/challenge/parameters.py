"""What do the parameters of a challenge task mean? An MDP of the grid, its observations and its actions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.tables.challenge.cache import stored
from mohs.tables.challenge.grid import candidate
from mohs.tables.table import Table
from mohs.tables.transforms import sticky_actions

MAX_STATES = 2**22


def check(values: dict[str, Any], given: frozenset[str]) -> dict[str, Any]:
    """The MDP implies the length of an episode."""
    mdp = candidate(values["mdp"])
    return {} if "max_episode_steps" in given else {"max_episode_steps": mdp.horizon}


def spaces(task: Task) -> tuple[Any, ...]:
    """Equal for tasks that can share a fleet: the number of actions, the kind of observation and its sizes."""
    mdp, seen = stored(task["mdp"]), task["observation"]
    return (mdp.actions, seen, mdp.states) if seen == "state" else (mdp.actions, seen, *mdp.shape, len(mdp.codes))


def challenge_table(task: Task, limit: int = MAX_STATES) -> Table:
    """The task as a table; with sticky actions its states remember the last action."""
    mdp, sticks = stored(task["mdp"]), task["sticky_actions"]
    states = mdp.states * (mdp.actions + 1 if sticks else 1)
    if states > limit:
        raise UsageError(f"the table of {task} has up to {states:,} states, more than the {limit:,} allowed.")
    table = replace(mdp.table(), horizon=task["max_episode_steps"])
    return sticky_actions(table, sticks) if sticks else table
