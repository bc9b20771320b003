"""What became of one run? Whether and when it reached its goal; if not, whether it was stuck below it.

The goal is the optimum. Where actions stick, nobody can tell from episodes that a policy is optimal: there it is most
of the way from what random play earns to that.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from mohs.exact.lookahead.qvi import TIES
from mohs.tables.challenge.catalogue import CatalogueEntry

Kind = Literal["solved", "rising", "stuck", "flat", "missing"]
KINDS: dict[Kind, str] = {
    "solved": "an evaluation earned what solves the MDP",
    "rising": "not solved, and the best evaluation of the second half of training is better than any of the first half",
    "stuck": "not solved, the second half brought nothing better, and its mean is above the first evaluation: the run "
    "rose and stayed at a local maximum",
    "flat": "not solved, the second half brought nothing better, and its mean is not above the first evaluation",
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
        return "solved"
    first, second = returns[: len(returns) // 2], returns[len(returns) // 2 :]
    if len(first) and second.max() > first.max() + TIES:
        return "rising"
    return "stuck" if second.mean() > returns[0] + TIES else "flat"
