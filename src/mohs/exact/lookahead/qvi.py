"""How much look-ahead over the random policy makes greedy actions optimal? k-QVI-solvability, and random guessing.

Q¹ is the value of the random policy; each step of Q-value iteration looks one step further ahead of it
(Laidlaw et al. 2023; Definition 2.1 of the Effective Horizon Challenge). A task is k-QVI-solvable if *every* policy
that is greedy in Qᵏ is optimal, whichever way ties are broken; min_k is the smallest such k. The effective planning
window is the same with Q¹ the reward alone: how far one must look ahead if nothing is known of what follows. With Q¹
the discounted optimum it answers another question: is a policy that maximises the discounted return optimal?
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.exact.lookahead import qvi_kernels as kernels
from mohs.exact.measures.distances import distances
from mohs.exact.values.solve import finite_frame
from mohs.exact.values.solve_kernels import BEST, MEAN
from mohs.tables.table import Float, Table

TIES = 1e-4  # returns that differ by less count as equal, as in the BRIDGE data
MAX_BYTES = 6 * 2**30  # of all look-aheads of all states
_ROUNDING = 1e-15
Base = Literal["random", "nothing", "optimum"]  # the value that Q¹ assigns to the next state
_BASES = {"random": MEAN, "nothing": -1, "optimum": BEST}


@dataclass(frozen=True, eq=False)
class Greedy:
    """For k = 1, 2, …: the worst return of a policy greedy in Qᵏ, and whether it is the optimum from every start."""

    returns: Float
    optimal: npt.NDArray[np.bool_]


def greedy(
    table: Table, most: int | None = None, *, horizon: int | None = None, discount: float | None = None,
    base: Base = "random", tolerance: float = TIES,
) -> Greedy:  # fmt: skip
    """For k = 1 .. most (the horizon by default), at once.

    With a discount below 1 the look-ahead is discounted; returns and optimality are judged without.
    """
    steps, gamma = finite_frame(table, horizon, discount)
    count = min(steps, Integer(1).parse("most", most)) if most is not None else steps
    if count > (largest := allowed(table)):
        raise UsageError(
            f"looking {count} steps ahead in {table.states:,} states needs too much memory: up to {largest}."
        )
    floor = rounding(table)
    best, best_after = np.zeros((2, table.states))
    values, after = np.zeros((2, table.states, count + 1))
    earned, earned_after = np.zeros((2, table.states, count))
    q, gains = np.zeros((2, table.actions, count))
    depth = distances(table)
    for t in reversed(range(steps)):
        kernels.look_ahead(
            *table.arrays, gamma, _BASES[base], floor, depth, t, best_after, best, after, values, earned_after, earned,
            q, gains,
        )  # fmt: skip
        best_after, best = best, best_after
        after, values = values, after
        earned_after, earned = earned, earned_after
    start = table.initial > 0
    optimal = earned_after[start] >= best_after[start, None] - tolerance
    return Greedy(np.asarray(table.initial[start] @ earned_after[start]), np.asarray(optimal.all(axis=0)))


def solvable(
    table: Table, most: int | None = None, *, horizon: int | None = None, discount: float | None = None,
    tolerance: float = TIES,
) -> npt.NDArray[np.bool_]:  # fmt: skip
    """For k = 1 .. most (the horizon by default): is every greedy policy of Qᵏ optimal from the start?"""
    return greedy(table, most, horizon=horizon, discount=discount, tolerance=tolerance).optimal


def min_k(
    table: Table, *, horizon: int | None = None, discount: float | None = None, tolerance: float = TIES
) -> int | None:
    """The smallest k for which the task is k-QVI-solvable; without a discount there always is one."""
    return _smallest(table, horizon, discount, "random", tolerance)


def epw(
    table: Table, *, horizon: int | None = None, discount: float | None = None, tolerance: float = TIES
) -> int | None:
    """The effective planning window: the number of future rewards with which every greedy policy is optimal."""
    return _smallest(table, horizon, discount, "nothing", tolerance)


def _smallest(table: Table, horizon: int | None, discount: float | None, base: Base, tolerance: float) -> int | None:
    steps, _ = finite_frame(table, horizon, discount)
    most = min(8, steps, allowed(table))
    while True:  # small k are the common case, and the work grows with k
        found = greedy(table, most, horizon=horizon, discount=discount, base=base, tolerance=tolerance).optimal
        if found.any():
            return int(np.argmax(found)) + 1
        if most >= steps:
            return None
        most = min(steps, 3 * most, max(most + 1, allowed(table)))


def rounding(table: Table) -> float:
    """The rounding error of equal action values near 0."""
    return _ROUNDING * float(np.abs(table.reward).max(initial=0.0))


def allowed(table: Table) -> int:
    """The largest k for which the look-aheads fit in memory."""
    return max(1, MAX_BYTES // (32 * table.states))


def discount_is_harmless(table: Table, discount: float, *, horizon: int | None = None, tolerance: float = TIES) -> bool:
    """Is every policy that maximises the discounted return optimal without the discount too?"""
    found = greedy(table, 1, horizon=horizon, discount=discount, base="optimum", tolerance=tolerance)
    return bool(found.optimal[0])


def p_opt(table: Table, *, horizon: int | None = None, tolerance: float = TIES) -> float:
    """The probability that an episode of random actions consists of optimal actions only."""
    steps, _ = finite_frame(table, horizon)
    best, best_after = np.zeros(table.states), np.zeros(table.states)
    chance, chance_after = np.ones(table.states), np.ones(table.states)
    for _ in range(steps):
        kernels.guess(*table.arrays, tolerance, best_after, best, chance_after, chance)
        best_after, best = best, best_after
        chance_after, chance = chance, chance_after
    return float(table.initial @ chance_after)


def random_guess_bound(table: Table, *, horizon: int | None = None, tolerance: float = TIES) -> float:
    """T · log 2 / p_opt: the steps after which guessing whole episodes has succeeded with probability ½."""
    steps, _ = finite_frame(table, horizon)
    chance = p_opt(table, horizon=horizon, tolerance=tolerance)
    return float(steps * np.log(2) / chance) if chance > 0 else float("inf")
