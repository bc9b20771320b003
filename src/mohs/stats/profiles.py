"""Which share of the runs scores above a threshold?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.stats.bounded import bounded_means
from mohs.stats.checks import checked_array
from mohs.stats.counts import clopper_pearson_bounds
from mohs.stats.intervals import corrected_level


@dataclass(frozen=True)
class Profile:
    """The share of n runs above each threshold, with a pointwise interval."""

    thresholds: tuple[float, ...]
    share: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    n: int
    level: float
    method: str = "Clopper-Pearson"


def performance_profile(scores: ArrayLike, thresholds: ArrayLike, level: float = 0.95, comparisons: int = 1) -> Profile:
    """The share of runs whose score is strictly above each threshold.

    ``scores`` has any shape; every run counts once and NaN is a missing run. Clopper and Pearson's interval
    covers at least ``level`` at every threshold and n, where Wilson's can fall short; pooling points of equal
    n only adds to it.
    """
    runs, levels = checked_array(scores, "scores"), checked_array(thresholds, "thresholds", 1)
    if np.isnan(levels).any():
        raise UsageError("thresholds must be finite numbers; it holds NaN.")
    claimed = corrected_level(level, comparisons)
    present = runs[~np.isnan(runs)]
    n = present.size
    if not n:
        unknown = (math.nan,) * levels.size
        return Profile(tuple(levels.tolist()), unknown, unknown, unknown, 0, claimed)

    above = (present[:, None] > levels).sum(axis=0)
    low, high = clopper_pearson_bounds(above, n, claimed)
    share, lows, highs = (tuple(column.tolist()) for column in (above / n, low, high))
    return Profile(tuple(levels.tolist()), share, lows, highs, n, claimed)


def joint_profile(scores: ArrayLike, thresholds: ArrayLike, level: float = 0.95) -> Profile:
    """The share of runs above each threshold, where points share their seeds.

    ``scores`` [points, seeds] must be complete. A seed that is hard at one point may be hard at all of them, so the
    interval is that of the mean over seeds of the share of points. ``n`` is the number of seeds.
    """
    runs, levels = checked_array(scores, "scores", 2), checked_array(thresholds, "thresholds", 1)
    if np.isnan(levels).any() or np.isnan(runs).any():
        raise UsageError("scores and thresholds must be numbers: leave out seeds and points without a run.")
    found = bounded_means((runs > levels[:, None, None]).mean(axis=1), 0.0, 1.0, "share of runs", level)
    share, low, high = (tuple(getattr(e, end) for e in found) for end in ("value", "low", "high"))
    return Profile(tuple(levels.tolist()), share, low, high, runs.shape[1], found[0].level, found[0].method)
