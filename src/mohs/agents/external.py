"""How is an agent that is a Python object trained? Through a Gymnasium environment that counts and records."""

from __future__ import annotations

import contextlib
import importlib
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from mohs.agents.protocol import NONE_FAILED, RECORDED, Points, UserAgent
from mohs.agents.pulse import Pulse
from mohs.agents.registry import agent_entry
from mohs.agents.windows import Windows
from mohs.core import seeding
from mohs.core.cell import Agent, Cell, Segment
from mohs.core.errors import MohsError, UsageError
from mohs.core.packed import Foreign, PackedError, holds_bytes, pack, unpack
from mohs.core.task import Task
from mohs.core.values import named, source_hash
from mohs.envs.keeping import keep, restored
from mohs.envs.make import make


def agent_source(name: str) -> str:
    """A hash of the file that `file.py:function` or `module:function` is in: an edited file is another agent."""
    where = name.rpartition(":")[0]
    if where.endswith(".py"):
        return source_hash(Path(where).read_text())
    origin = getattr(importlib.import_module(where), "__file__", None)
    return source_hash(Path(origin).read_text()) if origin and origin.endswith(".py") else ""


def custom_agent(name: str, **params: Any) -> Agent:
    """The agent that a function makes, with a hash of the function's file; its hyperparameters are not checked."""
    named(name)
    return custom_entry(name, **params)


def custom_entry(name: str, **params: Any) -> Agent:
    """The agent of an entry in a file or module, with a hash of that file."""
    return Agent.make(name, agent_source(name), **params)


def check_makes(agent: Agent, task: Task, steps: int | None = None) -> None:
    """Raises where a custom agent cannot be made for a task: it is made once, as a run makes it."""
    try:
        ExternalLearner([Cell(agent, 0, (Segment(task, 1),))])
    except UsageError:
        raise
    except Exception as error:  # code of the user may raise anything
        raise UsageError(f"{agent.name} cannot be made: {type(error).__name__}: {error}.") from error


def custom(cells: Sequence[Cell], device: str = "cpu") -> ExternalLearner:
    """The learner of a custom agent, which runs alone."""
    return ExternalLearner(cells)


def side_by_side(cells: Sequence[Cell], device: str = "cpu", **more: str) -> SideBySide:
    """The learner of a pack of agents that the `maker` of their entry makes; it also gets `more`."""
    maker = agent_entry(cells[0].agent.name).maker
    if maker is None:
        raise UsageError(f"{cells[0].agent.name} has no maker.")
    return SideBySide(cells, maker, **more)


EVALUATION = 10  # times the steps of training: no new episode starts after that many steps of an evaluation


class BudgetSpentError(MohsError):
    """An agent asked for more steps than its budget; training ends there."""


