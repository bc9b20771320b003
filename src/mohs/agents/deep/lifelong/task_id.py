"""How does an agent observe the task id? It is part of the observation.

States get one more category, vectors a one-hot tail, images one more channel for each task, bright for its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from mohs.agents.deep.spaces import Categories, Image, Observations, observations
from mohs.agents.stage import Array, Stage, Step
from mohs.core.errors import UsageError


class TaskIdStage:
    """A stage on which every instance plays the task with this id, out of `count`."""

    def __init__(self, inner: Stage, number: int, count: int) -> None:
        self._inner, self._number, self._count = inner, number, count
        self._sees = observations(inner.observation_space)
        self.observation_space = _space(self._sees, count)
        self.action_space = inner.action_space
        self.failed = inner.failed
        self.now = self._with_id(inner.now)

    def step(self, actions: Array) -> Step:
        before = self.now
        step = self._inner.step(actions)
        self.now = self._with_id(step.now)
        after = self.now if step.after is step.now else self._with_id(step.after)
        return step._replace(before=before, after=after, now=self.now)

    def rest(self, instances: Sequence[int]) -> None:
        self._inner.rest(instances)

    def save(self, i: int) -> Any:
        return self._inner.save(i)

    def load(self, i: int, state: Any) -> None:
        self._inner.load(i, state)
        self.now = self._with_id(self._inner.now)

    def close(self) -> None:
        self._inner.close()

    def _with_id(self, seen: Array) -> Array:
        kept = self._sees.store(seen)
        if isinstance(self._sees, Categories):
            return np.concatenate([np.asarray(seen).reshape(kept.shape), np.full((len(kept), 1), self._number)], 1)
        place = np.arange(self._count) == self._number
        if isinstance(self._sees, Image):
            planes = np.zeros((len(kept), self._count, *kept.shape[2:]), dtype=np.uint8)
            planes[:, self._number] = self._sees.top
            return np.moveaxis(np.concatenate([kept, planes], 1), 1, -1)
        return np.concatenate([kept, np.tile(place.astype(np.float32), (len(kept), 1))], 1)


def _space(sees: Observations, count: int) -> spaces.Space[Any]:
    if isinstance(sees, Categories):
        return spaces.MultiDiscrete([*sees.sizes, count], start=[*sees.starts, 0])
    if isinstance(sees, Image):
        channels, height, width = sees.shape
        shape = height, width, channels + count
        space: spaces.Space[Any] = spaces.Box(0, sees.top, shape, dtype=np.uint8 if sees.top > 1 else np.bool_)
        found = observations(space)
        if not (isinstance(found, Image) and found.channels_last):  # they would be taken for rows
            raise UsageError(f"images of {height} × {width} pixels have no room for the ids of {count} tasks.")
        return space
    return spaces.Box(-np.inf, np.inf, (sees.width + count,), dtype=np.float32)
