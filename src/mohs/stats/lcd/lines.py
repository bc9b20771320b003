"""How does the area fall with each halving of the reward probability?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_array, checked_level
from mohs.stats.intervals import Estimate, estimate


def reward_slope(areas: Mapping[float, ArrayLike], level: float = 0.95) -> Estimate:
    """The change of the area for each halving of the reward probability, on the fixed scale; negative for a loss.

    Args:
        areas: Areas [seeds] by reward probability, which must include 1; NaN marks a missing run.
        level: The level of the interval.

    Returns:
        The mean of the least-squares slopes of the seeds that have every run, with its interval.

    Raises:
        UsageError: There is no p = 1 or no other probability, or they differ in their seeds.

    Example:
        >>> slope = reward_slope({1.0: [0.6, 0.7, 0.8], 0.5: [0.5, 0.6, 0.7], 0.25: [0.4, 0.5, 0.6]})
        >>> round(slope.value, 3)
        -0.1
    """
    doses, runs = checked_areas(areas)
    found = estimate(fitted_slopes(doses, runs), "mean", checked_level(level))
    return replace(found, statistic="slope per halving of the reward probability")


def checked_areas(areas: Mapping[float, ArrayLike]) -> tuple[FloatArray, FloatArray]:
    """The numbers of halvings log₂(1/p) [P], from 0 upwards, and the runs [P, seeds]."""
    if 1 not in areas or len(areas) < 2:
        found = ", ".join(str(p) for p in areas) or "none"
        raise UsageError(f"areas must hold the reward probability 1 and at least one more; got {found}.")
    for p in areas:
        if not 0 < p <= 1:
            raise UsageError(f"A reward probability must lie above 0 and not above 1; got {p!r}.")
    ordered = sorted(areas, reverse=True)
    rows = [checked_array(areas[p], f"areas[{p}]", 1) for p in ordered]
    if len({row.size for row in rows}) > 1:
        raise UsageError(f"areas must hold the same seeds at each p; got {', '.join(str(r.size) for r in rows)} runs.")
    return np.array([math.log2(1 / p) for p in ordered]), np.array(rows)


def fitted_slopes(doses: FloatArray, runs: FloatArray) -> FloatArray:
    """The least-squares slope of each seed, for runs [P, ...] at doses [P]; NaN where a run is missing."""
    centred = doses - doses.mean()
    # Differences to the first dose, so that equal runs have the slope 0 to the last bit.
    return np.asarray(np.tensordot(centred, runs - runs[0], axes=1) / (centred**2).sum())


def fitted_ends(doses: FloatArray, runs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The lines of each seed at the last and at the first dose, for runs [P, ...]. Their means are the pooled line."""
    slopes = fitted_slopes(doses, runs)
    first = runs[0] + (runs - runs[0]).mean(axis=0) - slopes * (doses.mean() - doses[0])
    return first + slopes * (doses[-1] - doses[0]), first
