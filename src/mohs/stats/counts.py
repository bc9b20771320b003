"""How sure is a share of few, and how long does it take half of all runs when some never get there?"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from mohs.stats.checks import checked_level
from mohs.stats.intervals import Estimate


def share(successes: int, n: int, level: float = 0.95) -> Estimate:
    """The share of successes among n, with Clopper and Pearson's interval, which covers at least its level."""
    from mohs.stats.proportion import clopper_pearson

    checked_level(level)
    low, high = clopper_pearson(successes, n, level) if n else (math.nan, math.nan)
    return Estimate(successes / n if n else math.nan, low, high, n, level, "share", "Clopper and Pearson")


def median_time(times: ArrayLike, level: float = 0.95) -> Estimate:
    """The time within which half of the runs [n] arrive; infinite where fewer do. NaN marks a missing run.

    Of an even number the lower of the two in the middle, by which half have arrived. The ends of the interval are two
    of the times themselves, whatever their distribution: the median lies between the r-th from either side unless fewer
    than r of n fair coins fall alike. Below 6 runs no two are sure enough for 95%.
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
    """The largest r at which fewer than r of n fair coins fall alike no more often than the level allows."""
    tail, r = 0.0, 0
    while r < n // 2 and 2 * (tail := tail + math.comb(n, r) / 2**n) <= 1 - level:
        r += 1
    return r
