"""What is one run? One agent, one seed, what it trains on, and what is measured when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from mohs.core.domain import Choice, Flag, Integer
from mohs.core.errors import UsageError
from mohs.core.task import SEED, Source, Task, TaskSet, read_json, reading, source_from_json
from mohs.core.values import Json, content_hash, freeze, from_json, to_json

Mode = Literal["greedy", "sample"]
METRICS = ("return", "length")


@dataclass(frozen=True)
class Agent:
    """An agent by name: built in, or `file.py:function` with a hash of the file, and its hyperparameters."""

    name: str
    params: tuple[tuple[str, Any], ...] = ()
    source: str = ""

    @classmethod
    def make(cls, name: str, source: str = "", **params: Any) -> Agent:
        return cls(name, tuple(sorted((k, freeze(v)) for k, v in params.items())), source)

    def to_json(self) -> dict[str, Json]:
        return {"name": self.name, "params": {k: to_json(v) for k, v in self.params}, "source": self.source}

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> Agent:
        data = read_json(data, "agent", {"name", "params", "source"})
        with reading("agent"):
            return cls.make(data["name"], data["source"], **{k: from_json(v) for k, v in data["params"].items()})

    def __str__(self) -> str:
        return " ".join([self.name, *(f"{k}={v}" for k, v in self.params)])


@dataclass(frozen=True)
class Segment:
    """Training on one source for so many environment steps; `task_id` says whether the agent observes the task id.

    Stored segments call it "told".
    """

    source: Source
    steps: int
    task_id: bool = False

    def __post_init__(self) -> None:
        _check_source("segment", self.source)
        Integer(0).parse("steps of a segment", self.steps)
        Flag().parse("task_id", self.task_id)

    def to_json(self) -> dict[str, Json]:
        return {"source": self.source.to_json(), "steps": self.steps, "told": self.task_id}

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> Segment:
        data = read_json(data, "segment", {"source", "steps", "told"})
        with reading("segment"):
            return cls(source_from_json(data["source"]), data["steps"], data["told"])


@dataclass(frozen=True)
class Probe:
    """An evaluation: on which source, after which numbers of training steps, over how many episodes.

    Where there are thousands, evenly spaced, a range says so and is kept as three numbers.
    """

    name: str
    source: Source
    at: tuple[int, ...] | range
    episodes: int = 10
    mode: Mode = "greedy"
    metrics: tuple[str, ...] = METRICS

    def __post_init__(self) -> None:
        _check_source("probe", self.source)
        Integer(1).parse("episodes of a probe", self.episodes)
        Choice(("greedy", "sample")).parse("mode of a probe", self.mode)
        for metric in self.metrics:
            Choice(METRICS).parse("metric of a probe", metric)
        if not self.name or "/" in self.name or self.name == "train":
            raise UsageError("the name of a probe must be a word without '/' and other than 'train'.")
        increasing = self.at.step > 0 if isinstance(self.at, range) else list(self.at) == sorted(set(self.at))
        if not self.at or not increasing or self.at[0] < 0:
            raise UsageError("a probe must be taken at one or more increasing numbers of steps ≥ 0.")

    def to_json(self) -> dict[str, Json]:
        return {
            "name": self.name,
            "source": self.source.to_json(),
            "at": _steps_to_json(self.at),
            "episodes": self.episodes,
            "mode": self.mode,
            "metrics": list(self.metrics),
        }

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> Probe:
        data = read_json(data, "probe", {"name", "source", "at", "episodes", "mode", "metrics"})
        with reading("probe"):
            at, metrics = _steps_from_json(data["at"]), tuple(data["metrics"])
            return cls(data["name"], source_from_json(data["source"]), at, data["episodes"], data["mode"], metrics)


@dataclass(frozen=True)
class Cell:
    """One run. Each point of the training curve summarises `window` steps, the last one also what is left over."""

    agent: Agent
    seed: int
    segments: tuple[Segment, ...]
    probes: tuple[Probe, ...] = ()
    window: int = 100

    def __post_init__(self) -> None:
        SEED.parse("seed of a cell", self.seed)
        Integer(1).parse("window of a cell", self.window)
        if not self.segments:
            raise UsageError("a cell must have at least one segment.")
        names = [p.name for p in self.probes]
        if len(set(names)) != len(names):
            raise UsageError(f"the probes of a cell must have different names, not {', '.join(names)}.")
        for probe in self.probes:
            if probe.at[-1] > self.steps:
                late = f"probe {probe.name!r} is taken at step {probe.at[-1]}"
                raise UsageError(f"{late}, after the last of {self.steps}.")

    @property
    def steps(self) -> int:
        return sum(segment.steps for segment in self.segments)

    @property
    def sources(self) -> tuple[Source, ...]:
        """What it trains and is evaluated on, segment by segment, then probe by probe."""
        return (*(segment.source for segment in self.segments), *(probe.source for probe in self.probes))

    @cached_property
    def numbers(self) -> Mapping[Source, int]:
        """The different sources that are learnt, numbered in the order in which they are first met."""
        return {source: i for i, source in enumerate(dict.fromkeys(segment.source for segment in self.segments))}

    def to_json(self) -> dict[str, Json]:
        return {
            "agent": self.agent.to_json(),
            "seed": self.seed,
            "segments": [s.to_json() for s in self.segments],
            "probes": [p.to_json() for p in self.probes],
            "window": self.window,
        }

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> Cell:
        data = read_json(data, "cell", {"agent", "seed", "segments", "probes", "window"})
        with reading("cell"):
            segments = tuple(Segment.from_json(s) for s in data["segments"])
            probes = tuple(Probe.from_json(p) for p in data["probes"])
            return cls(Agent.from_json(data["agent"]), data["seed"], segments, probes, data["window"])

    @cached_property
    def key(self) -> str:
        return content_hash(self.to_json())


def _steps_to_json(at: tuple[int, ...] | range) -> Json:
    return {"first": at[0], "last": at[-1], "every": at.step} if isinstance(at, range) else list(at)


def _steps_from_json(at: Any) -> tuple[int, ...] | range:
    return range(at["first"], at["last"] + 1, at["every"]) if isinstance(at, Mapping) else tuple(at)


def _check_source(what: str, source: object) -> None:
    if not isinstance(source, Task | TaskSet):
        raise UsageError(f"the source of a {what} must be a Task or a TaskSet, not {type(source).__name__}.")
