"""What is appended to an environment as irrelevant? A toy of its own for every instance, beside its spaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.errors import UsageError
from mohs.engines.injection.fleet import Injection
from mohs.engines.injection.kernels import toy_keys
from mohs.envs.inject.setting import cannot
from mohs.envs.make import make_vec

_NEEDS = (
    "Discrete or MultiDiscrete observations and actions, or a Box of floats in one dimension as observations with "
    "Discrete, MultiDiscrete or likewise Box actions"
)
Array = npt.NDArray[Any]


class Companions:
    """A toy beside every instance, begun with its episodes; where a toy ends it begins anew at once.

    Toys have streams of their own, keyed by the instance and its episode, so they do not depend on what came before.
    """

    def __init__(self, parameters: Mapping[str, Any], seen: Any, acted: Any, count: int, env: str) -> None:
        kinds = _kind(seen), _kind(acted)
        if kinds not in (("words", "words"), ("numbers", "words"), ("numbers", "numbers")):
            raise cannot("irrelevant_features", env, f"{_NEEDS}, not {seen} and {acted}")
        toy = "toy/discrete" if kinds[1] == "words" else "toy/continuous"
        given = {**_defaults(toy, parameters), **parameters}
        self.toys: Any = make_vec(toy, num_envs=count, autoreset_mode="SameStep", **given)
        self._seen, self._acted = seen, acted
        self._one_hot = kinds == ("numbers", "words")
        self._sizes = _words(self.toys.single_observation_space)[1] if kinds[1] == "words" else np.zeros(0, int)
        self._split = _width(acted)
        self.action_space = _joined(acted, self.toys.single_action_space)
        self.observation_space = _joined(seen, self._shown_space())
        self._shown: Array = np.zeros((count, 0))

    def split(self, actions: Any, shape: tuple[int, ...]) -> tuple[Array, Array]:
        """The actions [N, ...] of the environment and those of the toys, from an array of this shape for both."""
        given = np.asarray(actions)
        if given.shape != shape or given.dtype.kind not in ("fiu" if self.action_space.dtype.kind == "f" else "iu"):
            wanted = f"numbers of {self.action_space} in the shape {shape}"
            raise UsageError(f"actions must be {wanted}, not {given.dtype} of {given.shape}.")
        flat = given.reshape(len(self._shown), -1)
        relevant, aside = flat[:, : self._split], flat[:, self._split :]
        own = self.toys.single_action_space
        return relevant.reshape(-1, *self._acted.shape), aside.reshape(-1, *own.shape)

    def begin(self, injection: Injection, chosen: npt.NDArray[np.bool_]) -> None:
        keys = np.empty(len(injection), dtype=np.uint64)
        toy_keys(injection.memory, keys)
        self._shown = self._encoded(self.toys.begin(chosen, keys[chosen]))

    def step(self, aside: Array) -> None:
        self._shown = self._encoded(self.toys.step(aside.astype(self.toys.single_action_space.dtype))[0])

    def join(self, observations: Array, rows: npt.NDArray[np.int64]) -> Array:
        """Observations [rows, ...] with what is seen of the toys of these instances."""
        parts = [np.asarray(observations).reshape(len(rows), -1), self._shown[rows]]
        return np.concatenate(parts, axis=1).astype(self.observation_space.dtype)

    def _encoded(self, states: Array) -> Array:
        """What is seen of the toys, [N, numbers]."""
        states = np.asarray(states).reshape(len(states), -1)
        if not self._one_hot:
            return states
        return np.concatenate([np.eye(n)[states[:, k]] for k, n in enumerate(self._sizes)], axis=1)

    def _shown_space(self) -> spaces.Space[Any]:
        own: spaces.Space[Any] = self.toys.single_observation_space
        return spaces.Box(0.0, 1.0, (int(self._sizes.sum()),)) if self._one_hot else own


def _defaults(toy: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What a toy has here unless it is given: no limit, no terminals (as in toys), any reward, as none is seen."""
    plain: dict[str, Any] = {"max_episode_steps": 2**28}
    if toy == "toy/discrete":
        if "terminal_states" not in parameters:
            plain["terminal_state_density"] = 0.0
        if not {"reward_function", "rewardable_sequences"} & set(parameters):
            plain["reward_density"] = 1.0
    return plain


def _kind(space: spaces.Space[Any]) -> str:
    if isinstance(space, spaces.Discrete) or (isinstance(space, spaces.MultiDiscrete) and len(space.shape) == 1):
        return "words"
    if isinstance(space, spaces.Box) and len(space.shape) == 1 and np.issubdtype(space.dtype, np.floating):
        return "numbers"
    return "neither"


def _words(space: Any) -> tuple[Array, Array]:
    """(first, number) of each component."""
    if isinstance(space, spaces.Discrete):
        return np.array([space.start]), np.array([space.n])
    return space.start, space.nvec


def _width(space: Any) -> int:
    return 1 if isinstance(space, spaces.Discrete) else int(space.shape[0])


def _joined(one: Any, two: Any) -> Any:
    """The space of both, side by side."""
    if isinstance(one, spaces.Box):
        low, high = np.concatenate([one.low, two.low]), np.concatenate([one.high, two.high])
        return spaces.Box(low.astype(one.dtype), high.astype(one.dtype), dtype=one.dtype)
    (first, number), (more_first, more_number) = _words(one), _words(two)
    return spaces.MultiDiscrete(np.concatenate([number, more_number]), start=np.concatenate([first, more_first]))
