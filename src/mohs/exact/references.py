"""How is the return of a task normalised? 0 is the random policy, 1 the exact optimum, both without noise.

Dividing by the optimum *under* noise would hide the effect of noise on an agent. So the scale is the same along the
noise dials.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mohs.core.errors import UsageError
from mohs.core.score import Reference, ReferenceKind, Score
from mohs.core.task import Task
from mohs.exact.attainable import EVERYTHING, attainable
from mohs.exact.kept import kept
from mohs.exact.values.solve import Rule, values
from mohs.tables.build import table

_EXTREMES: tuple[Rule, Rule] = ("worst", "best")
_REWARD_NOISE = "reward_noise"
RANGES = "range-1"  # the kind of result that is kept; a change of any definition raises the number


@dataclass(frozen=True)
class ReturnRange:
    """Between which returns every policy lies: those `expected` of an episode, and those of any `single` one."""

    expected: tuple[float, float]
    single: tuple[float, float]


@lru_cache(maxsize=100_000)
def return_score(task: Task) -> Score:
    """The undiscounted return over the task's horizon, with its exact references."""
    found = attainable(task.noise_free(), EVERYTHING)
    return score_between(found.random, found.optimal)


def return_range(task: Task) -> ReturnRange:
    """The range of undiscounted returns, with the task's noise. Reward noise has mean 0, and is left out.

    Raises:
        UsageError: the task has no table, one that would be too large, or no limit of steps.
    """
    return _range(Task(task.env, tuple(p for p in task.params if p[0] != _REWARD_NOISE), task.seed))


@lru_cache(maxsize=100_000)
def _range(task: Task) -> ReturnRange:
    return kept(RANGES, task.key, task, lambda: _solved(task), _read)


def _read(fields: dict[str, Any]) -> ReturnRange:
    (worst, best), (least, most) = fields["expected"], fields["single"]
    return ReturnRange((worst, best), (least, most))


def _solved(task: Task) -> ReturnRange:
    exact = table(task)
    if exact.horizon is None:
        raise UsageError(f"{task.env} has no limit of steps: its returns have no known range.")
    worst, best = (values(exact, rule) for rule in _EXTREMES)
    starts = exact.initial > 0
    if exact.deterministic:
        single = float(worst[starts].min()), float(best[starts].max())
    else:
        least, most = min(0.0, float(exact.reward.min())), max(0.0, float(exact.reward.max()))
        single = exact.horizon * least, exact.horizon * most
    return ReturnRange((float(exact.initial @ worst), float(exact.initial @ best)), single)


def score_between(random: float, optimal: float) -> Score:
    """The return as a score, with the returns of these two policies as references."""
    return Score(
        "return",
        "reward per episode",
        True,
        Reference(random, "random policy, exact, noise-free", ReferenceKind.EXACT),
        Reference(optimal, "optimal policy, exact, noise-free", ReferenceKind.EXACT),
    )
