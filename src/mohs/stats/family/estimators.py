"""How good are methods over the family, judged by a sample of its points, and how certain is that?

An average has two errors: other points could have been sampled (design), and other seeds could have been run (seeds).
Nearby points are alike, and a balanced sample takes few of a kind. So the error of its average is that of the
differences between neighbours, not that of all scores. With one seed at each point these differences hold both
errors. With two or more the spread over seeds is known, and the design's error shrinks with the share of the family
that was sampled.

A sample whose scores are nearly all alike may lack the few points at which they are not. So no interval is narrower
than one more point would make it, at the farthest score that any method has.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_array, checked_index, checked_level
from mohs.stats.family.assisted import regression
from mohs.stats.family.designs import DESIGNS, Sample
from mohs.stats.family.frame import checked_weights, squared_distances, standardised
from mohs.stats.family.tails import FEWEST_POINTS, skewness, too_skewed
from mohs.stats.family.variance import Bools, covariance_of, share_bounds
from mohs.stats.intervals import Estimate, corrected_level, student_quantile
from mohs.stats.ranges import Range, checked_bounds


@dataclass(frozen=True, eq=False)
class FamilyEstimate:
    """Weighted means of K methods over a family, with the covariance of their errors.

    Attributes:
        values: The means.
        covariance: Of their errors, [K, K]: design and seeds together.
        df: Degrees of freedom of Student's interval.
        n: Points with runs of every method.
        seeds: The least number of runs of a method at such a point.
        design: How the points were chosen.
        level: The coverage that intervals claim.
        known: Whether there are intervals.
        why: Why not; empty if there are.
        skew: The skewness of the differences of two methods, [K, K]; on the diagonal that of a method's scores.
        bounds: The least and the greatest score; None if they are not known.
        reach: The least and the greatest score that any method has at a point, or the bounds.
        widest: The largest difference of two methods at a point.
        unseen: The weight of one more point; 0 where all points have several runs.
    """

    values: FloatArray
    covariance: FloatArray
    df: float
    n: int
    seeds: int
    design: str
    level: float
    known: bool
    why: str
    skew: FloatArray
    bounds: Range | None
    reach: Range
    widest: float
    unseen: float

    def estimate(self, i: int, comparisons: int = 1) -> Estimate:
        """The mean of method i over the family, with its interval."""
        checked_index(i, len(self.values), "i")
        bounds = self.bounds or (-inf, inf)
        return self._interval(
            self.values[i],
            self.covariance[i, i],
            self.skew[i, i],
            self.reach,
            bounds,
            "mean over the family",
            comparisons,
        )

    def share(self, i: int, comparisons: int = 1) -> Estimate:
        """The mean of what lies between 0 and 1 at every point, such as success, with the interval of a proportion.

        Korn and Graubard (1998): Clopper and Pearson's interval for as many trials as would have the same variance.
        """
        checked_index(i, len(self.values), "i")
        level, value = corrected_level(self.level, comparisons), float(np.clip(self.values[i], 0.0, 1.0))
        low = high = nan
        if self.known:
            low, high = share_bounds(value, float(self.covariance[i, i]), self.n, self.df, level)
        return Estimate(value, low, high, self.n, level, "share of the family", f"{self.design}, Korn and Graubard")

    def difference(self, i: int, j: int, comparisons: int = 1) -> Estimate:
        """By how much method i is better than method j over the family. Both have the same points."""
        for index, name in ((i, "i"), (j, "j")):
            checked_index(index, len(self.values), name)
        c = self.covariance
        variance = c[i, i] + c[j, j] - 2 * c[i, j] if i != j else 0.0
        low, high = self.bounds or (-inf, inf)
        return self._interval(
            self.values[i] - self.values[j],
            variance,
            self.skew[i, j] if i != j else 0.0,
            (-self.widest, self.widest) if i != j else (0.0, 0.0),
            (low - high, high - low),
            "difference of means over the family",
            comparisons,
        )

    def _interval(
        self, value: float, variance: float, skew: float, reach: Range, bounds: Range, statistic: str, comparisons: int
    ) -> Estimate:
        level = corrected_level(self.level, comparisons)
        low = high = nan
        if self.known and not too_skewed(skew, self.n):
            below, above = value - reach[0], reach[1] - value
            if variance > 1e-18:
                spread = max(variance**0.5, max(below, above) * self.unseen)
                below = above = float(student_quantile(np.array(self.df), level)) * spread
            else:  # all points agree (as in `stats/bounded.py`)
                share = 1 - ((1 - level) / 2) ** (1 / self.n)
                below, above = below * share, above * share
            low, high = max(value - below, bounds[0]), min(value + above, bounds[1])
        method = f"{self.design}, Student t"
        return Estimate(float(np.clip(value, *bounds)), float(low), float(high), self.n, level, statistic, method)


def estimate_family(
    sample: Sample,
    scores: ArrayLike,
    weights: ArrayLike,
    features: ArrayLike,
    level: float = 0.95,
    range_: Range | None = None,
    strata: ArrayLike | None = None,
) -> FamilyEstimate:
    """Estimates the mean score of each method over the family.

    Points at which a method has no run are left out, and the others stand for them.

    Args:
        sample: The points that were chosen.
        scores: [K, n] or [K, n, seeds] at the chosen points, NaN for a missing run. More is better.
        weights: Of all N points of the family.
        features: Of all N points, [N, F].
        level: The coverage that intervals claim.
        range_: The least and the greatest possible score, if both are known; no interval leaves it.
        strata: The stratum of each point, as for the design.

    Returns:
        Means and the covariance of their errors. There are no intervals with fewer than 16 points, with a design
        that is biased or does not show its error, or where one point makes most of the spread of the scores.

    Raises:
        UsageError: Scores do not fit the sample, or no point has a run of every method.

    Example:
        >>> from mohs.stats.family import draw, estimate_family
        >>> features = [[float(i)] for i in range(100)]
        >>> sample = draw("pivotal", [0.01] * 100, features, n=25, seed=0)
        >>> scores = [[1 - i / 100 for i in sample.chosen], [0.5 for _ in sample.chosen]]
        >>> found = estimate_family(sample, scores, [0.01] * 100, features)
        >>> bool(abs(found.values[0] - 0.505) < 0.02), found.difference(0, 1).known
        (True, True)
    """
    checked_level(level)
    bounds = None if range_ is None else checked_bounds(range_)
    p, space = checked_weights(weights), standardised(features, strata)
    return estimate_in(sample, as_runs(scores, len(sample.chosen)), p, space, level, bounds)


def estimate_in(
    sample: Sample,
    runs: FloatArray,
    p: FloatArray,
    space: FloatArray,
    level: float,
    bounds: Range | None = None,
    distances: FloatArray | None = None,
) -> FamilyEstimate:
    """The estimate from runs [K, n, seeds] at places in a space; its squared distances [N, N] may be known already."""
    there: Bools = np.asarray(~np.isnan(runs).all(axis=2).any(axis=0))
    if not there.any():
        raise UsageError("scores must hold at least one point at which every method has a run.")
    runs, chosen = runs[:, there], sample.chosen[there]
    count = (~np.isnan(runs)).sum(axis=2)
    y = np.nansum(runs, axis=2) / count
    w = sample.weights[there] / sample.weights[there].sum()

    assisted = DESIGNS[sample.design].assisted
    residual, predicted = regression(y, w, space, chosen, p) if assisted else (y, np.zeros(len(y)))
    values = predicted + residual @ w
    seeds = int(count.min())
    rows = chosen
    if distances is None:
        distances, rows = squared_distances(space[chosen], space[chosen]), np.arange(len(chosen))
    covariance, df = covariance_of(sample, there, residual, w, distances, rows, runs if seeds > 1 else None)
    n = len(chosen)
    pairs = np.where(np.eye(len(y), dtype=bool)[:, :, None], y[:, None], y[:, None] - y)
    skew, why, unseen = skewness(pairs, w), "", 1 / (n + 1)
    if seeds > 1 and len(np.unique(chosen)) == len(p):  # all points ran: only seeds are left to chance
        df, skew, unseen = float((count - 1).sum(axis=1).min()), np.zeros_like(skew), 0.0
    elif not DESIGNS[sample.design].interval:
        why = f"no interval holds with the design {sample.design}."
    elif n < FEWEST_POINTS:
        why = f"an interval needs at least {FEWEST_POINTS} points, or all of them with several seeds; there are {n}."
    low, high = bounds or (-inf, inf)
    reach = (float(y.min()) if low == -inf else low, float(y.max()) if high == inf else high)
    widest = float(np.abs(y[:, None] - y).max())
    return FamilyEstimate(
        values, covariance, df, n, seeds, sample.design, level, not why, why, skew, bounds, reach, widest, unseen
    )


def as_runs(scores: ArrayLike, n: int) -> FloatArray:
    """Scores as [methods, points, seeds]."""
    found = checked_array(scores, "scores")
    runs = found[:, :, None] if found.ndim == 2 else found
    if runs.ndim != 3 or runs.shape[1] != n:
        raise UsageError(
            f"scores must be [methods, {n} sampled points] or have seeds as a third axis; got {found.shape}."
        )
    return runs
