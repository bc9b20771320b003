"""What does a sampling design start from? Weights of the members and their features, checked and standardised."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_array, checked_count

Ints = NDArray[np.int64]
ROUNDING = 1e-6  # by which the sum of weights may miss 1


def checked_weights(weights: ArrayLike, name: str = "weights") -> FloatArray:
    """Weights [N] of the members: positive, with sum 1."""
    found = checked_array(weights, name, 1)
    if not (found > 0).all():
        raise UsageError(f"{name} must be positive: leave out points that weigh nothing.")
    if abs(found.sum() - 1) > ROUNDING:
        raise UsageError(f"{name} must sum to 1; they sum to {found.sum():.6g}.")
    return found


def checked_budget(n: int, size: int) -> int:
    """A number of points, not above the size of the family."""
    if checked_count(n, "n") > size:
        raise UsageError(f"n is {n}, but the family has only {size} points.")
    return int(n)


def standardised(features: ArrayLike, strata: ArrayLike | None = None) -> FloatArray:
    """Features [N, F] with mean 0 and spread 1; one that does not vary is 0.

    Points of different strata lie further apart than any two of the same stratum.
    """
    found = checked_array(features, "features", 2)
    if np.isnan(found).any():
        raise UsageError("features must be numbers at every point; some are missing.")
    spread = found.std(axis=0)
    scaled = (found - found.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    if strata is None:
        return np.asarray(scaled)
    names, numbers = np.unique(np.asarray(strata), return_inverse=True)
    if numbers.shape != (len(found),):
        raise UsageError(f"strata must name one stratum for each of the {len(found)} points.")
    apart = 1.0 + 2 * np.sqrt((scaled**2).sum(axis=1).max())
    return np.hstack([scaled, apart * np.eye(len(names))[numbers]])


def squared_distances(a: FloatArray, b: FloatArray) -> FloatArray:
    """The squared distances [n, m] of features [n, F] and [m, F]; equal rows are exactly 0 apart."""
    found = np.zeros((len(a), len(b)))
    for x, y in zip(a.T, b.T, strict=True):
        found += (x[:, None] - y) ** 2
    return found
