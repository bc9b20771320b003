"""How many models must be trained for an interval of a given width, or to decide which of two methods is better?

A pilot tells how much scores differ between neighbouring points and between seeds. An average over n points with m
seeds each has the variance (between·(1 − n/N) + within/m)/n, so for the same number of models more points are always
better than more seeds, until every point of the family is trained.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_count, checked_level
from mohs.stats.family.designs import Sample
from mohs.stats.family.estimators import FamilyEstimate, estimate_family
from mohs.stats.family.tails import FEWEST_POINTS
from mohs.stats.family.variance import seed_covariance
from mohs.stats.intervals import corrected_level, student_quantile

POWER = 0.8
MOST_SEEDS = 1000
DF_PER_POINT = 0.7  # different pairs of neighbours in a sample of n points, about


@dataclass(frozen=True)
class Components:
    """The variance of one score: between the points of a neighbourhood, and between the seeds of a point.

    With one seed they cannot be told apart: `split` is False and all of it counts as between points.
    """

    between: float
    within: float
    split: bool

    def variance(self, points: int, seeds: int, size: int) -> float:
        """The variance of an average over so many points of a family of this size, with so many seeds at each."""
        left = 1 - points / size if self.split else 1.0
        return (self.between * left + self.within / seeds) / points


@dataclass(frozen=True)
class Budget:
    """Points and seeds that give an interval of the wanted width, and the width that is expected."""

    points: int
    seeds: int
    width: float
    enough: bool  # False if no number of seeds on all points would do

    @property
    def models(self) -> int:
        """Models to train for each method."""
        return self.points * self.seeds


def components(
    sample: Sample, scores: ArrayLike, weights: ArrayLike, features: ArrayLike, strata: ArrayLike | None = None
) -> tuple[tuple[Components, ...], ...]:
    """Variance components of a pilot, for each method and each difference of two.

    Args:
        sample: The points of the pilot.
        scores: [K, n] or [K, n, seeds], NaN for a missing run.
        weights: Of all N points of the family.
        features: Of all N points, [N, F].
        strata: The stratum of each point, as for the design.

    Returns:
        [K][K] components: those of a method on the diagonal, those of the difference of two elsewhere.

    Example:
        >>> from mohs.stats.family import components, draw
        >>> from mohs.stats.family.simulated import simulated_cartpoles
        >>> import numpy as np
        >>> family, p = simulated_cartpoles(), np.full(576, 1 / 576)
        >>> sample = draw("pivotal", p, family.features, n=48, seed=0)
        >>> runs = family.runs(np.random.default_rng(0), seeds=3)[:, sample.chosen]
        >>> found = components(sample, runs, p, family.features)
        >>> found[0][0].split, found[0][0].within > found[0][0].between
        (True, True)
    """
    found = estimate_family(sample, scores, weights, features, strata=strata)
    runs = np.asarray(scores, dtype=np.float64)
    if found.seeds == 1 or runs.ndim == 2:
        return _components(found.covariance * found.n, np.zeros_like(found.covariance), split=False)
    there = ~np.isnan(runs).all(axis=2).any(axis=0)
    w = sample.weights[there] / sample.weights[there].sum()
    noise = seed_covariance(runs[:, there], w**2)
    count = (~np.isnan(runs[:, there])).sum(axis=2)
    seeds = 1 / float(np.mean(1 / count))  # harmonic
    # In the estimate the differences of neighbours count by 1 − π, seeds by π; here by 1, without the seeds in them.
    means = np.nanmean(runs[:, there], axis=2)
    whole = estimate_family(
        Sample(sample.design, sample.chosen[there], sample.inclusion[there], w), means, weights, features, strata=strata
    ).covariance
    return _components((whole - noise) * found.n, noise * found.n * seeds, split=True)


def _components(between: FloatArray, within: FloatArray, split: bool) -> tuple[tuple[Components, ...], ...]:
    k = len(between)

    def of(c: FloatArray, i: int, j: int) -> float:
        return max(0.0, float(c[i, i] if i == j else c[i, i] + c[j, j] - 2 * c[i, j]))

    return tuple(tuple(Components(of(between, i, j), of(within, i, j), split) for j in range(k)) for i in range(k))


def points_for_width(found: Components, width: float, size: int, seeds: int = 1, level: float = 0.95) -> int | None:
    """How many points give an interval of at most this width (from end to end); None if all of them do not.

    Args:
        found: Variance components of a pilot.
        width: The wanted width of the interval.
        size: The number of points in the family.
        seeds: Runs at each point.
        level: The coverage that the interval claims.

    Example:
        >>> from mohs.stats.family import Components, points_for_width
        >>> points_for_width(Components(0.04, 0.0, split=False), width=0.1, size=576)
        65
        >>> points_for_width(Components(0.0, 0.04, split=True), width=0.01, size=576) is None
        True
    """
    checked_level(level)
    if not width > 0:
        raise UsageError(f"width must be positive; got {width!r}.")
    for n in range(min(FEWEST_POINTS, size), size + 1):
        if expected_width(found, n, seeds, size, level) <= width:
            return n
    return None


def expected_width(found: Components, points: int, seeds: int, size: int, level: float = 0.95) -> float:
    """The width of the interval that so many points and seeds are expected to give."""
    t = float(student_quantile(np.array(max(1.0, DF_PER_POINT * points)), level))
    return float(2 * t * found.variance(points, seeds, size) ** 0.5)


def plan_budget(found: Components, width: float, size: int, level: float = 0.95) -> Budget:
    """The fewest models for an interval of this width: points first, seeds only when all points are trained.

    Args:
        found: Variance components of a pilot.
        width: The wanted width of the interval, from end to end.
        size: The number of points in the family.
        level: The coverage that the interval claims.

    Returns:
        Points and seeds. If not even 1,000 seeds on every point are enough, `enough` is False.

    Raises:
        UsageError: The width is not positive.

    Example:
        >>> from mohs.stats.family import Components, plan_budget
        >>> plan = plan_budget(Components(0.01, 0.09, split=True), width=0.1, size=576)
        >>> plan.points, plan.seeds, plan.enough
        (154, 1, True)
        >>> plan_budget(Components(0.01, 0.09, split=True), width=0.02, size=576).seeds
        7
    """
    checked_count(size, "size")
    points = points_for_width(found, width, size, 1, level)
    if points is not None:
        return Budget(points, 1, expected_width(found, points, 1, size, level), enough=True)
    if found.split:
        t = float(student_quantile(np.array(DF_PER_POINT * size), level))
        seeds = ceil(found.within / size * (2 * t / width) ** 2)
        if seeds <= MOST_SEEDS:
            return Budget(size, seeds, expected_width(found, size, seeds, size, level), enough=True)
    return Budget(size, 1, expected_width(found, size, 1, size, level), enough=False)


def models_to_decide(
    estimate: FamilyEstimate, i: int, j: int, size: int, found: Components, comparisons: int = 1, power: float = POWER
) -> int | None:
    """About how many models of each method would decide between methods i and j, if the difference is as it seems.

    With so many the interval of the difference excludes 0 with probability `power`.

    Args:
        estimate: What the pilot found.
        i: A method.
        j: Another one.
        size: The number of points in the family.
        found: Variance components of their difference.
        comparisons: How many differences are judged together.
        power: The probability with which the interval is to exclude 0.

    Returns:
        The number of models, points times seeds; None where even 1,000 seeds on all points would not do.

    Example:
        >>> from mohs.stats.family import Components, draw, estimate_family, models_to_decide
        >>> features, p = [[float(i)] for i in range(100)], [0.01] * 100
        >>> sample = draw("pivotal", p, features, n=25, seed=0)
        >>> scores = [[0.5 + (i % 2) / 10 for i in sample.chosen], [0.45 + (i % 3) / 10 for i in sample.chosen]]
        >>> estimate = estimate_family(sample, scores, p, features)
        >>> models_to_decide(estimate, 0, 1, 100, Components(0.01, 0.0, split=True)) is not None
        True
    """
    from scipy.special import ndtri

    checked_level(power, "power")
    gap = abs(float(estimate.values[i] - estimate.values[j]))
    level = corrected_level(estimate.level, comparisons)
    if gap == 0:
        return None

    def decides(points: int, seeds: int) -> bool:
        t = float(student_quantile(np.array(max(1.0, DF_PER_POINT * points)), level))
        return bool((t + float(ndtri(power))) * found.variance(points, seeds, size) ** 0.5 <= gap)

    for n in range(min(FEWEST_POINTS, size), size + 1):
        if decides(n, 1):
            return n
    if not found.split:
        return None
    t = float(student_quantile(np.array(DF_PER_POINT * size), level)) + float(ndtri(power))
    seeds = ceil(found.within / size * (t / gap) ** 2)
    return size * seeds if seeds <= MOST_SEEDS else None
