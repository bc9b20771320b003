"""How is an action value estimated from what was seen, done and earned? By means, or by trees between observations."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.kernel import kernel
from mohs.core.packed import PackedError

NODE = np.dtype(
    [("left", np.int64), ("right", np.int64), ("feature", np.int64), ("threshold", np.float64), ("value", np.float64)]
)
TIES = 1e-9  # values that differ by less, relative to the largest, are equal
Float = npt.NDArray[np.float64]


class Regression(Protocol):
    """Action values by observation."""

    def best(self, observation: Any) -> Sequence[int] | npt.NDArray[np.int64]:
        """The actions of the largest value; none where nothing is known."""
        ...

    def largest(self, observation: Any) -> float: ...

    def save(self) -> Any:
        """What `loaded` makes it from again."""
        ...


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

    def save(self) -> Any:
        return list(self.values), np.array([*self.values.values()])


@dataclass(frozen=True, eq=False)
class Forest:
    """Extremely randomised trees (Geurts et al. 2006) on the observation and the action, one column for each."""

    space: spaces.Space[Any]
    width: int
    roots: npt.NDArray[np.int64]
    nodes: npt.NDArray[Any]  # records `NODE` of all trees; the children of a node stand behind it

    def best(self, observation: Any) -> Sequence[int] | npt.NDArray[np.int64]:
        return _largest(self._values(observation)) if len(self.roots) else ()

    def largest(self, observation: Any) -> float:
        return float(self._values(observation).max())

    def _values(self, observation: Any) -> Float:
        rows = _rows(self.space, self.width, [observation] * self.width, range(self.width))
        # The trees are asked directly: the forest's own way takes a hundred times as long for a few rows.
        found = np.empty((len(self.roots), len(rows)))
        _predict(self.roots, self.nodes, rows, found)
        return np.asarray(found.mean(axis=0))

    def save(self) -> Any:
        return self.roots, self.nodes


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
        return Forest(space, width, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=NODE))
    from sklearn.ensemble import ExtraTreesRegressor

    model = ExtraTreesRegressor(trees, min_samples_leaf=min(5, len(targets)), random_state=seed)
    model.fit(_rows(space, width, observations, actions), np.array(targets))
    grown = [tree.tree_ for tree in model.estimators_]
    sizes: list[int] = [tree.node_count for tree in grown]
    roots = np.cumsum([0, *sizes[:-1]])
    nodes = np.zeros(sum(sizes), dtype=NODE)
    for root, size, tree in zip(roots, sizes, grown, strict=True):
        mine: Any = nodes[root : root + size]
        leaf = tree.children_left < 0
        mine["left"], mine["right"] = (np.where(leaf, -1, c + root) for c in (tree.children_left, tree.children_right))
        mine["feature"], mine["threshold"] = np.where(leaf, 0, tree.feature), tree.threshold
        mine["value"] = tree.value[:, 0, 0]
    return Forest(space, width, roots, nodes)


def loaded(space: spaces.Space[Any], width: int, state: Any) -> Regression:
    """The regression that `save` kept. A forest that leads nowhere is refused, because a kernel walks it."""
    if isinstance(space, spaces.Discrete | spaces.MultiDiscrete):
        keys, values = state
        return Means(dict(zip(keys, values.reshape(-1, width), strict=True)))
    roots, nodes = state
    n, here = len(nodes), np.arange(len(nodes))
    inner = nodes["left"] >= 0
    ahead = [((nodes[side] > here) & (nodes[side] < n))[inner].all() for side in ("left", "right")]
    known = (nodes["feature"] >= 0) & (nodes["feature"] < spaces.flatdim(space) + width)
    if nodes.dtype != NODE or not (all(ahead) and known.all() and ((roots >= 0) & (roots < n)).all()):
        raise PackedError("this forest is malformed.")
    return Forest(space, width, roots.astype(np.int64), nodes)


@kernel
def _predict(roots, nodes, rows, out):
    """What each tree says of each row."""
    for i in range(len(roots)):
        for j in range(len(rows)):
            at = roots[i]
            while nodes[at].left >= 0:
                at = nodes[at].left if rows[j, nodes[at].feature] <= nodes[at].threshold else nodes[at].right
            out[i, j] = nodes[at].value


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
