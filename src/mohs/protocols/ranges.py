"""Between which values does the true mean of a measure lie?

A return lies between those of the worst and of the best policy, where a task is solved exactly; a length between 0 and
the limit of an episode.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.exact.references import return_range
from mohs.protocols.measures import MEASURES, STEPS
from mohs.protocols.scale import Scale, between
from mohs.stats.ranges import Range

_EVALUATED = ("eval", "noise_free")
UNKNOWN: Range = (-math.inf, math.inf)


def known_range(name: str, tasks: Sequence[Task], scale: Scale | None) -> Range:
    """Where the mean of a measure lies on some tasks, such as those of all seeds at a point.

    Args:
        name: of a measure in the catalogue.
        tasks: those that its runs are on, at least one.
        scale: what normalised measures are normalised by.

    Returns:
        The least and the greatest value that the mean can have; infinite where it is not known.
    """
    lows, highs = zip(*(_of_task(name, task, scale) for task in tasks), strict=True)
    return min(lows), max(highs)


def returns_of(task: Task, *, training: bool = False) -> Range:
    """Where the mean return of a task lies; infinite where the task is not solved exactly.

    Evaluations play a given number of episodes, so their mean lies between the expected returns of the worst and of the
    best policy. A window of `training` holds the episodes that end in it. That favours some, so only the range of
    single episodes is certain.
    """
    if task.environment.table is None:
        return UNKNOWN
    try:
        found = return_range(task)
    except UsageError:  # its table would be too large
        return UNKNOWN
    return found.single if training else found.expected


def _of_task(name: str, task: Task, scale: Scale | None) -> Range:
    measure = MEASURES[name]
    if measure.unit == STEPS:
        longest = task["max_episode_steps"]
        return 0.0, math.inf if longest is None else float(longest)
    training = not name.endswith(_EVALUATED)
    low, high = returns_of(task.noise_free() if name.endswith("noise_free") else task, training=training)
    if not math.isfinite(high) or name == "auc_plain":
        return UNKNOWN
    if name == "auc_paper":
        factor = task.environment.realisation("scaling")(task)
        return UNKNOWN if math.isnan(factor) else (low * factor, high * factor)
    if not measure.normalised:
        return low, high
    score = None if scale is None or scale.plain else scale.score(task)
    worst, best = between(score, low), between(score, high)
    return UNKNOWN if math.isnan(worst) else (worst, best)
