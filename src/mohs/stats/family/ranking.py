"""How do methods rank over a family, and how sure is that?

Methods share their points, so what makes a point hard for all of them cancels in the difference of two.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike

from mohs.stats.checks import FloatArray, checked_array
from mohs.stats.comparison import average_ranks
from mohs.stats.family.designs import Sample
from mohs.stats.family.estimators import FamilyEstimate, estimate_family
from mohs.stats.family.frame import Ints
from mohs.stats.intervals import Estimate, bonferroni_comparisons


def surely_better(estimate: FamilyEstimate, comparisons: int | None = None) -> np.ndarray:
    """[K, K], whether method i is better than j with certainty: all pairs hold jointly at the level of the estimate."""
    k = len(estimate.values)
    count = bonferroni_comparisons(k) if comparisons is None else comparisons
    better = np.zeros((k, k), dtype=bool)
    for i, j in itertools.combinations(range(k), 2):
        found = estimate.difference(i, j, count)
        better[i, j], better[j, i] = found.low > 0, found.high < 0
    return better


def rank_intervals(estimate: FamilyEstimate, comparisons: int | None = None) -> tuple[FloatArray, Ints, Ints]:
    """Ranks of the methods, with intervals that hold for all methods at once.

    A method ranks behind those that are surely better and before those that are surely worse. Each pair of methods is
    compared by the interval of its difference, Bonferroni-corrected for all pairs.

    Args:
        estimate: Means over the family; its level is that of all ranks together.
        comparisons: How many comparisons hold jointly; K(K − 1)/2 by default.

    Returns:
        The rank of each method (1 is the best, equal means share theirs), and the lower and upper ends of its interval.

    Example:
        >>> from mohs.stats.family import draw, estimate_family, rank_intervals
        >>> features = [[float(i)] for i in range(100)]
        >>> sample = draw("pivotal", [0.01] * 100, features, n=25, seed=0)
        >>> scores = [[i / 100 for i in sample.chosen], [0.9 + i / 1000 for i in sample.chosen]]
        >>> ranks, low, high = rank_intervals(estimate_family(sample, scores, [0.01] * 100, features))
        >>> ranks.tolist(), low.tolist(), high.tolist()
        ([2.0, 1.0], [2, 1], [2, 1])
    """
    better = surely_better(estimate, comparisons)
    return average_ranks(-estimate.values), 1 + better.sum(axis=0), len(better) - better.sum(axis=1)


def better_on_random_member(
    sample: Sample,
    scores: ArrayLike,
    weights: ArrayLike,
    features: ArrayLike,
    level: float = 0.95,
    strata: ArrayLike | None = None,
) -> tuple[tuple[Estimate, ...], ...]:
    """The probability that a run of method i beats one of method j on a random member of the family.

    Members are drawn by their weights. Ties count half. With several seeds all pairs of their runs at a point are
    compared.

    Args:
        sample: The points that were chosen.
        scores: [K, n] or [K, n, seeds], NaN for a missing run.
        weights: Of all N points of the family.
        features: Of all N points, [N, F].
        level: The coverage that each interval claims.
        strata: The stratum of each point, as for the design.

    Returns:
        [K][K] estimates. On the diagonal the probability is ½.

    Raises:
        UsageError: Scores do not fit the sample.

    Example:
        >>> from mohs.stats.family import better_on_random_member, draw
        >>> features = [[float(i)] for i in range(100)]
        >>> sample = draw("pivotal", [0.01] * 100, features, n=25, seed=0)
        >>> scores = [[i / 100 for i in sample.chosen], [0.75 for _ in sample.chosen]]
        >>> found = better_on_random_member(sample, scores, [0.01] * 100, features)
        >>> round(found[0][1].value + found[1][0].value, 6), abs(found[0][1].value - 0.25) < 0.05
        (1.0, True)
    """
    runs = checked_array(scores, "scores")
    runs = runs[:, :, None] if runs.ndim == 2 else runs
    k = len(runs)
    pairs = list(itertools.combinations(range(k), 2))
    wins = np.array([_wins(runs[i], runs[j]) for i, j in pairs] or [np.full(runs.shape[1], 0.5)])
    found = estimate_family(sample, wins, weights, features, level, (0.0, 1.0), strata=strata)
    itself = Estimate(0.5, 0.5, 0.5, found.n, level, STATISTIC, "exact")
    table = [[itself] * k for _ in range(k)]
    for row, (i, j) in enumerate(pairs):
        e = found.share(row)
        table[i][j] = Estimate(e.value, e.low, e.high, e.n, e.level, STATISTIC, e.method)
        table[j][i] = Estimate(1 - e.value, 1 - e.high, 1 - e.low, e.n, e.level, STATISTIC, e.method)
    return tuple(tuple(row) for row in table)


STATISTIC = "probability of being better on a random member"


def _wins(a: FloatArray, b: FloatArray) -> FloatArray:
    """How often a run of a [n, seeds] beats one of b [n, seeds] at each point; NaN where either has none."""
    ahead = (a[:, :, None] > b[:, None, :]) + 0.5 * (a[:, :, None] == b[:, None, :])
    there = ~(np.isnan(a)[:, :, None] | np.isnan(b)[:, None, :])
    pairs = there.sum(axis=(1, 2))
    share = np.where(there, ahead, 0.0).sum(axis=(1, 2)) / np.maximum(pairs, 1)
    return np.asarray(np.where(pairs > 0, share, np.nan))
