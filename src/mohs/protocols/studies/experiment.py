"""What does a study ask? Agents at the points of some axes, with seeds, budgets and evaluations: plain data.

An axis is made of levels, and a level of settings: parameters of the task, and hyperparameters of the agents (written
`agent.NAME`). So a grid of hyperparameters is an axis like any other. All points have the same seeds, and seed i stands
for the same generated task at each of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from mohs.core.cell import Agent, Cell, Probe, Segment
from mohs.core.task import Task, read_json, reading
from mohs.core.values import Json, from_json, to_json
from mohs.protocols.study import window
from mohs.runs.plan import Plan

PROTOCOL = "experiment"
AGENT = "agent."  # before the name of a hyperparameter

Settings = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Level:
    """A value on an axis, and what it sets."""

    value: Any
    settings: Settings

    def to_json(self) -> dict[str, Json]:
        return {"value": to_json(self.value), "settings": {name: to_json(value) for name, value in self.settings}}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Level:
        return cls(
            from_json(data["value"]), tuple((name, from_json(value)) for name, value in data["settings"].items())
        )


@dataclass(frozen=True)
class Axis:
    name: str
    levels: tuple[Level, ...]

    def to_json(self) -> dict[str, Json]:
        return {"name": self.name, "levels": [level.to_json() for level in self.levels]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Axis:
        return cls(data["name"], tuple(Level.from_json(level) for level in data["levels"]))


@dataclass(frozen=True)
class Contender:
    """An agent under the name that figures give it, and the steps that each of its runs may take."""

    label: str
    agent: Agent
    budget: int

    def to_json(self) -> dict[str, Json]:
        return {"label": self.label, "agent": self.agent.to_json(), "budget": self.budget}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Contender:
        return cls(data["label"], Agent.from_json(data["agent"]), data["budget"])


@dataclass(frozen=True)
class Evaluation:
    """So many evaluations of the greedy policy, equally spaced, the last one at the end of training."""

    points: int = 1
    episodes: int = 10
    noise_free: bool = False

    def at(self, budget: int) -> tuple[int, ...]:
        return tuple(budget * (i + 1) // self.points for i in range(self.points))


@dataclass(frozen=True)
class Experiment:
    """What a study file asks at one of its sizes. `params` are those of the task that all points share."""

    name: str
    size: str
    question: str
    source: str
    mode: str  # "grid": all combinations of levels; "sweep": one axis at a time
    seeds: int
    contenders: tuple[Contender, ...]
    env: str
    params: Settings
    axes: tuple[Axis, ...]
    evaluation: Evaluation
    figures: tuple[str, ...]  # the measures that are drawn

    @property
    def title(self) -> str:
        return f"{self.name} {self.size}".rstrip()

    def panels(self) -> tuple[tuple[Axis, ...], ...]:
        """The axes that vary together: all of them, or each for itself."""
        return (self.axes,) if self.mode == "grid" else tuple((axis,) for axis in self.axes)

    def task(self, point: Sequence[Level], seed: int = 0) -> Task:
        settings = {name: value for name, value in _settings(point) if not name.startswith(AGENT)}
        return Task.make(self.env, seed=seed, **{**dict(self.params), **settings})

    def agent(self, contender: Contender, point: Sequence[Level]) -> Agent:
        turned = {name.removeprefix(AGENT): value for name, value in _settings(point) if name.startswith(AGENT)}
        agent = contender.agent
        return Agent.make(agent.name, agent.source, **{**dict(agent.params), **turned})

    def cell(self, contender: Contender, point: Sequence[Level], seed: int) -> Cell:
        """One run: training, and the evaluations on its own task and without noise."""
        return next(self.cells(contender, point, [seed]))

    def cells(self, contender: Contender, point: Sequence[Level], seeds: Iterable[int]) -> Iterator[Cell]:
        """The runs of an agent at a point."""
        agent, plain, steps = self.agent(contender, point), self.task(point), contender.budget
        at, episodes = self.evaluation.at(steps), self.evaluation.episodes
        for seed in seeds:
            task = replace(plain, seed=seed)
            probes = [Probe("eval", task, at, episodes)]
            if self.evaluation.noise_free:
                probes.append(Probe("noise_free", task.noise_free(), at, episodes))
            yield Cell(agent, seed, (Segment(task, steps),), tuple(probes), window(task, steps))

    def to_json(self) -> dict[str, Json]:
        return {
            "name": self.name,
            "size": self.size,
            "question": self.question,
            "source": self.source,
            "mode": self.mode,
            "seeds": self.seeds,
            "contenders": [contender.to_json() for contender in self.contenders],
            "env": self.env,
            "params": {name: to_json(value) for name, value in self.params},
            "axes": [axis.to_json() for axis in self.axes],
            "evaluation": asdict(self.evaluation),
            "figures": list(self.figures),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Experiment:
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
                tuple(Contender.from_json(contender) for contender in data["contenders"]),
                data["env"],
                tuple((name, from_json(value)) for name, value in data["params"].items()),
                tuple(Axis.from_json(axis) for axis in data["axes"]),
                Evaluation(**data["evaluation"]),
                tuple(data["figures"]),
            )


def points(axes: Sequence[Axis]) -> list[tuple[Level, ...]]:
    """All combinations of levels; the last axis turns fastest."""
    return list(itertools.product(*(axis.levels for axis in axes)))


def where(axes: Sequence[Axis], point: Sequence[Level]) -> str:
    """A point in words: delay = 2, sequence_length = 3."""
    return ", ".join(f"{axis.name} = {level.value}" for axis, level in zip(axes, point, strict=True))


def plan(experiment: Experiment) -> Plan:
    """All cells of a study, seed by seed, so that an interrupted one has whole seeds."""
    tracks = [
        list(experiment.cells(contender, point, range(experiment.seeds)))
        for contender in experiment.contenders
        for axes in experiment.panels()
        for point in points(axes)
    ]
    cells = tuple(cell for of_one_seed in zip(*tracks, strict=True) for cell in of_one_seed)
    return Plan(experiment.title, PROTOCOL, experiment.to_json(), cells)


def _settings(point: Sequence[Level]) -> Iterator[tuple[str, Any]]:
    return (setting for level in point for setting in level.settings)
