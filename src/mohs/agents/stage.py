"""Where does a pack play? On a stage: some instances of every cell's environment, stepped together.

Toys are one compiled fleet; third-party environments are stepped one by one. An episode that ends is reset at once;
its last observation is kept apart from the first one of the next episode.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.wrappers import FlattenObservation

from mohs.core.task import Source, members
from mohs.engines.fleets import Fleet
from mohs.envs.keeping import keep, restored
from mohs.envs.make import make, make_vec

Array = npt.NDArray[Any]


class Step(NamedTuple):
    """One step of all instances: what was seen before it, done, earned, and seen after it; what is seen now.

    `now` is `after`, or what a new episode begins with.
    """

    before: Array
    action: Array
    reward: npt.NDArray[np.float64]
    after: Array
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    now: Array


class Stage(Protocol):
    """Instances in the order of the cells, those of one cell side by side. `failed` says which have failed, and why."""

    observation_space: spaces.Space[Any]
    action_space: spaces.Space[Any]
    now: Array
    failed: dict[int, str]

    def step(self, actions: Array) -> Step: ...

    def rest(self, instances: Sequence[int]) -> None:
        """What these do does not count any more: it may stop, and must not fail."""
        ...

    def save(self, i: int) -> Any:
        """The state of an instance, for `core/packed.py`; None where its environment cannot be saved."""
        ...

    def load(self, i: int, state: Any) -> None: ...

    def close(self) -> None: ...


def is_native(source: Source) -> bool:
    """Whether a compiled fleet plays the source."""
    return not any(task.environment.third_party for task in members(source)[0])


def stage(sources: Sequence[Source], seeds: Sequence[int]) -> Stage:
    """A stage with one instance for each source, in a stream of its own."""
    return FleetStage(sources, seeds) if all(map(is_native, sources)) else EnvStage(sources, seeds)


class FleetStage:
    def __init__(self, sources: Sequence[Source], seeds: Sequence[int]) -> None:
        first = members(sources[0])[0][0]
        self._envs: Any = make_vec(first, tasks=sources, autoreset_mode="SameStep")
        self.observation_space = self._envs.single_observation_space
        self.action_space = self._envs.single_action_space
        self.failed: dict[int, str] = {}
        self.now, _ = self._envs.reset(seed=[*seeds])  # type: ignore[arg-type]

    @property
    def fleet(self) -> Fleet | None:
        """The fleet, where a kernel can play it: states are observed as they are, and no noise is a Python function."""
        playable = self._envs.view is None and not self._envs.fleet.noise
        return self._envs.fleet if playable else None

    def step(self, actions: Array) -> Step:
        before = self.now
        self.now, reward, terminated, truncated, info = self._envs.step(actions)
        after = self.now
        over = info.get("_final_obs")
        if over is not None:
            after = after.copy()
            after[over] = np.stack(info["final_obs"][over])
        return Step(before, actions, reward, after, terminated, truncated, self.now)

    def rest(self, instances: Sequence[int]) -> None:
        """Nothing to do: the fleet is stepped as a whole."""

    def save(self, i: int) -> Any:
        return self._envs.fleet.save(i), self.now[i].copy()

    def load(self, i: int, state: Any) -> None:
        instance, now = state
        self._envs.fleet.load(i, instance)
        self.now[i] = now

    def close(self) -> None:
        self._envs.close()


class EnvStage:
    """Single environments. One that raises has failed: it is not stepped again, and the others continue."""

    def __init__(self, sources: Sequence[Source], seeds: Sequence[int]) -> None:
        self._envs = [_flat(make(source)) for source in sources]
        self.observation_space, self.action_space = self._envs[0].observation_space, self._envs[0].action_space
        self.failed: dict[int, str] = {}
        self._resting: set[int] = set()
        begun = [np.asarray(env.reset(seed=seed)[0]) for env, seed in zip(self._envs, seeds, strict=True)]
        self.now = np.stack(begun)

    def step(self, actions: Array) -> Step:
        before, after, n = self.now, self.now.copy(), len(self._envs)
        reward, terminated, truncated = np.zeros(n), np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
        now = after.copy()
        for i, env in enumerate(self._envs):
            if i in self.failed or i in self._resting:
                continue
            try:
                after[i], reward[i], terminated[i], truncated[i], _ = env.step(_action(env, actions[i]))
                now[i] = env.reset()[0] if terminated[i] or truncated[i] else after[i]
            except Exception:
                self.failed[i] = traceback.format_exc()
        self.now = now
        return Step(before, actions, reward, after, terminated, truncated, now)

    def rest(self, instances: Sequence[int]) -> None:
        self._resting.update(instances)

    def save(self, i: int) -> Any:
        kept = keep(self._envs[i])
        return None if kept is None else (kept, self.now[i].copy())

    def load(self, i: int, state: Any) -> None:
        self._envs[i], self.now[i] = restored(self._envs[i], state[0]), state[1]

    def close(self) -> None:
        for env in self._envs:
            env.close()


def _flat(env: gymnasium.Env[Any, Any]) -> gymnasium.Env[Any, Any]:
    """Dictionaries and tuples of observations as one vector, where they can be."""
    compound = isinstance(env.observation_space, spaces.Dict | spaces.Tuple)
    return FlattenObservation(env) if compound and env.observation_space.is_np_flattenable else env


def _action(env: gymnasium.Env[Any, Any], action: Any) -> Any:
    return int(action) if isinstance(env.action_space, spaces.Discrete) else action
