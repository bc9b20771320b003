"""How does an agent that learns from whole episodes play them, if it is called for any number of steps at a time?"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from mohs.core.cell import Agent
from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.envs.make import make, time_limit

_MARK = "mohs_episode"  # the attribute of an environment that says which episode is under way in it


@dataclass
class Episode:
    """What was seen, done and earned so far; the last observation is the one to act on."""

    observations: list[Any] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)

    def save(self) -> tuple[list[Any], list[int], list[float]]:
        return self.observations, self.actions, self.rewards


class Episodes:
    """Plays episodes of at most `limit` steps. Where training is cut into pieces makes no difference.

    An episode under way goes on in the environment that it was begun in. Both carry its mark, also through a
    checkpoint; in any other environment a new one begins and what there was of the old one is forgotten. Unless
    asked to `remember`, it keeps the last observation only.
    """

    def __init__(self, limit: int, owner: int, *, remember: bool) -> None:
        self.limit, self._remember = limit, remember
        self._owner, self._begun = owner, 0
        self._episode: Episode | None = None

    def play(self, env: Any, steps: int, choose: Callable[[Episode], int], learn: Callable[[Episode], None]) -> None:
        """Takes exactly so many steps; `choose` acts on the last observation, `learn` gets every finished episode."""
        for _ in range(steps):
            mark = (self._owner, self._begun)
            if self._episode is None or getattr(env, _MARK, None) != mark:
                self._begun += 1
                observation, _ = env.reset()
                self._episode = Episode([deepcopy(observation)])
                setattr(env, _MARK, (self._owner, self._begun))
            episode = self._episode
            action = choose(episode)
            observation, reward, terminated, truncated, _ = env.step(action_of(env.action_space, action))
            if not self._remember:
                episode.observations.clear()
            episode.observations.append(deepcopy(observation))  # an environment may use its array again
            episode.actions.append(action)
            episode.rewards.append(float(reward))
            if terminated or truncated or len(episode.actions) >= self.limit:
                self._episode = None
                learn(episode)

    def save(self) -> Any:
        return self._begun, None if self._episode is None else self._episode.save()

    def load(self, state: Any) -> None:
        self._begun, episode = state
        self._episode = None if episode is None else Episode(*episode)


def longest_episode(env: gymnasium.Env[Any, Any], horizon: int | None) -> int:
    """The longest that an episode may last: given, or the environment's own limit."""
    own = time_limit(env)
    if horizon is None and own is None:
        raise UsageError("this environment has no time limit: set the hyperparameter horizon.")
    return Integer(1).parse("horizon", own if horizon is None else horizon)


def check_plays(agent: Agent, task: Task, steps: int | None = None) -> None:
    """Raises where a task does not have finitely many actions."""
    env = make(task)
    action_count(env.action_space)
    env.close()


def action_count(space: spaces.Space[Any]) -> int:
    if isinstance(space, spaces.Discrete):
        return int(space.n)
    if isinstance(space, spaces.MultiDiscrete):
        return int(np.prod(space.nvec))
    raise UsageError(f"this agent plays finitely many actions, but the action space is {space}.")


def action_of(space: spaces.Space[Any], index: int) -> Any:
    """The action with this number."""
    if isinstance(space, spaces.Discrete):
        return int(space.start) + index
    assert isinstance(space, spaces.MultiDiscrete)
    parts = np.array(np.unravel_index(index, space.nvec.ravel())).reshape(space.nvec.shape)
    return (parts + space.start).astype(space.dtype)
