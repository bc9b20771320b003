"""How certain is an aggregate over tasks whose runs are independent of each other? The stratified bootstrap of rliable.

Scores are [tasks, runs]. Each resample draws the runs of every task with replacement, each task for itself (Agarwal
et al. 2021). Where tasks share their seeds use `interquartile_mean` and `optimality_gap`, which draw seeds for all
tasks at once. The percentile interval is the paper's; with few runs it covers less than it claims, see
docs/statistics.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError, unknown
from mohs.stats.checks import FloatArray, checked_array, checked_count, checked_level
from mohs.stats.intervals import Estimate

AGGREGATES: dict[str, str] = {
    "iqm": "interquartile mean",
    "mean": "mean",
    "median": "median of task means",
    "optimality_gap": "optimality gap",
}


def aggregate(scores: ArrayLike, which: str = "iqm") -> float:
    """An aggregate of runs [tasks, runs], as rliable defines it.

    The interquartile mean leaves out a quarter of all runs at each end, rounded down; the median is that of the means
    of tasks; the optimality gap is the mean shortfall from 1.

    Args:
        scores: Normalised scores, complete.
        which: "iqm", "mean", "median" or "optimality_gap".

    Returns:
        The aggregate.

    Raises:
        UsageError: There is no such aggregate, or a run is missing.

    Example:
        >>> from mohs.stats import aggregate
        >>> aggregate([[0.0, 1.0], [2.0, 9.0]], "iqm"), aggregate([[0.0, 1.0], [2.0, 9.0]], "median")
        (1.5, 3.0)
    """
    runs = _checked(scores)
    if which not in AGGREGATES:
        raise unknown("aggregate", which, AGGREGATES)
    cut = runs.size // 4
    rules: dict[str, Callable[[], float]] = {
        "iqm": lambda: float(np.sort(runs, axis=None)[cut : runs.size - cut].mean()),
        "mean": lambda: float(runs.mean()),
        "median": lambda: float(np.median(runs.mean(axis=1))),
        "optimality_gap": lambda: float(np.maximum(1 - runs, 0).mean()),
    }
    return rules[which]()


def stratified_bootstrap(
    scores: ArrayLike, which: Sequence[str] = ("iqm",), resamples: int = 50_000, level: float = 0.95, seed: int = 0
) -> tuple[Estimate, ...]:
    """Aggregates of runs [tasks, runs] with the percentile interval of the stratified bootstrap.

    Args:
        scores: Normalised scores, complete.
        which: Names of aggregates; all of them see the same resamples.
        resamples: Bootstrap samples.
        level: The coverage that intervals claim.
        seed: Of the random numbers.

    Returns:
        One estimate for each aggregate.

    Raises:
        UsageError: There is no such aggregate, or a run is missing.

    Example:
        >>> from mohs.stats import stratified_bootstrap
        >>> found, = stratified_bootstrap([[0.1, 0.2, 0.3], [0.7, 0.8, 0.9]], resamples=1000)
        >>> found.low <= found.value <= found.high
        True
    """
    from mohs.stats.kernels import bootstrap

    runs = _checked(scores)
    values = [aggregate(runs, name) for name in which]
    tail = (1 - checked_level(level)) / 2
    # The kernel counts how often each run was drawn, in ascending order of all runs: nothing is sorted again.
    order = np.argsort(runs, axis=None)
    place = np.empty(runs.size, dtype=np.int64)
    place[order] = np.arange(runs.size)
    found = np.empty((checked_count(resamples, "resamples"), 4))
    bootstrap(
        place.reshape(runs.shape),
        runs.ravel()[order],
        np.uint64(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]),
        np.empty(runs.size, dtype=np.int64),
        np.empty(len(runs)),
        found,
    )
    columns = {name: found[:, i] for i, name in enumerate(("iqm", "mean", "median", "optimality_gap"))}
    ends = [np.quantile(columns[name], [tail, 1 - tail]) for name in which]
    return tuple(
        Estimate(value, float(low), float(high), runs.shape[1], level, AGGREGATES[name], "stratified bootstrap")
        for name, value, (low, high) in zip(which, values, ends, strict=True)
    )


def _checked(scores: ArrayLike) -> FloatArray:
    found = checked_array(scores, "scores", 2)
    if np.isnan(found).any():
        raise UsageError("scores must be complete: leave out tasks and runs without a score.")
    return found
