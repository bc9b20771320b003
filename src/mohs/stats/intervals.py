"""How precise is an average over a few seeds?

Both intervals are studentised, because the percentile bootstrap on 3 to 10 seeds covers far less than it
claims. Their simulated coverage is in docs/statistics.md; ``python -m mohs.stats.coverage`` makes that table.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mohs.core.values import Json
from mohs.stats.checks import FloatArray, checked_array, checked_choice, checked_count, checked_level
from mohs.stats.ranges import Range, checked_bounds, cut, mean_within

IntArray = NDArray[np.int64]
FEWEST_FOR_MEAN = 3
FEWEST_FOR_IQM = 4
FEWEST_FOR_SD = 5


@dataclass(frozen=True)
class Estimate:
    """A value with its interval, sample size and method.

    ``n`` counts the runs used; ``level`` is the coverage that the interval claims, after any correction for
    several comparisons. The ends are NaN when there are too few runs for an interval.
    """

    value: float
    low: float
    high: float
    n: int
    level: float
    statistic: str
    method: str

    @property
    def known(self) -> bool:
        """Whether there is an interval."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def to_dict(self) -> dict[str, Json]:
        """Plain data for JSON, which has no NaN: an unknown number is None."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def bonferroni_comparisons(k: int) -> int:
    """The number of pairs among k results, k(k−1)/2 and at least 1: the paper's number of comparisons."""
    checked_count(k, "k")
    return max(1, k * (k - 1) // 2)


def corrected_level(level: float, comparisons: int = 1) -> float:
    """The Bonferroni-corrected level of each of several intervals that hold jointly at ``level``."""
    return 1 - (1 - checked_level(level)) / checked_count(comparisons, "comparisons")


def estimate(
    samples: ArrayLike,
    statistic: str = "mean",
    level: float = 0.95,
    comparisons: int = 1,
    bounds: Range | None = None,
) -> Estimate:
    """The mean, interquartile mean or standard deviation of runs [n], with its interval; NaN marks a missing run.

    ``bounds`` are the least and the greatest value that the true mean can have, infinite where there is none.
    """
    return estimates(checked_array(samples, "samples", 1)[None], statistic, level, comparisons, bounds)[0]


def estimates(
    samples: ArrayLike,
    statistic: str = "mean",
    level: float = 0.95,
    comparisons: int = 1,
    bounds: Range | None = None,
) -> list[Estimate]:
    """One estimate for each row of samples [k, n]."""
    runs = checked_array(samples, "samples", 2)
    method, kernel = STATISTICS[checked_choice(statistic, STATISTICS, "statistic")]
    claimed = corrected_level(level, comparisons)
    n = np.asarray((~np.isnan(runs)).sum(axis=1))
    value, low, high = kernel(runs, n, claimed)
    if bounds is not None:
        value, low, high = _within(checked_bounds(bounds), statistic, runs, claimed, value, low, high)
        method = f"{method}, within the known range"
    return [
        Estimate(*ends, level=claimed, statistic=statistic, method=method)
        for ends in zip(value.tolist(), low.tolist(), high.tolist(), n.tolist(), strict=True)
    ]


def _within(
    bounds: Range,
    statistic: str,
    runs: FloatArray,
    level: float,
    value: FloatArray,
    low: FloatArray,
    high: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    if statistic == "mean":
        return mean_within(runs, level, value, low, high, bounds)
    if statistic == "sd":  # no runs between a and b have a larger one than (b − a)/2
        return value, low, np.minimum(high, np.maximum(value, (bounds[1] - bounds[0]) / 2))
    return cut(value, bounds), cut(low, bounds), cut(high, bounds)


def student_quantile(degrees: FloatArray | IntArray | int, level: float) -> FloatArray:
    """The two-sided Student quantile: |T| stays below it with probability ``level``."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(degrees, (1 + level) / 2), dtype=np.float64)


def mean_interval(runs: FloatArray, n: IntArray, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Student's interval, with the end on the side of the longer tail moved further out.

    The studentised mean of skewed runs is itself skewed: to first order its quantiles move by γ(2t²+1)/(6√n),
    with γ the skewness (Johnson 1978; Hall 1992). The near end could move in by as much. It
    stays, so the interval never covers less than Student's.
    """
    count = np.maximum(n, FEWEST_FOR_MEAN)
    observed = ~np.isnan(runs)
    mean = np.where(observed, runs, 0.0).sum(axis=1) / np.maximum(n, 1)
    deviation = np.where(observed, runs - mean[:, None], 0.0)
    spread = np.sqrt((deviation**2).sum(axis=1) / (count - 1))
    standardised = deviation / np.where(spread > 0, spread, 1.0)[:, None]
    skewness = count / ((count - 1) * (count - 2)) * (standardised**3).sum(axis=1)

    t = student_quantile(count - 1, level)
    shift = skewness * (2 * t**2 + 1) / (6 * np.sqrt(count))
    error = np.where(n >= FEWEST_FOR_MEAN, spread / np.sqrt(count), np.nan)
    low = mean - error * (t + np.maximum(-shift, 0))
    high = mean + error * (t + np.maximum(shift, 0))
    return np.where(n > 0, mean, np.nan), low, high


def iqm_interval(runs: FloatArray, n: IntArray, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The mean of the middle half of the runs, and its winsorised t interval.

    After Tukey and McLaughlin (1963) and Yuen (1974). When n is no multiple of 4 the runs on the border count
    by the fraction that lies inside the middle half. Runs beyond the quartiles are drawn in to them before
    the spread is taken. The quartiles are Hazen's, at n/4 − ½ runs from each end: with the classical
    floor(n/4) coverage swings with n mod 4. n/2 degrees of freedom follow.
    """
    count = np.maximum(n, FEWEST_FOR_IQM)
    ordered = np.sort(runs, axis=1)  # NaN last
    rank = np.arange(runs.shape[1])
    present = rank < n[:, None]
    size = np.maximum(n, 1)[:, None]
    inside = np.minimum(rank + 1, 0.75 * size) - np.maximum(rank, 0.25 * size)
    weight = np.clip(inside, 0, None) / (0.5 * size)
    value = (weight * np.where(present, ordered, 0.0)).sum(axis=1)

    depth = (count / 4 - 0.5)[:, None]
    lower, upper = _interpolated(ordered, depth), _interpolated(ordered, count[:, None] - 1 - depth)
    drawn_in = np.where(present, np.clip(ordered, lower, upper), 0.0)
    centre = drawn_in.sum(axis=1) / count
    deviation = np.where(present, drawn_in - centre[:, None], 0.0)
    spread = np.sqrt((deviation**2).sum(axis=1) / (count - 1))
    error = np.where(n >= FEWEST_FOR_IQM, spread / (0.5 * np.sqrt(count)), np.nan)
    half = error * student_quantile(count / 2, level)
    return np.where(n > 0, value, np.nan), value - half, value + half


def sd_interval(runs: FloatArray, n: IntArray, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The standard deviation over runs, and Bonett's interval (2006), which allows for tails other than the normal's.

    The variance's logarithm is taken to be normal, with an error that grows with the kurtosis about a trimmed mean.
    """
    from scipy.special import ndtri

    count = np.maximum(n, FEWEST_FOR_SD)
    observed = ~np.isnan(runs)
    mean = np.where(observed, runs, 0.0).sum(axis=1) / np.maximum(n, 1)
    squares = np.where(observed, (runs - mean[:, None]) ** 2, 0.0).sum(axis=1)
    value = np.sqrt(squares / np.maximum(n - 1, 1))

    ordered, rank = np.sort(runs, axis=1), np.arange(runs.shape[1])
    share = np.minimum(0.5 / np.sqrt(count - 4), 0.5 - 0.5 / count)[:, None]  # at least one run's weight is left
    size = np.maximum(n, 1)[:, None]
    inside = np.clip(np.minimum(rank + 1, (1 - share) * size) - np.maximum(rank, share * size), 0, None)
    weight = inside / np.maximum(inside.sum(axis=1), 1e-12)[:, None]
    centre = (weight * np.where(rank < n[:, None], ordered, 0.0)).sum(axis=1)
    fourth = np.where(observed, (runs - centre[:, None]) ** 4, 0.0).sum(axis=1)
    kurtosis = count * fourth / np.where(squares > 0, squares**2, 1.0)

    z = float(ndtri((1 + level) / 2))
    correction = count / np.maximum(count - z, 0.5)
    error = np.sqrt(np.maximum(kurtosis - (count - 3) / count, 0.0) / (count - 1))
    known = (n >= FEWEST_FOR_SD) & (count > z)
    low, high = (np.sqrt(correction * np.exp(side * z * correction * error)) * value for side in (-1, 1))
    unknown = np.full(len(runs), np.nan)
    return np.where(n > 1, value, np.nan), np.where(known, low, unknown), np.where(known, high, unknown)


Kernel = Callable[[FloatArray, IntArray, float], tuple[FloatArray, FloatArray, FloatArray]]
STATISTICS: dict[str, tuple[str, Kernel]] = {
    "mean": ("Student t, widened for skewness", mean_interval),
    "iqm": ("winsorised t", iqm_interval),
    "sd": ("Bonett", sd_interval),
}


def _interpolated(ordered: FloatArray, position: FloatArray) -> FloatArray:
    """The value at a fractional position of each sorted row."""
    last = ordered.shape[1] - 1
    below = np.clip(np.floor(position), 0, last).astype(np.int64)
    above = np.minimum(below + 1, last)
    share = position - np.floor(position)
    lower, upper = (np.take_along_axis(ordered, index, axis=1) for index in (below, above))
    return np.where(share > 0, (1 - share) * lower + share * upper, lower)


def _plain(value: float | int | str) -> float | int | str | None:
    return None if isinstance(value, float) and math.isnan(value) else value
