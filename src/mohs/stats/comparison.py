"""Is one agent better than another, and do two studies agree?"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_array, checked_count, checked_level
from mohs.stats.intervals import FEWEST_FOR_MEAN, Estimate, estimate
from mohs.stats.ranges import Range
from mohs.stats.resampling import percentile_interval, resampled_means, student_widening

# With 3 seeds the bootstrap of the rank correlation covers .89 of .95; with 5 it covers what it claims.
FEWEST_FOR_SPEARMAN = 5


def probability_of_improvement(
    a: ArrayLike,
    b: ArrayLike,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    paired: bool = False,
) -> Estimate:
    """How often a run of A beats a run of B: the mean over points of P(A > B) + ½P(A = B).

    ``a`` [points, n_a] and ``b`` [points, n_b] hold runs at the same points (doses, environments). The
    interval resamples the seeds of each point by itself or, with ``paired`` (column i is the same seed at every
    point and for both agents), draws seeds jointly, and stretches the result to Student's width. When
    every run of one agent beats every run of the other nothing is left to resample: then the far bound is the
    probability at which such a complete separation still occurs with probability (1 − level)/2.
    Simulated coverage at .95 is .93 to 1 for 3 to 100 seeds, highest with few.
    """
    ours, theirs = checked_array(a, "a", 2), checked_array(b, "b", 2)
    checked_level(level)
    checked_count(resamples, "resamples")
    if len(ours) != len(theirs):
        raise UsageError(f"a and b must have the same points (rows); got {len(ours)} and {len(theirs)}.")
    if paired and ours.shape != theirs.shape:
        raise UsageError(
            f"paired a and b must have the same seeds (columns); got {ours.shape[1]} and {theirs.shape[1]}."
        )
    pairs = [(x[~np.isnan(x)], y[~np.isnan(y)]) for x, y in zip(ours, theirs, strict=True)]
    pairs = [(x, y) for x, y in pairs if len(x) and len(y)]
    n = min((min(len(x), len(y)) for x, y in pairs), default=0)

    wins = [(x[:, None] > y) + 0.5 * (x[:, None] == y) for x, y in pairs]
    value = float(np.mean([win.mean() for win in wins])) if wins else math.nan
    low = high = math.nan
    if n >= FEWEST_FOR_MEAN:
        rng = np.random.default_rng(seed)
        if paired:
            replicates = _jointly_resampled_share(ours, theirs, resamples, rng)
        else:
            replicates = np.mean([_resampled_share(win, resamples, rng) for win in wins], axis=0)
        widened = value + student_widening(n, level) * (replicates - value)
        low, high = percentile_interval(np.clip(widened, 0.0, 1.0), level)
        # Disjoint pairs are independent, so a complete separation has at most probability value^pairs.
        separated = ((1 - level) / 2) ** (1 / sum(min(win.shape) for win in wins))
        low, high = (separated if value == 1 else low), (1 - separated if value == 0 else high)
    method = f"{'joint' if paired else 'stratified'} bootstrap, Student width"
    return Estimate(value, low, high, n, level, "probability of improvement", method)


def paired_difference(
    a: ArrayLike,
    b: ArrayLike,
    statistic: str = "mean",
    level: float = 0.95,
    comparisons: int = 1,
    bounds: Range | None = None,
) -> Estimate:
    """A's run minus B's on the same seed, averaged over the seeds that both have; ``bounds`` are the difference's."""
    ours, theirs = checked_array(a, "a", 1), checked_array(b, "b", 1)
    if ours.shape != theirs.shape:
        raise UsageError(f"a and b must hold the same seeds; got {ours.size} and {theirs.size} runs.")
    found = estimate(ours - theirs, statistic, level, comparisons, bounds)
    return replace(found, statistic=f"{statistic} of paired differences")


