"""What became of one run? Whether and when it reached its goal; if not, whether it was stuck below it.

The goal is the optimum. With sticky actions, episodes do not show that a policy is optimal: there the goal is most of
the way from the random policy's return to the optimum.
"""

from __future__ import annotations

import math
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from mohs.exact.lookahead.qvi import TIES
from mohs.tables.challenge.catalogue import CatalogueEntry


class Kind(StrEnum):
    """What the evaluations of a run look like."""

    SOLVED = "solved"
    RISING = "rising"
    STUCK = "stuck"
    FLAT = "flat"
    MISSING = "missing"


KINDS: dict[Kind, str] = {
    Kind.SOLVED: "an evaluation earned what solves the MDP",
    Kind.RISING: "not solved, and the best evaluation of the second half of training is better than any of the first",
    Kind.STUCK: "not solved, the second half brought nothing better, and its mean is above the first evaluation: the "
    "run rose and stayed at a local maximum",
    Kind.FLAT: "not solved, the second half brought nothing better, and its mean is not above the first evaluation",
}
MOST = 0.95  # of the way from random to optimal play, where actions stick
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def goal(mdp: CatalogueEntry, sticky: bool) -> float:
    """The return that solves an MDP; not a number where the optimum is not known."""
    optimum, random = known(mdp.optimal_return), known(mdp.random_return)
    return random + MOST * (optimum - random) if sticky else optimum


def known(fact: float | None) -> float:
    """What the catalogue says, or NaN."""
    return math.nan if fact is None else float(fact)


def first_solved(steps: Ints, returns: Floats, goal: float) -> float:
    """The step of the first evaluation that earned the goal; infinite where none did."""
    reached = returns >= goal - TIES
    return float(steps[np.argmax(reached)]) if reached.any() else math.inf


def kind(returns: Floats, goal: float) -> Kind:
    """What a run's evaluations look like."""
    if (returns >= goal - TIES).any():
        return Kind.SOLVED
    first, second = returns[: len(returns) // 2], returns[len(returns) // 2 :]
    if len(first) and second.max() > first.max() + TIES:
        return Kind.RISING
    return Kind.STUCK if second.mean() > returns[0] + TIES else Kind.FLAT
