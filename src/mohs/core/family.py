"""Which tasks belong together? A family: named points on named axes, with weights, strata and features."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError, unknown
from mohs.core.point import AGENT, Point
from mohs.core.task import Task, TaskSet, read_json, reading
from mohs.core.values import Json, content_hash, freeze

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Family:
    """Named points on named axes. A plan is agents × points × seeds.

    Weights belong to the family, never to a cell: many weightings share one set of runs. `family[i]` is a point by
    position, `family["name"]` by name; `len` and iteration work as for a tuple of points.

    Attributes:
        axes: The names of the axes: parameters of the task, or `agent.NAME` for a hyperparameter of the agent.
        points: The points, in order.

    Raises:
        UsageError: There is no point, two points have the same name, or a weight is negative or not finite.

    Example:
        >>> import mohs
        >>> family = mohs.Family.grid("toy/discrete", delay=[0, 2, 4], sequence_length=[1, 2])
        >>> len(family), family.axes
        (6, ('delay', 'sequence_length'))
        >>> family["delay=4 sequence_length=2"].task["delay"]
        4
    """

    axes: tuple[str, ...]
    points: tuple[Point, ...]

    def __post_init__(self) -> None:
        names = [p.name for p in self.points]
        if not names:
            raise UsageError("a family must have at least one point.")
        if len(set(names)) != len(names):
            twice = next(n for n in names if names.count(n) > 1)
            raise UsageError(f"the points of a family must have different names; {twice!r} occurs twice.")
        if not all(math.isfinite(p.weight) and p.weight >= 0 for p in self.points):
            raise UsageError("the weights of a family must be finite and ≥ 0.")
        strange = {axis for p in self.points for axis, _ in p.at} - set(self.axes)
        if strange:
            raise UsageError(f"a point lies on {sorted(strange)[0]!r}, which is not an axis of the family.")

    @classmethod
    def grid(cls, env: str, /, seed: int = 0, **params: Any) -> Family:
        """Makes the Cartesian product of axes.

        Args:
            env: The id of the environment.
            seed: The structure seed of every task.
            **params: A list or range is an axis; any other value is the same at all points. Names that begin with
                `agent.` are hyperparameters of the agent.

        Returns:
            The family, with the last axis varying fastest.

        Raises:
            UsageError: A parameter is unknown or out of range, or an axis has no values.

        Example:
            >>> import mohs
            >>> [point.name for point in mohs.Family.grid("toy/discrete", delay=[0, 1], reward_noise=0.5)]
            ['delay=0', 'delay=1']
        """
        axes, fixed = _axes(params)
        points = [
            _point(env, seed, fixed, dict(zip(axes, combination, strict=True)))
            for combination in itertools.product(*axes.values())
        ]
        return cls((*axes, *_of_agent(fixed)), tuple(points))

    @classmethod
    def sweep(cls, env: str, /, seed: int = 0, **params: Any) -> Family:
        """Varies one axis at a time around the vanilla task, which is the first point.

        Args:
            env: The id of the environment.
            seed: The structure seed of every task.
            **params: As for `grid`.

        Returns:
            The family. A value that gives the vanilla task is left out.

        Raises:
            UsageError: A parameter is unknown or out of range, or an axis has no values.

        Example:
            >>> import mohs
            >>> [point.name for point in mohs.Family.sweep("toy/discrete", delay=[0, 1], sequence_length=[2])]
            ['vanilla', 'delay=1', 'sequence_length=2']
        """
        axes, fixed = _axes(params)
        candidates = [_point(env, seed, fixed, {})]
        candidates += [_point(env, seed, fixed, {name: value}) for name, values in axes.items() for value in values]
        points: dict[Any, Point] = {}
        for point in candidates:
            points.setdefault((point.task, tuple(point.hyperparameters.items())), point)
        return cls((*axes, *_of_agent(fixed)), tuple(points.values()))

    @classmethod
    def explicit(cls, tasks: Mapping[str, Task] | Sequence[Task], weights: Iterable[float] | None = None) -> Family:
        """Makes a family of given tasks, without axes.

        Args:
            tasks: The tasks by name, or a sequence of tasks, which are named by their text.
            weights: One weight for each task; 1 by default.

        Returns:
            The family.

        Raises:
            UsageError: There are no tasks, two have the same name, or the weights do not fit.

        Example:
            >>> import mohs
            >>> easy, hard = mohs.Task.make("toy/discrete"), mohs.Task.make("toy/discrete", delay=8)
            >>> mohs.Family.explicit({"easy": easy, "hard": hard}, weights=[3, 1]).weights.tolist()
            [0.75, 0.25]
        """
        named = tasks if isinstance(tasks, Mapping) else {str(task): task for task in tasks}
        family = cls((), tuple(Point(name, task) for name, task in named.items()))
        return family if weights is None else family.weighted(weights)

    def product(self, **params: list[Any]) -> Family:
        """Adds axes: every point with every combination of the new values.

        Args:
            **params: The new axes, each a list or range of values.

        Returns:
            The larger family; weights, strata and features are those of the points.

        Raises:
            UsageError: An axis is not a list, has no values, or is in the family already.

        Example:
            >>> import mohs
            >>> len(mohs.Family.grid("toy/discrete", delay=[0, 1]).product(sequence_length=[1, 2, 3]))
            6
        """
        axes, fixed = _axes(params)
        if fixed:
            raise UsageError(f"the new axis {next(iter(fixed))!r} must be a list of values.")
        twice = set(params) & set(self.axes)
        if twice:
            raise UsageError(f"the axis {sorted(twice)[0]!r} is in the family already.")
        points = [
            replace(
                p,
                name=_name({**dict(p.at), **new}, prefix="" if p.at else p.name),
                task=p.task.replace(**_of_task(new)),
                at=(*p.at, *((axis, freeze(v)) for axis, v in new.items())),
            )
            for p in self.points
            for new in (dict(zip(axes, c, strict=True)) for c in itertools.product(*axes.values()))
        ]
        return Family((*self.axes, *params), tuple(points))

    def weighted(self, weights: Iterable[float]) -> Family:
        """Replaces the weights.

        Args:
            weights: One number ≥ 0 for each point; they need not sum to 1.

        Returns:
            The same points with other weights.

        Raises:
            UsageError: The number of weights is not the number of points, or one is negative or not finite.

        Example:
            >>> import mohs
            >>> mohs.Family.grid("toy/discrete", delay=[0, 1]).weighted([1, 3]).weights.tolist()
            [0.25, 0.75]
        """
        given = tuple(float(w) for w in weights)
        if len(given) != len(self.points):
            raise UsageError(f"{len(given)} weights were given for {len(self.points)} points.")
        return Family(self.axes, tuple(replace(p, weight=w) for p, w in zip(self.points, given, strict=True)))

    @property
    def weights(self) -> Floats:
        """The weights of the points, normalised to sum to 1.

        Raises:
            UsageError: All weights are 0.

        Example:
            >>> import mohs
            >>> mohs.Family.grid("toy/discrete", delay=[0, 1]).weights.tolist()
            [0.5, 0.5]
        """
        given = np.array([p.weight for p in self.points])
        if not given.any():
            raise UsageError("the weights of a family are all 0; at least one must be positive.")
        return np.asarray(given / given.sum())

    @property
    def features(self) -> dict[str, Floats]:
        """The features as arrays over the points, by name; NaN where a point lacks one.

        Example:
            >>> import mohs
            >>> task = mohs.Task.make("toy/discrete")
            >>> points = mohs.Point("a", task, features=(("size", 8.0),)), mohs.Point("b", task)
            >>> mohs.Family((), points).features["size"].tolist()
            [8.0, nan]
        """
        names = dict.fromkeys(name for p in self.points for name, _ in p.features)
        return {name: np.array([dict(p.features).get(name, np.nan) for p in self.points]) for name in names}

    def frame(self) -> pd.DataFrame:
        """Returns a data frame with one row for each point.

        Returns:
            The columns are `name`, one for each axis, `stratum`, `weight` (normalised), one for each feature, `env`
            and `params` (the parameters that differ from their defaults). A point without a value on an axis has None.

        Raises:
            UsageError: An axis or a feature has the name of another column.

        Example:
            >>> import mohs
            >>> mohs.Family.grid("toy/discrete", delay=[0, 1]).frame()[["name", "delay", "weight"]].values.tolist()
            [['delay=0', 0, 0.5], ['delay=1', 1, 0.5]]
        """
        import pandas as pd

        columns: list[tuple[str, Any]] = [
            ("name", [p.name for p in self.points]),
            *((axis, [dict(p.at).get(axis) for p in self.points]) for axis in self.axes),
            ("stratum", [p.stratum for p in self.points]),
            ("weight", self.weights),
            *self.features.items(),
            ("env", [p.task.env for p in self.points]),
            ("params", [dict(p.task.params) for p in self.points]),
        ]
        names = [name for name, _ in columns]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise UsageError(f"a data frame of this family would have two columns named {twice!r}.")
        return pd.DataFrame(dict(columns))

    def task_set(self) -> TaskSet:
        """Returns the tasks as a set, from which one is drawn for every episode with the weights of the points.

        Raises:
            UsageError: All weights are 0.

        Example:
            >>> import mohs
            >>> mohs.Family.grid("toy/discrete", delay=[0, 1]).task_set().weights
            (0.5, 0.5)
        """
        return TaskSet.make((p.task for p in self.points), (p.weight for p in self.points))

    def __getitem__(self, which: int | str) -> Point:
        if not isinstance(which, str):
            return self.points[which]
        if which not in self._by_name:
            raise unknown("point of the family", which, self._by_name)
        return self._by_name[which]

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def to_json(self) -> dict[str, Json]:
        """Returns the family as plain data.

        Example:
            >>> import mohs
            >>> mohs.Family.grid("toy/discrete", delay=[0, 1]).to_json()["axes"]
            ['delay']
        """
        return {"axes": list(self.axes), "points": [p.to_json() for p in self.points]}

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> Family:
        """Reads a family that `to_json` wrote.

        Args:
            data: JSON text, or the mapping itself.

        Returns:
            The family.

        Raises:
            UsageError: The data is not a family.

        Example:
            >>> import mohs
            >>> family = mohs.Family.grid("toy/discrete", delay=[0, 1])
            >>> mohs.Family.from_json(family.to_json()) == family
            True
        """
        data = read_json(data, "family", {"axes", "points"})
        with reading("family"):
            return cls(tuple(data["axes"]), tuple(Point.from_json(p) for p in data["points"]))

    @cached_property
    def key(self) -> str:
        """The content hash of the family.

        Example:
            >>> import mohs
            >>> len(mohs.Family.grid("toy/discrete", delay=[0, 1]).key)
            32
        """
        return content_hash(self.to_json())

    @cached_property
    def _by_name(self) -> dict[str, Point]:
        return {p.name: p for p in self.points}


def _axes(params: Mapping[str, Any]) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """The parameters that vary, and those that are fixed."""
    axes = {name: list(values) for name, values in params.items() if isinstance(values, list | range)}
    for name, values in axes.items():
        if not values:
            raise UsageError(f"the axis {name!r} has no values.")
    return axes, {name: value for name, value in params.items() if name not in axes}


def _of_task(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that are not hyperparameters of the agent."""
    return {name: value for name, value in params.items() if not name.startswith(AGENT)}


def _of_agent(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name.startswith(AGENT)}


def _point(env: str, seed: int, fixed: Mapping[str, Any], at: Mapping[str, Any]) -> Point:
    task = Task.make(env, seed=seed, **_of_task({**fixed, **at}))
    places = {**at, **_of_agent(fixed)}
    return Point(_name(at), task, tuple((axis, freeze(value)) for axis, value in places.items()))


def _name(at: Mapping[str, Any], prefix: str = "") -> str:
    words = [f"{axis}={value}" for axis, value in at.items()]
    return " ".join([prefix, *words] if prefix else words) or "vanilla"
