"""What would a regression on the features predict for the points that were not sampled?

The model only assists: whatever it predicts, the mean of its errors is estimated from the sample and added, so a bad
model costs precision, not truth. Each point's error is that of a model which has not seen it (cross-fitting).
"""

from __future__ import annotations

import numpy as np

from mohs.stats.checks import FloatArray
from mohs.stats.family.frame import Ints

FOLDS = 5
PENALTIES = 10.0 ** np.arange(-4, 3)


def regression(
    y: FloatArray, w: FloatArray, space: FloatArray, chosen: Ints, p: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The errors [K, n] of cross-fitted predictions of y [K, n], and the mean prediction [K] over the family."""
    basis = _basis(space)
    folds = np.arange(len(chosen)) % min(FOLDS, len(chosen))  # the order of a nested sample is random
    residual, mean = np.empty_like(y), np.zeros(len(y))
    for fold in np.unique(folds):
        held = folds == fold
        if held.all():
            return y, mean
        predict = _Ridge(basis[chosen[~held]], y[:, ~held])
        residual[:, held] = y[:, held] - predict(basis[chosen[held]])
        mean += w[held].sum() * (predict(basis) @ p)
    return residual, mean


def _basis(space: FloatArray) -> FloatArray:
    """The features, their squares and their products, each with spread 1."""
    i, j = np.triu_indices(space.shape[1])
    found = np.hstack([space, space[:, i] * space[:, j]])
    spread = found.std(axis=0)
    return np.asarray((found - found.mean(axis=0))[:, spread > 1e-12] / spread[spread > 1e-12])


class _Ridge:
    """Ridge regression of several outputs, each with the penalty that predicts left-out points best."""

    def __init__(self, x: FloatArray, y: FloatArray) -> None:
        self.centre, self.level = x.mean(axis=0), y.mean(axis=1)
        u, s, v = np.linalg.svd(x - self.centre, full_matrices=False)
        rotated = (y - self.level[:, None]) @ u
        best = np.full(len(y), np.inf)
        self.slope = np.zeros((len(y), x.shape[1]))
        for penalty in PENALTIES * len(x):
            shrink = s**2 / (s**2 + penalty)
            leverage = (u**2) @ shrink + 1 / len(x)
            error = (
                ((y - self.level[:, None] - (rotated * shrink) @ u.T) / (1 - np.minimum(leverage, 0.999))) ** 2
            ).sum(axis=1)
            slope = rotated * (s / (s**2 + penalty)) @ v
            better = error < best
            best, self.slope[better] = np.minimum(best, error), slope[better]

    def __call__(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.level[:, None] + self.slope @ (x - self.centre).T)
