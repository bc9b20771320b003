"""What does a study of lifelong learning ask? Agents trained on a curriculum, and experts for each of its tasks.

A lifelong run has a training segment for each block; before the first and after each, all tasks are evaluated. An
expert is trained on one task alone, for as many steps as the blocks of that task have in all; the expert of a held-out
task, for as many as the longest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from mohs.agents.registry import agent as find_agent
from mohs.agents.registry import agent_entries, agent_entry, config_class
from mohs.core.cell import Agent, Cell, Mode, Probe, Segment
from mohs.core.domain import Choice, Flag, Integer
from mohs.core.errors import UsageError
from mohs.core.family import Family
from mohs.core.point import Point
from mohs.core.score import Score
from mohs.core.task import Task, read_json, reading
from mohs.core.values import Json
from mohs.protocols.lifelong.curriculum import Block, Curriculum
from mohs.protocols.scale import score_of
from mohs.runs.plan import Plan, Track

PROTOCOL = "lifelong"
SEEDS, EPISODES = 10, 20  # unless others are asked for
METHOD = "lifelong"  # the hyperparameter that says what an agent does when another task begins
CURVE_POINTS = 50  # of the shortest block
FINETUNE, SEPARATE = "finetune", "separate"  # methods: train on, or one network for each task
RANDOM = "random policy"
MODE = Choice(("greedy", "sample"))


@dataclass(frozen=True)
class LifelongStudy:
    """What a study of lifelong learning asks. `task_id` says whether the task id is part of the observation."""

    curriculum: Curriculum
    agents: tuple[Agent, ...]
    seeds: int = SEEDS
    task_id: bool = False
    episodes: int = EPISODES
    mode: Mode = "greedy"

    @classmethod
    def make(
        cls,
        curriculum: Curriculum,
        agents: Sequence[Agent],
        *,
        seeds: int = SEEDS,
        task_id: bool = False,
        steps: int | None = None,
        episodes: int = EPISODES,
        mode: Mode = "greedy",
    ) -> LifelongStudy:
        """A study, checked.

        `steps` are those of every block, in place of the curriculum's own.
        """
        MODE.parse("mode", mode)
        if not agents:
            raise UsageError("a study of lifelong learning needs at least one agent.")
        if steps is not None:
            own = Integer(1).parse("steps", steps)
            curriculum = replace(curriculum, blocks=tuple(Block(block.task, own) for block in curriculum.blocks))
        study = cls(
            curriculum,
            tuple(dict.fromkeys(agents)),
            Integer(1, 1_000_000).parse("seeds", seeds),
            Flag().parse("task_id", task_id),
            Integer(1).parse("episodes", episodes),
            mode,
        )
        for label in study.labels:
            if study.labels.count(label) > 1:
                raise UsageError(f"two agents are called {label}: they must differ in name or hyperparameters.")
        if task_id:
            for agent in study.agents:
                if not agent_entry(agent.name).task_id:
                    raise UsageError(f"{agent.name} cannot observe the task id: only deep and tabular agents can.")
        return study

    @property
    def labels(self) -> tuple[str, ...]:
        """What agents are called: by their methods where nothing else tells them apart, in full otherwise."""
        return tuple(map(method if self._differ_in_method else str, self.agents))

    @property
    def _differ_in_method(self) -> bool:
        """Whether there are several agents, each the same one with another method."""
        same = len(set(map(alone, self.agents))) == 1
        return same and len(set(map(method, self.agents))) == len(self.agents) > 1

    @property
    def name(self) -> str:
        """How people call it."""
        listed = ", ".join(self.labels)
        several = f"{alone(self.agents[0])} ({listed})" if self._differ_in_method else listed
        agents = several if len(self.agents) > 1 else alone(self.agents[0])
        return f"{agents} on {self.curriculum.name}{', task id observed' if self.task_id else ''}"

    @property
    def window(self) -> int:
        """Steps that a point of a curve stands for: no point spans two blocks if that divides all of them."""
        return max(1, min(block.steps for block in self.curriculum.blocks) // CURVE_POINTS)

    @cached_property
    def family(self) -> Family:
        """The tasks of the curriculum, in their order."""
        return Family(("task",), tuple(Point(name, task, (("task", name),)) for name, task in self.curriculum.tasks))

    def lifelong_run(self, agent: Agent, seed: int) -> Cell:
        """All blocks of the curriculum, one after the other."""
        course = self.curriculum
        segments = tuple(Segment(course.task(block.task), block.steps, self.task_id) for block in course.blocks)
        probes = tuple(
            Probe(probe_name(i, name), task, course.boundaries, self.episodes, self.mode)
            for i, (name, task) in enumerate(course.tasks)
        )
        return Cell(agent, seed, segments, probes, self.window)

    def expert(self, agent: Agent, name: str, seed: int) -> Cell:
        """An agent that is trained on one task only; what it does when another begins makes no difference to it.

        Where the task id is observed, the expert observes it too: the other tasks are named and never played.
        """
        course, steps = self.curriculum, self.learning_steps(name)
        named = dict.fromkeys([*course.learnt, name]) if self.task_id else [name]
        segments = tuple(Segment(course.task(each), steps if each == name else 0, self.task_id) for each in named)
        probe = Probe("expert", course.task(name), (steps,), self.episodes, self.mode)
        return Cell(alone(agent), seed, segments, (probe,), self.window)

    def learning_steps(self, name: str) -> int:
        """Of a task in its blocks; of one that is held out, those of the task that is learnt longest."""
        course = self.curriculum
        learnt = {task: sum(block.steps for block in course.blocks if block.task == task) for task in course.learnt}
        return learnt.get(name, max(learnt.values()))

    def random(self, name: str, seed: int) -> Cell:
        """The random policy on a task: no training, and one evaluation."""
        task = self.curriculum.task(name)
        return Cell(
            Agent.make("random"), seed, (Segment(task, 0),), (Probe("random", task, (0,), self.episodes, "sample"),), 1
        )

    def to_json(self) -> dict[str, Json]:
        """The study as plain data."""
        return {
            "curriculum": self.curriculum.to_json(),
            "agents": [agent.to_json() for agent in self.agents],
            "seeds": self.seeds,
            "told": self.task_id,
            "episodes": self.episodes,
            "mode": self.mode,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LifelongStudy:
        """Reads a study that `to_json` wrote."""
        what = "study of lifelong learning"
        data = read_json(data, what, {"curriculum", "agents", "seeds", "told", "episodes", "mode"})
        with reading(what):
            agents = tuple(Agent.from_json(agent) for agent in data["agents"])
            course = Curriculum.from_json(data["curriculum"])
            return cls(course, agents, data["seeds"], data["told"], data["episodes"], data["mode"])


def with_methods(agent: Agent, methods: Sequence[str] | None) -> list[Agent]:
    """The agent with each of these methods for a new task; as it is without any."""
    if methods is None:
        return [agent]
    methods = [methods] if isinstance(methods, str) else methods
    if not agent_entry(agent.name).lifelong:
        deep = ", ".join(entry.name for entry in agent_entries() if entry.lifelong)
        raise UsageError(f"methods are for deep agents ({deep}), and {agent.name} is not one.")
    for name in methods:
        if methods.count(name) > 1:
            raise UsageError(f"methods names {name} twice.")
    if METHOD in dict(agent.params):
        raise UsageError(f"the agent has lifelong={method(agent)} already, so no methods can be compared.")
    return [
        agent if name == FINETUNE else find_agent(agent.name, **{**dict(agent.params), METHOD: name})
        for name in methods
    ]


def alone(agent: Agent) -> Agent:
    """The agent without what it does when another task begins."""
    if not agent_entry(agent.name).lifelong:
        return agent
    without = config_class(agent.name).lifelong_settings()
    return Agent.make(agent.name, agent.source, **{key: value for key, value in agent.params if key not in without})


def method(agent: Agent) -> str:
    """What an agent does when another task begins."""
    return str(dict(agent.params).get(METHOD, FINETUNE))


def probe_name(number: int, task: str) -> str:
    """The evaluations of a task: with its number, so that no two are alike."""
    return f"{number}: {task.replace('/', '-')}"


def exact_score(task: Task) -> Score | None:
    """The exact references of a task; None where it has none, or its table would be too large."""
    return score_of(task) if task.environment.score is not None else None


def expert_of(label: str) -> str:
    """What the experts of an agent are called in a plan."""
    return f"{label}, expert"


def plan(study: LifelongStudy) -> Plan:
    """All lifelong runs and experts, and the random policy on tasks without references."""
    course = study.curriculum
    unknown = [name for name, task in course.tasks if exact_score(task) is None]
    tracks: dict[Track, Callable[[int], Cell]] = {}
    for agent, label in zip(study.agents, study.labels, strict=True):
        tracks[Track(label)] = partial(study.lifelong_run, agent)
        for name in dict.fromkeys([*course.learnt, *unknown]):
            tracks[Track(expert_of(label), name)] = partial(study.expert, agent, name)
    for name in unknown:
        tracks[Track(RANDOM, name)] = partial(study.random, name)
    return Plan.of(study.name, PROTOCOL, study.to_json(), tracks, study.seeds)
