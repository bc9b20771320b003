"""How good are methods over the family, judged by a sample of its points, and how certain is that?

An average has two errors: other points could have been sampled (design), and other seeds could have been run (seeds).
Nearby points are alike, and a balanced sample takes few of a kind. So the error of its average is that of the
differences between neighbours, not that of all scores. With one seed at each point these differences hold both
errors. With two or more the spread over seeds is known, and the design's error shrinks with the share of the family
that was sampled.

A sample whose scores are nearly all alike may lack the few points at which they are not, and two seeds that agree may
lack the third that does not. So no interval is narrower than that of scores that are all alike (`stats/bounded.py`):
an end is at least the mean at which as many scores would still miss all others with probability (1 − level)/2, if these
lay at the farther one of the references. Nor is it narrower than one more score would make it, at the farthest that was
observed, which may lie beyond the references. Where references are not known, a method whose scores are all alike says
nothing of how far others are, and has no interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, isnan, nan

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_array, checked_index, checked_level
from mohs.stats.family.assisted import regression
from mohs.stats.family.designs import DESIGNS, Sample
from mohs.stats.family.frame import checked_weights, squared_distances, standardised
from mohs.stats.family.tails import FEWEST_POINTS, skewness, too_skewed
from mohs.stats.family.variance import Bools, covariance_of, seed_df, share_bounds
from mohs.stats.intervals import Estimate, corrected_level, student_quantile
from mohs.stats.ranges import Range, checked_bounds

SPREADLESS = 1e-12  # of the size of the scores: what rounding may add to scores that are all alike


@dataclass(frozen=True, eq=False)
class FamilyEstimate:
    """Weighted means of K methods over a family, with the covariance of their errors.

    Attributes:
        values: The means.
        covariance: Of their errors, [K, K]: design and seeds together.
        df: Degrees of freedom of Student's intervals, [K, K]: of differences, on the diagonal of the methods' means.
        n: Points with runs of every method.
        seeds: The least number of runs of a method at such a point.
        design: How the points were chosen.
        level: The coverage that intervals claim.
        known: Whether there are intervals.
        why: Why not; empty if there are.
        alike: Whether all scores of a method are alike though their range is not known, [K]: it has no interval.
        skew: The skewness of the differences of two methods, [K, K]; on the diagonal that of a method's scores.
        bounds: The least and the greatest score; None if they are not known.
        reach: The bounds of scores, or the least and the greatest of the runs, [K, 2]: of all methods, or of each
            method where all points have run.
        widest: The largest difference of two runs at a point, [K, K]: of all methods, or of the two.
        between: The references, or the bounds; None where either end is not known.
        trials: How many scores of equal weight the means are worth: runs where all points have several, else points.
        whole: Whether all points have several seeds, so that only seeds are left to chance.
        worth: How many points of equal weight the family is worth.
    """

    values: FloatArray
    covariance: FloatArray
    df: FloatArray
    n: int
    seeds: int
    design: str
    level: float
    known: bool
    why: str
    alike: Bools
    skew: FloatArray
    bounds: Range | None
    reach: FloatArray
    widest: FloatArray
    between: Range | None
    trials: float
    whole: bool
    worth: float

    def estimate(self, i: int, comparisons: int = 1) -> Estimate:
        """The mean of method i over the family, with its interval."""
        checked_index(i, len(self.values), "i")
        bounds = self.bounds or (-inf, inf)
        c, statistic, (low, high) = self.covariance[i, i], "mean over the family", self.reach[i].tolist()
        return self._interval((i, i), self.values[i], c, (low, high), self.between, bounds, statistic, comparisons)

    def share(self, i: int, comparisons: int = 1) -> Estimate:
        """The mean of what lies between 0 and 1 at every point, such as success, with the interval of a proportion.

        Korn and Graubard (1998): Clopper and Pearson's interval for as many trials as would have the same variance.
        """
        checked_index(i, len(self.values), "i")
        level, value = corrected_level(self.level, comparisons), float(np.clip(self.values[i], 0.0, 1.0))
        low = high = nan
        if self.known:
            low, high = share_bounds(value, float(self.covariance[i, i]), self.n, float(self.df[i, i]), level)
        return Estimate(value, low, high, self.n, level, "share of the family", f"{self.design}, Korn and Graubard")

    def difference(self, i: int, j: int, comparisons: int = 1) -> Estimate:
        """By how much method i is better than method j over the family. Both have the same points."""
        for index, name in ((i, "i"), (j, "j")):
            checked_index(index, len(self.values), name)
        low, high = self.bounds or (-inf, inf)
        c, wide = self.covariance, float(self.widest[i, j])
        far = 0.0 if i == j or self.between is None else self.between[1] - self.between[0]
        return self._interval(
            (i, j),
            self.values[i] - self.values[j],
            c[i, i] + c[j, j] - 2 * c[i, j],
            (-wide, wide),
            None if self.between is None else (-far, far),
            (low - high, high - low),
            "difference of means over the family",
            comparisons,
        )

    def _interval(
        self,
        methods: tuple[int, int],
        value: float,
        variance: float,
        reach: Range,
        between: Range | None,
        bounds: Range,
        statistic: str,
        comparisons: int,
    ) -> Estimate:
        level = corrected_level(self.level, comparisons)
        low = high = nan
        if self.known and not self.alike[list(methods)].any() and not too_skewed(self.skew[methods], self.n):
            one_more = _farthest(value, reach) / (self.trials + 1)
            half = float(student_quantile(self.df[methods], level)) * max(max(variance, 0.0) ** 0.5, one_more)
            if between is not None:
                half = max(half, _farthest(value, between) * unseen_share(self.trials, level))
            low, high = np.clip([value - half, value + half], *bounds)
        method = f"{self.design}, Student t"
        return Estimate(float(np.clip(value, *bounds)), float(low), float(high), self.n, level, statistic, method)


def _farthest(value: float, ends: Range) -> float:
    return max(value - ends[0], ends[1] - value)


def unseen_share(trials: float, level: float) -> float:
    """The largest share of what so many trials may have missed."""
    return float(1 - ((1 - level) / 2) ** (1 / trials))


def estimate_family(
    sample: Sample,
    scores: ArrayLike,
    weights: ArrayLike,
    features: ArrayLike,
    level: float = 0.95,
    range_: Range | None = None,
    strata: ArrayLike | None = None,
    references: Range | None = None,
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
        references: Scores between which those of other points and seeds may lie, though none was observed: 0 and 1
            where scores are normalised.

    Returns:
        Means and the covariance of their errors. There are no intervals with fewer than 16 points, unless all points
        have several seeds, with a design that is biased or does not show its error, where one point makes most of the
        spread of the scores, or where all scores of a method are alike and neither references nor `range_` are given.

    Raises:
        UsageError: Scores do not fit the sample, or no point has a run of every method.

    Example:
        >>> from mohs.stats.family import draw, estimate_family
        >>> features = [[float(i)] for i in range(100)]
        >>> sample = draw("pivotal", [0.01] * 100, features, n=25, seed=0)
        >>> scores = [[1 - i / 100 for i in sample.chosen], [0.5 for _ in sample.chosen]]
        >>> found = estimate_family(sample, scores, [0.01] * 100, features, references=(0.0, 1.0))
        >>> bool(abs(found.values[0] - 0.505) < 0.02), found.difference(0, 1).known
        (True, True)
    """
    checked_level(level)
    bounds, ends = (None if given is None else checked_bounds(given) for given in (range_, references))
    p, space = checked_weights(weights), standardised(features, strata)
    return estimate_in(sample, as_runs(scores, len(sample.chosen)), p, space, level, bounds, ends)


