"""Does help add up? Gains and synergies on the fixed scale."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from mohs.stats.checks import checked_array, checked_level
from mohs.stats.comparison import paired_difference
from mohs.stats.intervals import FEWEST_FOR_MEAN, Estimate, student_quantile


def gain(plain: ArrayLike, helped: ArrayLike, level: float = 0.95) -> Estimate:
    """How much help adds: mean(helped) − mean(plain), paired by seed.

    Pairs cover what they claim whatever the seeds have in common (see `ratio_interval`); the interval is
    `paired_difference`'s.

    Args:
        plain: Areas without help, [seeds]; NaN marks a missing run.
        helped: Areas with help, such as reward shaping or a front-end, of the same seeds.
        level: The level of the interval.

    Returns:
        The gain with its interval.

    Example:
        >>> round(gain([0.30, 0.32, 0.28], [0.40, 0.43, 0.37]).value, 3)
        0.1
    """
    return replace(paired_difference(helped, plain, level=checked_level(level)), statistic="gain")


def synergy(
    ppo_pixels: ArrayLike,
    ppo_semantic: ArrayLike,
    ppg_pixels: ArrayLike,
    ppg_semantic: ArrayLike,
    level: float = 0.95,
) -> Estimate:
    """How much two improvements give beyond the sum of each (section 4, Figure 5).

    The gain of PPG on semantic views over PPO on pixels, less that of PPG on pixels and that of PPO on semantic views.
    The four groups are independent: Welch's error, Satterthwaite's degrees of freedom.

    Args:
        ppo_pixels: Areas of the baseline, [seeds]; NaN marks a missing run.
        ppo_semantic: Areas with the better view.
        ppg_pixels: Areas with the better algorithm.
        ppg_semantic: Areas with both.
        level: The level of the interval.

    Returns:
        The synergy, with the number of runs in the smallest group; no interval with fewer than 3.

    Example:
        >>> found = synergy([0.1, 0.2, 0.3], [0.3, 0.4, 0.5], [0.2, 0.3, 0.4], [0.5, 0.6, 0.7])
        >>> round(found.value, 3), found.n
        (0.1, 3)
    """
    given = {
        "ppg_semantic": ppg_semantic,
        "ppg_pixels": ppg_pixels,
        "ppo_semantic": ppo_semantic,
        "ppo_pixels": ppo_pixels,
    }
    runs = [row[~np.isnan(row)] for row in (checked_array(x, name, 1) for name, x in given.items())]
    n = min(row.size for row in runs)
    value = low = high = math.nan
    if n:
        means = [float(row.mean()) for row in runs]
        value = (means[0] - means[1]) - (means[2] - means[3])
    if n >= FEWEST_FOR_MEAN:
        parts = np.array([row.var(ddof=1) / row.size for row in runs])
        degrees = np.array([row.size - 1 for row in runs])
        error = float(parts.sum())
        free = error**2 / float((parts**2 / degrees).sum()) if error > 0 else float(degrees.sum())
        half = math.sqrt(error) * float(student_quantile(np.array(free), checked_level(level)))
        low, high = value - half, value + half
    return Estimate(value, low, high, n, level, "synergy", "Welch contrast")
