"""The cross-entropy method: candidates are drawn around a mean; mean and deviations become those of the best of them.

Szita and Lőrincz (2006): extra noise that falls to 0 is added to the variances, so that the search does not settle too
soon.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mohs.agents.evolution.config import SearchConfig
from mohs.agents.evolution.method import Method, coordinate, direction, rank
from mohs.agents.hyperparameters import setting
from mohs.core.domain import Integer, Real
from mohs.core.kernel import law


class CemRule(NamedTuple):
    candidates: int
    episodes: int
    alive_bonus_offset: float
    elite: int
    noise_std: float
    noise_generations: int


@dataclass(frozen=True)
class CemConfig(SearchConfig):
    """Defaults were chosen by a scan over the pole on a cart and the vanilla toys, with 20,000 and 40,000 steps."""

    population_size: int = setting(20, Integer(2), "candidates of a generation")
    elite_fraction: float = setting(
        0.2, Real(0, 1, low_open=True), "share of the candidates that the next generation is drawn around"
    )
    initial_std: float = setting(1.0, Real(0, low_open=True), "initial standard deviation of every weight")
    noise_std: float = setting(1.0, Real(0), "initial standard deviation of the extra noise on every weight")
    noise_generations: int = setting(
        50, Integer(0), "generations over which the standard deviation of the extra noise falls linearly to 0"
    )

    @property
    def rule(self) -> CemRule:
        elite = max(1, round(self.elite_fraction * self.population_size))
        scored = self.n_eval_episodes, self.alive_bonus_offset
        return CemRule(self.population_size, *scored, elite, self.noise_std, self.noise_generations)

    def first_std(self, weights: int) -> npt.NDArray[np.float64]:
        return np.full(weights, self.initial_std)


@law
def draw(rule, me, mean, std, weights):
    x = direction(me, me.candidate)
    for j in range(len(weights)):
        weights[j] = mean[j] + std[j] * coordinate(x, j)


@law
def improve(rule, me, mean, std, scores, values, order):
    """Mean and deviation of every weight over the elite, whose weights are drawn again."""
    rank(scores, order, rule.candidates)
    noise = 0.0
    if me.generation < rule.noise_generations:
        noise = rule.noise_std * (1.0 - me.generation / rule.noise_generations)
    for j in range(len(mean)):
        total = 0.0
        for i in range(rule.elite):
            total += coordinate(direction(me, order[i]), j)
        middle, square = total / rule.elite, 0.0
        for i in range(rule.elite):
            square += (coordinate(direction(me, order[i]), j) - middle) ** 2
        mean[j] += std[j] * middle
        std[j] = math.sqrt(std[j] * std[j] * (square / rule.elite) + noise * noise)


CEM = Method(CemRule, draw, improve)
