"""Hill climbing: a candidate near the best weights replaces them if it plays at least as well.

The noise is halved after a success, to search nearby, and doubled after a failure, to search farther away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mohs.agents.evolution.config import SearchConfig
from mohs.agents.evolution.method import Method, coordinate, direction
from mohs.agents.hyperparameters import setting
from mohs.core.domain import Real
from mohs.core.errors import UsageError
from mohs.core.kernel import law


class HillClimbingRule(NamedTuple):
    candidates: int
    episodes: int
    alive_bonus_offset: float
    noise_factor: float
    min_noise_std: float
    max_noise_std: float


@dataclass(frozen=True)
class HillClimbingConfig(SearchConfig):
    noise_std: float = setting(0.1, Real(0, low_open=True), "initial standard deviation of the noise on every weight")
    noise_factor: float = setting(
        2.0, Real(1), "the noise is divided by it after a success and multiplied after a failure; 1 keeps it constant"
    )
    min_noise_std: float = setting(0.001, Real(0, low_open=True), "smallest standard deviation of the noise")
    max_noise_std: float = setting(2.0, Real(0, low_open=True), "largest standard deviation of the noise")

    def __post_init__(self) -> None:
        if self.min_noise_std > self.max_noise_std:
            raise UsageError(
                f"min_noise_std is {self.min_noise_std}, but must be at most max_noise_std, which is "
                f"{self.max_noise_std}."
            )

    @property
    def rule(self) -> HillClimbingRule:
        scored = self.n_eval_episodes, self.alive_bonus_offset
        return HillClimbingRule(1, *scored, self.noise_factor, self.min_noise_std, self.max_noise_std)

    def first_std(self, weights: int) -> npt.NDArray[np.float64]:
        return np.array([self.noise_std])


@law
def draw(rule, me, mean, std, weights):
    x = direction(me, 0)
    for j in range(len(weights)):
        weights[j] = mean[j] + std[0] * coordinate(x, j)


@law
def improve(rule, me, mean, std, scores, values, order):
    """A candidate as good as the best replaces it: on a plateau the search moves on."""
    if scores[0] >= me.best:
        me.best = scores[0]
        x = direction(me, 0)
        for j in range(len(mean)):
            mean[j] += std[0] * coordinate(x, j)
        std[0] = max(rule.min_noise_std, std[0] / rule.noise_factor)
    else:
        std[0] = min(rule.max_noise_std, std[0] * rule.noise_factor)


HILL_CLIMBING = Method(HillClimbingRule, draw, improve)
