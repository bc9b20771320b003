"""How many runs would decide, and is there anything to decide?"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.stats.checks import checked_array, checked_level
from mohs.stats.intervals import FEWEST_FOR_MEAN, corrected_level, student_quantile

MOST_RUNS = 100_000
SURE = 8.0  # standard errors


def runs_needed(
    differences: ArrayLike, effect: float, level: float = 0.95, power: float = 0.8, comparisons: int = 1
) -> int | None:
    """About how many runs would decide whether the mean of paired differences is as large as an effect.

    With so many runs the interval of the mean excludes 0 with probability ``power``, if the true mean is ``effect`` and
    the spread is the observed one. The spread of a few runs is itself uncertain: with 5 runs it may be off by half, and
    the number with it by a factor of 2 or more.

    Args:
        differences: [n], a run less its partner on the same seed; NaN marks a missing one.
        effect: The size of the effect that matters, not 0.
        level: The level of the interval.
        power: The probability with which it is to exclude 0.
        comparisons: How many such intervals hold together (Bonferroni).

    Returns:
        The number of runs, at least 3; None where fewer than 3 differences are known, or where more than 100,000 runs
        would be needed.

    Raises:
        UsageError: The effect is 0 or not finite, or the power is not between 0 and 1.

    Example:
        >>> from mohs.stats import runs_needed
        >>> runs_needed([0.3, -0.1, 0.2, 0.4, -0.2], effect=0.2)
        16
    """
    checked_level(power, "power")
    claimed = corrected_level(level, comparisons)
    if effect == 0 or not math.isfinite(effect):
        raise UsageError(f"effect must be a number other than 0; got {effect!r}.")
    found = checked_array(differences, "differences", 1)
    found = found[~np.isnan(found)]
    if len(found) < FEWEST_FOR_MEAN:
        return None
    spread = float(found.std(ddof=1))
    if spread == 0:
        return FEWEST_FOR_MEAN
    return runs_for(abs(effect) / spread, claimed, power)


def runs_for(size: float, level: float = 0.95, power: float = 0.8) -> int | None:
    """How many runs have an interval that excludes 0 with probability ``power``, at a mean of ``size`` deviations.

    At least 3; None where it is more than 100,000.
    """
    if _power(MOST_RUNS, size, level) < power:
        return None
    low, high = FEWEST_FOR_MEAN, MOST_RUNS
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _power(middle, size, level) >= power else (middle + 1, high)
    return low


def _power(n: int, size: float, level: float) -> float:
    """The probability that Student's interval over n runs excludes 0, with a mean of ``size`` standard deviations.

    Normal runs: the studentised mean is noncentral t. The far tail is left out.
    """
    from scipy.special import nctdtr

    shift, end = size * math.sqrt(n), float(student_quantile(n - 1, level))
    if shift > end + SURE:  # where scipy's series may not converge
        return 1.0
    return float(1 - nctdtr(n - 1, shift, end))


def identical_runs(samples: ArrayLike) -> bool:
    """Whether all rows of samples [doses, seeds] are bit-identical: what distinguishes them had no effect.

    Seeds that lack a run at some dose are left out. Without a seed that all doses have, nothing is known to be
    identical.

    Args:
        samples: A row for each dose, a column for each seed; NaN marks a missing run.

    Returns:
        Whether every dose gave the same numbers.

    Example:
        >>> from mohs.stats import identical_runs
        >>> identical_runs([[0.5, 0.7], [0.5, 0.7]])
        True
    """
    runs = checked_array(samples, "samples", 2)
    complete = ~np.isnan(runs).any(axis=0)
    return bool(complete.any()) and bool((runs[:, complete] == runs[:1, complete]).all())
