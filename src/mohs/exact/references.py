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


@lru_cache(maxsize=100_000)
def return_score(task: Task) -> Score:
    """The undiscounted return over the task's horizon, with its exact references."""
    noise_free = task.noise_free()
    if noise_free != task:
        return return_score(noise_free)
    exact = table(task)
    return score_between(*(float(exact.initial @ values(exact, rule)) for rule in _RULES))


def score_between(random: float, optimal: float) -> Score:
    """The return as a score, with the returns of these two policies as references."""
    return Score(
        "return",
        "reward per episode",
        True,
        Reference(random, "random policy, exact, noise-free", ReferenceKind.EXACT),
        Reference(optimal, "optimal policy, exact, noise-free", ReferenceKind.EXACT),
    )
