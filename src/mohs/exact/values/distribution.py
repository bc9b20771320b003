"""How are the returns of a policy distributed? Exactly where rewards are multiples of one unit, else by their moments.

`distribution` carries the probability of every (state, return so far) forward from the start. Each state keeps a window
from the smallest to the largest return so far, in units, so the working set is at most states × the
multiples of the unit in the range of returns so far. A discount would make almost every return a different one, so the
exact distribution is that of the undiscounted return; `moments` take any rewards and any discount.

A table's reward is the expected one of its entry: noise on top of it is not part of what is computed here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError, unknown
from mohs.exact.measures.occupancy import chooser
from mohs.exact.values import distribution_kernels as kernels
from mohs.exact.values.solve import Policy, finite_frame, probabilities
from mohs.exact.values.solve_kernels import BEST, MEAN, WORST
from mohs.tables.table import Float, Table

MAX_CELLS = 2**26  # of (state, return so far): half a GiB
MAX_UNITS = 2**40  # of one reward
MAX_PARTS = 1000  # the smallest reward may hold so many units where others are no multiples of it
_EXACT = 1e-9  # relative error with which a reward is a multiple of the unit
_RULES = {"best": BEST, "mean": MEAN, "worst": WORST}
_NO_POLICY = np.empty((0, 0))


@dataclass(frozen=True)
class Moments:
    """Of a return: its mean and the central moments E(G - mean)ⁿ of second to fourth order.

    `third_absolute`, E|G - mean|³, is known only where the whole distribution is.
    """

    mean: float
    variance: float
    third_central: float
    fourth_central: float
    third_absolute: float | None = None

    @property
    def third_absolute_bound(self) -> float:
        """An upper bound on E|G - mean|³ (Cauchy-Schwarz)."""
        return math.sqrt(self.variance * self.fourth_central)


@dataclass(frozen=True, eq=False)
class Distribution:
    """All possible returns in ascending order, and their probabilities."""

    values: Float
    probabilities: Float

    @property
    def moments(self) -> Moments:
        mean = float(self.probabilities @ self.values)
        off = self.values - mean
        second, third, fourth = (float(self.probabilities @ off**n) for n in (2, 3, 4))
        return Moments(mean, second, third, fourth, float(self.probabilities @ np.abs(off) ** 3))


def distribution(table: Table, *, horizon: int | None = None, policy: Policy = "mean") -> Distribution:
    """The distribution of the undiscounted return from the start. Probabilities too small for a float are 0.

    Ties of "best" and "worst" play go to the first action.
    """
    steps, _ = finite_frame(table, horizon)
    size, gains = _in_units(table)
    choose = chooser(replace(table, discount=1.0), policy, steps)
    low = np.where(table.initial > 0, 0, kernels.NONE_LOW)
    high = np.where(table.initial > 0, 0, kernels.NONE_HIGH)
    ended = np.ones(table.states, dtype=np.bool_)
    parts: list[tuple[int, Float]] = []
    offset, mass = _buffer(low, high)
    mass[:] = table.initial[table.initial > 0]
    for t in range(steps):
        parts.append(_collected(table.terminal, low, high, offset, mass))
        policy_now = choose(t)
        low_after, high_after = np.full_like(low, kernels.NONE_LOW), np.full_like(high, kernels.NONE_HIGH)
        kernels.reach(*table.arrays, gains, policy_now, low, high, low_after, high_after)
        offset_after, mass_after = _buffer(low_after, high_after)
        kernels.spread(
            *table.arrays, gains, policy_now, low, high, offset, mass, low_after, offset_after, mass_after
        )  # fmt: skip
        low, high, offset, mass = low_after, high_after, offset_after, mass_after
    parts.append(_collected(ended, low, high, offset, mass))
    first, total = _sum(parts)
    seen = np.flatnonzero(total)
    return Distribution(np.asarray((seen + first) * size, dtype=np.float64), total[seen])


def moments(
    table: Table, *, horizon: int | None = None, discount: float | None = None, policy: Policy = "mean"
) -> Moments:
    """The moments of the return from the start, with any rewards and any discount."""
    last = np.zeros((table.states, 4))
    for found in backward_moments(table, policy, horizon=horizon, discount=discount):
        last = found
    mean = float(table.initial @ last[:, 0])
    shift = last[:, 0] - mean
    second = last[:, 1] + shift**2
    third = last[:, 2] + 3 * shift * last[:, 1] + shift**3
    fourth = last[:, 3] + 4 * shift * last[:, 2] + 6 * shift**2 * last[:, 1] + shift**4
    return Moments(mean, *(float(table.initial @ part) for part in (second, third, fourth)))


def backward_moments(
    table: Table, policy: Policy = "mean", *, horizon: int | None = None, discount: float | None = None
) -> Iterator[Float]:
    """[S, 4]: mean, variance, third and fourth central moment of the return with 0, 1, 2, … steps left.

    Each array is overwritten two steps later.
    """
    steps, gamma = finite_frame(table, horizon, discount)
    if isinstance(policy, str) and policy not in _RULES:
        raise unknown("policy", policy, list(_RULES))
    given = _NO_POLICY if isinstance(policy, str) else probabilities(table, policy, steps)
    rule = _RULES[policy] if isinstance(policy, str) else kernels.GIVEN
    after, now = np.zeros((table.states, 4)), np.zeros((table.states, 4))
    yield after
    for left in range(1, steps + 1):
        chosen = given if given.ndim == 2 else given[steps - left]
        kernels.moments_step(*table.arrays, gamma, rule, chosen, after, now)
        after, now = now, after
        yield after


def unit(rewards: npt.ArrayLike, within: float = _EXACT) -> float | None:
    """A number of which all rewards are whole multiples, to a relative 1e-9 or `within`; None where none is found.

    Rewards are compared with the smallest: each ratio must be a fraction with a denominator up to `MAX_PARTS`. The unit
    is the largest that serves, as a whole number where it is one.
    """
    sizes = np.unique(np.abs(np.asarray(rewards, dtype=np.float64)))
    sizes = sizes[sizes > 0]
    if len(sizes) == 0:
        return 1.0
    if np.all(sizes == np.round(sizes)) and sizes[-1] < 2**53:
        return float(np.gcd.reduce(sizes.astype(np.int64)))
    parts, common = 1, 0
    for size in sizes.tolist():
        ratio = Fraction(size) / Fraction(sizes[0])
        near = ratio.limit_denominator(MAX_PARTS)
        if abs(near - ratio) > ratio * Fraction(within):
            return None
        parts = math.lcm(parts, near.denominator)
        if parts > MAX_PARTS:
            return None
    for size in sizes.tolist():
        common = math.gcd(common, round(Fraction(size) / Fraction(sizes[0]) * parts))
    return float(Fraction(sizes[0]) * common / parts)


def _in_units(table: Table) -> tuple[float, npt.NDArray[np.int64]]:
    """The unit of the rewards that can be earned, and every entry's reward in units."""
    live = np.repeat(~table.terminal, table.actions)
    if table.indptr is not None and table.prob is not None:
        live = np.repeat(live, np.diff(table.indptr)) & (table.prob > 0)
    size = unit(table.reward[live])
    if size is None:
        raise UsageError("the rewards are not whole multiples of one unit; moments() is for any rewards.")
    if float(np.abs(table.reward).max(initial=0.0)) / size > MAX_UNITS:
        raise UsageError(
            "the rewards are too many units large for an exact distribution; moments() is for any rewards."
        )
    return size, np.where(live, np.round(table.reward / size), 0).astype(np.int64)


