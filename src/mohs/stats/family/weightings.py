"""Does the ranking survive other weights of the points (Figure 23), and which smallest change reverses it?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_array, checked_count
from mohs.stats.counts import share
from mohs.stats.family.frame import checked_weights
from mohs.stats.intervals import Estimate

AT_ONCE = 4_000_000  # random weights in memory together


@dataclass(frozen=True, eq=False)
class Reversal:
    """The nearest weights at which method A is no longer better than B.

    Attributes:
        distance: Total variation: the weight that must be moved. Infinite if A is better at every point.
        weights: The new weights; those given if no change reverses the order.
    """

    distance: float
    weights: FloatArray


def dirichlet_weightings(size: int, draws: int, seed: int = 0, concentration: float = 1.0) -> FloatArray:
    """Random weights of points, [draws, size]. Concentration 1 is uniform on the simplex; less favours few points.

    Example:
        >>> from mohs.stats.family import dirichlet_weightings
        >>> dirichlet_weightings(576, 5).sum(axis=1).round(6).tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0]
    """
    if not concentration > 0:
        raise UsageError(f"concentration must be positive; got {concentration!r}.")
    checked_count(draws, "draws")
    # Gamma variables of a small shape underflow; their logarithms do not.
    rng = np.random.default_rng(seed)
    logs = np.log(rng.gamma(concentration + 1, size=(draws, checked_count(size, "size"))))
    logs += np.log1p(-rng.random(logs.shape)) / concentration
    parts = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(parts / parts.sum(axis=1, keepdims=True))


def simplex_shares(
    scores: ArrayLike, draws: int = 10_000, seed: int = 0, concentration: float = 1.0, level: float = 0.95
) -> tuple[Estimate, ...]:
    """For which share of all weightings each method is the best.

    Args:
        scores: [K, N] at all points, complete; more is better.
        draws: Random weightings.
        seed: Of the random numbers.
        concentration: Of the Dirichlet distribution. With 1 and hundreds of points all weightings are near to equal
            weights; 1/N spreads them to the corners, where one point weighs most.
        level: The coverage of the interval, which is that of the simulation alone.

    Returns:
        One share for each method; the first of equally good methods counts.

    Raises:
        UsageError: Scores are missing.

    Example:
        >>> from mohs.stats.family import simplex_shares
        >>> found = simplex_shares([[1.0, 0.0], [0.0, 1.0]], draws=1000)
        >>> found[0].low < 0.5 < found[0].high
        True
    """
    found = checked_array(scores, "scores", 2)
    if np.isnan(found).any():
        raise UsageError("scores must be complete: every method needs a score at every point.")
    wins, part = np.zeros(len(found), dtype=np.int64), max(1, AT_ONCE // found.shape[1])
    for number, start in enumerate(range(0, checked_count(draws, "draws"), part)):
        weightings = dirichlet_weightings(found.shape[1], min(part, draws - start), seed + number, concentration)
        wins += np.bincount((weightings @ found.T).argmax(axis=1), minlength=len(found))
    return tuple(share(int(won), draws, level) for won in wins)


def smallest_reversal(a: ArrayLike, b: ArrayLike, weights: ArrayLike) -> Reversal:
    """The smallest change of weights that makes method A no better than B.

    Weight moves to the point at which B is ahead by most, from those at which A is ahead by most, one after the other.
    No other change of the same size lowers the mean difference by more.

    Args:
        a: The scores of A, [N].
        b: The scores of B at the same points.
        weights: Of the points.

    Returns:
        The distance 0 if A is no better already.

    Raises:
        UsageError: Scores are missing or of different lengths.

    Example:
        >>> from mohs.stats.family import smallest_reversal
        >>> found = smallest_reversal([1.0, 0.5, 0.0], [0.0, 0.5, 0.5], [0.4, 0.4, 0.2])
        >>> round(found.distance, 3), found.weights.round(3).tolist()
        (0.2, [0.2, 0.4, 0.4])
    """
    ours, theirs, p = checked_array(a, "a", 1), checked_array(b, "b", 1), checked_weights(weights)
    if not len(ours) == len(theirs) == len(p) or np.isnan(ours + theirs).any():
        raise UsageError("a and b must hold one score for each point of the weights.")
    ahead, moved = ours - theirs, p.copy()
    surplus, target = float(ahead @ p), int(ahead.argmin())
    if surplus <= 0:
        return Reversal(0.0, p)
    if ahead[target] > 0:
        return Reversal(float("inf"), p)
    distance = 0.0
    for i in np.argsort(-ahead):
        gain = float(ahead[i] - ahead[target])
        if gain <= 0 or surplus <= 0:
            break
        step = min(float(p[i]), surplus / gain)
        moved[i] -= step
        moved[target] += step
        distance, surplus = distance + step, surplus - step * gain
    return Reversal(distance, moved)
