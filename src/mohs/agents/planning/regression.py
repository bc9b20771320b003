"""How is an action value estimated from what was seen, done and earned? By means, or by trees between observations."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

TIES = 1e-9  # values that differ by less, relative to the largest, are equal
Float = npt.NDArray[np.float64]


class Regression(Protocol):
    """Action values by observation."""

    def best(self, observation: Any) -> Sequence[int] | npt.NDArray[np.int64]:
        """The actions of the largest value; none where nothing is known."""
        ...

    def largest(self, observation: Any) -> float: ...


def fit(
    space: spaces.Space[Any],
    width: int,
    observations: Sequence[Any],
    actions: Sequence[int],
    targets: Sequence[float],
    trees: int,
    rng: np.random.Generator,
) -> Regression:
    """Means for discrete observations, extremely randomised trees for all others."""
    if isinstance(space, spaces.Discrete | spaces.MultiDiscrete):
        return _means(width, observations, actions, targets)
    return _forest(space, width, observations, actions, targets, trees, int(rng.integers(2**31)))


@dataclass(frozen=True, eq=False)
class Means:
    """The mean target of each action, by observation; NaN where the action was not tried."""

    values: dict[Hashable, Float]

    def best(self, observation: Any) -> Sequence[int] | npt.NDArray[np.int64]:
        found = self.values.get(_key(observation))
        return () if found is None else _largest(found)

    def largest(self, observation: Any) -> float:
        return float(np.nanmax(self.values[_key(observation)]))


@dataclass(frozen=True, eq=False)
class Forest:
    """Extremely randomised trees (Geurts et al. 2006) on the observation and the action, one column for each."""

    space: spaces.Space[Any]
    width: int
    trees: tuple[Any, ...]

    def best(self, observation: Any) -> Sequence[int] | npt.NDArray[np.int64]:
        return _largest(self._values(observation)) if self.trees else ()

    def largest(self, observation: Any) -> float:
        return float(self._values(observation).max())

    def _values(self, observation: Any) -> Float:
        rows = _rows(self.space, self.width, [observation] * self.width, range(self.width))
        # The trees are asked directly: the forest's own way takes a hundred times as long for a few rows.
        return np.asarray(np.mean([tree.predict(rows)[:, 0] for tree in self.trees], axis=0))


def _means(width: int, observations: Sequence[Any], actions: Sequence[int], targets: Sequence[float]) -> Means:
    sums: dict[Hashable, Float] = {}
    counts: dict[Hashable, Float] = {}
    for observation, action, target in zip(observations, actions, targets, strict=True):
        key = _key(observation)
        sums.setdefault(key, np.zeros(width))[action] += target
        counts.setdefault(key, np.zeros(width))[action] += 1
    with np.errstate(invalid="ignore"):
        return Means({key: sums[key] / counts[key] for key in sums})


def _forest(
    space: spaces.Space[Any],
    width: int,
    observations: Sequence[Any],
    actions: Sequence[int],
    targets: Sequence[float],
    trees: int,
    seed: int,
) -> Forest:
    if not targets:
        return Forest(space, width, ())
    from sklearn.ensemble import ExtraTreesRegressor

    model = ExtraTreesRegressor(trees, min_samples_leaf=min(5, len(targets)), random_state=seed)
    model.fit(_rows(space, width, observations, actions), np.array(targets))
    return Forest(space, width, tuple(tree.tree_ for tree in model.estimators_))


def _rows(
    space: spaces.Space[Any], width: int, observations: Sequence[Any], actions: Sequence[int] | range
) -> npt.NDArray[np.float32]:
    seen = np.array([spaces.flatten(space, observation) for observation in observations], dtype=np.float32)
    return np.hstack([seen, np.eye(width, dtype=np.float32)[list(actions)]])


def _key(observation: Any) -> Hashable:
    return tuple(np.ravel(observation).tolist())


def _largest(values: Float) -> npt.NDArray[np.int64]:
    top = np.nanmax(values)
    return np.flatnonzero(values >= top - TIES * np.nanmax(np.abs(values)))
