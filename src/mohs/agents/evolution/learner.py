"""How does a pack of searches train, evaluate and resume?

A cell has one environment. On an engine whose states are observed as they are, one kernel plays all steps of all cells;
other environments (images, third-party ones) are stepped one step of every cell at a time.

A budget may end in the middle of an episode, and of a generation: the policy is then the mean after the last complete
generation. Policies are deterministic, so evaluations are the same in both modes of a probe.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.agents import windows
from mohs.agents.evaluation import episode_sums, most_steps
from mohs.agents.evolution import kernels
from mohs.agents.evolution.config import SearchConfig
from mohs.agents.evolution.policy import layout
from mohs.agents.evolution.search import Floats, begin_generation, room, search
from mohs.agents.protocol import Points
from mohs.agents.registry import config
from mohs.agents.stage import Array, FleetStage, Stage, stage
from mohs.agents.streams import seeds
from mohs.core.cell import Agent, Cell, Segment
from mohs.core.errors import UsageError
from mohs.core.packed import pack, unpack
from mohs.core.task import Task, members
from mohs.engines.fleets import Fleet
from mohs.envs.make import make

LARGEST = 512  # cells of a pack: beyond this a lost pack costs more than another one
MAX_ENTRIES = 2**24  # weights of a pack's policies; a search keeps four numbers for each


def learner(cells: Sequence[Cell], device: str = "cpu") -> EvolutionLearner:
    """The learner of a pack."""
    return EvolutionLearner(cells)


def check_plays(agent: Agent, task: Task, steps: int | None = None) -> None:
    """Raises where the agent cannot play the task: a learner of one cell is constructed."""
    EvolutionLearner([Cell(agent, 0, (Segment(task, 1),))])


def most_cells(cell: Cell) -> int:
    """How many cells like this one a pack may have, so that their weights fit into memory."""
    env = make(members(cell.segments[0].source)[0][0])
    env.close()
    form = layout(env.observation_space, env.action_space, config(cell.agent), cell.agent.name)
    return max(1, min(LARGEST, MAX_ENTRIES // form.weights))


class EvolutionLearner:
    """A pack of searches. `failed` says which cells failed, and why; the others continue."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.cells = cells
        self.failed: dict[int, str] = {}
        if any(segment.task_id for segment in cells[0].segments):
            raise UsageError(f"{cells[0].agent.name} cannot observe the task id: set task_id=False.")
        self.config: SearchConfig = config(cells[0].agent)
        self._rule = self.config.rule
        self._segment, self._left = 0, cells[0].segments[0].steps
        self._stage = self._scene(0)
        spaces = self._stage.observation_space, self._stage.action_space
        self._layout = layout(*spaces, self.config, cells[0].agent.name)
        self._room = room(self._layout, self.config)
        self.search = search(cells, self._layout, self.config)

    def train(self, steps: int) -> None:
        while self._left == 0 and steps:  # a segment may have no steps
            self._enter(self._segment + 1)
            begin_generation(self._rule, self.search)
        window, scene = self.cells[0].window, self._stage
        form = self._rule, self._layout, self.search, self._room
        fleet = playable(scene)
        if fleet is not None:
            kernels.train(fleet.memory, *form, _row(fleet), window, steps)
        else:
            for _ in range(steps):
                step = scene.step(self._actions(self.search.weights, True, scene.now))
                kernels.count_all(*form, window, step.reward, step.terminated | step.truncated)
            self._note_failures(scene)
        self._left -= steps

    def evaluate(self, probe: int) -> dict[str, npt.NDArray[np.float64]]:
        """Plays by the mean of the search (of hill climbing: the best weights)."""
        probes = [cell.probes[probe] for cell in self.cells]
        first, sources, n = probes[0], [p.source for p in probes], len(probes)
        where = "probe", first.name, int(self.search.searchers["step"][0])
        scene = stage(sources, seeds(self.cells, 1, *where))
        fleet = playable(scene)
        if fleet is not None:
            returns, lengths, played = np.zeros(n), np.zeros(n), np.full(n, first.episodes)
            kernels.play(
                fleet.memory, self._layout, self.search, self._room, _row(fleet), first.episodes, returns, lengths
            )
        else:
            returns, lengths, played = episode_sums(
                scene, first.episodes, most_steps(self.cells, sources), partial(self._actions, self.search.mean, False)
            )
            self._note_failures(scene)
        scene.close()
        means = {"return": returns / played, "length": lengths / played}
        return {metric: means[metric] for metric in first.metrics}

    def curves(self) -> list[Points]:
        window, total, step = self.cells[0].window, self.cells[0].steps, int(self.search.searchers["step"][0])
        sums = zip(self.search.returns, self.search.lengths, self.search.episodes, strict=True)
        return [windows.curve(*of_cell, window, total, step) for of_cell in sums]

    def save(self) -> list[bytes] | None:
        states = []
        for i in range(len(self.cells)):
            instance = None if i in self.failed else self._stage.save(i)
            if instance is None and i not in self.failed:
                return None
            rows = [array[i].copy() for array in self.search]
            states.append(pack((self._segment, self._left, instance, rows)))
        return states

    def load(self, states: Sequence[bytes]) -> None:
        read = [unpack(state) for state in states]
        self._enter(read[0][0])
        for i, (_, self._left, instance, rows) in enumerate(read):
            self._stage.load(i, instance)
            for array, row in zip(self.search, rows, strict=True):
                array[i] = row

    def _enter(self, segment: int) -> None:
        """Starts the environments of a segment."""
        self._stage.close()
        self._segment, self._left = segment, self.cells[0].segments[segment].steps
        self._stage = self._scene(segment)

    def _scene(self, segment: int) -> Stage:
        return stage([c.segments[segment].source for c in self.cells], seeds(self.cells, 1, "environment", segment))

    def _actions(self, weights: Floats, learning: bool, now: Array) -> Array:
        """The actions of policies with these weights, as environments take them."""
        parts, kind = self._layout.parts
        actions = np.zeros((len(now), parts), dtype=kind)
        seen = np.ascontiguousarray(now).reshape(len(now), -1)
        kernels.act_all(self._layout, self.search, weights, self._room, seen, actions, learning)
        return actions.reshape(len(now), *(self._stage.action_space.shape or ()))

    def _note_failures(self, scene: Stage) -> None:
        for i, error in scene.failed.items():
            self.failed.setdefault(i, error)


def playable(scene: Stage) -> Fleet | None:
    """The fleet of a stage, where a kernel can play it."""
    return scene.fleet if isinstance(scene, FleetStage) else None


def _row(fleet: Fleet) -> npt.NDArray[Any]:
    """Room for what the law observes of one instance."""
    return np.zeros(fleet.width, dtype=fleet.observed)
