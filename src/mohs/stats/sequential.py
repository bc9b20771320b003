"""Is a success probability above or below one half? Trials are added until the answer is clear."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mohs.stats.counts import LEVEL, clopper_pearson

Interval = tuple[float, float]


def is_clear(interval: Interval) -> bool:
    """Whether an interval excludes one half."""
    return not interval[0] <= 0.5 <= interval[1]


def until_clear(trials: Callable[[range], Sequence[bool]], most: int, looks: int) -> tuple[int, int, Interval]:
    """Runs trials until their interval excludes one half, at most `most` of them.

    The number of trials doubles from one interim analysis to the next. Each analysis has the level of a Bonferroni
    correction for `looks` analyses, so the interval covers at least 95% wherever the test stops.

    Args:
        trials: Returns the outcomes of the trials with these numbers.
        most: The largest number of trials.
        looks: The largest number of interim analyses.

    Returns:
        The number of successes, the number of trials, and the interval of the success probability.
    """
    outcomes: list[bool] = []
    interval = (0.0, 1.0)
    for count in sorted({-(-most // 2**i) for i in range(looks)}):
        outcomes += trials(range(len(outcomes), count))
        interval = clopper_pearson(sum(outcomes), len(outcomes), 1 - (1 - LEVEL) / looks)
        if is_clear(interval):
            break
    return sum(outcomes), len(outcomes), interval
