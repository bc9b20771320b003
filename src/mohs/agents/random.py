"""How does the random agent play an environment that no kernel plays? By drawing from the action space."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from mohs.core import seeding
from mohs.envs.keeping import random_state, set_random_state


class RandomAgent:
    """Draws every action from the space; training changes nothing.

    Where training is cut makes no difference: the environment says whether an episode is `over` (`external.Recorder`).
    """

    def __init__(self, env: Any, seed: int) -> None:
        self._training, self._playing = (deepcopy(env.action_space) for _ in range(2))
        self._training.seed(seeding.seed_of(seeding.child(seed, "train")))
        self._playing.seed(seeding.seed_of(seeding.child(seed, "act")))

    def train(self, env: Any, steps: int) -> None:
        for _ in range(steps):
            if env.over:
                env.reset()
            env.step(self._training.sample())

    def act(self, observation: Any, memory: Any, deterministic: bool) -> tuple[Any, Any]:
        return self._playing.sample(), memory

    def save(self) -> Any:
        return [random_state(space) for space in (self._training, self._playing)]

    def load(self, state: Any) -> None:
        for space, kept in zip((self._training, self._playing), state, strict=True):
            set_random_state(space, kept)


def make_random(env: Any, seed: int) -> RandomAgent:
    return RandomAgent(env, seed)
