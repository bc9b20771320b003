"""Small environments whose every step is known, and the draws of an injection worked out in plain Python."""

from __future__ import annotations

import statistics
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

import mohs
from mohs.core.seeding import GOLDEN, MIX_1, MIX_2, child, key

MASK = 2**64 - 1
STICKY, ACTION, REWARD, WITHHELD, STATE, OBSERVATION = range(6)  # lanes


class Scripted(gymnasium.Env[Any, Any]):
    """Plays a script: episodes of (reward, terminated, truncated). It remembers the actions it was given."""

    def __init__(self, episodes: Any = (), actions: Any = None, seen: Any = None) -> None:
        self.episodes = episodes
        self.action_space = actions or spaces.Discrete(5, start=-2)
        self.observation_space = seen or spaces.Box(-5.0, 5.0, (3,), np.float32)
        self.episode, self.t = -1, 0
        self.taken: list[Any] = []

    def _observation(self) -> Any:
        shape = self.observation_space.shape or ()
        return np.full(shape, (self.t % 4) + self.episode % 2, dtype=self.observation_space.dtype)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None:
            self.episode = -1
        self.episode, self.t = self.episode + 1, 0
        return self._observation(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.taken.append(action)
        reward, terminated, truncated = self.episodes[self.episode % len(self.episodes)][self.t]
        self.t += 1
        return self._observation(), reward, terminated, truncated, {}


def stream(seed: int, injections: int = 1) -> int:
    """The key of the stream of the so-many-th injection."""
    return key(child(seed, "inject", injections))


def mix(x: int) -> int:
    x = ((x ^ (x >> 30)) * MIX_1) & MASK
    x = ((x ^ (x >> 27)) * MIX_2) & MASK
    return x ^ (x >> 31)


def bits(key: int, episode: int, t: int, lane: int) -> int:
    return mix((key + GOLDEN * ((episode << 32 | t << 3 | lane) + 1)) & MASK)


def nth(x: int, n: int) -> int:
    return mix((x + GOLDEN * (n + 1)) & MASK)


def as_uniform(x: int) -> float:
    return (x >> 11) / 2**53


def as_normal(x: int) -> float:
    tail = ((x >> 12) + 0.5) / 2**53
    return statistics.NormalDist().inv_cdf(tail) * (1 if x & 1 == 0 else -1)


def component_bits(key: int, episode: int, t: int, k: int) -> int:
    """Of the noise on an action component: the first has the bits of the address itself."""
    x = bits(key, episode, t, ACTION)
    return x if k == 0 else nth(x, k)


def made(name: str, **dials: Any) -> mohs.envs.inject.Inject:
    return mohs.inject(gymnasium.make(name, disable_env_checker=True), **dials)
