"""How long is the effective horizon at most? The simple analytical bound of Laidlaw et al. 2023.

GORP looks k steps ahead and values what follows by m random episodes. With m at least
16 · v / gap² · ln(2 T A^k) in every state that it may come to, it finds an optimal policy with probability ½; so the
effective horizon is at most min over k of k + log_A m_k. Here gap is the distance in Qᵏ between the best and the best
sub-optimal action, v bounds the variance of a random return, and the states are those reached by every action that
Qᵏ puts above the best sub-optimal one.

Ties in Qᵏ are decided as for min_k (`lookahead.qvi`): by exact integers, from which gaps are computed too, where the
table has no discount and its rewards are multiples of a unit. Elsewhere values whose error bounds overlap are tied.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.exact.bounds import simple_kernels as kernels
from mohs.exact.lookahead import ranks
from mohs.exact.lookahead.qvi import TIES, min_k
from mohs.exact.measures.distances import distances
from mohs.exact.values.solve import finite_frame
from mohs.tables.table import Float, Table

MAX_ACTIONS = 63  # the followed actions of a state are the bits of a number
MAX_BYTES = 2 * 2**30  # of these numbers, for all steps, states and as many k as are looked at together
MAX_LOOK_AHEADS = 5 * 2**30  # bytes of all look-aheads of all states
TOGETHER = 8
Mark = np.unsignedinteger
Marks = npt.NDArray[np.unsignedinteger]


@dataclass(frozen=True)
class Bound:
    """`ms[k - 1]` random episodes suffice with k steps of look-ahead (infinite: none do); `k` and `m` are the best.

    With a discount no k may do: then the effective horizon is infinite.
    """

    effective_horizon: float
    k: int | None
    m: int | None
    ms: tuple[float, ...]


def simple_bound(
    table: Table, *, horizon: int | None = None, discount: float | None = None, tolerance: float = TIES
) -> Bound:
    """The least k + log_A m_k. It stops at the k from which no larger one can do better."""
    if not table.deterministic:
        raise UsageError("the simple bound is for deterministic tables.")
    if not 2 <= table.actions <= MAX_ACTIONS:
        raise UsageError(f"the simple bound is for 2 to {MAX_ACTIONS} actions, not {table.actions}.")
    steps, gamma = finite_frame(table, horizon, discount)
    # Where a greedy policy is not optimal, Qᵏ of a sub-optimal action is as large as of an optimal one: no m suffices.
    first = min_k(table, horizon=steps, discount=gamma, tolerance=tolerance)
    ms = [math.inf] * (steps if first is None else first - 1)
    rewards = ranks.units(table, steps, gamma)
    back: Callable[..., Float] = partial(_back, table, gamma, tolerance)
    if rewards is not None:
        back = partial(_ranked, table, rewards, ranks.all_ranked(table, rewards, steps, MAX_LOOK_AHEADS), tolerance)
    best, best_k, best_m = math.inf, None, None
    while len(ms) < steps and len(ms) + 1 < best:  # k + 1 look-ahead steps alone would be as long
        for m in _episodes(table, len(ms) + 1, steps, back):
            ms.append(m)
            length = len(ms) + math.log(m, table.actions) if m < math.inf else math.inf
            if length < best:
                best, best_k, best_m = length, len(ms), int(m)
            if len(ms) + 1 >= best:
                break
    return Bound(best, best_k, best_m, tuple(ms))


def _episodes(table: Table, first: int, steps: int, back: Callable[..., Float]) -> list[float]:
    """m_k of the next few k: back in time for the followed actions, forth along them, back again for the worst."""
    one = np.uint8(1) if table.actions < 8 else np.uint64(1)
    room = MAX_BYTES // (steps * table.states * one.itemsize)
    count = max(1, min(TOGETHER, steps - first + 1, room))
    followed = np.zeros((steps, table.states, count), dtype=one.dtype)
    most = first + count - 1
    if 48 * (most + 1) * table.states > MAX_LOOK_AHEADS:
        raise UsageError(f"the simple bound of {most} steps ahead in {table.states:,} states needs too much memory.")
    back(most, followed, one, write=True)
    kernels.keep_reached(table.succ, table.terminal, table.actions, table.initial, followed, one)
    need = back(most, followed, one, write=False)
    factors = (math.log(2 * steps * table.actions**k) for k in range(first, most + 1))
    return [
        max(1.0, math.ceil(n * f)) if n * f < math.inf else math.inf
        for n, f in zip(need.tolist(), factors, strict=True)
    ]


def _back(table: Table, discount: float, tolerance: float, most: int, followed: Marks, one: Mark, write: bool) -> Float:
    """One backward pass: for each k the largest 16 v / gap² over the states that `followed` marks."""
    depth = distances(table)
    exact, exact_after = np.zeros((2, table.states, 3))
    values, after, errors, errors_after = np.zeros((4, table.states, most + 1))
    spread, spread_after = np.zeros((2, table.states, most + 1))
    need, edges = np.zeros(followed.shape[2]), np.zeros((4, followed.shape[2]))
    for t in reversed(range(len(followed))):
        kernels.bound_step(
            table.succ, table.reward, table.terminal, table.actions, discount, tolerance, depth, t, exact_after,
            exact, after, values, errors_after, errors, spread_after, spread, followed[t], one, edges, need, write,
        )  # fmt: skip
        exact, exact_after = exact_after, exact
        values, after = after, values
        errors, errors_after = errors_after, errors
        spread, spread_after = spread_after, spread
    return need


def _ranked(
    table: Table, rewards: ranks.Units, exact: ranks.AllRanked, tolerance: float, most: int, followed: Marks, one: Mark,
    write: bool,
) -> Float:  # fmt: skip
    """The same by exact keys."""
    depth, steps = distances(table), len(followed)
    best, best_after, worst, worst_after = np.zeros((4, table.states), dtype=np.int64)
    keys, after = np.zeros((2, table.states, most + 1), dtype=np.int64)
    spread, spread_after = np.zeros((2, table.states, most + 1))
    need, edges = np.zeros(followed.shape[2]), np.zeros((2, followed.shape[2]), dtype=np.int64)
    scratch = np.zeros(exact.part.shape[1], dtype=np.uint64)
    for t in reversed(range(steps)):
        after[:, 0] = exact.keys[t + 1]
        above = after[:, 0] // exact.span - worst_after + exact.fractions(t + 1)
        kernels.rank_step(
            table.succ, rewards.gains, table.terminal, table.actions, exact.span, tolerance / rewards.size, depth, t,
            best_after, best, worst_after, worst, above, after, keys, spread_after, spread, followed[t], one, edges,
            exact.part, exact.first, exact.denominators, exact.mantissas, exact.exponents, scratch, need, write,
        )  # fmt: skip
        best, best_after = best_after, best
        worst, worst_after = worst_after, worst
        keys, after = after, keys
        spread, spread_after = spread_after, spread
    return need
