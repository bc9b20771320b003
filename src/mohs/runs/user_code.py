"""In which cells does code run that came neither with mohs nor with a package that mohs knows?"""

from __future__ import annotations

from collections.abc import Iterator

import gymnasium

from mohs.agents.entries import ENTRIES
from mohs.core.cell import Cell
from mohs.core.task import Task, members
from mohs.core.values import FunctionRef
from mohs.envs.registration import registered_environments
from mohs.envs.suites.packages import NONE, suite_of

_OURS = frozenset(entry.name for entry in ENTRIES)
_LIBRARY = "sb3:"


def has_user_code(cell: Cell) -> bool:
    """Whether the agent, an environment or a function of the cell is the user's own, or a plugin's."""
    agent = cell.agent.name
    if agent not in _OURS and not agent.startswith(_LIBRARY):
        return True
    return any(map(_is_users, tasks(cell)))


def tasks(cell: Cell) -> Iterator[Task]:
    """The tasks that a cell is trained or evaluated on, each once."""
    yield from dict.fromkeys(task for source in cell.sources for task in members(source)[0])


def _is_users(task: Task) -> bool:
    entry = task.environment
    if entry.third_party and suite_of(entry.gym_id) is NONE and not _is_gymnasiums(entry.gym_id):
        return True
    return task.env in registered_environments() or any(isinstance(value, FunctionRef) for _, value in task.params)


def _is_gymnasiums(gym_id: str) -> bool:
    spec = gymnasium.registry.get(gym_id)
    return spec is not None and str(spec.entry_point).startswith("gymnasium.")
