"""How precise is a mean over seeds of what has a known range, such as a rank or a share, where all seeds may agree?

Where all seeds have the same value there is no spread to go by, and Student's interval has no width. Then Gaffke's
bound (`stats/ranges.py`) takes its place: an end is the mean at which n equal values still occur with probability
(1 − level)/2, if every other seed were at the end of the range.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mohs.stats.checks import FloatArray
from mohs.stats.intervals import Estimate, estimates


def bounded_means(
    runs: FloatArray, least: float, greatest: float, statistic: str, level: float = 0.95, comparisons: int = 1
) -> list[Estimate]:
    """One estimate for each row of values [rows, seeds], all of them between ``least`` and ``greatest``."""
    found = estimates(runs, "mean", level, comparisons, (least, greatest))
    return [
        replace(_unanimous(e, least, greatest) if same and e.known else e, statistic=statistic)
        for e, same in zip(found, np.ptp(runs, axis=1) == 0, strict=True)
    ]


def _unanimous(e: Estimate, least: float, greatest: float) -> Estimate:
    unseen = 1 - ((1 - e.level) / 2) ** (1 / e.n)  # the largest probability of what no seed has shown
    return replace(e, low=e.value - (e.value - least) * unseen, high=e.value + (greatest - e.value) * unseen)
