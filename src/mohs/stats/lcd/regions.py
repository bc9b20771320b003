"""Where does a game lie in the plane of both costs, and in which ellipse?"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_array, checked_count, checked_level
from mohs.stats.lcd.lines import checked_areas, fitted_ends
from mohs.stats.losses import ratio_samples


def joint(view: tuple[ArrayLike, ArrayLike], reward: Mapping[float, ArrayLike]) -> tuple[FloatArray, FloatArray]:
    """The costs of the view and of rarer rewards together, and the covariance of the two estimates.

    Both costs share the runs with the semantic view at p = 1, so that their errors go together: where those runs did
    well by luck, both costs are too large. The covariance is that of each seed's share in the two ratios, to first
    order (delta method). Seeds that lack a run of either cost are left out.

    Args:
        view: Areas with the semantic view and with the other view, [seeds] each, as in `view_cost`.
        reward: Areas [seeds] by reward probability, as in `reward_cost`, of the same seeds.

    Returns:
        The centre [2], (view cost, reward cost), and the covariance [2, 2]; NaN with fewer than 3 complete seeds.

    Raises:
        UsageError: The two differ in their seeds.

    Example:
        >>> semantic = [0.50, 0.52, 0.48, 0.51]
        >>> centre, covariance = joint((semantic, [0.3, 0.3, 0.29, 0.3]), {1.0: semantic, 0.5: [0.4, 0.4, 0.41, 0.4]})
        >>> centre.round(2).tolist(), bool(covariance[0, 1] > 0)
        ([0.41, 0.2], True)
    """
    semantic, other = checked_array(view[0], "semantic", 1), checked_array(view[1], "other", 1)
    doses, runs = checked_areas(reward)
    if not semantic.size == other.size == runs.shape[1]:
        raise UsageError(
            f"view and reward must hold the same seeds; got {semantic.size}, {other.size} and {runs.shape[1]} runs."
        )
    complete = ~np.isnan(np.vstack((semantic, other, runs))).any(axis=0)
    if complete.sum() < 3:
        return np.full(2, np.nan), np.full((2, 2), np.nan)
    top, bottom = fitted_ends(doses, runs[:, complete])
    lost = 1 - np.stack((ratio_samples(other[complete], semantic[complete]), ratio_samples(top, bottom)))
    return lost.mean(axis=1), np.cov(lost) / complete.sum()


def ellipse(
    centre: ArrayLike, covariance: ArrayLike, level: float = 0.95, points: int = 64, n: int | None = None
) -> FloatArray:
    """Points on the border of the ellipse that holds both costs with a given probability.

    Args:
        centre: The centre, [2].
        covariance: The covariance of the centre, [2, 2].
        level: The coverage of the region.
        points: The number of points. The first is repeated at the end, so that a line through them is closed.
        n: The number of seeds that the covariance comes from. The region is then Hotelling's; without it, that of a
            known covariance, which covers too little with few seeds.

    Returns:
        Points [points, 2]; NaN where the covariance is unknown, or with 2 seeds or fewer.

    Example:
        >>> ellipse([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], points=5).round(2)[0].tolist()
        [2.45, 0.0]
    """
    middle, spread = checked_array(centre, "centre", 1), checked_array(covariance, "covariance", 2)
    checked_count(points, "points", least=3)
    radius = ellipse_radius(level, n)
    if np.isnan(spread).any() or math.isnan(radius):
        return np.full((points, 2), np.nan)
    sizes, axes = np.linalg.eigh(spread)
    angle = np.linspace(0, 2 * math.pi, points)
    circle = np.stack((np.cos(angle), np.sin(angle)))
    root = axes @ np.diag(np.sqrt(np.maximum(sizes, 0.0))) @ axes.T
    return np.asarray(middle + radius * (root @ circle).T)


def ellipse_radius(level: float, n: int | None = None) -> float:
    """How many standard errors the border lies from the centre, with a covariance from n seeds or a known one."""
    from scipy.special import fdtri

    checked_level(level)
    if n is None:
        return math.sqrt(-2 * math.log(1 - level))
    return math.sqrt(2 * (n - 1) / (n - 2) * float(fdtri(2, n - 2, level))) if n > 2 else math.nan
