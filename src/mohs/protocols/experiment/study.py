"""What does a study ask? Agents at the points of some axes, with seeds, budgets and evaluations: plain data.

An axis is made of levels, and a level of settings: parameters of the task, and hyperparameters of the agents (written
`agent.NAME`). So a grid of hyperparameters is an axis like any other. All points have the same seeds, and seed i stands
for the same generated task at each of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import Any

from mohs.core.cell import Agent, Cell, Probe, Segment
from mohs.core.family import Family
from mohs.core.point import Point
from mohs.core.task import Task, read_json, reading
from mohs.core.values import Json, from_json, to_json
from mohs.protocols.measures import current_name
from mohs.runs.plan import Plan, Track
from mohs.runs.windows import window

PROTOCOL = "experiment"
AGENT = "agent."  # before the name of a hyperparameter

Settings = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Level:
    """A value on an axis, and what it sets."""

    value: Any
    settings: Settings

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {"value": to_json(self.value), "settings": {name: to_json(value) for name, value in self.settings}}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Level:
        """From plain data, as `to_json` gives it."""
        return cls(
            from_json(data["value"]), tuple((name, from_json(value)) for name, value in data["settings"].items())
        )


@dataclass(frozen=True)
class Axis:
    """Levels that are tried one after the other."""

    name: str
    levels: tuple[Level, ...]

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {"name": self.name, "levels": [level.to_json() for level in self.levels]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Axis:
        """From plain data, as `to_json` gives it."""
        return cls(data["name"], tuple(Level.from_json(level) for level in data["levels"]))


@dataclass(frozen=True)
class StudyAgent:
    """An agent, its label in figures, and the environment steps of each of its runs."""

    label: str
    agent: Agent
    budget: int

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {"label": self.label, "agent": self.agent.to_json(), "budget": self.budget}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> StudyAgent:
        """From plain data, as `to_json` gives it."""
        return cls(data["label"], Agent.from_json(data["agent"]), data["budget"])


@dataclass(frozen=True)
class Evaluation:
    """So many evaluations of the greedy policy, equally spaced, the last one at the end of training."""

    points: int = 1
    episodes: int = 10
    noise_free: bool = False

    def at(self, budget: int) -> tuple[int, ...]:
        """The steps of the evaluations."""
        return tuple(budget * (i + 1) // self.points for i in range(self.points))


@dataclass(frozen=True)
class Experiment:
    """What a study file asks at one of its sizes. `params` are those of the task that all points share."""

    label: str
    size: str
    question: str
    source: str
    mode: str  # "grid": all combinations of levels; "sweep": one axis at a time
    seeds: int
    agents: tuple[StudyAgent, ...]
    env: str
    params: Settings
    axes: tuple[Axis, ...]
    evaluation: Evaluation
    figures: tuple[str, ...]  # the measures that are drawn

    @property
    def name(self) -> str:
        """How people call it: by its label and its size."""
        return f"{self.label} {self.size}".rstrip()

    def panels(self) -> tuple[tuple[Axis, ...], ...]:
        """The axes that vary together: all of them, or each for itself."""
        return (self.axes,) if self.mode == "grid" else tuple((axis,) for axis in self.axes)

    def task(self, point: Sequence[Level], seed: int = 0) -> Task:
        """The task at a point."""
        settings = {name: value for name, value in _settings(point) if not name.startswith(AGENT)}
        return Task.make(self.env, seed=seed, **{**dict(self.params), **settings})

    def agent(self, agent: StudyAgent, point: Sequence[Level]) -> Agent:
        """The agent with the hyperparameters of a point."""
        turned = {name.removeprefix(AGENT): value for name, value in _settings(point) if name.startswith(AGENT)}
        own = agent.agent
        return Agent.make(own.name, own.source, **{**dict(own.params), **turned})

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the agents."""
        return tuple(agent.label for agent in self.agents)

    @cached_property
    def family(self) -> Family:
        """All points, named by where they lie on the axes."""
        points = {
            where(axes, point): Point(
                where(axes, point),
                self.task(point),
                tuple((axis.name, level.value) for axis, level in zip(axes, point, strict=True)),
            )
            for axes in self.panels()
            for point in points_of(axes)
        }
        return Family(tuple(axis.name for axis in self.axes), tuple(points.values()))

    def cell(self, agent: StudyAgent, point: Sequence[Level], seed: int) -> Cell:
        """One run: training, and the evaluations on its own task and without noise."""
        task = replace(self.task(point), seed=seed)
        at, episodes = self.evaluation.at(agent.budget), self.evaluation.episodes
        probes = [Probe("eval", task, at, episodes)]
        if self.evaluation.noise_free:
            probes.append(Probe("noise_free", task.noise_free(), at, episodes))
        segments = (Segment(task, agent.budget),)
        return Cell(self.agent(agent, point), seed, segments, tuple(probes), window(task, agent.budget))

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {
            "name": self.label,
            "size": self.size,
            "question": self.question,
            "source": self.source,
            "mode": self.mode,
            "seeds": self.seeds,
            "contenders": [agent.to_json() for agent in self.agents],
            "env": self.env,
            "params": {name: to_json(value) for name, value in self.params},
            "axes": [axis.to_json() for axis in self.axes],
            "evaluation": asdict(self.evaluation),
            "figures": list(self.figures),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Experiment:
        """From plain data, as `to_json` gives it."""
        keys = {"name", "size", "question", "source", "mode", "seeds", "contenders", "env", "params", "axes"}
        data = read_json(data, "study", keys | {"evaluation", "figures"})
        with reading("study"):
            return cls(
                data["name"],
                data["size"],
                data["question"],
                data["source"],
                data["mode"],
                data["seeds"],
                tuple(StudyAgent.from_json(agent) for agent in data["contenders"]),
                data["env"],
                tuple((name, from_json(value)) for name, value in data["params"].items()),
                tuple(Axis.from_json(axis) for axis in data["axes"]),
                Evaluation(**data["evaluation"]),
                tuple(map(current_name, data["figures"])),
            )


def points_of(axes: Sequence[Axis]) -> list[tuple[Level, ...]]:
    """All combinations of levels; the last axis turns fastest."""
    return list(itertools.product(*(axis.levels for axis in axes)))


def where(axes: Sequence[Axis], point: Sequence[Level]) -> str:
    """A point in words: delay = 2, sequence_length = 3."""
    return ", ".join(f"{axis.name} = {level.value}" for axis, level in zip(axes, point, strict=True))


def plan(experiment: Experiment) -> Plan:
    """Every agent at every point."""
    tracks = {
        Track(agent.label, where(axes, point)): partial(experiment.cell, agent, point)
        for agent in experiment.agents
        for axes in experiment.panels()
        for point in points_of(axes)
    }
    return Plan.of(experiment.name, PROTOCOL, experiment.to_json(), tracks, experiment.seeds)


def _settings(point: Sequence[Level]) -> Iterator[tuple[str, Any]]:
    return (setting for level in point for setting in level.settings)
