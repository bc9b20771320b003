"""Whose fault is a loss: the task's, missing memory's, or the learning's?

What can be earned is computed for the very task of every run, noise included (`exact/attainable.py`). Gains are over
the random policy of that task. They are in units of what the optimal policy gains on the vanilla task of the same seed,
so that seeds with different generated tasks count alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.agents.registry import history_of
from mohs.core.errors import UsageError
from mohs.core.score import ReferenceKind, Score
from mohs.core.task import Task
from mohs.core.values import Json
from mohs.exact.attainable import EVERYTHING, Attainable, attainable
from mohs.protocols.diagnose.study import DiagnosisStudy
from mohs.protocols.measures import POOLED
from mohs.protocols.scale import Values, has_references, references
from mohs.stats import Gains, Parts, loss_parts

Floats = npt.NDArray[np.float64]
WIDEST_CUT = 0.2  # of vanilla's gain
NO_OPTIMUM = "the exact optimum of third-party environments is unknown"


@dataclass(frozen=True)
class Attribution:
    """The loss at a dose, in parts.

    Attributes:
        parts: The parts, with intervals.
        least_memory: The memory part if the best policy without memory earns its upper bound. Equal to the memory part
            where that policy is known, NaN where it is out of reach.
        reason: Why there is no memory part; empty otherwise.
    """

    parts: Parts
    least_memory: float
    reason: str = ""

    @property
    def bracketed(self) -> bool:
        """Whether the memory part is only known to lie between two values."""
        return self.parts.memory.value - self.least_memory > 0.002

    @property
    def cut_known(self) -> bool:
        """Whether evaluations tell the learnt policy's part from that of training: its interval is not too wide."""
        return not self.reason and self.parts.policy.high - self.parts.policy.low <= WIDEST_CUT

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        parts = {name: getattr(self.parts, name).to_dict() for name in self.parts.__dataclass_fields__}
        least = None if math.isnan(self.least_memory) else self.least_memory
        return {**parts, "least_memory": least, "reason": self.reason}


@dataclass(frozen=True, eq=False)
class Reach:
    """What was and could be gained at a point, [seeds], and the upper bound of what could be without memory.

    Where the best policy without memory is not `known` for every seed, the optimal one stands in for it.
    """

    gains: Gains
    bound: Floats
    known: bool

    @property
    def optimal(self) -> Reach:
        """The same, with the optimal policy in place of the best one without memory."""
        return Reach(replace(self.gains, reachable=self.gains.optimal), self.gains.optimal, False)


@dataclass(frozen=True)
class Ceilings:
    """What can be earned in the tasks of a study, by an agent that acts on so many observations (0: all of them)."""

    study: DiagnosisStudy
    history: int

    @classmethod
    def of_agent(cls, study: DiagnosisStudy) -> Ceilings:
        """Those of the study's agent. One that is not installed here counts as memoryless, as most agents are."""
        try:
            return cls(study, history_of(study.agent))
        except UsageError:
            return cls(study, 1)

    def of(self, task: Task) -> Attainable | str:
        """What can be earned in a task, or why that is unknown."""
        if not has_references(task.env):
            return NO_OPTIMUM
        try:
            return attainable(task, self.history) if task.environment.table is not None else _derived(task)
        except UsageError as error:
            return str(error)

    def attained(self, task: Task, returned: Values) -> Values:
        """Returns between the random policy (0) and the best one with the agent's view (1), both of this very task."""
        found = self.of(task)
        if isinstance(found, str):
            return returned * math.nan
        top = found.optimal if found.reachable is None else found.reachable
        return (returned - found.random) / (top - found.random) if top > found.random else returned * math.nan

    def optimum(self, task: Task) -> float | None:
        """The expected return of the optimal policy; None where it is unknown."""
        found = replace(self, history=EVERYTHING).of(task)
        return None if isinstance(found, str) else found.optimal

    def reach(self, turned: Mapping[str, Any], samples: Mapping[str, Floats]) -> Reach | str:
        """What was and could be gained at a point, or why that is unknown."""
        rows, known = [], True
        for seed in range(self.study.seeds):
            task, base = self.study.task(turned, seed), self.study.task({}, seed)
            found, vanilla = self.of(task), self.of(base)
            if isinstance(found, str):
                return found
            if isinstance(vanilla, str):
                return vanilla
            scale, usual = (abs(each.values.get("reward_scale", 1.0)) for each in (task, base))
            # Where the rewards are scaled to 0, nothing can be gained in any unit.
            unit = (vanilla.optimal - vanilla.random) / usual * (scale or 1.0) if usual else 0.0
            known &= found.reachable is not None
            reachable = found.optimal if found.reachable is None else found.reachable
            earned = (samples[POOLED][seed], samples["eval"][seed], reachable, found.optimal, found.bound)
            rows.append([(each - found.random) / unit if unit > 0 else math.nan for each in earned])
        own, learnt, reachable, optimal, bound = np.array(rows).T
        return Reach(Gains(own, learnt, reachable, optimal), bound, known)


def attribute(vanilla: Reach, dose: Reach, level: float) -> Attribution:
    """The parts of a loss. Where the best policy without memory is out of reach, its part stays with the learning's."""
    parts = loss_parts(vanilla.gains, dose.gains, level)
    if not (vanilla.known and dose.known):
        unknown = replace(parts.memory, value=math.nan, low=math.nan, high=math.nan)
        return Attribution(replace(parts, memory=unknown), math.nan, "the best policy without memory is out of reach")
    ran = ~np.isnan(dose.gains.own + vanilla.gains.own)
    wider = (dose.bound - dose.gains.reachable)[ran].mean() / vanilla.gains.reachable[ran].mean() if ran.any() else 0.0
    return Attribution(parts, parts.memory.value - float(wider))


def _derived(task: Task) -> Attainable | str:
    """What can be earned where there is no table, but an optimum that is derived for the task without noise."""
    if task.values.get("transition_noise"):
        return "no optimum is derived for a task with transition noise"
    score = references(task)
    if not isinstance(score, Score) or score.low is None or score.high is None:
        return score if isinstance(score, str) else "the task has no references"
    if score.high.kind == ReferenceKind.BOUND:
        return "only an upper bound of its optimum is known"
    return Attainable(score.low.value, score.high.value, None, score.high.value, "it has no table")
