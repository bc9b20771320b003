"""Is one method better than another on all of the distribution of scores, not only on average?

A profile is the weighted share of the family above each threshold. A method dominates another in the first order if
its profile is nowhere below; every increasing utility then prefers it. It dominates in the second order if the area
below its distribution function is nowhere larger; every increasing and concave, that is risk-averse, utility then
prefers it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_array, checked_count
from mohs.stats.family.designs import Sample
from mohs.stats.family.estimators import as_runs, estimate_family
from mohs.stats.family.frame import checked_weights
from mohs.stats.profiles import Profile

ALMOST = 1e-12  # distribution functions that differ by less are equal but for rounding


def weighted_profile(
    sample: Sample,
    scores: ArrayLike,
    weights: ArrayLike,
    features: ArrayLike,
    thresholds: ArrayLike,
    level: float = 0.95,
    joint: bool = False,
    strata: ArrayLike | None = None,
) -> Profile:
    """The weighted share of runs above each threshold, over the family, for one method.

    Args:
        sample: The points that were chosen.
        scores: [n] or [n, seeds] of the method, NaN for a missing run.
        weights: Of all N points of the family.
        features: Of all N points, [N, F].
        thresholds: Where the share is taken.
        level: The coverage of the band at each threshold, or at all of them together if `joint`.
        joint: Whether the band holds at all thresholds at once (Bonferroni).
        strata: The stratum of each point, as for the design.

    Returns:
        Shares and their band.

    Example:
        >>> from mohs.stats.family import draw, weighted_profile
        >>> features, p = [[float(i)] for i in range(100)], [0.01] * 100
        >>> sample = draw("pivotal", p, features, n=25, seed=0)
        >>> profile = weighted_profile(sample, [i / 100 for i in sample.chosen], p, features, [0.0, 0.5])
        >>> abs(profile.share[1] - 0.5) < 0.05, profile.low[1] < 0.5 < profile.high[1]
        (True, True)
    """
    levels = checked_array(thresholds, "thresholds", 1)
    runs = as_runs(checked_array(scores, "scores")[None], len(sample.chosen))[0]
    above = np.where(np.isnan(runs), np.nan, (runs > levels[:, None, None]).astype(np.float64))
    found = estimate_family(sample, above, weights, features, level, strata=strata)
    estimates = [found.share(i, len(levels) if joint else 1) for i in range(len(levels))]
    share, low, high = (tuple(getattr(e, end) for e in estimates) for end in ("value", "low", "high"))
    return Profile(tuple(levels.tolist()), share, low, high, found.n, estimates[0].level, estimates[0].method)


def dominance(scores: ArrayLike, weights: ArrayLike, order: int = 1) -> NDArray[np.bool_]:
    """Whether method i dominates method j on the weighted scores, exactly. [K, K]; no method dominates its equal.

    Args:
        scores: [K, n], more is better.
        weights: Of the n points.
        order: 1 or 2.

    Raises:
        UsageError: Scores are missing, or the order is neither 1 nor 2.

    Example:
        >>> from mohs.stats.family import dominance
        >>> dominance([[0.5, 0.5], [0.0, 1.0]], [0.5, 0.5], order=1).tolist()
        [[False, False], [False, False]]
        >>> dominance([[0.5, 0.5], [0.0, 1.0]], [0.5, 0.5], order=2).tolist()
        [[False, True], [False, False]]
    """
    found, p = _checked(scores, weights, order)
    return np.asarray(_dominates(_grid(found), p[None], order)[0])


def dominance_shares(
    scores: ArrayLike, weights: ArrayLike, order: int = 1, resamples: int = 1000, seed: int = 0
) -> FloatArray:
    """In which share of bootstrap samples of points a method dominates another, [K, K]. Near 1: it surely does.

    The points are resampled for all methods at once, each time as many as there are.

    Example:
        >>> from mohs.stats.family import dominance_shares
        >>> dominance_shares([[0.5, 0.6, 0.7], [0.1, 0.2, 0.3]], [0.25, 0.5, 0.25], resamples=100)[0, 1].item()
        1.0
    """
    found, p = _checked(scores, weights, order)
    n, rng = len(p), np.random.default_rng(seed)
    times = rng.multinomial(n, np.full(n, 1 / n), size=checked_count(resamples, "resamples")) * p
    drawn = times / times.sum(axis=1, keepdims=True)
    grid, part = _grid(found), max(1, 2_000_000 // (found.size * len(found)))
    held = [_dominates(grid, drawn[i : i + part], order).sum(axis=0) for i in range(0, resamples, part)]
    return np.asarray(np.sum(held, axis=0) / resamples)


Grid = tuple[FloatArray, NDArray[np.int64]]  # all scores, ascending; the place of each score among them [K, n]


def _grid(scores: FloatArray) -> Grid:
    values, places = np.unique(scores, return_inverse=True)
    return values, places.reshape(scores.shape)


def _dominates(grid: Grid, weights: FloatArray, order: int) -> NDArray[np.bool_]:
    """[draws, K, K] for weights [draws, n]."""
    values, places = grid
    below = np.zeros((len(weights), len(places), len(values)))
    for k, place in enumerate(places):
        np.add.at(below[:, k].T, place, weights.T)
    below = below.cumsum(axis=2)
    if order == 2:
        area = np.cumsum(below[:, :, :-1] * np.diff(values), axis=2)
        below = np.concatenate([np.zeros((*area.shape[:2], 1)), area], axis=2)
    gap = below[:, None, :] - below[:, :, None]  # of j less that of i
    return np.asarray((gap >= -ALMOST).all(axis=3) & (gap > ALMOST).any(axis=3))


def _checked(scores: ArrayLike, weights: ArrayLike, order: int) -> tuple[FloatArray, FloatArray]:
    found, p = checked_array(scores, "scores", 2), checked_weights(weights)
    if order not in (1, 2):
        raise UsageError(f"order must be 1 or 2; got {order!r}.")
    if np.isnan(found).any() or found.shape[1] != len(p):
        raise UsageError(f"scores must be complete, with one column for each of the {len(p)} weights.")
    return found, p
