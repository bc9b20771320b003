"""How good is an agent over many tasks? Interquartile mean and optimality gap (Agarwal et al. 2021).

Scores are [points, seeds]. All runs of all points count alike. Intervals are over seeds, which all points share.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_array, checked_count
from mohs.stats.intervals import FEWEST_FOR_MEAN, Estimate, corrected_level, estimate
from mohs.stats.resampling import percentile_interval, student_widening

MOST_AT_ONCE = 4_000_000  # numbers of resamples in memory together


def interquartile_mean(
    scores: ArrayLike, level: float = 0.95, comparisons: int = 1, resamples: int = 2000, seed: int = 0
) -> Estimate:
    """The mean of the middle half of all runs [points, seeds].

    Runs on the border count by the fraction that lies inside, so that the value is that of rliable where the number of
    runs is a multiple of 4. The interval is a bootstrap that draws seeds for all points at once, stretched to
    Student's width.
    """
    runs, claimed = _complete(scores), corrected_level(level, comparisons)
    checked_count(resamples, "resamples")
    n = runs.shape[1]
    value = float(_middle(runs, np.ones((1, n)))[0])
    low = high = math.nan
    if n >= FEWEST_FOR_MEAN:
        times = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples).astype(np.int32)
        part = max(1, MOST_AT_ONCE // runs.size)
        found = np.concatenate([_middle(runs, times[i : i + part]) for i in range(0, resamples, part)])
        low, high = percentile_interval(value + student_widening(n, claimed) * (found - value), claimed)
    return Estimate(value, low, high, n, claimed, "interquartile mean", "joint bootstrap, Student width")


def optimality_gap(scores: ArrayLike, target: float = 1.0, level: float = 0.95, comparisons: int = 1) -> Estimate:
    """By how much runs [points, seeds] fall short of the target on average; runs above it count as the target.

    The interval is that of the mean over seeds, not below 0.
    """
    runs = _complete(scores)
    found = estimate((target - np.minimum(runs, target)).mean(axis=0), "mean", level, comparisons, (0.0, math.inf))
    return replace(found, statistic="optimality gap")


def _complete(scores: ArrayLike) -> FloatArray:
    found = checked_array(scores, "scores", 2)
    if np.isnan(found).any():
        raise UsageError("scores must be complete: leave out seeds and points without a run.")
    return found


def _middle(runs: FloatArray, times: NDArray[Any]) -> FloatArray:
    """The mean of the middle half of runs [points, seeds] for each row of times [k, seeds] that a seed was drawn."""
    order = np.argsort(runs, axis=None)
    upto = np.cumsum(times[:, order % runs.shape[1]], axis=1)  # runs up to here, in the order of their scores
    ends = np.clip(upto, 0.25 * runs.size, 0.75 * runs.size)
    inside = np.diff(ends, axis=1, prepend=0.25 * runs.size)
    return np.asarray(inside @ runs.ravel()[order] / (0.5 * runs.size))
