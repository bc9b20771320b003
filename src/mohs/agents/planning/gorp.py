"""How does greedy play over random play learn in an environment? GORP, by whole episodes and without a model.

Laidlaw et al. 2023, Algorithm 1: every sequence of the next k actions is tried in m episodes, after the actions fixed
so far and before random ones; the first action of the best sequence is fixed. All steps are played and charged: that
makes T² · A^k · m if no episode ends early. What it learns is a list of actions, which serves a deterministic task
with one start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mohs.agents.episodes import Episode, Episodes, action_count, action_of, longest_episode
from mohs.agents.hyperparameters import Config, setting
from mohs.core import seeding
from mohs.core.cell import Agent
from mohs.core.domain import Integer, Optional, Real
from mohs.core.errors import UsageError

MAX_SEQUENCES = 2**24
NOISE = 1e-10  # means that differ by less, relative to what was added up, are equal


@dataclass(frozen=True)
class GorpConfig(Config):
    k: int = setting(1, Integer(1), "length of the tried action sequences; play is random after them")
    m: int = setting(1, Integer(1), "episodes for each sequence of k actions")
    gamma: float = setting(0.99, Real(0, 1), "discount factor")
    horizon: int | None = setting(
        None, Optional(Integer(1)), "maximum episode length; None is the time limit of the environment"
    )


class Gorp:
    """`actions` are those fixed so far; after them it plays at random, and once all are fixed it goes on with them."""

    def __init__(self, env: Any, seed: int, config: GorpConfig) -> None:
        self.config = config
        self.horizon = longest_episode(env, config.horizon)
        self._space, self._width = env.action_space, action_count(env.action_space)
        self._sequences = self._width**config.k
        if self._sequences > MAX_SEQUENCES:
            raise UsageError(f"{self._width} actions make more than {MAX_SEQUENCES:,} sequences of k = {config.k}.")
        self.actions: list[int] = []
        self._rng = np.random.default_rng(seeding.child(seed, "train"))
        self._playing = np.random.default_rng(seeding.child(seed, "act"))
        self._episodes = Episodes(self.horizon, seed, remember=False)
        self._finished = 0  # episodes of the search for the next action
        self._totals, self._sizes = np.zeros(self._sequences), np.zeros(self._sequences)

    def train(self, env: Any, steps: int) -> None:
        self._episodes.play(env, steps, self._choose, self._learn)

    def act(self, observation: Any, memory: int | None, deterministic: bool) -> tuple[Any, int]:
        t = memory or 0
        action = self.actions[t] if t < len(self.actions) else int(self._playing.integers(self._width))
        return action_of(self._space, action), t + 1

    def save(self) -> Any:
        return {
            "actions": self.actions,
            "draws": [rng.bit_generator.state for rng in (self._rng, self._playing)],
            "episodes": self._episodes.save(),
            "search": (self._finished, self._totals, self._sizes),
        }

    def load(self, state: Any) -> None:
        self.actions = state["actions"]
        self._rng.bit_generator.state, self._playing.bit_generator.state = state["draws"]
        self._episodes.load(state["episodes"])
        self._finished, self._totals[:], self._sizes[:] = state["search"]

    def _choose(self, episode: Episode) -> int:
        t, fixed = len(episode.actions), len(self.actions)
        if t < fixed:
            return self.actions[t]
        if t < fixed + self.config.k:
            later = fixed + self.config.k - 1 - t
            return int(self._sequence() // self._width**later % self._width)
        return int(self._rng.integers(self._width))

    def _sequence(self) -> int:
        """The sequence under trial; its digits are the actions, the first one the highest."""
        return self._finished // self.config.m

    def _learn(self, episode: Episode) -> None:
        if len(self.actions) == self.horizon:
            return
        rewards = np.array(episode.rewards[len(self.actions) :])
        weights = self.config.gamma ** np.arange(len(rewards))
        self._totals[self._sequence()] += weights @ rewards
        self._sizes[self._sequence()] += weights @ np.abs(rewards)
        self._finished += 1
        if self._finished == self._sequences * self.config.m:
            best = np.flatnonzero(self._totals >= self._totals.max() - NOISE * self._sizes.max())
            self.actions.append(int(self._rng.choice(best)) // self._width ** (self.config.k - 1))
            self._finished = 0
            self._totals[:], self._sizes[:] = 0.0, 0.0


def make_gorp(env: Any, seed: int, **params: Any) -> Gorp:
    return Gorp(env, seed, GorpConfig.of(Agent.make("gorp", **params)))
