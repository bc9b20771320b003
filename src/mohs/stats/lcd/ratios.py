"""Which share of one mean is another, with Fieller's interval?

A share θ lies in the set (Fieller 1954) if Student's test of paired runs does not reject that top − θ·bottom has the
mean 0. The set is exact for normal runs, however much the two runs of a seed have in common. It is a bounded interval
where the mean of the bottom is clearly above 0, and says nothing elsewhere.

Welch's test was the alternative: it ignores the pairs and has up to twice the degrees of freedom. In simulations
(``python -m mohs.stats.coverage``, docs/statistics.md) pairs cover .95 whatever the correlation of the seeds. Welch's
interval covers .95 to .96 without a correlation, .98 to .99 at a correlation of .5 and .99 to 1.00 at .9. It would be
narrower by a fifth with 3 uncorrelated seeds and by a tenth with 5.
"""

from __future__ import annotations

import numpy as np

from mohs.stats.checks import FloatArray
from mohs.stats.intervals import IntArray, student_quantile

FEWEST_PAIRS = 3


def paired_moments(top: FloatArray, bottom: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """The number of complete pairs and the two means of each row of runs [k, n].

    The order of the seeds changes no bit of a mean: they are summed in ascending order.
    """
    complete = ~np.isnan(top + bottom)
    n = complete.sum(axis=1)
    means = [np.sort(np.where(complete, x, 0.0), axis=1).sum(axis=1) / np.maximum(n, 1) for x in (top, bottom)]
    return n, *(np.where(n > 0, mean, np.nan) for mean in means)


def ratio_interval(
    top: FloatArray, bottom: FloatArray, level: float = 0.95
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """mean(top) / mean(bottom) of paired runs [k, n], and the ends of Fieller's set.

    The ends are infinite where the set is unbounded, and NaN with fewer than 3 pairs. The ratio is NaN where the mean
    of the bottom is not above 0.
    """
    n, a, b = paired_moments(top, bottom)
    complete, count = ~np.isnan(top + bottom), np.maximum(n, 2)
    ratio = np.where(b > 0, a / np.where(b > 0, b, 1.0), np.nan)
    rest = np.where(complete, top - ratio[:, None] * bottom, 0.0)  # its mean is 0
    deviation = np.where(complete, bottom - b[:, None], 0.0)
    t = student_quantile(count - 1, level)
    scale = t**2 / (count * (count - 1))
    # |φ b| ≤ t √(var(rest) − 2φ cov + φ² var(bottom)) for a ratio that differs by φ from the estimate: a parabola.
    within, common, spread = (
        scale * (x * y).sum(axis=1) for x, y in ((rest, rest), (rest, deviation), (deviation, deviation))
    )
    opening = b**2 - spread
    bounded = (opening > 0) & (b > 0)
    width = np.sqrt(np.maximum(common**2 + opening * within, 0.0))
    lower, upper = ((sign * width - common) / np.where(bounded, opening, 1.0) for sign in (-1, 1))
    low, high = np.where(bounded, ratio + lower, -np.inf), np.where(bounded, ratio + upper, np.inf)
    few = n < FEWEST_PAIRS
    return ratio, np.where(few, np.nan, low), np.where(few, np.nan, high)


def lower_end(runs: FloatArray, level: float) -> FloatArray:
    """The lower end of Student's interval of the mean of each row of runs [k, n]; NaN with fewer than 3."""
    n, mean, _ = paired_moments(runs, runs)
    count = np.maximum(n, 2)
    squares = np.where(np.isnan(runs), 0.0, (runs - mean[:, None]) ** 2).sum(axis=1)
    error = np.sqrt(squares / (count * (count - 1)))
    return np.where(n < FEWEST_PAIRS, np.nan, mean - student_quantile(count - 1, level) * error)
