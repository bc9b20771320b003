"""How long is the effective horizon at most? The simple analytical bound of Laidlaw et al. 2023.

GORP looks k steps ahead and values what follows by m random episodes. With m at least
16 · v / gap² · ln(2 T A^k) in every state that it may come to, it finds an optimal policy with probability ½; so the
effective horizon is at most min over k of k + log_A m_k. Here gap is the distance in Qᵏ between the best and the best
sub-optimal action, v bounds the variance of a random return, and the states are those reached by every action that
Qᵏ puts above the best sub-optimal one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.exact import bound_kernels as kernels
from mohs.exact.qvi import TIES
from mohs.exact.solve import finite_frame
from mohs.tables.table import Table

MAX_ACTIONS = 63  # the followed actions of a state are the bits of a number


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
    ms: list[float] = []
    best, best_k, best_m = math.inf, None, None
    while len(ms) < steps and len(ms) + 1 < best:  # k + 1 look-ahead steps alone would be as long
        k = len(ms) + 1
        ms.append(_episodes(table, k, steps, gamma, tolerance))
        length = k + math.log(ms[-1], table.actions) if ms[-1] < math.inf else math.inf
        if length < best:
            best, best_k, best_m = length, k, int(ms[-1])
    return Bound(best, best_k, best_m, tuple(ms))


def _episodes(table: Table, k: int, steps: int, discount: float, tolerance: float) -> float:
    """m_k: back in time to see which actions are followed, forth to see where they lead, back again for the worst."""
    one = np.uint8(1) if table.actions < 8 else np.uint64(1)
    followed = np.zeros((steps, table.states), dtype=one.dtype)
    _back(table, k, discount, tolerance, followed, one, write=True)
    kernels.keep_reached(table.succ, table.terminal, table.actions, table.initial, followed, one)
    need = _back(table, k, discount, tolerance, followed, one, write=False)
    factor = math.log(2 * steps * table.actions**k)
    return max(1.0, math.ceil(need * factor)) if need < math.inf else math.inf


def _back(
    table: Table,
    k: int,
    discount: float,
    tolerance: float,
    followed: npt.NDArray[np.unsignedinteger],
    one: np.unsignedinteger,
    write: bool,
) -> float:
    """One pass from the end to the start: the largest 16 v / gap² over the states that `followed` marks."""
    exact, exact_after = np.zeros((2, table.states, 3))
    values, after = np.zeros((2, table.states, k + 1))
    spread, spread_after = np.zeros((2, table.states, k + 1))
    need = 0.0
    for marks in followed[::-1]:
        found = kernels.bound_step(
            table.succ, table.reward, table.terminal, table.actions, discount, tolerance, exact_after, exact,
            after, values, spread_after, spread, marks, one, write,
        )  # fmt: skip
        need = max(need, found)
        exact, exact_after = exact_after, exact
        values, after = after, values
        spread, spread_after = spread_after, spread
    return need
