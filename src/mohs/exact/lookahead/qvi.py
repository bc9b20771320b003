"""How much look-ahead over the random policy makes greedy actions optimal? k-QVI-solvability, and random guessing.

Q¹ is the value of the random policy; each step of Q-value iteration looks one step further ahead of it
(Laidlaw et al. 2023; Definition 2.1 of the Effective Horizon Challenge). A task is k-QVI-solvable if *every* policy
that is greedy in Qᵏ is optimal, whichever way ties are broken; min_k is the smallest such k. The effective planning
window is the same with Q¹ the reward alone: how far one must look ahead if nothing is known of what follows. With Q¹
the discounted optimum it answers another question: is a policy that maximises the discounted return optimal?

Ties in Qᵏ are decided exactly. Undiscounted deterministic tables whose rewards are multiples of a unit have integer
keys (`ranks`). In other tables every value has a bound on its rounding error. Where the bounds leave the result open,
integers of any size decide (`rational`), up to `MAX_ENTRIES`; beyond it, what the bounds cannot tell apart is tied.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from mohs.core.domain import Integer
from mohs.core.errors import UsageError, unknown
from mohs.exact.lookahead import qvi_kernels as kernels
from mohs.exact.lookahead import ranks
from mohs.exact.lookahead.rational import greedy_exactly
from mohs.exact.measures.distances import distances
from mohs.exact.values.solve import finite_frame
from mohs.exact.values.solve_kernels import BEST, MEAN
from mohs.tables.table import Float, Table

TIES = 1e-4  # returns that differ by less count as equal, as in the BRIDGE data
MAX_BYTES = 6 * 2**30  # of all look-aheads of all states
MAX_ENTRIES = 3 * 10**7  # entries × steps × k that integers of any size may take: some seconds
_KEYS, _BOUNDS = 34, 66  # bytes of a look-ahead of a state
Base = Literal["random", "nothing", "optimum"]  # the value that Q¹ assigns to the next state
Criterion = Literal["actions", "return"]
_BASES = {"random": MEAN, "nothing": -1, "optimum": BEST}
CRITERIA: tuple[Criterion, ...] = ("actions", "return")


@dataclass(frozen=True, eq=False)
class Greedy:
    """For k = 1, 2, …: the worst return of a policy greedy in Qᵏ, and whether every such policy is optimal."""

    returns: Float
    optimal: npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _Found:
    """Bounds on the worst return, and whether every greedy policy is optimal: for sure, and if it can be."""

    low: Float
    high: Float
    surely: npt.NDArray[np.bool_]
    maybe: npt.NDArray[np.bool_]

    @property
    def smallest(self) -> int | None:
        """The first k (from 0) that may be enough."""
        return int(np.argmax(self.maybe)) if self.maybe.any() else None


@dataclass(frozen=True)
class _Question:
    table: Table
    steps: int
    discount: float
    base: Base
    tolerance: float
    criterion: Criterion


def _question(
    table: Table, horizon: int | None, discount: float | None, base: Base, tolerance: float, criterion: Criterion
) -> _Question:
    steps, gamma = finite_frame(table, horizon, discount)
    if criterion not in CRITERIA:
        raise unknown("criterion", criterion, CRITERIA)
    return _Question(table, steps, gamma, base, tolerance, criterion)


def greedy(
    table: Table, most: int | None = None, *, horizon: int | None = None, discount: float | None = None,
    base: Base = "random", tolerance: float = TIES, criterion: Criterion = "actions",
) -> Greedy:  # fmt: skip
    """For k = 1 .. most (the horizon by default), at once.

    With a discount below 1 the look-ahead is discounted; returns and optimality are judged without.

    Args:
        table: The task.
        most: The largest k; the horizon by default.
        horizon: The number of steps; by default the table's.
        discount: The discount of the look-ahead; by default the table's.
        base: What Q¹ takes for the value of the next state.
        tolerance: A smaller loss counts as none.
        criterion: What makes a greedy policy optimal. "actions": in every state that it can come to, no action loses
            more than the tolerance, as in the BRIDGE data. "return": its return from each start is at most the
            tolerance below the optimum. They differ in stochastic tables, where a state may be rare.

    Returns:
        The worst returns, and whether all greedy policies are optimal, for each k.
    """
    question = _question(table, horizon, discount, base, tolerance, criterion)
    steps = question.steps
    count = min(steps, Integer(1).parse("most", most)) if most is not None else steps
    found = _bounded(question, count)
    if np.any(found.surely != found.maybe) or np.any(found.high - found.low > tolerance):
        found = _decided(question, count) or found
    return Greedy(found.low, found.surely)


def _bounded(question: _Question, count: int) -> _Found:
    table, steps = question.table, question.steps
    rewards = ranks.units(table, steps, question.discount)
    if count > (largest := _allowed(table, rewards is not None)):
        raise UsageError(
            f"looking {count} steps ahead in {table.states:,} states needs too much memory: up to {largest}."
        )
    return _by_bounds(question, count) if rewards is None else _by_keys(question, count, rewards)


def _by_keys(question: _Question, count: int, rewards: ranks.Units) -> _Found:
    table, steps = question.table, question.steps
    depth, tolerance = distances(table), question.tolerance / rewards.size
    # Where the tolerance is below one unit, a return is optimal if all actions are.
    judged = count if question.criterion == "actions" and tolerance >= 1 else 0
    random = ranks.ranked(table, rewards, steps) if question.base == "random" else None
    best, best_after = np.zeros((2, table.states), dtype=np.int64)
    keys, after = np.zeros((2, table.states, count + 1), dtype=np.int64)
    earned, earned_after = np.zeros((2, table.states, count), dtype=np.int64)
    fails, fails_after = np.zeros((2, table.states, judged), dtype=np.uint8)
    for t in reversed(range(steps)):
        if random is not None:
            after[:, 0] = next(random).keys
        kernels.rank_ahead(
            table.succ, rewards.gains, table.terminal, table.actions, rewards.span, tolerance, depth, t, best_after,
            best, after, keys, earned_after, earned, fails_after, fails,
        )  # fmt: skip
        if question.base == "optimum":
            keys[:, 0] = keys[:, 1]
        best_after, best = best, best_after
        after, keys = keys, after
        earned_after, earned = earned, earned_after
        fails_after, fails = fails, fails_after
    start = table.initial > 0
    returns = table.initial[start] @ (earned_after[start] * rewards.size)
    lost = best_after[start, None] - earned_after[start] > tolerance
    optimal = np.asarray(~(fails_after[start] > 0 if judged else lost).any(axis=0))
    return _Found(returns, returns, optimal, optimal)


def _by_bounds(question: _Question, count: int) -> _Found:
    table, steps = question.table, question.steps
    depth = distances(table)
    best, best_after = np.zeros((2, table.states))
    values, after, errors, errors_after = np.zeros((4, table.states, count + 1))
    low, low_after, high, high_after = np.zeros((4, table.states, count))
    fails, fails_after = np.zeros((2, table.states, count), dtype=np.uint8)
    scratch, marks = np.zeros((4, table.actions, count)), np.zeros((table.actions + 2, count), dtype=np.uint8)
    edges = np.zeros((2, count))
    for t in reversed(range(steps)):
        kernels.look_ahead(
            *table.arrays, question.discount, _BASES[question.base], question.tolerance, depth, t, best_after, best,
            after, values, errors_after, errors, low_after, low, high_after, high, fails_after, fails, *scratch, *edges,
            marks[2:], marks[0], marks[1],
        )  # fmt: skip
        best_after, best = best, best_after
        after, values = values, after
        errors_after, errors = errors, errors_after
        low_after, low = low, low_after
        high_after, high = high, high_after
        fails_after, fails = fails, fails_after
    start = table.initial > 0
    least, most = low_after[start], high_after[start]
    if question.criterion == "return":
        goal = best_after[start, None] - question.tolerance
        surely, maybe = least >= goal, most >= goal
    else:
        surely, maybe = fails_after[start] & kernels.MAY == 0, fails_after[start] & kernels.SURE == 0
    weights = table.initial[start]
    return _Found(weights @ least, weights @ most, np.asarray(surely.all(axis=0)), np.asarray(maybe.all(axis=0)))


def _decided(question: _Question, count: int) -> _Found | None:
    """The result by integers of any size; None where that takes too long."""
    table, steps = question.table, question.steps
    if len(table.succ) * steps * count > MAX_ENTRIES:
        return None
    base = _BASES[question.base]
    found = greedy_exactly(table, count, steps, question.discount, base, question.tolerance)
    returns = table.initial[table.initial > 0] @ found.returns
    lost = found.returns < found.best[:, None] - question.tolerance
    optimal = np.asarray(~(lost if question.criterion == "return" else found.fails).any(axis=0))
    return _Found(returns, returns, optimal, optimal)


def solvable(
    table: Table, most: int | None = None, *, horizon: int | None = None, discount: float | None = None,
    tolerance: float = TIES, criterion: Criterion = "actions",
) -> npt.NDArray[np.bool_]:  # fmt: skip
    """For k = 1 .. most (the horizon by default): is every greedy policy of Qᵏ optimal from the start?"""
    found = greedy(table, most, horizon=horizon, discount=discount, tolerance=tolerance, criterion=criterion)
    return found.optimal


def min_k(
    table: Table, *, horizon: int | None = None, discount: float | None = None, tolerance: float = TIES,
    criterion: Criterion = "actions",
) -> int | None:  # fmt: skip
    """The smallest k for which the task is k-QVI-solvable; without a discount there always is one.

    `criterion` is that of `greedy`.
    """
    return _smallest(_question(table, horizon, discount, "random", tolerance, criterion))


def epw(
    table: Table, *, horizon: int | None = None, discount: float | None = None, tolerance: float = TIES,
    criterion: Criterion = "actions",
) -> int | None:  # fmt: skip
    """The effective planning window: the number of future rewards with which every greedy policy is optimal."""
    return _smallest(_question(table, horizon, discount, "nothing", tolerance, criterion))


def _smallest(question: _Question) -> int | None:
    steps, room = question.steps, allowed(question.table, question.steps, question.discount)
    most = min(8, steps, room)
    while True:  # small k are the common case, and the work grows with k
        found = _bounded(question, most)
        first = found.smallest
        if first is not None and not found.surely[first]:
            found = _decided(question, most) or found
        if found.surely.any():
            return int(np.argmax(found.surely)) + 1
        if most >= steps:
            return None
        most = min(steps, 3 * most, max(most + 1, room))


def allowed(table: Table, steps: int, discount: float) -> int:
    """The largest k for which the look-aheads fit in memory."""
    return _allowed(table, ranks.units(table, steps, discount) is not None)


def _allowed(table: Table, keyed: bool) -> int:
    return max(1, MAX_BYTES // ((_KEYS if keyed else _BOUNDS) * table.states))


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
