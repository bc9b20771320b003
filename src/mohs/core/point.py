"""What is one member of a family? A task, its place on the axes, its weight, stratum and features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mohs.core.arguments import checked_record
from mohs.core.errors import unknown
from mohs.core.task import Task, read_json
from mohs.core.values import Json, from_json, to_json

AGENT = "agent."  # prefix of the axes that set hyperparameters of the agent, not parameters of the task
# What is usually reported; the mean of the parameters of the others; the easiest (Table 3 of Jayawardana et al. 2022).
MARKS = ("default", "generic", "simplified")


@checked_record
@dataclass(frozen=True)
class Point:
    """One member of a family.

    Two points may share a task: axes named `agent.NAME` set a hyperparameter of the agent instead.

    Attributes:
        name: The name, unique within the family.
        task: The task.
        at: The values on the axes, as pairs (axis, value).
        weight: The weight, not normalised.
        stratum: The group that the point belongs to; empty for none.
        features: Numbers that describe the task, as pairs (name, value).
        marks: What the point stands for: some of "default", "generic" and "simplified".

    Raises:
        UsageError: A mark is unknown.

    Example:
        >>> import mohs
        >>> point = mohs.Family.grid("toy/discrete", delay=[0, 4])["delay=4"]
        >>> point.at, point.task["delay"]
        ((('delay', 4),), 4)
    """

    name: str
    task: Task
    at: tuple[tuple[str, Any], ...] = ()
    weight: float = 1.0
    stratum: str = ""
    features: tuple[tuple[str, float], ...] = ()
    marks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for mark in self.marks:
            if mark not in MARKS:
                raise unknown(f"mark of the point {self.name!r}", mark, MARKS)

    @property
    def hyperparameters(self) -> dict[str, Any]:
        """The hyperparameters that the point sets, by name without the prefix `agent.`.

        Example:
            >>> import mohs
            >>> family = mohs.Family.grid("toy/discrete", **{"agent.gamma": [0.9, 0.99]})
            >>> family[0].hyperparameters
            {'gamma': 0.9}
        """
        return {axis.removeprefix(AGENT): value for axis, value in self.at if axis.startswith(AGENT)}

    def to_json(self) -> dict[str, Json]:
        """Returns the point as plain data.

        Example:
            >>> import mohs
            >>> mohs.Family.grid("toy/discrete", delay=[4])[0].to_json()["at"]
            {'delay': 4}
        """
        return {
            "name": self.name,
            "task": self.task.to_json(),
            "at": {axis: to_json(value) for axis, value in self.at},
            "weight": self.weight,
            "stratum": self.stratum,
            "features": dict(self.features),
            **({"marks": list(self.marks)} if self.marks else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Point:
        """Reads a point that `to_json` wrote.

        Args:
            data: The mapping.

        Returns:
            The point.

        Raises:
            UsageError: The data is not a point.

        Example:
            >>> import mohs
            >>> point = mohs.Family.grid("toy/discrete", delay=[4])[0]
            >>> mohs.Point.from_json(point.to_json()) == point
            True
        """
        given = dict(data)
        marks = tuple(given.pop("marks", ()))  # points without marks have no such key
        data = read_json(given, "point", {"name", "task", "at", "weight", "stratum", "features"})
        at = tuple((axis, from_json(value)) for axis, value in data["at"].items())
        task, features = Task.from_json(data["task"]), tuple(sorted(data["features"].items()))
        return cls(data["name"], task, at, data["weight"], data["stratum"], features, marks)
