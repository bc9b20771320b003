"""What would the paper have reported? Its measures, as it defines them (sections 3, A.2, A.4).

They are given for comparison. phi has no bound as the area on pixels goes to 0. psi is positive under noise alone
(`null_psi`) and near 0 where nothing is learnt. Both are scaled over the games at hand (`min_max`), so that the games
on the list decide about each other. The intervals are percentile bootstraps, which cover too little with few seeds;
the paper has none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_array, checked_count, checked_level
from mohs.stats.intervals import FEWEST_FOR_MEAN, Estimate
from mohs.stats.lcd.lines import checked_areas
from mohs.stats.resampling import percentile_interval

METHOD = "percentile bootstrap"


def paper_phi(
    pixels: ArrayLike,
    figure_ground: ArrayLike,
    semantic: ArrayLike,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """The perceptual challenge: the mean relative change of the area from pixels to the two segmented views.

    Args:
        pixels: Areas with the original frame, [seeds]; NaN marks a missing run.
        figure_ground: Areas with figure and ground told apart.
        semantic: Areas with classes told apart.
        level: The level of the interval.
        resamples: The number of bootstrap resamples.
        seed: The seed of the bootstrap.

    Returns:
        phi before `min_max`; NaN where the mean on pixels is 0.

    Example:
        >>> round(paper_phi([0.2, 0.2, 0.2], [0.3, 0.3, 0.3], [0.4, 0.4, 0.4]).value, 12)
        0.75
    """
    views = {"pixels": pixels, "figure_ground": figure_ground, "semantic": semantic}
    rows = [checked_array(runs, name, 1) for name, runs in views.items()]

    def phi(means: FloatArray) -> FloatArray:
        base, *others = means
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.mean([(other - base) / base for other in others], axis=0))

    return _bootstrapped(phi, rows, level, resamples, seed, "phi of the paper")


def paper_psi(areas: Mapping[float, ArrayLike], level: float = 0.95, resamples: int = 2000, seed: int = 0) -> Estimate:
    """The reinforcement-learning challenge: the mean absolute change of the area between neighbouring p (A.4).

    Args:
        areas: Areas [seeds] by reward probability, which must include 1; NaN marks a missing run.
        level: The level of the interval.
        resamples: The number of bootstrap resamples.
        seed: The seed of the bootstrap.

    Returns:
        psi before `min_max`.

    Example:
        >>> areas = {1.0: [0.8, 0.8, 0.8], 0.5: [0.5, 0.5, 0.5], 0.25: [0.6, 0.6, 0.6]}
        >>> round(paper_psi(areas).value, 12)
        0.2
    """
    _, runs = checked_areas(areas)

    def psi(means: FloatArray) -> FloatArray:
        return np.asarray(np.abs(np.diff(means, axis=0)).mean(axis=0))

    return _bootstrapped(psi, list(runs), level, resamples, seed, "psi of the paper")


def null_psi(sd: float, n: int) -> float:
    """The expected psi of the paper where the reward probability changes nothing: 1.13 σ/√n, from noise alone.

    Args:
        sd: The standard deviation of areas over seeds.
        n: The number of seeds.

    Returns:
        The mean absolute difference of two means of n normal runs.

    Example:
        >>> round(null_psi(0.1, 4), 4)
        0.0564
    """
    return 2 / math.sqrt(math.pi) * sd / math.sqrt(checked_count(n, "n"))


def min_max(values: Mapping[str, float]) -> dict[str, float]:
    """The paper's normalisation over games: 0 for the least, 1 for the greatest. NaN stays out of it.

    Args:
        values: A measure of each game.

    Returns:
        The measure of each game, scaled; NaN for all where fewer than two of them differ.

    Example:
        >>> min_max({"maze": 0.5, "leaper": 0.25, "miner": 0.0})
        {'maze': 1.0, 'leaper': 0.5, 'miner': 0.0}
    """
    known = [value for value in values.values() if not math.isnan(value)]
    if any(math.isinf(value) for value in known):
        raise UsageError("values must be finite, or NaN where a game has none.")
    low, high = min(known, default=0.0), max(known, default=0.0)
    return {game: (value - low) / (high - low) if high > low else math.nan for game, value in values.items()}


def _bootstrapped(
    measure: Callable[[FloatArray], FloatArray],
    rows: Sequence[FloatArray],
    level: float,
    resamples: int,
    seed: int,
    name: str,
) -> Estimate:
    """A measure of the means of groups of runs, with runs redrawn in each group."""
    checked_level(level)
    checked_count(resamples, "resamples")
    known = [row[~np.isnan(row)] for row in rows]
    n = min(len(row) for row in known)
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, 0, level, name, METHOD)
    value = float(measure(np.array([row.mean() for row in known])))
    value = value if math.isfinite(value) else math.nan
    low = high = math.nan
    if n >= FEWEST_FOR_MEAN and not math.isnan(value):
        rng = np.random.default_rng(seed)
        times = [rng.multinomial(len(row), np.full(len(row), 1 / len(row)), size=resamples) for row in known]
        found = measure(np.array([t @ row / len(row) for t, row in zip(times, known, strict=True)]))
        low, high = percentile_interval(found[~np.isnan(found)], level)
    return Estimate(value, low, high, n, level, name, METHOD)
