"""How certain is a proportion of few trials, and a median time that some runs never reach?"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from mohs.stats.checks import FloatArray, checked_level
from mohs.stats.intervals import Estimate, IntArray

LEVEL = 0.95


def clopper_pearson(successes: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Clopper and Pearson's interval of a success probability. Its coverage is at least `level`."""
    low, high = clopper_pearson_bounds(np.array([successes]), n, level)
    return float(low[0]), float(high[0])


def clopper_pearson_bounds(successes: IntArray, n: int, level: float) -> tuple[FloatArray, FloatArray]:
    """The lower and upper bounds of Clopper and Pearson's intervals, one for each number of successes among n."""
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = np.where(successes > 0, betaincinv(np.maximum(successes, 1), n - successes + 1, tail), 0.0)
    high = np.where(successes < n, betaincinv(successes + 1, np.maximum(n - successes, 1), 1 - tail), 1.0)
    return low, high


def share_inside(low: FloatArray, high: FloatArray, truth: float | FloatArray) -> float:
    """The share of the intervals that hold the truth; those that are unknown do not count."""
    given = ~np.isnan(low)
    inside = (low <= truth) & (truth <= high)
    return float(inside[given].mean()) if given.any() else math.nan


def share(successes: int, n: int, level: float = LEVEL) -> Estimate:
    """The proportion of successes among n, with Clopper and Pearson's interval."""
    checked_level(level)
    low, high = clopper_pearson(successes, n, level) if n else (math.nan, math.nan)
    return Estimate(successes / n if n else math.nan, low, high, n, level, "share", "Clopper and Pearson")


def median_time(times: ArrayLike, level: float = LEVEL) -> Estimate:
    """The median time of the runs [n]; infinite where fewer than half finish. NaN marks a missing run.

    With an even number of runs it is the lower of the two middle times. The interval is distribution-free: its ends are
    the r-th smallest and the r-th largest time, with r from the binomial distribution with p = ½. Below 6 runs
    there is no interval at 95%.
    """
    checked_level(level)
    runs = np.asarray(times, dtype=np.float64).ravel()
    arrived = np.sort(runs[~np.isnan(runs)])
    n = len(arrived)
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, 0, level, "median", "order statistics")
    r = _depth(n, level)
    low, high = (float(arrived[r - 1]), float(arrived[n - r])) if r else (math.nan, math.nan)
    return Estimate(float(arrived[(n - 1) // 2]), low, high, n, level, "median", "order statistics")


def _depth(n: int, level: float) -> int:
    """The largest r with 2 P(B < r) ≤ 1 - level, where B is binomial with n trials and p = ½."""
    tail, r = 0.0, 0
    while r < n // 2 and 2 * (tail := tail + math.comb(n, r) / 2**n) <= 1 - level:
        r += 1
    return r
