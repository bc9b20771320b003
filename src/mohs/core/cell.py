"""What is one run? One agent, one seed, training segments, and evaluations."""

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
    """An agent by name, and its hyperparameters. Build it with `Agent.make`.

    Attributes:
        name: A built-in name, an `sb3:` name, or `file.py:function` for a custom agent.
        params: The hyperparameters that differ from their defaults, as sorted pairs (name, value).
        source: A hash of the source file of a custom agent; empty otherwise.

    Example:
        >>> import mohs
        >>> str(mohs.Agent.make("dqn", gamma=0.9))
        'dqn gamma=0.9'
    """

    name: str
    params: tuple[tuple[str, Any], ...] = ()
    source: str = ""

    @classmethod
    def make(cls, name: str, source: str = "", **params: Any) -> Agent:
        """Makes an agent.

        Args:
            name: The name of the agent.
            source: A hash of the source file of a custom agent.
            **params: Hyperparameters.

        Returns:
            The agent.

        Raises:
            UsageError: A hyperparameter has a type that cannot be stored.

        Example:
            >>> import mohs
            >>> mohs.Agent.make("dqn", gamma=0.9, batch_size=64).params
            (('batch_size', 64), ('gamma', 0.9))
        """
        return cls(name, tuple(sorted((k, freeze(v)) for k, v in params.items())), source)

    def to_json(self) -> dict[str, Json]:
        """Returns the agent as plain data.

        Example:
            >>> import mohs
            >>> mohs.Agent.make("dqn", gamma=0.9).to_json()
            {'name': 'dqn', 'params': {'gamma': 0.9}, 'source': ''}
        """
        return {"name": self.name, "params": {k: to_json(v) for k, v in self.params}, "source": self.source}

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> Agent:
        """Reads an agent that `to_json` wrote.

        Args:
            data: JSON text, or the mapping itself.

        Returns:
            The agent.

        Raises:
            UsageError: The data is not an agent.

        Example:
            >>> import mohs
            >>> mohs.Agent.from_json({"name": "dqn", "params": {}, "source": ""}).name
            'dqn'
        """
        data = read_json(data, "agent", {"name", "params", "source"})
        with reading("agent"):
            return cls.make(data["name"], data["source"], **{k: from_json(v) for k, v in data["params"].items()})

    def __str__(self) -> str:
        return " ".join([self.name, *(f"{k}={v}" for k, v in self.params)])


@dataclass(frozen=True)
class Segment:
    """A part of training: environment steps on one source.

    Attributes:
        source: The task or task set to train on.
        steps: The number of environment steps.
        task_id: Whether the agent observes the task id; stored segments call it "told".

    Raises:
        UsageError: A value is out of range.

    Example:
        >>> import mohs
        >>> mohs.Segment(mohs.Task.make("toy/discrete"), steps=10_000).steps
        10000
    """

    source: Source
    steps: int
    task_id: bool = False

    def __post_init__(self) -> None:
        _check_source("segment", self.source)
        Integer(0).parse("steps of a segment", self.steps)
        Flag().parse("task_id", self.task_id)

    def to_json(self) -> dict[str, Json]:
        """Returns the segment as plain data.

        Example:
            >>> import mohs
            >>> mohs.Segment(mohs.Task.make("toy/discrete"), 100).to_json()["steps"]
            100
        """
        return {"source": self.source.to_json(), "steps": self.steps, "told": self.task_id}

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> Segment:
        """Reads a segment that `to_json` wrote.

        Args:
            data: JSON text, or the mapping itself.

        Returns:
            The segment.

        Raises:
            UsageError: The data is not a segment.

        Example:
            >>> import mohs
            >>> segment = mohs.Segment(mohs.Task.make("toy/discrete"), 100)
            >>> mohs.Segment.from_json(segment.to_json()) == segment
            True
        """
        data = read_json(data, "segment", {"source", "steps", "told"})
        with reading("segment"):
            return cls(source_from_json(data["source"]), data["steps"], data["told"])


@dataclass(frozen=True)
class Probe:
    """Evaluations of an agent during training.

    Attributes:
        name: The name, a word without "/" other than "train".
        source: The task or task set to evaluate on.
        at: The numbers of training steps at which to evaluate, increasing. A range is stored as three numbers.
        episodes: The number of episodes of each evaluation.
        mode: "greedy" for the deterministic policy, "sample" for the stochastic one.
        metrics: What to measure: "return", "length".
        record: Whether the actions of one more episode are kept, so that a report can show it. All agents that are
            evaluated on a task play this episode from the same seed.

    Raises:
        UsageError: A value is out of range.

    Example:
        >>> import mohs
        >>> probe = mohs.Probe("eval", mohs.Task.make("toy/discrete"), at=range(1000, 5001, 1000), episodes=5)
        >>> len(probe.at)
        5
    """

    name: str
    source: Source
    at: tuple[int, ...] | range
    episodes: int = 10
    mode: Mode = "greedy"
    metrics: tuple[str, ...] = METRICS
    record: bool = False

    def __post_init__(self) -> None:
        _check_source("probe", self.source)
        Flag().parse("record of a probe", self.record)
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
        """Returns the probe as plain data.

        Example:
            >>> import mohs
            >>> mohs.Probe("eval", mohs.Task.make("toy/discrete"), at=range(100, 501, 100)).to_json()["at"]
            {'first': 100, 'last': 500, 'every': 100}
        """
        return {
            "name": self.name,
            "source": self.source.to_json(),
            "at": _steps_to_json(self.at),
            "episodes": self.episodes,
            "mode": self.mode,
            "metrics": list(self.metrics),
            **({"record": True} if self.record else {}),  # absent otherwise, so that older runs keep their keys
        }

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> Probe:
        """Reads a probe that `to_json` wrote.

        Args:
            data: JSON text, or the mapping itself.

        Returns:
            The probe.

        Raises:
            UsageError: The data is not a probe.

        Example:
            >>> import mohs
            >>> probe = mohs.Probe("eval", mohs.Task.make("toy/discrete"), at=(100, 500))
            >>> mohs.Probe.from_json(probe.to_json()) == probe
            True
        """
        keys = {"name", "source", "at", "episodes", "mode", "metrics"}
        data = read_json(data, "probe", keys, since={"record": False})
        with reading("probe"):
            at, metrics, source = _steps_from_json(data["at"]), tuple(data["metrics"]), source_from_json(data["source"])
            return cls(data["name"], source, at, data["episodes"], data["mode"], metrics, data["record"])


