"""By what is a run's return normalised? By the references of its task or, where it has none, by the study's own runs.

**References of the task** (`Environment.score`): 0 is the random policy, 1 the optimum of each run's own task.

**The study's own runs**, for third-party environments, whose optimum is unknown: 0 is the random policy on the vanilla
task with the same seed, 1 the agent's own mean training return on vanilla. Vanilla's mean is then 1 by construction.
The interval around it is that of the difference vanilla − random, paired by seed, in units of its mean. Vanilla counts
as learnt by the same rule as elsewhere: the lower end of the interval lies above a tenth.
Doses are judged on vanilla's scale, so what a dial does to the arithmetic of rewards is undone where that can be done:
(R − reward_shift · length) / reward_scale. Masking and delay keep the mean of a return. `term_state_reward` and
`reward_clip` change what an episode is worth, which return and length do not show: they are judged by what is paid.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.registry import environment
from mohs.core.score import Score
from mohs.core.task import Task
from mohs.core.values import Json
from mohs.stats import Estimate

Values = TypeVar("Values", float, npt.NDArray[np.float64])


@dataclass(frozen=True)
class Scale:
    """How returns are normalised. `score(task)` has the references of a run on a task; None where it has none.

    `plain` says that returns are brought to vanilla's scale of rewards first; `low` and `high` say what 0 and 1 are.
    """

    low: str
    high: str
    text: str
    score: Callable[[Task], Score | None] = field(repr=False, compare=False)
    plain: bool = False
    random: Estimate | None = None  # the mean return of the random policy, where it was played

    @property
    def ends(self) -> str:
        """What 0 and 1 are, in few words."""
        return "0 = random, 1 = own vanilla" if self.plain else "0 = random, 1 = optimum"

    @property
    def bounded(self) -> bool:
        """Whether no policy scores above 1."""
        return not self.plain

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        random = None if self.random is None else self.random.to_dict()
        return {"0": self.low, "1": self.high, "text": self.text, "random": random}


def has_references(env: str) -> bool:
    """Whether the tasks of an environment have references of their own."""
    return environment(env).score is not None


def own_references(env: str) -> Scale | None:
    """The scale of tasks with references of their own; None where they have none."""
    if not has_references(env):
        return None
    return Scale("random policy", "optimal policy", "0 = random policy; 1 = optimum of the run's own task.", score_of)


def between(score: Score | None, values: Values) -> Values:
    """Returns between the references of a task; NaN where it has none, or no range between them."""
    if score is not None and score.spread > 0:
        return score.normalise(values)
    return values * math.nan


def plain(task: Task, returns: Values, lengths: Values) -> Values:
    """Mean returns with scale and shift of the rewards undone."""
    scale, shift = task["reward_scale"], task["reward_shift"]
    shifted = returns - shift * lengths if shift else returns
    return shifted / scale if scale else returns * math.nan


def score_of(task: Task) -> Score | None:
    """The references of a task; None where they are out of reach."""
    found = references(task)
    return found if isinstance(found, Score) else None


@lru_cache(maxsize=100_000)
def references(task: Task) -> Score | str:
    """The references of a task, or why they are out of reach: a table that would be too large, for one."""
    try:
        found: Score = task.environment.realisation("score")(task)
    except UsageError as error:
        return str(error)
    return found
