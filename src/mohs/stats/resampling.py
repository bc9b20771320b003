"""How do means over seeds vary under the bootstrap?"""

from __future__ import annotations

import math

import numpy as np

from mohs.stats.checks import FloatArray
from mohs.stats.intervals import student_quantile

# An empty dose in a resample keeps its observed mean, but must not outweigh a dose that was drawn.
ALMOST_NO_WEIGHT = 1e-9


def student_widening(n: int, level: float) -> float:
    """The ratio of Student's spread of a mean over n runs to the bootstrap's.

    The bootstrap divides by n, not n − 1, and its percentiles are as short-tailed as the normal's (Hesterberg
    2015).
    """
    from scipy.special import ndtri

    normal = float(ndtri((1 + level) / 2))
    return math.sqrt(n / (n - 1)) * float(student_quantile(n - 1, level)) / normal


def resampled_means(
    scores: FloatArray, resamples: int, rng: np.random.Generator, widening: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Bootstrap means [resamples, rows] of scores [rows, n] over columns, and the number of runs of each.

    A column (a seed) is drawn for all rows at once, which keeps their pairing. ``widening`` stretches the
    means about the observed ones.
    """
    seeds = scores.shape[1]
    observed = ~np.isnan(scores)
    values = np.where(observed, scores, 0.0)
    centre = values.sum(axis=1) / np.maximum(observed.sum(axis=1), 1)
    times = rng.multinomial(seeds, np.full(seeds, 1 / seeds), size=resamples).astype(np.float64)
    runs = times @ observed.T.astype(np.float64)
    means = np.where(runs > 0, times @ values.T / np.maximum(runs, 1), centre)
    return centre + widening * (means - centre), np.maximum(runs, ALMOST_NO_WEIGHT)


def percentile_interval(replicates: FloatArray, level: float) -> tuple[float, float]:
    """The central ``level`` of the replicates, rounded outwards to replicates; they may be infinite."""
    ordered = np.sort(replicates)
    outside = math.floor((1 - level) / 2 * (len(ordered) - 1))
    return float(ordered[outside]), float(ordered[-1 - outside])
