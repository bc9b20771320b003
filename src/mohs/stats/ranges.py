"""What does a known range of a measure say about an interval? No end lies outside of it.

An end of Student's interval that lies outside gives way to Gaffke's bound (2005), the quantile of a Bayesian bootstrap
with one more run at that end of the range. For runs of 0 and 1 that is Clopper and Pearson's bound. Where runs lie
outside themselves, as the mean of a few lucky episodes does, the end of the range is the bound.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray

Range = tuple[float, float]  # the least and the greatest value that a mean can have; infinite where there is none
DRAWS = 10_000


def checked_bounds(bounds: Range) -> Range:
    """A range whose first end does not lie above its second. They are equal where every policy earns the same."""
    low, high = bounds
    if not (low <= high and low < math.inf and high > -math.inf):
        raise UsageError(f"bounds must be two numbers, the smaller first; got {bounds!r}.")
    return float(low), float(high)


def mean_within(
    runs: FloatArray, level: float, value: FloatArray, low: FloatArray, high: FloatArray, bounds: Range
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Means [k] of runs [k, n] with ends [k], within a range."""
    least, greatest = bounds
    tail = (1 - level) / 2
    low, high = low.copy(), high.copy()
    for i in np.flatnonzero(low < least):
        inside = (runs[i] >= least) | np.isnan(runs[i])
        low[i] = _gaffke(runs[i] - least, tail) + least if inside.all() else least
    for i in np.flatnonzero(high > greatest):
        inside = (runs[i] <= greatest) | np.isnan(runs[i])
        high[i] = greatest - _gaffke(greatest - runs[i], tail) if inside.all() else greatest
    return cut(value, bounds), cut(low, bounds), cut(high, bounds)


def cut(values: FloatArray, bounds: Range) -> FloatArray:
    """Values beyond the range, drawn to its ends."""
    return np.asarray(np.clip(values, *bounds))


def _gaffke(above: FloatArray, tail: float) -> float:
    """A lower bound of the mean of runs that cannot lie below 0, missed with probability ``tail``."""
    found = above[~np.isnan(above)]
    means = np.sort(_weights(len(found)) @ found)
    return float(means[int(tail * DRAWS)])


@lru_cache(maxsize=64)
def _weights(n: int) -> FloatArray:
    """Random weights [draws, n] of n runs, after those of one more run have been left out."""
    parts = np.random.default_rng(n).standard_exponential((DRAWS, n + 1))
    return np.asarray(parts[:, 1:] / parts.sum(axis=1, keepdims=True))
