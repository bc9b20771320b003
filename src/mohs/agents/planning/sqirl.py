"""How does greedy play over random play learn where chance has a part? SQIRL, which looks where it is.

Laidlaw et al. 2024 (*The Effective Horizon Explains Deep RL Performance in Stochastic Environments*): for one step t
after another, m episodes follow the policy found so far up to t and are random from there on. The random returns after
step t + k - 1 are regressed on what was seen and done there; k - 1 steps of fitted Q-iteration lead back to t, where
the policy is greedy from then on. That takes T² · m steps if no episode ends early.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mohs.agents.episodes import Episode, Episodes, action_count, action_of, longest_episode
from mohs.agents.hyperparameters import Config, setting
from mohs.agents.planning.regression import Regression, fit, loaded
from mohs.core import seeding
from mohs.core.cell import Agent
from mohs.core.domain import Integer, Optional, Real


@dataclass(frozen=True)
class SqirlConfig(Config):
    k: int = setting(1, Integer(1), "look-ahead steps before play is random")
    m: int = setting(20, Integer(1), "episodes for each step of the policy")
    gamma: float = setting(0.99, Real(0, 1), "discount factor")
    horizon: int | None = setting(
        None, Optional(Integer(1)), "maximum episode length; None is the time limit of the environment"
    )
    trees: int = setting(20, Integer(1), "number of trees of each regression on continuous observations")


class Sqirl:
    """`policy` has a regression for each step found so far; after them it plays at random."""

    def __init__(self, env: Any, seed: int, config: SqirlConfig) -> None:
        self.config = config
        self.horizon = longest_episode(env, config.horizon)
        self._space, self._width = env.action_space, action_count(env.action_space)
        self._seen = env.observation_space
        self.policy: list[Regression] = []
        self._rng = np.random.default_rng(seeding.child(seed, "train"))
        self._playing = np.random.default_rng(seeding.child(seed, "act"))
        self._episodes = Episodes(self.horizon, seed, remember=True)
        self._finished: list[Episode] = []  # for the step under search: k steps from it on, all rewards from it on

    def train(self, env: Any, steps: int) -> None:
        self._episodes.play(env, steps, self._choose, self._learn)

    def act(self, observation: Any, memory: int | None, deterministic: bool) -> tuple[Any, int]:
        t = memory or 0
        return action_of(self._space, self._action(t, observation, self._playing)), t + 1

    def save(self) -> Any:
        return {
            "policy": [regression.save() for regression in self.policy],
            "draws": [rng.bit_generator.state for rng in (self._rng, self._playing)],
            "episodes": self._episodes.save(),
            "finished": [episode.save() for episode in self._finished],
        }

    def load(self, state: Any) -> None:
        self.policy = [loaded(self._seen, self._width, kept) for kept in state["policy"]]
        self._rng.bit_generator.state, self._playing.bit_generator.state = state["draws"]
        self._episodes.load(state["episodes"])
        self._finished = [Episode(*kept) for kept in state["finished"]]

    def _action(self, t: int, observation: Any, rng: np.random.Generator) -> int:
        """One of the best; any where nothing is known."""
        best = self.policy[t].best(observation) if t < len(self.policy) else ()
        return int(best[int(rng.integers(len(best)))]) if len(best) else int(rng.integers(self._width))

    def _choose(self, episode: Episode) -> int:
        return self._action(len(episode.actions), episode.observations[-1], self._rng)

    def _learn(self, episode: Episode) -> None:
        t, end = len(self.policy), len(self.policy) + self.config.k
        if t == self.horizon:
            return
        self._finished.append(Episode(episode.observations[t:end], episode.actions[t:end], episode.rewards[t:]))
        if len(self._finished) == self.config.m:
            self.policy.append(self._regress())
            self._finished = []

    def _regress(self) -> Regression:
        """Qᵏ of the step under search, from the last of k steps back to it."""
        found: Regression | None = None
        for t in reversed(range(min(self.config.k, self.horizon - len(self.policy)))):
            reached = [e for e in self._finished if len(e.actions) > t]
            targets = [self._return(e, t) if found is None else self._backed_up(e, t, found) for e in reached]
            observations, actions = [e.observations[t] for e in reached], [e.actions[t] for e in reached]
            found = fit(self._seen, self._width, observations, actions, targets, self.config.trees, self._rng)
        assert found is not None
        return found

    def _return(self, episode: Episode, t: int) -> float:
        rewards = np.array(episode.rewards[t:])
        return float(self.config.gamma ** np.arange(len(rewards)) @ rewards)

    def _backed_up(self, episode: Episode, t: int, later: Regression) -> float:
        if len(episode.rewards) == t + 1:
            return episode.rewards[t]
        return episode.rewards[t] + self.config.gamma * later.largest(episode.observations[t + 1])


def make_sqirl(env: Any, seed: int, **params: Any) -> Sqirl:
    return Sqirl(env, seed, SqirlConfig.of(Agent.make("sqirl", **params)))
