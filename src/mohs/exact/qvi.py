"""How far must one look ahead of random play to play optimally? k-QVI-solvability and the chance of guessing.

Q¹ is the value of random play; each step of Q-value iteration looks one step further before play turns random
(Laidlaw et al. 2023; Definition 2.1 of the Effective Horizon Challenge). A task is k-QVI-solvable if *every* policy
that is greedy in Qᵏ is optimal, whichever way ties are broken; min_k is the smallest such k.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.core.domain import Integer
from mohs.exact import kernels
from mohs.exact.solve import finite_frame
from mohs.tables.table import Table

TIES = 1e-4  # values that differ by less count as equal, as in the BRIDGE data


def solvable(
    table: Table, most: int | None = None, *, horizon: int | None = None, discount: float | None = None,
    tolerance: float = TIES,
) -> npt.NDArray[np.bool_]:  # fmt: skip
    """For k = 1 .. most (the horizon by default): is every greedy policy of Qᵏ optimal from the start?

    With a discount below 1 the look-ahead is discounted, and optimality is judged without.
    """
    steps, gamma = finite_frame(table, horizon, discount)
    count = min(steps, Integer(1).parse("most", most)) if most is not None else steps
    values = np.zeros((count + 1, table.states))
    after = np.zeros_like(values)
    best, best_after = np.zeros(table.states), np.zeros(table.states)
    good = np.ones((count, table.states), dtype=np.bool_)
    good_after = np.ones_like(good)
    for _ in range(steps):
        kernels.look_ahead(*table.arrays, gamma, tolerance, after, values, best_after, best, good_after, good)
        after, values = values, after
        best_after, best = best, best_after
        good_after, good = good, good_after
    return np.asarray(good_after[:, table.initial > 0].all(axis=1))


def min_k(
    table: Table, *, horizon: int | None = None, discount: float | None = None, tolerance: float = TIES
) -> int | None:
    """The smallest k for which the task is k-QVI-solvable; without a discount there always is one."""
    steps, _ = finite_frame(table, horizon, discount)
    most = 1
    while True:  # small k are the common case, and the work grows with k
        found = solvable(table, most, horizon=horizon, discount=discount, tolerance=tolerance)
        if found.any():
            return int(np.argmax(found)) + 1
        if most >= steps:
            return None
        most = min(steps, 4 * most)


def p_opt(table: Table, *, horizon: int | None = None, tolerance: float = TIES) -> float:
    """The probability that random actions are optimal ones all the way: a guess that earns the optimal return."""
    steps, _ = finite_frame(table, horizon)
    best, best_after = np.zeros(table.states), np.zeros(table.states)
    chance, chance_after = np.ones(table.states), np.ones(table.states)
    for _ in range(steps):
        kernels.guess(*table.arrays, tolerance, best_after, best, chance_after, chance)
        best_after, best = best, best_after
        chance_after, chance = chance, chance_after
    return float(table.initial @ chance_after)


def random_guess_bound(table: Table, *, horizon: int | None = None, tolerance: float = TIES) -> float:
    """T · log 2 / p_opt: so many steps of guessing whole episodes find an optimal one with probability ½."""
    steps, _ = finite_frame(table, horizon)
    chance = p_opt(table, horizon=horizon, tolerance=tolerance)
    return float(steps * np.log(2) / chance) if chance > 0 else float("inf")