def estimate_in(
    sample: Sample,
    runs: FloatArray,
    p: FloatArray,
    space: FloatArray,
    level: float,
    bounds: Range | None = None,
    references: Range | None = None,
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
    covariance, design_df = covariance_of(sample, there, residual, w, distances, rows, runs if seeds > 1 else None)
    n, k = len(chosen), len(y)
    df, trials = np.full((k, k), design_df), 1 / float(w @ w)
    pairs = np.where(np.eye(k, dtype=bool)[:, :, None], y[:, None], y[:, None] - y)
    skew, why = skewness(pairs, w), ""
    complete = len(np.unique(chosen)) == len(p)
    whole = seeds > 1 and complete
    if whole:
        df, skew, trials = seed_df(runs, w**2), np.zeros_like(skew), trials * seeds
    elif not DESIGNS[sample.design].interval:
        why = f"no interval holds with the design {sample.design}."
    elif n < FEWEST_POINTS:
        why = f"an interval needs at least {FEWEST_POINTS} points, or all of them with several seeds; there are {n}."
    reach, widest, between, alike = _reach(runs, bounds or (-inf, inf), references, complete)
    return FamilyEstimate(
        values=values,
        covariance=covariance,
        df=df,
        n=n,
        seeds=seeds,
        design=sample.design,
        level=level,
        known=not why,
        why=why,
        alike=alike,
        skew=skew,
        bounds=bounds,
        reach=reach,
        widest=widest,
        between=between,
        trials=trials,
        whole=whole,
        worth=1 / float(p @ p),
    )


def _reach(
    runs: FloatArray, bounds: Range, references: Range | None, complete: bool
) -> tuple[FloatArray, FloatArray, Range | None, Bools]:
    """Where scores lie, how far two are apart at a point, where others may lie, and which scores say nothing of that.

    A sample may lack the points at which a method fails, and how badly is seen on others. No point is missing in a
    complete family: there the ends of a method are its own.
    """
    least, most = np.nanmin(runs, axis=2), np.nanmax(runs, axis=2)  # [K, n]
    low, high = (value if isfinite(value) else nan for value in bounds)
    ends = np.stack([np.fmin(low, least.min(axis=1)), np.fmax(high, most.max(axis=1))], axis=1)
    apart = (most[:, None] - least).max(axis=2)
    if not complete:
        ends[:], apart[:] = (ends[:, 0].min(), ends[:, 1].max()), apart.max()
    widest = np.where(np.eye(len(runs), dtype=bool), 0.0, np.maximum(apart, apart.T))
    between = references or (None if isnan(high - low) else bounds)
    spread = most.max(axis=1) - least.min(axis=1)
    alike = (spread <= SPREADLESS * np.abs(most).max(axis=1)) & (between is None)
    return ends, widest, between, np.asarray(alike)


def as_runs(scores: ArrayLike, n: int) -> FloatArray:
    """Scores as [methods, points, seeds]."""
    found = checked_array(scores, "scores")
    runs = found[:, :, None] if found.ndim == 2 else found
    if runs.ndim != 3 or runs.shape[1] != n:
        raise UsageError(
            f"scores must be [methods, {n} sampled points] or have seeds as a third axis; got {found.shape}."
        )
    return runs