class Recorder(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Counts steps against a budget and adds finished episodes to the training curve.

    The first reset is seeded by the cell, so that a run can be repeated; later resets continue its stream.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], windows: Windows, seed: int) -> None:
        super().__init__(env)
        self.windows = windows
        self.left = 0
        self.over = True  # the next step needs a reset before it
        self.mohs_episode: Any = None  # the mark of the episode under way: see `episodes.py`
        self._seed: int | None = seed
        self._return, self._length = 0.0, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        own, self._seed = self._seed, None
        self._return, self._length, self.over = 0.0, 0, False
        return self.env.reset(seed=own, options=options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        if self.left == 0:
            raise BudgetSpentError("the budget of steps is spent.")
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.left -= 1
        Pulse.steps += 1
        self.windows.step += 1
        self._return += float(reward)
        self._length += 1
        self.over = terminated or truncated
        if self.over:
            self.windows.add(self._return, self._length)
        return observation, reward, terminated, truncated, info

    def save(self) -> Any:
        return self.left, self.over, self._seed, self._return, self._length, self.mohs_episode

    def load(self, state: Any) -> None:
        self.left, self.over, self._seed, self._return, self._length, self.mohs_episode = state


class ExternalLearner:
    """One cell of an agent that is a Python object with `train` and `act`.

    It can be saved where agent and environment can; without that a run starts again.
    """

    failed = NONE_FAILED

    def __init__(self, cells: Sequence[Cell]) -> None:
        (self._cell,) = self.cells = cells
        if any(segment.task_id for segment in self._cell.segments):
            raise UsageError("a custom agent cannot observe the task id: set task_id=False.")
        if agent_source(self._cell.agent.name) != self._cell.agent.source:
            raise UsageError(f"{self._cell.agent.name} has been edited since this run was planned; start it again.")
        self._windows = Windows(self._cell.window, self._cell.steps)
        # An evaluation must not dwarf the training: a policy may fail to end an episode for minutes.
        self._longest = EVALUATION * self._cell.steps if self._cell.steps else math.inf
        self._segment = -1
        self._enter(0)
        seed = seeding.seed_of(seeding.child(self._cell.seed, "agent"))
        self._agent: UserAgent = named(self._cell.agent.name)(self._env, seed, **dict(self._cell.agent.params))
        for method in ("train", "act"):
            if not callable(getattr(self._agent, method, None)):
                raise UsageError(
                    f"{self._cell.agent.name} returned a {type(self._agent).__name__} without a method {method!r}; an "
                    "agent has train(env, steps) and act(observation, memory, deterministic)."
                )

    def train(self, steps: int) -> None:
        while self._left == 0 and steps:  # a segment may have no steps
            self._enter(self._segment + 1)
        self._env.left = steps
        with contextlib.suppress(BudgetSpentError):
            self._agent.train(self._env, steps)
        if self._env.left > 0:
            raise UsageError(f"train() was asked for {steps} steps and took {steps - self._env.left}.")
        self._left -= steps

    def evaluate(self, probe: int) -> dict[str, npt.NDArray[np.float64]]:
        p = self._cell.probes[probe]
        env = make(p.source)
        seed = seeding.seed_of(seeding.child(self._cell.seed, "probe", p.name, self._windows.step))
        total, length, played = 0.0, 0, 0
        while played < p.episodes and (played == 0 or length < self._longest):
            rewards, _ = self._episode(env, seed if played == 0 else None, p.mode == "greedy")
            played, total, length = played + 1, total + sum(rewards), length + len(rewards)
        env.close()
        means = {"return": total / played, "length": length / played}
        return {metric: np.array([means[metric]]) for metric in p.metrics}

    def record(self, probe: int) -> list[npt.NDArray[np.int64]]:
        p = self._cell.probes[probe]
        env = make(p.source)
        _, actions = self._episode(env, RECORDED, p.mode == "greedy")
        env.close()
        return [np.array(actions, dtype=np.int64)]

    def _episode(self, env: Any, seed: int | None, greedy: bool) -> tuple[list[float], list[Any]]:
        """The rewards and the actions of one episode."""
        observation, _ = env.reset(seed=seed)
        rewards, actions, memory, over = list[float](), list[Any](), None, False
        while not over:
            action, memory = self._agent.act(observation, memory, greedy)
            observation, reward, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
            Pulse.steps += 1
            rewards.append(float(reward))
            actions.append(action)
        return rewards, actions

    def curves(self) -> list[Points]:
        return [self._windows.points()]

    def save(self) -> list[bytes] | None:
        if not hasattr(self._agent, "save") or not hasattr(self._agent, "load"):
            return None
        agent, environment = self._agent.save(), keep(self._env.env)
        if environment is None:
            return None
        try:
            if holds_bytes(agent):  # only the agent can read them: it may unpickle them
                agent = Foreign(pack(agent))
            counts = self._segment, self._left
            return [pack((counts, agent, environment, self._env.save(), self._windows.state()))]
        except PackedError:
            return None

    def load(self, states: Sequence[bytes]) -> None:
        (segment, left), agent, environment, recorder, windows = unpack(states[0])
        self._enter(segment)
        self._left = left
        self._env.env = restored(self._env.env, environment)
        self._env.load(recorder)
        self._windows.restore(windows)
        if holds_bytes(agent) and not isinstance(agent, Foreign):
            raise PackedError("the state of an agent holds bytes that are not marked as foreign.")
        self._agent.load(unpack(agent.data) if isinstance(agent, Foreign) else agent)  # type: ignore[attr-defined]

    def _enter(self, segment: int) -> None:
        self._segment, self._left = segment, self._cell.segments[segment].steps
        seed = seeding.seed_of(seeding.child(self._cell.seed, "environment", segment))
        self._env = Recorder(make(self._cell.segments[segment].source), self._windows, seed)


class SideBySide:
    """A pack of agents that are Python objects, each with its own environment."""

    failed = NONE_FAILED

    def __init__(self, cells: Sequence[Cell], maker: str, **more: str) -> None:
        self.cells = cells
        source = agent_source(maker)
        made = [Agent.make(maker, source, **dict(cell.agent.params), **more) for cell in cells]
        self._learners = [ExternalLearner([replace(cell, agent=a)]) for cell, a in zip(cells, made, strict=True)]

    def train(self, steps: int) -> None:
        for one in self._learners:
            one.train(steps)

    def evaluate(self, probe: int) -> dict[str, npt.NDArray[np.float64]]:
        found = [one.evaluate(probe) for one in self._learners]
        return {metric: np.concatenate([of_one[metric] for of_one in found]) for metric in found[0]}

    def record(self, probe: int) -> list[npt.NDArray[np.int64]]:
        return [actions for one in self._learners for actions in one.record(probe)]

    def curves(self) -> list[Points]:
        return [points for one in self._learners for points in one.curves()]

    def save(self) -> list[bytes] | None:
        states = [one.save() for one in self._learners]
        return None if None in states else [state for one in states for state in one or ()]

    def load(self, states: Sequence[bytes]) -> None:
        for one, state in zip(self._learners, states, strict=True):
            one.load([state])
