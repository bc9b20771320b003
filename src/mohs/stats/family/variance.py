"""What is the variance of an average over a sample: of points under its design, of seeds at a point, of a share?"""

from __future__ import annotations

from math import nan

import numpy as np
from numpy.typing import NDArray

from mohs.stats.checks import FloatArray
from mohs.stats.family.designs import Sample
from mohs.stats.family.frame import Ints
from mohs.stats.intervals import student_quantile

Bools = NDArray[np.bool_]
# Designs that spread their points: neighbours in the sample stand for what the design could have chosen instead.
SPREAD = {"pivotal", "assisted", "cluster", "systematic", "census"}
NEIGHBOURS = 2  # one neighbour covers up to .03 less where weights differ much, three cover too much
MOST_TRIALS = 10  # by which a balanced design may multiply the trials that its points are worth
TIED = 1e-9  # squared distances as near as this are ties


def covariance_of(
    sample: Sample,
    there: Bools,
    y: FloatArray,
    w: FloatArray,
    distances: FloatArray,
    rows: Ints,
    runs: FloatArray | None,
) -> tuple[FloatArray, float]:
    """The covariance of the errors of means y @ w, and its degrees of freedom."""
    n = y.shape[1]
    if n == 1 and (runs is None or sample.inclusion[there][0] < 1):
        return np.full((len(y), len(y)), nan), 1.0
    left = np.ones(n) if runs is None else 1 - np.minimum(sample.inclusion[there], 1.0)
    if sample.design == "m1":
        left = np.ones(n)  # with replacement a sampled point can be drawn again
    if n == 1:  # the whole family: nothing else could have been drawn
        design, df = np.zeros((len(y), len(y))), 1.0
    elif sample.design in SPREAD:
        design, df = neighbour_covariance(y, left * w**2, distances, rows)
    else:
        u = w * (y - (y @ w)[:, None]) * np.sqrt(left)
        design, df = n / (n - 1) * u @ u.T, n - 1.0
    if runs is None:
        return design, df
    return design + seed_covariance(runs, (1 - left) * w**2), df


def neighbour_covariance(
    y: FloatArray, factors: FloatArray, distances: FloatArray, rows: Ints
) -> tuple[FloatArray, float]:
    """Σ factor · ½(difference to the nearest neighbours)², as a covariance [K, K]; and its degrees of freedom.

    Row a of the sample is row `rows[a]` of the distances [N, N]. Over the two nearest neighbours of a point, and those
    that are as near as the second, the mean is taken. A difference belongs to the earlier of its two points, and
    degrees of freedom count the points that have one: about 0.7 n.
    """
    from mohs.stats.family.kernels import neighbour_sums

    found, first = np.zeros((len(y), len(y))), np.zeros(y.shape[1], dtype=np.bool_)
    neighbour_sums(
        distances, rows, np.ascontiguousarray(y), factors, min(NEIGHBOURS, len(rows) - 1), TIED, found, first
    )
    return found, float(max(first.sum(), 1))


def share_bounds(share: float, variance: float, n: int, df: float, level: float) -> tuple[float, float]:
    """The ends of a proportion's interval, from its variance under a design."""
    from scipy.special import betaincinv

    trials, tail = float(n), (1 - level) / 2
    if variance > 0 and 0 < share < 1:
        t = student_quantile(np.array([n - 1.0, df]), level)
        trials = min(share * (1 - share) / variance * float(t[0] / t[1]) ** 2, MOST_TRIALS * n)
    won = share * trials
    low = betaincinv(won, trials - won + 1, tail) if won > 0 else 0.0
    high = betaincinv(won + 1, trials - won, 1 - tail) if won < trials else 1.0
    return float(low), float(high)


def seed_covariance(runs: FloatArray, factors: FloatArray) -> FloatArray:
    """Σ factor · covariance over seeds of the mean at a point, for runs [K, n, seeds]; two methods may share seeds."""
    observed = ~np.isnan(runs)
    mean = np.nanmean(runs, axis=2, keepdims=True)
    residual = np.where(observed, runs - mean, 0.0)
    count = observed.sum(axis=2)
    product = np.einsum("kns,lns->nkl", residual, residual)
    both = np.einsum("kns,lns->nkl", observed.astype(float), observed.astype(float))
    # Var of the mean is s²/m with s² over m − 1; a covariance counts the seeds that both methods have.
    scale = both / np.maximum(both - 1, 1) / (count.T[:, :, None] * count.T[:, None, :])
    return np.asarray(np.einsum("n,nkl->kl", factors, product * scale))


def seed_df(runs: FloatArray, factors: FloatArray) -> FloatArray:
    """Degrees of freedom [K, K] of Σ factor · variance over seeds: of differences, on the diagonal of methods.

    Welch's (1947): few points may make most of the variance, and then only their seeds count. Where seeds agree at all
    points, all of them count.
    """
    k = len(runs)
    found = np.empty((k, k))
    for i in range(k):
        for j in range(k):
            values = runs[i] - runs[j] if i != j else runs[i]
            count = np.maximum((~np.isnan(values)).sum(axis=1), 2)  # without two pairs there is no difference to judge
            parts = factors * np.nan_to_num(np.nanvar(values, axis=1)) / (count - 1)
            total, squares = parts.sum(), (parts**2 / (count + 1)).sum()
            most = float((count - 1).sum())
            found[i, j] = np.clip(total**2 / squares - 2, 1.0, most) if squares > 0 else most
    return found
