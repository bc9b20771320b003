"""Which tasks belong together? A family: named points on named axes, with weights, strata and features."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mohs.core.arguments import checked_record
from mohs.core.domain import Integer
from mohs.core.errors import UsageError, unknown
from mohs.core.places import SEED, changed, check_contexts, name_of, of_agent, point
from mohs.core.point import MARKS, Point
from mohs.core.ranges import Range, frame
from mohs.core.task import Task, TaskSet, read_json, reading
from mohs.core.values import Json, content_hash, freeze

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
LEVELS = "toy/discrete and ctgraph (axis seed) and Procgen (axis start_level) do; of others vary the parameters"


@checked_record
@dataclass(frozen=True)
class Family:
    """Named points on named axes. A plan is agents × points × seeds.

    Weights belong to the family, never to a cell: many weightings share one set of runs. `family[i]` is a point by
    position, `family["name"]` by name; `len` and iteration work as for a tuple of points.

    Attributes:
        axes: The names of the axes: parameters of the task, or `agent.NAME` for a hyperparameter of the agent.
        points: The points, in order.

    Raises:
        UsageError: There is no point, two points have the same name, a weight is negative or not finite, or two points
            are marked as the default.

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
        if len(self.marked("default")) > 1:
            raise UsageError("a family must have at most one default point.")

    @classmethod
    def grid(cls, env: str, /, seed: int | Sequence[int] = 0, **params: Any) -> Family:
        """Makes the Cartesian product of axes.

        Args:
            env: The id of the environment.
            seed: The structure seed of every task, or an axis of them.
            **params: A list or range is an axis; any other value is the same at all points. Names that begin with
                `agent.` are hyperparameters of the agent. A name that is not a parameter of a third-party
                environment is an attribute of it, or a field of its MuJoCo model, and goes into its `context`.

        Returns:
            The family, with the last axis varying fastest.

        Raises:
            UsageError: A parameter is unknown or out of range, or an axis has no values.

        Example:
            >>> import mohs
            >>> [point.name for point in mohs.Family.grid("toy/discrete", delay=[0, 1], reward_noise=0.5)]
            ['delay=0', 'delay=1']
            >>> len(mohs.Family.grid("Pendulum-v1", m=[1, 2], l=[0.5, 1]))
            4
        """
        base, listed = (0, {SEED: list(seed)}) if isinstance(seed, Sequence) else (seed, {})
        axes, fixed = _axes({**listed, **params})
        places = (dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values()))
        return cls._at(env, base, axes, fixed, places)

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
        places = [{}, *({name: value} for name, values in axes.items() for value in values)]
        candidates = cls._at(env, seed, axes, fixed, places)
        points: dict[Any, Point] = {}
        for candidate in candidates:
            points.setdefault((candidate.task, tuple(candidate.hyperparameters.items())), candidate)
        return cls(candidates.axes, tuple(points.values()))

    @classmethod
    def sample(cls, env: str, /, n: int = 1024, seed: int = 0, **params: Any) -> Family:
        """Fills continuous ranges evenly with points: the frame from which a study draws those that it trains on.

        Args:
            env: The id of the environment.
            n: The number of points.
            seed: The seed of the scrambled Sobol sequence. The first points of a larger family are those of a smaller
                one of the same seed.
            **params: A pair of numbers or a `Range` is a continuous axis; the rest is as for `grid`.

        Returns:
            The family, with equal weights.

        Raises:
            UsageError: No axis is continuous, or a parameter is unknown or out of range.

        Example:
            >>> import mohs
            >>> family = mohs.Family.sample("Pendulum-v1", n=8, m=mohs.Range(0.1, 10, log=True), l=[0.5, 1, 2])
            >>> len(family), family.axes
            (8, ('m', 'l'))
        """
        axes, fixed = _ranges(params)
        if not any(isinstance(values, Range) for values in axes.values()):
            raise UsageError("a sample needs a continuous range, such as m=(0.4, 4.0); lists alone make a grid.")
        return cls._at(env, 0, axes, fixed, frame(axes, Integer(1, 2**20).parse("n", n), seed))

    @classmethod
    def levels(cls, env: str, seeds: Iterable[int], /, **params: Any) -> Family:
        """Makes a family of levels: tasks that differ in what is generated.

        Args:
            env: The id of the environment.
            seeds: The structure seeds of the discrete toy or the CT-graph; the numbers of levels of a Procgen game.
            **params: Parameters that are the same at all points.

        Returns:
            The family, with one axis: `seed`, or `start_level` for Procgen.

        Raises:
            UsageError: The environment generates no levels, or a parameter is unknown or out of range.

        Example:
            >>> import mohs
            >>> [point.name for point in mohs.Family.levels("toy/discrete", range(2), delay=1)]
            ['seed=0', 'seed=1']
        """
        axis = Task.make(env).environment.levels
        if not axis:
            raise UsageError(f"{env} generates no levels: {LEVELS}.")
        if axis != SEED:
            params = {"num_levels": 1, **params}
        return cls._at(env, 0, [axis], params, [{axis: int(one)} for one in seeds])

    @classmethod
    def _at(
        cls, env: str, seed: int, axes: Iterable[str], fixed: Mapping[str, Any], places: Iterable[Mapping[str, Any]]
    ) -> Family:
        """The points at these places."""
        base = Task.make(env, seed=seed)
        points = tuple(point(base, fixed, at) for at in places)
        check_contexts(p.task for p in points)
        return cls((*axes, *of_agent(fixed)), points)

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

    @classmethod
    def from_csv(cls, path: str | Path, env: str | None = None, **params: Any) -> Family:
        """Reads a family from a CSV file with one row for each point.

        Args:
            path: The file. Its columns are the axes and, if wanted, `name`, `env`, `weight`, `stratum`, `marks`
                (separated by spaces) and `feature:NAME`. An empty place is whatever the environment has.
            env: The id of the environment; needed where there is no column `env`.
            **params: Parameters that are the same at all points.

        Returns:
            The family.

        Raises:
            UsageError: The file cannot be read, a column is not an axis of the environment, or a weight is not allowed.

        Example:
            >>> import mohs, pathlib, tempfile
            >>> path = pathlib.Path(tempfile.mkdtemp(), "points.csv")
            >>> _ = path.write_text("name,m,l,weight\\nlight,0.4,1,3\\nheavy,4,1,1\\n")
            >>> mohs.Family.from_csv(path, "Pendulum-v1").weights.tolist()
            [0.75, 0.25]
        """
        from mohs.core.family_files import read_csv

        return read_csv(Path(path), env, params)

    def to_csv(self, path: str | Path) -> None:
        """Writes the points as CSV, which `from_csv` reads.

        Args:
            path: The file. Parameters that are the same at all points have a column too.

        Example:
            >>> import mohs, pathlib, tempfile
            >>> path = pathlib.Path(tempfile.mkdtemp(), "points.csv")
            >>> family = mohs.Family.grid("Pendulum-v1", m=[1, 2])
            >>> family.to_csv(path)
            >>> mohs.Family.from_csv(path) == family
            True
        """
        from mohs.core.family_files import write_csv

        write_csv(self, Path(path))

    def weighted_by(self, path: str | Path) -> Family:
        """Replaces the weights by those of a CSV file.

        Args:
            path: The file, with the columns `name` and `weight`. Every point with a positive weight must be in it.

        Returns:
            The same points with other weights.

        Raises:
            UsageError: A point is unknown or missing, or a weight is not allowed.

        Example:
            >>> import mohs, pathlib, tempfile
            >>> path = pathlib.Path(tempfile.mkdtemp(), "weights.csv")
            >>> _ = path.write_text("name,weight\\ndelay=0,1\\ndelay=1,3\\n")
            >>> mohs.Family.grid("toy/discrete", delay=[0, 1]).weighted_by(path).weights.tolist()
            [0.25, 0.75]
        """
        from mohs.core.family_files import read_weights

        return read_weights(self, Path(path))

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
                name=name_of({**dict(p.at), **new}, prefix="" if p.at else p.name),
                task=changed(p.task, new),
                at=(*p.at, *((axis, freeze(v)) for axis, v in new.items())),
            )
            for p in self.points
            for new in (dict(zip(axes, c, strict=True)) for c in itertools.product(*axes.values()))
        ]
        check_contexts(p.task for p in points)
        return Family((*self.axes, *params), tuple(points))

    def weighted(self, weights: Iterable[float]) -> Family:
        """Replaces the weights.

        Args:
            weights: One number ≥ 0 for each point; they need not sum to 1. Points with the weight 0, such as a default
                that is no member, may be left out.

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
        count = len(self.members)
        if len(given) == count < len(self.points):
            left = iter(given)
            given = tuple(next(left) if p.weight > 0 else 0.0 for p in self.points)
        if len(given) != len(self.points):
            more = "" if count == len(self.points) else f", or {len(self.points)} with those of the weight 0"
            raise UsageError(f"{len(given)} weights were given for {count} points{more}.")
        return Family(self.axes, tuple(replace(p, weight=w) for p, w in zip(self.points, given, strict=True)))

    @property
    def members(self) -> tuple[Point, ...]:
        """The points with a positive weight. A default point that the family lacks is there with the weight 0.

        Example:
            >>> import mohs
            >>> len(mohs.Family.grid("toy/discrete", delay=[0, 1]).weighted([0, 1]).members)
            1
        """
        return tuple(p for p in self.points if p.weight > 0)

    def marked(self, mark: str) -> tuple[Point, ...]:
        """Returns the points with a mark.

        Args:
            mark: "default", "generic" or "simplified".

        Returns:
            The points, in order.

        Raises:
            UsageError: The mark is unknown.

        Example:
            >>> import mohs
            >>> mohs.Family.grid("toy/discrete", delay=[0, 1]).marked("generic")
            ()
        """
        if mark not in MARKS:
            raise unknown("mark", mark, MARKS)
        return tuple(p for p in self.points if mark in p.marks)

    @property
    def default(self) -> Point | None:
        """The point that is usually reported, if one is marked as the default.

        Example:
            >>> import mohs
            >>> task = mohs.Task.make("toy/discrete")
            >>> mohs.Family((), (mohs.Point("plain", task, marks=("default",)),)).default.name
            'plain'
        """
        return next(iter(self.marked("default")), None)

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

        The axes with numbers are the features of a family whose points have none of their own.

        Example:
            >>> import mohs
            >>> task = mohs.Task.make("toy/discrete")
            >>> points = mohs.Point("a", task, features=(("size", 8.0),)), mohs.Point("b", task)
            >>> mohs.Family((), points).features["size"].tolist()
            [8.0, nan]
        """
        return self._given_features or dict(self._coordinates())

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
            *self._given_features.items(),
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
    def _given_features(self) -> dict[str, Floats]:
        names = dict.fromkeys(name for p in self.points for name, _ in p.features)
        return {name: np.array([dict(p.features).get(name, np.nan) for p in self.points]) for name in names}

    def _coordinates(self) -> Iterator[tuple[str, Floats]]:
        """The axes on which all values are numbers; flags are 0 and 1."""
        for axis in self.axes:
            values = [dict(p.at).get(axis, math.nan) for p in self.points]
            if all(isinstance(value, int | float) for value in values):
                yield axis, np.array(values, dtype=np.float64)

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


def _ranges(params: Mapping[str, Any]) -> tuple[dict[str, list[Any] | Range], dict[str, Any]]:
    """The same with continuous ranges, which are pairs of numbers."""
    pairs = {name: Range(*value) for name, value in params.items() if isinstance(value, tuple) and len(value) == 2}
    ranges = {**pairs, **{name: value for name, value in params.items() if isinstance(value, Range)}}
    lists, fixed = _axes({name: value for name, value in params.items() if name not in ranges})
    both: dict[str, list[Any] | Range] = {**ranges, **lists}
    return {name: both[name] for name in params if name in both}, fixed
