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
    first = np.arange(len(table.succ)) if table.indptr is None else table.indptr[:-1]
    prob = np.ones(len(table.succ)) if table.prob is None else table.prob
    weights, parts = _whole(prob)
    (factor,), discount_parts = _whole([discount])
    gains, scale = _rewards(table.reward), 1
    shape = (table.states, table.actions, count)
    after = np.zeros((table.states, count + 1), dtype=object)
    best, earned, fails = np.zeros(table.states), np.zeros(shape[::2]), np.zeros(shape[::2], dtype=np.bool_)
    for _ in range(steps):
        later = after[table.succ, :count] * factor + (gains * (scale * discount_parts))[:, None]
        q = np.add.reduceat(later * weights[:, None], first, axis=0).reshape(shape)
        gain = np.add.reduceat(prob[:, None] * (table.reward[:, None] + earned[table.succ]), first, axis=0)
        lost = np.logical_or.reduceat((prob > 0)[:, None] & fails[table.succ], first, axis=0)
        worth = np.add.reduceat(prob * (table.reward + best[table.succ]), first).reshape(shape[:2])
        best = worth.max(axis=1)
        poor = worth < best[:, None] - tolerance
        top = q.max(axis=1)
        tied = np.asarray(q == top[:, None], dtype=np.bool_)
        earned = np.where(tied, gain.reshape(shape), np.inf).min(axis=1)
        fails = (tied & (lost.reshape(shape) | poor[:, :, None])).any(axis=1)
        rest = q[:, :, 0].sum(axis=1) if base == MEAN else top[:, 0] * (table.actions if base == BEST else 0)
        after = np.concatenate([rest[:, None], top * table.actions], axis=1)
        scale *= table.actions * parts * discount_parts
        for array in (after, best, earned, fails):
            array[table.terminal] = 0
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
