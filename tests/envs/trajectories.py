"""How is an environment followed in tests? Under actions that do not depend on it, through the ends of episodes."""

from __future__ import annotations

from typing import Any

import numpy as np

Steps = list[tuple[Any, ...]]


def play(env: Any, steps: int = 150, seed: int = 0) -> Steps:
    """A trajectory under actions that do not depend on it, through the ends of episodes."""
    env.action_space.seed(seed)
    taken: Steps = [(env.reset(seed=seed)[0],)]
    for _ in range(steps):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        taken.append((observation, float(reward), terminated, truncated))
        if terminated or truncated:
            taken.append((env.reset()[0],))
    env.close()
    return taken


def agree(one: Any, two: Any) -> bool:
    """Are they the same to the bit, whatever they are made of?"""
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(agree(one[name], two[name]) for name in one)
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(agree(a, b) for a, b in zip(one, two, strict=True))
    return bool(np.array_equal(one, two))


def rewards(taken: Steps) -> np.ndarray:
    return np.array([step[1] for step in taken if len(step) > 1])


def frames(taken: Steps) -> np.ndarray:
    return np.array([step[0] for step in taken])
