"""How many seeds would decide?"""

from __future__ import annotations

import math

import numpy as np

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_level
from mohs.stats.power import runs_for, runs_needed

MOST_SEEDS = 1000
POWER = 0.8


def seeds_to_decide(differences: FloatArray, level: float = 0.95) -> int | None:
    """About how many seeds would show on which side of 0 a mean of paired differences lies, if it is the observed one.

    None with fewer than 3 differences, where their mean is 0, and where more than 1,000 seeds would be needed.
    """
    known = differences[~np.isnan(differences)]
    effect = float(known.mean()) if known.size else 0.0
    needed = runs_needed(known, effect, level, POWER) if effect else None
    return needed if needed is not None and needed <= MOST_SEEDS else None


def planned_seeds(
    cost: float,
    variation: float,
    *,
    correlation: float = 0.0,
    threshold: float = 0.1,
    level: float = 0.95,
    power: float = POWER,
) -> int | None:
    """About how many seeds decide on which side of the threshold a cost lies.

    Args:
        cost: The true share lost.
        variation: The standard deviation of areas over seeds as a share of their mean, in both conditions.
        correlation: That of the two runs of a seed.
        threshold: The cost that counts as a challenge.
        level: The level of the interval.
        power: The probability with which the study is to decide.

    Returns:
        The number of seeds, at least 3; None where more than 1,000 would be needed.

    Raises:
        UsageError: A setting is out of range.

    Example:
        >>> planned_seeds(0.3, variation=0.1), planned_seeds(0.0, variation=0.1)
        (5, 17)
    """
    checked_level(level)
    checked_level(power, "power")
    if not (math.isfinite(cost) and cost <= 1 and variation >= 0 and -1 <= correlation <= 1):
        raise UsageError(
            "cost must be at most 1, variation at least 0 and correlation between −1 and 1; "
            f"got {cost!r}, {variation!r} and {correlation!r}."
        )
    kept, bound = 1 - cost, 1 - threshold
    spread = variation * math.sqrt(max(kept**2 + bound**2 - 2 * correlation * kept * bound, 0.0))
    if cost == threshold:
        return None
    needed = runs_for(abs(cost - threshold) / spread if spread else math.inf, level, power)
    return needed if needed is not None and needed <= MOST_SEEDS else None
