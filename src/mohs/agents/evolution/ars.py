"""Augmented random search: a step along random directions, weighted by how much better one side of each plays.

Algorithm 2 of Mania, Guy and Recht (2018). A generation plays n_delta directions on both sides of the mean. The n_top
with the best side move the mean, by steps divided by the deviation of their scores. V2 normalises observations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from mohs.agents.evolution.config import SearchConfig
from mohs.agents.evolution.method import Method, coordinate, direction, rank
from mohs.agents.hyperparameters import setting
from mohs.core.domain import Flag, Integer, Optional, Real
from mohs.core.errors import UsageError
from mohs.core.kernel import law


class ArsRule(NamedTuple):
    candidates: int
    episodes: int
    alive_bonus_offset: float
    top: int
    learning_rate: float
    delta_std: float


@dataclass(frozen=True)
class ArsConfig(SearchConfig):
    """Names and defaults are those of sb3-contrib. The linear policy has no bias, as in the paper."""

    n_delta: int = setting(8, Integer(1), "random directions of a generation, each played on both sides")
    n_top: int | None = setting(None, Optional(Integer(1)), "best directions that move the mean; None is all of them")
    learning_rate: float = setting(0.02, Real(0, low_open=True), "learning rate")
    delta_std: float = setting(0.05, Real(0, low_open=True), "standard deviation of the directions")
    with_bias: bool = setting(False, Flag(), "whether the linear policy has a bias; policy=mlp always has one")
    normalize_observations: bool = setting(
        True, Flag(), "observations are normalised by the mean and deviation of all that were seen in training (V2)"
    )

    def __post_init__(self) -> None:
        if self.n_top is not None and self.n_top > self.n_delta:
            raise UsageError(f"n_top is {self.n_top}, but must be at most n_delta, which is {self.n_delta}.")

    @property
    def rule(self) -> ArsRule:
        top = self.n_delta if self.n_top is None else self.n_top
        scored = self.n_eval_episodes, self.alive_bonus_offset
        return ArsRule(2 * self.n_delta, *scored, top, self.learning_rate, self.delta_std)


@law
def draw(rule, me, mean, std, weights):
    """The first half of the candidates lies on one side of the mean, the second half on the other."""
    directions = rule.candidates // 2
    x = direction(me, me.candidate % directions)
    reach = rule.delta_std if me.candidate < directions else -rule.delta_std
    for j in range(len(weights)):
        weights[j] = mean[j] + reach * coordinate(x, j)


@law
def improve(rule, me, mean, std, scores, values, order):
    """Lines 6 and 7 of Algorithm 2. Where all scores are equal nothing is learnt."""
    directions = rule.candidates // 2
    for k in range(directions):
        values[k] = max(scores[k], scores[directions + k])
    rank(values, order, directions)
    total = 0.0
    for i in range(rule.top):
        total += scores[order[i]] + scores[directions + order[i]]
    middle, square = total / (2 * rule.top), 0.0
    for i in range(rule.top):
        square += (scores[order[i]] - middle) ** 2 + (scores[directions + order[i]] - middle) ** 2
    deviation = math.sqrt(square / (2 * rule.top))
    if deviation > 0.0:
        step = rule.learning_rate / (rule.top * deviation)
        for i in range(rule.top):
            k = order[i]
            x = direction(me, k)
            better = step * (scores[k] - scores[directions + k])
            for j in range(len(mean)):
                mean[j] += better * coordinate(x, j)


ARS = Method(ArsRule, draw, improve)
