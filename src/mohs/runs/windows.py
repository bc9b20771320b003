"""How many steps does a point of a training curve stand for?"""

from __future__ import annotations

from mohs.core.task import Task

CURVE_POINTS = 50


def window(task: Task, budget: int) -> int:
    """As long as an episode may be, so that every window has one; shorter where that is longer than the run."""
    limit, share = task["max_episode_steps"], max(budget // CURVE_POINTS, 1)
    return share if limit is None or limit > budget else max(limit, share)
