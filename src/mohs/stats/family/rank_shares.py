"""How do methods rank if each task is represented by one of its points, whichever that is (Table 6)?

All combinations of one point for each task are counted. A method's score on a combination is the mean over tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_array, checked_count, checked_level
from mohs.stats.family.frame import checked_weights

AT_ONCE = 250_000  # combinations in memory together
MOST_COMBINATIONS = 10**9
TIED = 1e-12  # of the largest score: sums that differ by less are equal but for rounding


def rank_shares(tables: Sequence[ArrayLike], weights: Sequence[ArrayLike] | None = None) -> FloatArray:
    """The share of combinations of one point for each task in which a method has a rank, exactly.

    Args:
        tables: For each task the normalised scores [K, points]; more is better.
        weights: For each task the weights of its points; equal by default.

    Returns:
        [K, K], row i the shares of ranks 1 to K of method i. Methods that tie share their ranks equally.

    Raises:
        UsageError: Tables have different methods or missing scores, or there are more than a billion combinations.

    Example:
        >>> from mohs.stats.family import rank_shares
        >>> rank_shares([[[1.0, 0.0], [0.4, 0.4]], [[0.5], [0.5]]]).tolist()
        [[0.5, 0.5], [0.5, 0.5]]
    """
    found = _checked(tables)
    shares = [np.full(t.shape[1], 1 / t.shape[1]) for t in found]
    if weights is not None:
        shares = [checked_weights(w) for w in weights]
        if [len(w) for w in shares] != [t.shape[1] for t in found]:
            raise UsageError("weights must have one number for each point of each task.")
    combinations = prod(t.shape[1] for t in found)
    if combinations > MOST_COMBINATIONS:
        raise UsageError(
            f"there are {combinations:.2g} combinations of points; at most {MOST_COMBINATIONS:.0e} are counted."
        )
    # The longest table comes last, in the inner sum; all other combinations are listed.
    order = np.argsort([t.shape[1] for t in found], kind="stable")
    k = len(found[0])
    sums, chance = np.zeros((k, 1)), np.ones(1)
    for t in order[:-1]:
        sums = (sums[:, :, None] + found[t][:, None, :]).reshape(k, -1)
        chance = (chance[:, None] * shares[t]).ravel()
    last, tolerance = order[-1], TIED * max(float(np.abs(t).max()) for t in found)
    rows = max(1, AT_ONCE // found[last].shape[1])
    codes = np.zeros((k, k * k))
    for start in range(0, sums.shape[1], rows):
        part = sums[:, start : start + rows, None] + found[last][:, None, :]
        weight = None if weights is None else (chance[start : start + rows, None] * shares[last]).ravel()
        codes += _counted(part.reshape(k, -1), tolerance, weight)
    return _shared(codes if weights is not None else codes / combinations)


def rank_share_intervals(
    tables: Sequence[ArrayLike],
    weights: Sequence[ArrayLike] | None = None,
    level: float = 0.95,
    resamples: int = 300,
    seed: int = 0,
    resample_points: bool = False,
    combinations: int = 20_000,
) -> tuple[FloatArray, FloatArray]:
    """Intervals of `rank_shares` under a bootstrap of the seeds of every point, and of the points.

    Resampled seeds add to the noise that the scores have, which makes shares more alike than they are. So intervals
    are moved by the difference between the shares and their mean over bootstrap samples.

    Args:
        tables: For each task the scores [K, points, seeds]. Methods share neither seeds nor luck.
        weights: For each task the weights of its points; equal by default.
        level: The coverage that each interval claims.
        resamples: Bootstrap samples.
        seed: Of the random numbers.
        resample_points: Whether the points are a sample of a larger family; otherwise they are all there is.
        combinations: How many combinations are drawn for each bootstrap sample.

    Returns:
        The lower and the upper ends, each [K, K].

    Raises:
        UsageError: Nothing can be resampled: there is one seed, and points are not resampled.

    Example:
        >>> from mohs.stats.family import rank_share_intervals
        >>> import numpy as np
        >>> runs = np.random.default_rng(0).random((2, 30, 3)) + [[[0.3]], [[0.0]]]
        >>> low, high = rank_share_intervals([runs], resamples=100)
        >>> bool(low[0, 0] > 0.5)
        True
    """
    runs = [checked_array(t, "tables", 3) for t in tables]
    shares = rank_shares([r.mean(axis=2) for r in runs], weights)
    chances = [np.full(r.shape[1], 1 / r.shape[1]) for r in runs] if weights is None else map(checked_weights, weights)
    drawn_from = list(zip(runs, chances, strict=True))
    tail = (1 - checked_level(level)) / 2
    if not resample_points and max(r.shape[2] for r in runs) == 1:
        raise UsageError("an interval of rank shares needs two seeds at each point, or resample_points=True.")
    rng = np.random.default_rng(seed)
    found = np.array([
        _resampled(drawn_from, rng, resample_points, checked_count(combinations, "combinations"))
        for _ in range(checked_count(resamples, "resamples"))
    ])  # fmt: skip
    low, high = np.clip(np.quantile(found, [tail, 1 - tail], axis=0) + shares - found.mean(axis=0), 0.0, 1.0)
    return low, high


def _resampled(
    tables: list[tuple[FloatArray, FloatArray]], rng: np.random.Generator, points: bool, combinations: int
) -> FloatArray:
    """The shares of ranks among random combinations, from resampled runs [K, points, seeds] and weights."""
    k, largest = len(tables[0][0]), max(float(np.abs(runs).max()) for runs, _ in tables)
    total = np.zeros((k, combinations))
    for runs, weights in tables:
        n, seeds = runs.shape[1:]
        drawn = rng.integers(seeds, size=runs.shape)
        means = np.take_along_axis(runs, drawn, axis=2).mean(axis=2)
        there = np.asarray(rng.integers(n, size=n) if points else np.arange(n))
        upto = np.cumsum(weights[there])
        total += means[:, there[np.searchsorted(upto, rng.random(combinations) * upto[-1], side="right")]]
    return _shared(_counted(total, TIED * largest, None) / combinations)


def _checked(tables: Sequence[ArrayLike]) -> list[FloatArray]:
    found = [checked_array(t, "tables", 2) for t in tables]
    if not found or len({len(t) for t in found}) != 1:
        raise UsageError("tables must hold the scores of the same methods on at least one task.")
    if any(np.isnan(t).any() for t in found):
        raise UsageError("tables must be complete: every method needs a score at every point.")
    return found


def _counted(scores: FloatArray, tolerance: float, weight: FloatArray | None) -> FloatArray:
    """[K, K·K]: how often each method has b better ones and e equal ones, at b·K + e."""
    k = len(scores)
    code: NDArray[np.int16] = np.zeros(scores.shape, dtype=np.int16)
    for i in range(k):
        for j in range(i):
            gap = scores[i] - scores[j]
            behind, ahead = gap < -tolerance, gap > tolerance
            code[i] += k * behind
            code[j] += k * ahead
            level = ~(behind | ahead)
            if level.any():
                code[i] += level
                code[j] += level
    return np.array([np.bincount(row, weights=weight, minlength=k * k) for row in code], dtype=np.float64)


def _shared(codes: FloatArray) -> FloatArray:
    """Shares of ranks from shares of (better, equal): a method that ties with e others has each of e + 1 ranks."""
    k = len(codes)
    found = np.zeros((k, k))
    for better in range(k):
        for equal in range(k - better):
            found[:, better : better + equal + 1] += codes[:, better * k + equal, None] / (equal + 1)
    return found
