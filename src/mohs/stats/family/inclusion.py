"""How often is a point in a sample? Probabilities in proportion to the weights, none of them above 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mohs.stats.checks import FloatArray
from mohs.stats.family.frame import checked_budget, checked_weights


def inclusion_probabilities(weights: ArrayLike, n: int) -> FloatArray:
    """The probabilities min(1, c·p) whose sum is n.

    A point with probability 1 is a certainty unit: every sample of n points contains it.

    Args:
        weights: The weights p of the N points.
        n: The number of points in the sample, at most N.

    Returns:
        One probability for each point.

    Raises:
        UsageError: The weights do not sum to 1, or n is larger than the family.

    Example:
        >>> from mohs.stats.family import inclusion_probabilities
        >>> inclusion_probabilities([0.7, 0.1, 0.1, 0.1], 2).round(3).tolist()
        [1.0, 0.333, 0.333, 0.333]
    """
    p = checked_weights(weights)
    return _capped(p, checked_budget(n, len(p)))


def _capped(p: FloatArray, n: int) -> FloatArray:
    certain = np.zeros(len(p), dtype=bool)
    while True:
        left = p[~certain].sum()
        found = np.where(certain, 1.0, p * ((n - certain.sum()) / left if left > 0 else 0.0))
        beyond = found > 1 - 1e-12
        if (beyond <= certain).all():
            return found
        certain |= beyond


def anchors(weights: FloatArray) -> list[int]:
    """The sizes of a nested order at which its probabilities are those of `inclusion_probabilities`, descending.

    Each is three quarters of the one before, until no point is certain. From there on the probabilities are in
    proportion to n. Closer sizes would be sampled less evenly: a sample that leaves out few points cannot spread
    them.
    """
    sizes = [len(weights)]
    while sizes[-1] * weights.max() > 1 + 1e-12 and sizes[-1] > 1:
        sizes.append(3 * sizes[-1] // 4)
    return sizes


def prefix_probabilities(weights: ArrayLike, n: int) -> FloatArray:
    """The probability that a point is among the first n of `nested_order`.

    At every size below 1/max(p), and at those sizes N, ¾N, (¾)²N, ... that are larger, it is in proportion to the
    weights (`inclusion_probabilities`). Between two sizes of which the larger has certainty units it is
    interpolated. The sum is n.

    Args:
        weights: The weights p of the N points.
        n: The number of points, at most N.

    Returns:
        One probability for each point.

    Raises:
        UsageError: The weights do not sum to 1, or n is larger than the family.

    Example:
        >>> from mohs.stats.family import prefix_probabilities
        >>> prefix_probabilities([0.25, 0.25, 0.25, 0.25], 3).tolist()
        [0.75, 0.75, 0.75, 0.75]
    """
    p = checked_weights(weights)
    checked_budget(n, len(p))
    sizes = anchors(p)
    if n <= sizes[-1]:
        return n / sizes[-1] * _capped(p, sizes[-1])
    high = min(size for size in sizes if size >= n)
    low = max(size for size in sizes if size <= n)
    if low == high:
        return _capped(p, n)
    share = (n - low) / (high - low)
    return np.asarray((1 - share) * _capped(p, low) + share * _capped(p, high))
