"""How is the return of a task normalised? 0 is the random policy, 1 the exact optimum, both without noise.

Dividing by the optimum *under* noise would hide the effect of noise on an agent. So the scale is the same along the
noise dials.
"""

from __future__ import annotations

from functools import lru_cache

from mohs.core.score import Reference, ReferenceKind, Score
from mohs.core.task import Task
from mohs.exact.values.solve import Rule, values
from mohs.tables.build import table

_RULES: tuple[Rule, Rule] = ("mean", "best")
_EXTREMES: tuple[Rule, Rule] = ("worst", "best")
_REWARD_NOISE = "reward_noise"


@lru_cache(maxsize=100_000)
def return_score(task: Task) -> Score:
    """The undiscounted return over the task's horizon, with its exact references."""
    noise_free = task.noise_free()
    if noise_free != task:
        return return_score(noise_free)
    exact = table(task)
    return score_between(*(float(exact.initial @ values(exact, rule)) for rule in _RULES))


@lru_cache(maxsize=100_000)
def return_range(task: Task) -> tuple[float, float]:
    """The expected returns of the worst and of the best policy of a task, with its noise: no policy lies outside.

    Reward noise has mean 0, so it moves neither.
    """
    if any(name == _REWARD_NOISE for name, _ in task.params):
        return return_range(Task(task.env, tuple(p for p in task.params if p[0] != _REWARD_NOISE), task.seed))
    exact = table(task)
    worst, best = (float(exact.initial @ values(exact, rule)) for rule in _EXTREMES)
    return worst, best


def score_between(random: float, optimal: float) -> Score:
    """The return as a score, with the returns of these two policies as references."""
    return Score(
        "return",
        "reward per episode",
        True,
        Reference(random, "random policy, exact, noise-free", ReferenceKind.EXACT),
        Reference(optimal, "optimal policy, exact, noise-free", ReferenceKind.EXACT),
    )