def _buffer(low: npt.NDArray[np.int64], high: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], Float]:
    """Room for the window of every state: where each begins, and the empty windows."""
    widths = np.maximum(high - low + 1, 0)
    _check(float(widths.sum(dtype=np.float64)))
    ends = np.cumsum(widths)
    return ends - widths, np.zeros(int(ends[-1]))


def _check(cells: float) -> None:
    if cells > MAX_CELLS:
        raise UsageError(
            f"there are more than {MAX_CELLS:,} states × returns so far; moments() takes any number of them."
        )


def _collected(
    over: npt.NDArray[np.bool_],
    low: npt.NDArray[np.int64],
    high: npt.NDArray[np.int64],
    offset: npt.NDArray[np.int64],
    mass: Float,
) -> tuple[int, Float]:
    """The returns of all episodes that are in these states: the first of them, and their probabilities."""
    held = over & (high >= low)
    if not held.any():
        return 0, np.empty(0)
    first, last = int(low[held].min()), int(high[held].max())
    _check(last - first + 1)
    total = np.zeros(last - first + 1)
    kernels.collect(held, low, high, offset, mass, first, total)
    return first, total


def _sum(parts: list[tuple[int, Float]]) -> tuple[int, Float]:
    held = [(first, part) for first, part in parts if len(part)]
    low, high = min(first for first, _ in held), max(first + len(part) for first, part in held)
    _check(high - low)
    total = np.zeros(high - low)
    for first, part in held:
        total[first - low : first - low + len(part)] += part
    return low, total
