"""How many models must be trained for an interval of a given width, or to decide which of two methods is better?

A pilot tells how much scores differ between neighbouring points and between seeds. An average over n points with m
seeds each has the variance (between·(1 − n/N) + within/m)/n, with one seed at each point (between + within)/n. So for
the same number of models more points are always better than more seeds, until every point of the family is trained.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_count, checked_level
from mohs.stats.family.designs import Sample
from mohs.stats.family.estimators import FamilyEstimate, estimate_family, unseen_share
from mohs.stats.family.tails import FEWEST_POINTS
from mohs.stats.family.variance import seed_covariance
from mohs.stats.intervals import corrected_level, student_quantile
from mohs.stats.ranges import Range

POWER = 0.8
MOST_SEEDS = 1000
DF_PER_POINT = 0.7  # different pairs of neighbours in a sample of n points, about


@dataclass(frozen=True)
class Components:
    """The variance of one score: between the points of a neighbourhood, and between the seeds of a point.

    With one seed they cannot be told apart: `split` is False and all of it counts as between points. `reach` is how far
    from the mean a score was observed, `missed` how far from it the references are: no interval is narrower than one
    more score at the one, or what scores at the other that the sample has missed, would make it.
    `noisy` is the share of the points whose seeds make most of the variance, where only seeds are left to chance.
    `worth` is how many points of equal weight the family is worth: more than these add no trials.
    """

    between: float
    within: float
    split: bool
    reach: float = 0.0
    noisy: float = 1.0
    missed: float = 0.0
    worth: float = math.inf

    def variance(self, points: int, seeds: int, size: int) -> float:
        """The variance of an average over so many points of a family of this size, with so many seeds at each.

        With one seed at each point it is that of the interval, which cannot tell seeds from points.
        """
        left = 1 - points / size if self.split and seeds > 1 else 1.0
        return (self.between * left + self.within / seeds) / points

    def half_width(self, points: int, seeds: int, size: int, level: float, power: float = 0.0) -> float:
        """The expected half of the interval's width; with `power`, so many standard errors more."""
        whole = seeds > 1 and points == size
        df = self.noisy * points * (seeds - 1) if whole else DF_PER_POINT * points
        t = float(student_quantile(np.array(max(1.0, df)), level)) + power
        trials = min(points, self.worth) * (seeds if whole else 1)
        spread = max(self.variance(points, seeds, size) ** 0.5, self.reach / (trials + 1))
        return float(max(t * spread, self.missed * unseen_share(trials, level)))


@dataclass(frozen=True)
class Budget:
    """Points and seeds, and the width of the interval that they are expected to give."""

    points: int
    seeds: int
    width: float

    @property
    def models(self) -> int:
        """Models to train for each method."""
        return self.points * self.seeds


