"""How precise is a mean over seeds of what has a known range: a rank, a share?

Student's interval widened for skewness, cut at the ends of the range. Where all seeds have the same value there is no
spread to go by. Then an end is the mean at which n equal values still occur with probability (1 − level)/2, if every
other seed were at the end of the range.
"""

from __future__ import annotations

import numpy as np

from mohs.stats.checks import FloatArray
from mohs.stats.intervals import FEWEST_FOR_MEAN, Estimate, corrected_level, mean_interval

METHOD = "Student t over seeds, widened for skewness, within its range"


def bounded_means(
    runs: FloatArray, least: float, most: float, statistic: str, level: float = 0.95, comparisons: int = 1
) -> list[Estimate]:
    """One estimate for each row of values [rows, seeds], all of them between ``least`` and ``most``."""
    claimed, n = corrected_level(level, comparisons), runs.shape[1]
    value, low, high = mean_interval(runs, np.full(len(runs), n), claimed)
    if n >= FEWEST_FOR_MEAN:
        same = np.ptp(runs, axis=1) == 0
        unseen = 1 - ((1 - claimed) / 2) ** (1 / n)  # the largest probability of what no seed has shown
        low = np.where(same, value - (value - least) * unseen, np.maximum(low, least))
        high = np.where(same, value + (most - value) * unseen, np.minimum(high, most))
    return [
        Estimate(v, a, b, n, claimed, statistic, METHOD)
        for v, a, b in zip(value.tolist(), low.tolist(), high.tolist(), strict=True)
    ]
