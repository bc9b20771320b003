"""What can be said of a task that has no table? What random play shows of it, with intervals."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.values import Json
from mohs.envs.make import time_limit
from mohs.stats import Estimate, estimate
from mohs.stats.counts import LEVEL, clopper_pearson

EPISODES = 200
MAX_STEPS = 50_000  # of all episodes together; long episodes make fewer
REPLAYED = 200  # steps that are played again to see whether the outcome is the same
REPLAYS = 5


@dataclass(frozen=True, eq=False)
class Rollouts:
    """Of random play: returns, lengths, how often anything is paid; and what repeating the same actions shows."""

    horizon: int
    returns: npt.NDArray[np.float64]
    random_return: Estimate
    length: Estimate
    paying_steps: Estimate
    silent_episodes: Estimate
    repeatable: bool  # no replay with the same seed and actions had another outcome
    deterministic: bool  # nor with another seed

    @property
    def best(self) -> float:
        """The largest return that random play came to."""
        return float(self.returns.max())

    def to_json(self) -> dict[str, Json]:
        return {
            "episodes": len(self.returns),
            "random_return": self.random_return.to_dict(),
            "length": self.length.to_dict(),
            "paying_steps": self.paying_steps.to_dict(),
            "silent_episodes": self.silent_episodes.to_dict(),
            "best_return_seen": self.best,
            "repeatable": self.repeatable,
            "deterministic": self.deterministic,
        }


def rollouts(
    env: gymnasium.Env[Any, Any], *, horizon: int | None = None, episodes: int = EPISODES, seed: int = 0
) -> Rollouts:
    """Plays episodes with random actions, up to `MAX_STEPS` steps (three episodes at least)."""
    limit = min((steps for steps in (horizon, time_limit(env)) if steps is not None), default=None)
    if limit is None:
        raise UsageError("this environment has no time limit: give a horizon (--horizon T).")
    env.action_space.seed(seed)
    returns: list[float] = []
    lengths: list[int] = []
    paying: list[int] = []
    while len(returns) < episodes and (len(returns) < 3 or sum(lengths) < MAX_STEPS):
        rewards = _episode(env, limit, seed if not returns else None)
        returns.append(sum(rewards))
        lengths.append(len(rewards))
        paying.append(sum(r != 0 for r in rewards))
    if not np.all(np.isfinite(returns)):
        raise UsageError("this environment pays rewards that are not finite numbers.")
    paid, taken = np.array(paying), np.array(lengths)
    share = paid.sum() / taken.sum()
    same = all(_again(env, limit, first, first) for first in range(seed, seed + REPLAYS))
    return Rollouts(
        limit,
        np.array(returns),
        estimate(returns),
        estimate(lengths),
        estimate(share + (paid - share * taken) / taken.mean()),  # of a ratio, by its linear part
        _share(int((paid == 0).sum()), len(paid)),
        same,
        same and all(_again(env, limit, seed, other) for other in range(seed + 1, seed + REPLAYS)),
    )


def _share(some: int, all_: int) -> Estimate:
    return Estimate(some / all_, *clopper_pearson(some, all_), all_, LEVEL, "share", "Clopper and Pearson")


def _episode(env: gymnasium.Env[Any, Any], limit: int, seed: int | None) -> list[float]:
    env.reset(seed=seed)
    rewards = []
    for _ in range(limit):
        _, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        rewards.append(float(reward))
        if terminated or truncated:
            break
    return rewards


def _again(env: gymnasium.Env[Any, Any], limit: int, first: int, second: int) -> bool:
    """Do the same actions lead to the same observations and rewards after resets with these two seeds?"""
    actions = [env.action_space.sample() for _ in range(min(limit, REPLAYED))]
    for a, b in itertools.zip_longest(*(list(_played(env, seed, actions)) for seed in (first, second))):
        if a is None or b is None or a[1:] != b[1:] or not _same(a[0], b[0]):
            return False
    return True


def _played(env: gymnasium.Env[Any, Any], seed: int, actions: list[Any]) -> Any:
    observation, _ = env.reset(seed=seed)
    yield observation, 0.0, False
    for action in actions:
        observation, reward, terminated, truncated, _ = env.step(action)
        yield observation, float(reward), terminated
        if terminated or truncated:
            return


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(np.array_equal(a, b))