def spearman(
    study_a: ArrayLike, study_b: ArrayLike, level: float = 0.95, resamples: int = 2000, seed: int = 0
) -> Estimate:
    """Rank correlation of mean performance over the same doses in two studies (the paper's Tables 2 to 4).

    ``study_a`` [D, n] and ``study_b`` [D, m] have the same doses as rows, seeds as columns. Doses with no run
    in either study are left out; equal means share their average rank. The value is NaN when a study does not
    vary over the doses. ``n`` is the number of seeds in the smaller study; with fewer than 5 there is no
    interval. Simulated coverage at .95 is above .99, because a rank correlation over a few doses moves in
    large steps.
    """
    first, second = checked_array(study_a, "study_a", 2), checked_array(study_b, "study_b", 2)
    checked_level(level)
    checked_count(resamples, "resamples")
    if len(first) != len(second):
        raise UsageError(f"study_a and study_b must share their doses (rows); got {len(first)} and {len(second)}.")
    both = ~(np.isnan(first).all(axis=1) | np.isnan(second).all(axis=1))
    if both.sum() < 2:
        raise UsageError("study_a and study_b must share at least 2 doses with runs.")
    first, second = first[both], second[both]
    n = int(min((~np.isnan(study)).sum(axis=1).min() for study in (first, second)))

    value = float(rank_correlation(np.nanmean(first, axis=1), np.nanmean(second, axis=1)))
    low = high = math.nan
    if n >= FEWEST_FOR_SPEARMAN and not math.isnan(value):
        rng = np.random.default_rng(seed)
        means = [resampled_means(study, resamples, rng)[0] for study in (first, second)]
        replicates = rank_correlation(*means)
        low, high = percentile_interval(replicates[~np.isnan(replicates)], level)
    return Estimate(value, low, high, n, level, "Spearman rank correlation", "bootstrap over seeds")


def average_ranks(values: FloatArray) -> FloatArray:
    """Ranks along the last axis from 1; equal values share the mean of their ranks."""
    smaller = (values[..., :, None] > values[..., None, :]).sum(axis=-1)
    equal = (values[..., :, None] == values[..., None, :]).sum(axis=-1)
    return np.asarray(smaller + (equal + 1) / 2)


def rank_correlation(a: FloatArray, b: FloatArray) -> FloatArray:
    """Spearman's correlation along the last axis; NaN where either side is constant."""
    x, y = (ranks - ranks.mean(axis=-1, keepdims=True) for ranks in (average_ranks(a), average_ranks(b)))
    scale = np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))
    varies = scale > 0
    return np.asarray(np.where(varies, (x * y).sum(axis=-1) / np.where(varies, scale, 1.0), np.nan))


def _jointly_resampled_share(a: FloatArray, b: FloatArray, resamples: int, rng: np.random.Generator) -> FloatArray:
    """The mean share of wins over points under a bootstrap of seeds that is joint over points and agents."""
    n = a.shape[1]
    times = rng.multinomial(n, np.full(n, 1 / n), size=resamples).astype(np.float64)
    if not np.isnan(a + b).any():  # then every point has the same weight, and their wins can be averaged first
        wins = sum((x[:, None] > y) + 0.5 * (x[:, None] == y) for x, y in zip(a, b, strict=True)) / len(a)
        return np.asarray(((times @ wins) * times).sum(axis=1) / n**2)
    shares = []
    for x, y in zip(a, b, strict=True):
        there = np.outer(~np.isnan(x), ~np.isnan(y)).astype(np.float64)
        win = np.where(there > 0, (x[:, None] > y) + 0.5 * (x[:, None] == y), 0.0)
        weight = ((times @ there) * times).sum(axis=1)
        shares.append(((times @ win) * times).sum(axis=1) / np.where(weight > 0, weight, np.nan))
    return np.asarray(np.nanmean(np.where(np.isnan(shares).all(axis=0), 0.5, shares), axis=0))


def _resampled_share(win: FloatArray, resamples: int, rng: np.random.Generator) -> FloatArray:
    """The mean of a table of comparisons [n_a, n_b] under a bootstrap of the seeds of both agents."""
    times_a, times_b = (rng.multinomial(n, np.full(n, 1 / n), size=resamples) / n for n in win.shape)
    return np.asarray(((times_a @ win) * times_b).sum(axis=1))