def components(
    sample: Sample,
    scores: ArrayLike,
    weights: ArrayLike,
    features: ArrayLike,
    strata: ArrayLike | None = None,
    range_: Range | None = None,
    references: Range | None = None,
) -> tuple[tuple[Components, ...], ...]:
    """Variance components of a pilot, for each method and each difference of two.

    Args:
        sample: The points of the pilot.
        scores: [K, n] or [K, n, seeds], NaN for a missing run.
        weights: Of all N points of the family.
        features: Of all N points, [N, F].
        strata: The stratum of each point, as for the design.
        range_: The least and the greatest possible score, if known.
        references: Scores that others may have, as in `estimate_family`.

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
    found = estimate_family(sample, scores, weights, features, range_=range_, strata=strata, references=references)
    runs = np.asarray(scores, dtype=np.float64)
    if found.seeds == 1 or runs.ndim == 2:
        return _components(found, found.covariance, np.zeros_like(found.covariance), split=False)
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
    return _components(found, whole - noise, noise * seeds, split=True)


def _components(
    found: FamilyEstimate, between: FloatArray, within: FloatArray, split: bool
) -> tuple[tuple[Components, ...], ...]:
    """From the parts of the covariance of means over the points of a pilot."""
    values = found.values

    def of(c: FloatArray, i: int, j: int) -> float:
        return found.n * max(0.0, float(c[i, i] if i == j else c[i, i] + c[j, j] - 2 * c[i, j]))

    def reach(i: int, j: int) -> float:
        value, (low, high) = float(values[i]), found.reach[i].tolist()
        return max(value - low, high - value) if i == j else abs(value - float(values[j])) + float(found.widest[i, j])

    def missed(i: int, j: int) -> float:
        if found.between is None:
            return 0.0
        (least, most), value = found.between, float(values[i])
        return max(value - least, most - value) if i == j else abs(value - float(values[j])) + most - least

    def noisy(i: int, j: int) -> float:
        return min(1.0, float(found.df[i, j]) / (found.n * (found.seeds - 1))) if found.whole else 1.0

    each = range(len(values))
    return tuple(
        tuple(
            Components(of(between, i, j), of(within, i, j), split, reach(i, j), noisy(i, j), missed(i, j), found.worth)
            for j in each
        )
        for i in each
    )


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
    _check_width(width, level)
    return _fewest_points(lambda n: expected_width(found, n, seeds, size, level) <= width, size)


def expected_width(found: Components, points: int, seeds: int, size: int, level: float = 0.95) -> float:
    """The width of the interval that so many points and seeds are expected to give."""
    return 2 * found.half_width(points, seeds, size, level)


def plan_budget(found: Components, width: float, size: int, level: float = 0.95, seeds: int = 1) -> Budget | None:
    """The fewest models for an interval of this width: more seeds only if one at every point is not enough.

    Args:
        found: Variance components of a pilot.
        width: The wanted width of the interval, from end to end.
        size: The number of points in the family.
        level: The coverage that the interval claims.
        seeds: The least number of runs at each point.

    Returns:
        Points and seeds; None if not even 1,000 seeds at every point are enough, or if the pilot cannot tell what more
        seeds would do.

    Raises:
        UsageError: The width is not positive.

    Example:
        >>> from mohs.stats.family import Components, plan_budget
        >>> plan = plan_budget(Components(0.01, 0.09, split=True), width=0.1, size=576)
        >>> plan.points, plan.seeds
        (158, 1)
        >>> plan_budget(Components(0.01, 0.09, split=True), width=0.02, size=576).seeds
        7
    """
    _check_width(width, level)
    return _fewest(lambda n, m: expected_width(found, n, m, size, level) <= width, found, size, seeds, level)


def budget_to_decide(
    estimate: FamilyEstimate,
    i: int,
    j: int,
    size: int,
    found: Components,
    comparisons: int = 1,
    power: float = POWER,
    seeds: int = 1,
) -> Budget | None:
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
        seeds: The least number of runs at each point.

    Returns:
        Points and seeds; None where even 1,000 seeds on all points would not do.

    Example:
        >>> from mohs.stats.family import Components, budget_to_decide, draw, estimate_family
        >>> features, p = [[float(i)] for i in range(100)], [0.01] * 100
        >>> sample = draw("pivotal", p, features, n=25, seed=0)
        >>> scores = [[0.5 + (i % 2) / 10 for i in sample.chosen], [0.45 + (i % 3) / 10 for i in sample.chosen]]
        >>> estimate = estimate_family(sample, scores, p, features)
        >>> budget_to_decide(estimate, 0, 1, 100, Components(0.01, 0.0, split=True)) is not None
        True
    """
    from scipy.special import ndtri

    checked_level(power, "power")
    gap, more = abs(float(estimate.values[i] - estimate.values[j])), float(ndtri(power))
    level = corrected_level(estimate.level, comparisons)

    def decides(points: int, seeds: int) -> bool:
        return gap > 0 and found.half_width(points, seeds, size, level, more) <= gap

    return _fewest(decides, found, size, seeds, level)


def _fewest(
    enough: Callable[[int, int], bool], found: Components, size: int, seeds: int, level: float
) -> Budget | None:
    """The fewest models of which points and seeds are enough: the fewest seeds, and then the fewest points.

    For a given number of models the variance grows with the seeds. One seed cannot say what more would do.
    """
    checked_count(size, "size")
    tried = range(seeds, MOST_SEEDS + 1) if found.split else range(seeds, seeds + 1)
    at = bisect_left(tried, True, key=lambda m: enough(size, m))
    if at == len(tried):
        return None
    points = _fewest_points(lambda n: enough(n, tried[at]), size)
    assert points is not None
    return Budget(points, tried[at], expected_width(found, points, tried[at], size, level))


def _fewest_points(enough: Callable[[int], bool], size: int) -> int | None:
    tried = range(min(FEWEST_POINTS, size), size + 1)
    at = bisect_left(tried, True, key=enough)
    return None if at == len(tried) else tried[at]


def _check_width(width: float, level: float) -> None:
    checked_level(level)
    if not width > 0:
        raise UsageError(f"width must be positive; got {width!r}.")
