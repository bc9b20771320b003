"""How wrong is each design at each budget? Samples are drawn again and again from a family whose scores are all known.

This is Figures 7 and 16 to 19 of the paper. Figures 20 to 22 do the same where failures weigh little, much, or at
random.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError, unknown
from mohs.stats.checks import FloatArray, checked_array, checked_count, checked_level
from mohs.stats.family.designs import DESIGNS, Sample, clusters, nearest_of, one_of_each, prefix
from mohs.stats.family.estimators import estimate_in
from mohs.stats.family.frame import checked_budget, checked_weights, squared_distances, standardised
from mohs.stats.family.pivotal import order_in
from mohs.stats.ranges import Range, checked_bounds

CLUSTERINGS = 30  # k-means takes most of the time; designs that use it share so many runs of it at each budget
RESAMPLED = tuple(name for name in DESIGNS if name != "census")
FAILURES = ("low", "high", "random")


@dataclass(frozen=True, eq=False)
class DesignErrors:
    """The errors of one design over repeated samples.

    Attributes:
        design: Its name.
        budgets: The numbers of points.
        errors: [budgets, repeats, K]: the estimate of each sample less the truth.
        coverage: [budgets, K]: the share of intervals that hold the truth, among the samples that give one; NaN if none
            does.
    """

    design: str
    budgets: tuple[int, ...]
    errors: FloatArray
    coverage: FloatArray

    @property
    def bias(self) -> FloatArray:
        """[budgets, K]: the mean error."""
        return np.asarray(self.errors.mean(axis=1))

    @property
    def sd(self) -> FloatArray:
        """[budgets, K]: the spread of the estimate."""
        return np.asarray(self.errors.std(axis=1))

    @property
    def rmse(self) -> FloatArray:
        """[budgets, K]: the root of the mean squared error."""
        return np.asarray(np.sqrt((self.errors**2).mean(axis=1)))


def error_against_budget(
    table: ArrayLike,
    weights: ArrayLike,
    features: ArrayLike,
    budgets: Sequence[int],
    designs: Sequence[str] = RESAMPLED,
    repeats: int = 500,
    seed: int = 0,
    level: float = 0.95,
    range_: Range | None = None,
    seeds: int = 1,
    references: Range | None = None,
) -> tuple[DesignErrors, ...]:
    """The error of each design at each budget, by resampling from complete scores.

    Each sample sees runs of each method at each chosen point, drawn from those in the table with replacement. The
    truth is the weighted mean of all runs.

    Args:
        table: [K, N] or [K, N, seeds], complete.
        weights: Of the N points.
        features: Of the N points, [N, F].
        budgets: Numbers of points to sample.
        designs: Names in `DESIGNS`.
        repeats: Samples for each design and budget.
        seed: Of the random numbers.
        level: The coverage that intervals claim.
        range_: The least and the greatest possible score, if known.
        seeds: Runs that a sample sees of each method at each of its points.
        references: Scores that others may have, as in `estimate_family`.

    Returns:
        One record for each design.

    Raises:
        UsageError: A score is missing, a design is unknown, or a budget is larger than the family.

    Example:
        >>> from mohs.stats.family import error_against_budget
        >>> import numpy as np
        >>> x = np.arange(60.0)
        >>> found = error_against_budget([x / 60], np.full(60, 1 / 60), x[:, None], [20], ["m1", "pivotal"], repeats=50)
        >>> bool(found[1].sd[0, 0] < found[0].sd[0, 0] / 2)
        True
    """
    found, p, space = checked_array(table, "table"), checked_weights(weights), standardised(features)
    runs = found[:, :, None] if found.ndim == 2 else found
    if runs.ndim != 3 or runs.shape[1] != len(p) or np.isnan(runs).any():
        raise UsageError(f"table must be complete, [methods, {len(p)} points] or [methods, {len(p)}, seeds].")
    for name in designs:
        if name not in DESIGNS:
            raise unknown("design", name, DESIGNS)
    sizes = tuple(checked_budget(n, len(p)) for n in budgets)
    bounds, between = (None if given is None else checked_bounds(given) for given in (range_, references))
    checked_level(level)
    checked_count(repeats, "repeats")
    checked_count(seeds, "seeds")
    truth = runs.mean(axis=2) @ p
    distances = squared_distances(space, space)
    errors: dict[str, list[list[FloatArray]]] = {name: [[] for _ in sizes] for name in designs}
    inside: dict[str, list[list[FloatArray]]] = {name: [[] for _ in sizes] for name in designs}
    rng = np.random.default_rng(seed)
    for name, at, sample in _samples(p, space, sizes, designs, repeats, seed):
        which = rng.integers(runs.shape[2], size=(len(runs), len(sample.chosen), seeds))
        seen = np.take_along_axis(runs[:, sample.chosen], which, axis=2)
        estimate = estimate_in(sample, seen, p, space, level, bounds, between, distances)
        ends = [estimate.estimate(k) for k in range(len(runs))]
        held = [e.low - 1e-12 <= t <= e.high + 1e-12 if e.known else np.nan for e, t in zip(ends, truth, strict=True)]
        errors[name][at].append(estimate.values - truth)
        inside[name][at].append(np.array(held, dtype=np.float64))
    return tuple(
        DesignErrors(name, sizes, np.array(errors[name]), _coverage(np.array(inside[name]))) for name in designs
    )


def _samples(
    p: FloatArray, space: FloatArray, sizes: Sequence[int], designs: Sequence[str], repeats: int, seed: int
) -> Iterator[tuple[str, int, Sample]]:
    """Samples with the name of their design and the index of their budget. Orders and clusters are made once."""
    nested = [name for name in designs if name in ("pivotal", "assisted")]
    alone = [name for name in designs if name not in ("m3", "cluster", *nested)]
    for repeat in range(repeats):
        order = order_in(p, space, seed + repeat) if nested else None
        for at, n in enumerate(sizes):
            if order is not None:
                for name in nested:
                    yield name, at, replace(prefix(p, order, n), design=name)
            for name in alone:
                yield name, at, DESIGNS[name].draw(p, space, n, seed + repeat)
    if not {"m3", "cluster"} & set(designs):
        return
    rng = np.random.default_rng(seed)
    for at, n in enumerate(sizes):
        made = [clusters(space, n, seed + i) for i in range(min(CLUSTERINGS, repeats))]
        for repeat in range(repeats):
            clustered = made[repeat % len(made)]
            if "m3" in designs:
                yield "m3", at, nearest_of(clustered, p, space)
            if "cluster" in designs:
                yield "cluster", at, one_of_each(clustered, p, rng)


def _coverage(inside: FloatArray) -> FloatArray:
    """The mean over repeats of [budgets, repeats, K], where an interval was given."""
    given = ~np.isnan(inside)
    held = np.where(given, inside, 0.0).sum(axis=1) / np.maximum(given.sum(axis=1), 1)
    return np.where(given.any(axis=1), held, np.nan)


def failure_weights(
    scores: ArrayLike, kind: str, threshold: float = 0.5, factor: float = 10.0, seed: int = 0
) -> FloatArray:
    """Weights of points by where failures lie (Figures 20 to 22).

    Args:
        scores: One score for each point; those below the threshold are failures.
        kind: "low": failures weigh 1/factor of the others; "high": factor times as much; "random": weights are
            uniformly random, whatever the scores are.
        threshold: Scores below it are failures.
        factor: The ratio of weights.
        seed: Of the random weights.

    Returns:
        Weights with sum 1.

    Raises:
        UsageError: There is no such kind, or the factor is not positive.

    Example:
        >>> from mohs.stats.family import failure_weights
        >>> failure_weights([0.0, 1.0], "high", factor=3.0).tolist()
        [0.75, 0.25]
    """
    found = checked_array(scores, "scores", 1)
    if kind not in FAILURES:
        raise unknown("kind of failure weights", kind, FAILURES)
    if not factor > 0:
        raise UsageError(f"factor must be positive; got {factor!r}.")
    if kind == "random":
        given = 1 - np.random.default_rng(seed).random(len(found))  # above 0
    else:
        given = np.where(found < threshold, factor if kind == "high" else 1 / factor, 1.0)
    return np.asarray(given / given.sum())
