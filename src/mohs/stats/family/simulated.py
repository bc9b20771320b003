"""On which family are estimators tried, if its truth must be known? 576 simulated cartpoles.

The grid is that of the paper's Table 5 in size and shape: five features, whose effect on success is smooth in their
logarithms and interacts. A run balances the pole almost fully, or fails early; how likely it is to fail depends on
the point and the method.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from mohs.stats.checks import FloatArray

LEVELS = (
    (0.05, 0.1, 0.25, 0.5, 1.0, 2.0),  # length
    (1.0, 50.0, 100.0),  # force_mag
    (0.1, 1.0, 5.0, 10.0),  # masscart
    (0.1, 0.5, 1.0, 2.0),  # masspole
    (5.0, 20.0),  # gravity
)
# The effect of each feature on the log-odds of success, of length × force, and the log-odds at the centre; by method.
METHODS = (
    (1.5, -0.9, 0.5, -0.5, -0.3, 0.8, 0.6),
    (1.2, -0.4, 0.2, -0.8, -0.3, 0.8, 0.3),
    (2.5, -1.8, 0.9, -0.9, -0.6, 1.6, 1.5),
)
STEEPNESS = 1.6


@dataclass(frozen=True, eq=False)
class SimulatedFamily:
    """Points [N, F], and for each method and point [K, N] the probability of success."""

    features: FloatArray
    success: FloatArray

    @property
    def expected(self) -> FloatArray:
        """The expected score [K, N]: beta(30, 1) on success, beta(1, 6) on failure."""
        return np.asarray(self.success * 30 / 31 + (1 - self.success) / 7)

    def runs(self, rng: np.random.Generator, seeds: int = 1) -> FloatArray:
        """Scores [K, N, seeds] between 0 and 1."""
        shape = (*self.success.shape, seeds)
        solved = rng.random(shape) < self.success[:, :, None]
        return np.where(solved, rng.beta(30, 1, shape), rng.beta(1, 6, shape))


def simulated_cartpoles() -> SimulatedFamily:
    """576 points and three methods.

    Example:
        >>> from mohs.stats.family.simulated import simulated_cartpoles
        >>> simulated_cartpoles().expected.mean(axis=1).round(2).tolist()
        [0.67, 0.62, 0.71]
    """
    points = np.log(np.array(list(itertools.product(*LEVELS))))
    x = (points - points.mean(axis=0)) / points.std(axis=0)
    terms = np.column_stack([x, x[:, 0] * x[:, 1], np.ones(len(x))])
    odds = STEEPNESS * terms @ np.array(METHODS).T
    return SimulatedFamily(points, np.asarray(1 / (1 + np.exp(-odds.T))))