@dataclass(frozen=True)
class Cell:
    """One run: one agent, one seed, training segments and probes. Its key is a content hash.

    Attributes:
        agent: The agent.
        seed: The seed of the run.
        segments: What the agent trains on, in order.
        probes: The evaluations.
        window: The number of steps that one point of the training curve summarises. The last point also covers the
            remainder.

    Raises:
        UsageError: There is no segment, two probes have the same name, or a probe lies beyond the last step.

    Example:
        >>> import mohs
        >>> task = mohs.Task.make("toy/discrete", delay=2)
        >>> cell = mohs.Cell(mohs.Agent.make("q_learning"), 0, (mohs.Segment(task, 5000),))
        >>> cell.steps
        5000
    """

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
        """The number of training steps over all segments.

        Example:
            >>> import mohs
            >>> segment = mohs.Segment(mohs.Task.make("toy/discrete"), 100)
            >>> mohs.Cell(mohs.Agent.make("dqn"), 0, (segment, segment)).steps
            200
        """
        return sum(segment.steps for segment in self.segments)

    @property
    def sources(self) -> tuple[Source, ...]:
        """What it trains and is evaluated on, segment by segment, then probe by probe.

        Example:
            >>> import mohs
            >>> task = mohs.Task.make("toy/discrete")
            >>> segments, probes = (mohs.Segment(task, 100),), (mohs.Probe("eval", task, (100,)),)
            >>> mohs.Cell(mohs.Agent.make("random"), 0, segments, probes).sources == (task, task)
            True
        """
        return (*(segment.source for segment in self.segments), *(probe.source for probe in self.probes))

    @cached_property
    def numbers(self) -> Mapping[Source, int]:
        """The distinct training sources, numbered in order of first appearance.

        Example:
            >>> import mohs
            >>> segments = [mohs.Segment(mohs.Task.make("toy/discrete", delay=delay), 100) for delay in (0, 1, 0)]
            >>> list(mohs.Cell(mohs.Agent.make("dqn"), 0, tuple(segments)).numbers.values())
            [0, 1]
        """
        return {source: i for i, source in enumerate(dict.fromkeys(segment.source for segment in self.segments))}

    def to_json(self) -> dict[str, Json]:
        """Returns the cell as plain data. Its hash is the key under which results are stored.

        Example:
            >>> import mohs
            >>> segment = mohs.Segment(mohs.Task.make("toy/discrete"), 100)
            >>> mohs.Cell(mohs.Agent.make("dqn"), 0, (segment,)).to_json()["window"]
            100
        """
        return {
            "agent": self.agent.to_json(),
            "seed": self.seed,
            "segments": [s.to_json() for s in self.segments],
            "probes": [p.to_json() for p in self.probes],
            "window": self.window,
        }

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> Cell:
        """Reads a cell that `to_json` wrote.

        Args:
            data: JSON text, or the mapping itself.

        Returns:
            The cell.

        Raises:
            UsageError: The data is not a cell.

        Example:
            >>> import mohs
            >>> cell = mohs.Cell(mohs.Agent.make("dqn"), 0, (mohs.Segment(mohs.Task.make("toy/discrete"), 100),))
            >>> mohs.Cell.from_json(cell.to_json()) == cell
            True
        """
        data = read_json(data, "cell", {"agent", "seed", "segments", "probes", "window"})
        with reading("cell"):
            segments = tuple(Segment.from_json(s) for s in data["segments"])
            probes = tuple(Probe.from_json(p) for p in data["probes"])
            return cls(Agent.from_json(data["agent"]), data["seed"], segments, probes, data["window"])

    @cached_property
    def key(self) -> str:
        """The content hash of the cell, under which its result is stored.

        Example:
            >>> import mohs
            >>> cell = mohs.Cell(mohs.Agent.make("dqn"), 0, (mohs.Segment(mohs.Task.make("toy/discrete"), 100),))
            >>> len(cell.key)
            32
        """
        return content_hash(self.to_json())


def _steps_to_json(at: tuple[int, ...] | range) -> Json:
    return {"first": at[0], "last": at[-1], "every": at.step} if isinstance(at, range) else list(at)


def _steps_from_json(at: Any) -> tuple[int, ...] | range:
    return range(at["first"], at["last"] + 1, at["every"]) if isinstance(at, Mapping) else tuple(at)


def _check_source(what: str, source: object) -> None:
    if not isinstance(source, Task | TaskSet):
        raise UsageError(f"the source of a {what} must be a Task or a TaskSet, not {type(source).__name__}.")
