"""When is the ranking decided, if points are added until it is?

The prefixes of a nested order are looked at one after the other. Every look is a chance to be wrong. So each look has
its share of the error rate, and all statements of all looks together hold at the stated level, whatever the scores
are.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from mohs.core.errors import UsageError
from mohs.stats.checks import checked_count, checked_level
from mohs.stats.family.estimators import FamilyEstimate
from mohs.stats.family.tails import FEWEST_POINTS
from mohs.stats.intervals import bonferroni_comparisons


def look_sizes(budget: int, looks: int = 4, fewest: int = FEWEST_POINTS) -> tuple[int, ...]:
    """The numbers of points at which the scores are looked at: each about twice the one before, the last the budget.

    Example:
        >>> from mohs.stats.family import look_sizes
        >>> look_sizes(200)
        (25, 50, 100, 200)
        >>> look_sizes(20)
        (20,)
    """
    checked_count(budget, "budget")
    checked_count(looks, "looks")
    sizes = {-(-budget // 2**i) for i in range(looks)}
    return tuple(sorted(size for size in sizes if size >= fewest or size == budget))


def spent(sizes: Sequence[int], level: float = 0.95) -> tuple[float, ...]:
    """The error rate of each look; their sum is 1 − level.

    After Lan and DeMets (1983): by the time a share t of the budget is spent, an error rate of 2 − 2Φ(z/√t) may be,
    as with O'Brien and Fleming's boundaries. Early looks cost little, and the last keeps most of it. Errors are
    added, not correlated, so the rates hold for samples that are not independent increments too.

    Args:
        sizes: The numbers of points at the looks, ascending; the last is the budget.
        level: The level of all looks together.

    Returns:
        One error rate for each look.

    Raises:
        UsageError: The sizes do not ascend.

    Example:
        >>> from mohs.stats.family import spent
        >>> [round(rate, 4) for rate in spent([50, 100, 200])]
        [0.0001, 0.0055, 0.0444]
    """
    from scipy.special import ndtr, ndtri

    checked_level(level)
    found = np.asarray(sizes, dtype=np.float64)
    if not len(found) or (found <= 0).any() or (np.diff(found) <= 0).any():
        raise UsageError(f"the sizes of looks must ascend; got {list(sizes)}.")
    z = ndtri(1 - (1 - level) / 2)
    upto = 2 * ndtr(-z / np.sqrt(found / found[-1]))
    return tuple(np.diff(upto, prepend=0.0).tolist())


def decided(
    estimate: FamilyEstimate, look: int, sizes: Sequence[int], level: float = 0.95, margin: float = 0.0
) -> bool:
    """Whether all pairs of methods are decided at this look.

    A pair is decided if the interval of its difference excludes 0, or lies within ±margin (the two are equivalent).
    Intervals are corrected for all pairs of methods and for the looks.

    Args:
        estimate: Means over the family from the first `sizes[look]` points.
        look: The number of this look, from 0.
        sizes: The numbers of points at all looks.
        level: The level at which all statements of all looks hold together.
        margin: A difference that does not matter; 0 if every difference does.

    Returns:
        Whether no more points are needed.

    Raises:
        UsageError: There is no such look, or the margin is negative.

    Example:
        >>> from mohs.stats.family import decided, draw, estimate_family
        >>> features, p = [[float(i)] for i in range(100)], [0.01] * 100
        >>> sample = draw("pivotal", p, features, n=25, seed=0)
        >>> scores = [[0.9 + i % 2 / 50 for i in sample.chosen], [0.1 + i % 3 / 50 for i in sample.chosen]]
        >>> decided(estimate_family(sample, scores, p, features), 0, [25, 50, 100])
        True
    """
    if not 0 <= look < len(sizes):
        raise UsageError(f"look must be a number from 0 to {len(sizes) - 1}; got {look!r}.")
    if margin < 0:
        raise UsageError(f"margin must not be negative; got {margin!r}.")
    comparisons = look_comparisons(estimate, look, sizes, level)
    pairs = itertools.combinations(range(len(estimate.values)), 2)
    found = [estimate.difference(a, b, comparisons) for a, b in pairs]
    return all(
        e.known and (e.low > 0 or e.high < 0 or (margin > 0 and -margin <= e.low and e.high <= margin)) for e in found
    )


def look_comparisons(estimate: FamilyEstimate, look: int, sizes: Sequence[int], level: float = 0.95) -> int:
    """For how many comparisons the intervals of one look are corrected: all pairs, and the look's share of the error.

    Rounded upwards, so that the error rate is not exceeded. `rank_intervals(estimate, comparisons)` at this number
    holds jointly over all looks.
    """
    share = spent(sizes, level)[look] / (1 - estimate.level)
    return int(np.ceil(bonferroni_comparisons(len(estimate.values)) / share - 1e-9))
