"""Which tasks belong together? A family: named points on named axes, with optional weights."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from mohs.core.errors import UsageError
from mohs.core.task import Task, TaskSet, read_json, reading
from mohs.core.values import Json, content_hash, freeze, from_json, to_json


@dataclass(frozen=True)
class Point:
    """One member: a task, where it lies on the axes, how much it weighs, and what else is known of it."""

    name: str
    task: Task
    at: tuple[tuple[str, Any], ...] = ()
    weight: float = 1.0
    stratum: str = ""
    features: tuple[tuple[str, float], ...] = ()

    def to_json(self) -> dict[str, Json]:
        return {
            "name": self.name,
            "task": self.task.to_json(),
            "at": {axis: to_json(value) for axis, value in self.at},
            "weight": self.weight,
            "stratum": self.stratum,
            "features": dict(self.features),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Point:
        data = read_json(data, "point", {"name", "task", "at", "weight", "stratum", "features"})
        at = tuple((axis, from_json(value)) for axis, value in data["at"].items())
        task, features = Task.from_json(data["task"]), tuple(sorted(data["features"].items()))
        return cls(data["name"], task, at, data["weight"], data["stratum"], features)


@dataclass(frozen=True)
class Family:
    """Points on named axes. Weights live here, never in a cell: many weightings, one set of runs."""

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

    @classmethod
    def grid(cls, env: str, /, seed: int = 0, **params: Any) -> Family:
        """All combinations: a *list* (or range) is an axis, any other value is fixed."""
        axes, fixed = _axes(params)
        points = [
            _point(env, seed, fixed, dict(zip(axes, combination, strict=True)))
            for combination in itertools.product(*axes.values())
        ]
        return cls(tuple(axes), tuple(points))

    @classmethod
    def sweep(cls, env: str, /, seed: int = 0, **params: Any) -> Family:
        """One axis at a time around the vanilla task, which is the first point."""
        axes, fixed = _axes(params)
        points = {Task.make(env, seed=seed, **fixed): Point("vanilla", Task.make(env, seed=seed, **fixed))}
        for name, values in axes.items():
            for value in values:
                point = _point(env, seed, fixed, {name: value})
                points.setdefault(point.task, point)
        return cls(tuple(axes), tuple(points.values()))

    @classmethod
    def explicit(cls, tasks: Mapping[str, Task] | Sequence[Task], weights: Iterable[float] | None = None) -> Family:
        """Tasks as they are, named by their keys or their text."""
        named = tasks if isinstance(tasks, Mapping) else {str(task): task for task in tasks}
        family = cls((), tuple(Point(name, task) for name, task in named.items()))
        return family if weights is None else family.weighted(weights)

    def product(self, **params: list[Any]) -> Family:
        """This family with further axes: every point with every combination of the new values."""
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
                task=p.task.replace(**new),
                at=(*p.at, *((axis, freeze(v)) for axis, v in new.items())),
            )
            for p in self.points
            for new in (dict(zip(axes, c, strict=True)) for c in itertools.product(*axes.values()))
        ]
        return Family((*self.axes, *params), tuple(points))

    def weighted(self, weights: Iterable[float]) -> Family:
        given = tuple(float(w) for w in weights)
        if len(given) != len(self.points):
            raise UsageError(f"{len(given)} weights were given for {len(self.points)} points.")
        return Family(self.axes, tuple(replace(p, weight=w) for p, w in zip(self.points, given, strict=True)))

    def task_set(self) -> TaskSet:
        """The members as a set to draw one from for every episode."""
        return TaskSet.make((p.task for p in self.points), (p.weight for p in self.points))

    def __getitem__(self, i: int) -> Point:
        return self.points[i]

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def to_json(self) -> dict[str, Json]:
        return {"axes": list(self.axes), "points": [p.to_json() for p in self.points]}

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> Family:
        data = read_json(data, "family", {"axes", "points"})
        with reading("family"):
            return cls(tuple(data["axes"]), tuple(Point.from_json(p) for p in data["points"]))

    @cached_property
    def key(self) -> str:
        return content_hash(self.to_json())


def _axes(params: Mapping[str, Any]) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """The parameters that vary, and those that are fixed."""
    axes = {name: list(values) for name, values in params.items() if isinstance(values, list | range)}
    for name, values in axes.items():
        if not values:
            raise UsageError(f"the axis {name!r} has no values.")
    return axes, {name: value for name, value in params.items() if name not in axes}


def _point(env: str, seed: int, fixed: Mapping[str, Any], at: Mapping[str, Any]) -> Point:
    task = Task.make(env, seed=seed, **fixed, **at)
    return Point(_name(at), task, tuple((axis, freeze(value)) for axis, value in at.items()))


def _name(at: Mapping[str, Any], prefix: str = "") -> str:
    words = [f"{axis}={value}" for axis, value in at.items()]
    return " ".join([prefix, *words] if prefix else words) or "vanilla"
