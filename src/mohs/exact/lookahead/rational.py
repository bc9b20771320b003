"""Which actions are greedy in Qᵏ, exactly, in any table? Whole numbers of any size, for what rounding leaves open.

Probabilities, rewards and the discount are fractions, so every value is one: with n steps left a whole number over the
n-th power of (actions · denominator of the probabilities · denominator of the discount). Python's integers keep it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.exact.lookahead.ranks import reward_unit
from mohs.exact.values.solve_kernels import BEST, MEAN
from mohs.tables.table import Float, Table

MAX_PARTS = 1000  # a number next to a fraction with such a denominator is that fraction
NEXT = 2.0**-50  # relative


@dataclass(frozen=True, eq=False)
class Rational:
    """From each start: the optimum and, for each k, the worst return of a policy greedy in Qᵏ and whether one fails.

    A policy fails if it can come to a state where it takes a sub-optimal action.
    """

    best: Float
    returns: Float
    fails: npt.NDArray[np.bool_]


def greedy_exactly(table: Table, count: int, steps: int, discount: float, base: int, tolerance: float) -> Rational:
    """For k = 1 .. count. It takes about a second for each ten million entries × steps × k."""
    rows = np.ones(table.states * table.actions, dtype=np.int64) if table.indptr is None else np.diff(table.indptr)
    going = np.repeat(~table.terminal, table.actions)  # a terminal state may have no entries
    kept, first = np.repeat(going, rows), np.cumsum(rows[going]) - rows[going]
    succ, reward = table.succ[kept], table.reward[kept]
    prob = np.ones(len(succ)) if table.prob is None else table.prob[kept]
    weights, parts = _whole(prob)
    (factor,), discount_parts = _whole([discount])
    gains, scale, live = _rewards(reward), 1, ~table.terminal
    shape = (int(live.sum()), table.actions, count)
    after = np.zeros((table.states, count + 1), dtype=object)
    best, earned = np.zeros(table.states), np.zeros((table.states, count))
    fails = np.zeros((table.states, count), dtype=np.bool_)
    for _ in range(steps):
        later = after[succ, :count] * factor + (gains * (scale * discount_parts))[:, None]
        q = np.add.reduceat(later * weights[:, None], first, axis=0).reshape(shape)
        gain = np.add.reduceat(prob[:, None] * (reward[:, None] + earned[succ]), first, axis=0).reshape(shape)
        lost = np.logical_or.reduceat((prob > 0)[:, None] & fails[succ], first, axis=0).reshape(shape)
        worth = np.add.reduceat(prob * (reward + best[succ]), first).reshape(shape[:2])
        best[live] = worth.max(axis=1)
        poor = worth < best[live, None] - tolerance
        top = q.max(axis=1)
        tied = np.asarray(q == top[:, None], dtype=np.bool_)
        earned[live] = np.where(tied, gain, np.inf).min(axis=1)
        fails[live] = (tied & (lost | poor[:, :, None])).any(axis=1)
        rest = q[:, :, 0].sum(axis=1) if base == MEAN else top[:, 0] * (table.actions if base == BEST else 0)
        after[live] = np.concatenate([rest[:, None], top * table.actions], axis=1)
        scale *= table.actions * parts * discount_parts
    starts = table.initial > 0
    return Rational(best[starts], earned[starts], fails[starts])


def _whole(values: Sequence[float] | Float) -> tuple[npt.NDArray[Any], int]:
    """Whole numbers with a common denominator. A number next to a simple fraction is that fraction."""
    known: dict[float, Fraction] = {}
    for value in np.unique(values).tolist():
        near = Fraction(value).limit_denominator(MAX_PARTS)
        known[value] = near if abs(float(near) - value) <= NEXT * abs(value) else Fraction(value)
    common = math.lcm(*(part.denominator for part in known.values()))
    return np.array([int(known[value] * common) for value in np.asarray(values).tolist()], dtype=object), common


def _rewards(rewards: Float) -> npt.NDArray[Any]:
    """Rewards as whole numbers: multiples of their unit, or of the last digit that one of them has."""
    size = reward_unit(rewards)
    if size is not None:
        return np.array([round(value / size) for value in rewards.tolist()], dtype=object)
    return _whole(rewards)[0]
