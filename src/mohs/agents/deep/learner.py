"""How does a pack of deep agents train, evaluate and resume? In the same way for all algorithms.

An *algorithm* (see `algorithm.py`) holds the networks of all cells, chooses actions and learns from steps.
"""

from __future__ import annotations

import math
import pickle
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from mohs.agents import windows
from mohs.agents.deep.algorithm import Maker
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.lifelong.new_tasks import response
from mohs.agents.deep.lifelong.task_id import TaskIdStage
from mohs.agents.deep.spaces import Image, observations
from mohs.agents.deep.threads import one_thread
from mohs.agents.evaluation import episode_sums, most_steps
from mohs.agents.protocol import RECORDED, Points
from mohs.agents.stage import Array, Stage, Step, is_native, stage
from mohs.agents.streams import keys, seeds
from mohs.core.cell import Cell
from mohs.core.errors import UsageError
from mohs.core.task import Source, TaskSet

QUICK = 1  # the level of compression
COPIES = 8  # of a third-party environment that shows images, at most, in an evaluation


class DeepLearner:
    """A pack of deep agents of one kind. `failed` says which cells failed, and why; the others continue."""

    def __init__(self, cells: Sequence[Cell], maker: Maker, config: Any, device: str = "cpu") -> None:
        self.cells = cells
        self.failed: dict[int, str] = {}
        self._segment, self._left, self._step, self._owed = 0, 0, 0, 0
        self._task_ids = task_ids(cells[0])
        self._stage = seen = self._scene([cells[0].segments[0].source], [0], 0)  # for its spaces only
        with one_thread():
            self._algorithm = maker(cells, config, seen.observation_space, seen.action_space, torch.device(device))
            self._shows_images = isinstance(observations(seen.observation_space), Image)
            self._response = response(config, self._algorithm, cells)
        self._parts = {**self._algorithm.parts, **self._response.parts}
        self._num_envs = self._algorithm.num_envs
        instances = len(cells) * self._num_envs
        self._return, self._length = np.zeros(instances), np.zeros(instances, dtype=np.int64)
        points = windows.count(cells[0].window, cells[0].steps)
        self._returns, self._lengths = np.zeros((len(cells), points)), np.zeros((len(cells), points))
        self._episodes = np.zeros((len(cells), points), dtype=np.int64)
        self._enter(0)

    def train(self, steps: int) -> None:
        """Every cell takes `steps` more steps.

        Where a cell has several environments, as many rounds of them as go into all the steps so far.
        """
        while self._left == 0 and steps:  # a segment may have no steps
            self._next()
        with one_thread():
            self._owed += steps
            while self._owed >= self._num_envs:
                self._owed -= self._num_envs
                self._round()
        self._left -= steps
        self._find_failures()

    def _round(self) -> None:
        """One step of every instance."""
        algorithm = self._algorithm
        step = self._stage.step(algorithm.act(self._stage.now))
        algorithm.learn(step)
        self._step += self._num_envs
        self._return += step.reward
        self._length += 1
        over = step.terminated | step.truncated
        if over.any():
            self._record(np.flatnonzero(over))

    def _record(self, ended: npt.NDArray[np.int64]) -> None:
        """Adds episodes that have just ended to the training curves."""
        point = min((self._step - 1) // self.cells[0].window, self._returns.shape[1] - 1)
        of = ended // self._num_envs
        np.add.at(self._returns[:, point], of, self._return[ended])
        np.add.at(self._lengths[:, point], of, self._length[ended])
        np.add.at(self._episodes[:, point], of, 1)
        self._return[ended], self._length[ended] = 0.0, 0

    def _find_failures(self) -> None:
        for instance, error in self._stage.failed.items():
            self.failed.setdefault(instance // self._num_envs, error)
        for i in np.flatnonzero(~self._algorithm.finite()).tolist():
            self.failed.setdefault(i, _diverged(self._step))

    def evaluate(self, probe: int) -> dict[str, npt.NDArray[np.float64]]:
        """Compiled fleets play all episodes of a probe at once; a third-party environment plays them one by one.

        Where it shows images, several copies of it play as many episodes each: networks are slow on single images.
        """
        probes = [cell.probes[probe] for cell in self.cells]
        first = probes[0]
        native = all(is_native(p.source) for p in probes)
        num_envs = first.episodes if native else copies(first.episodes) if self._shows_images else 1
        most = most_steps(self.cells, [p.source for p in probes]) / (1 if native else num_envs)
        address = "probe", first.name, self._step
        number = self._number(first.source)
        sources = [p.source for p in probes for _ in range(num_envs)]
        scene = self._scene(sources, seeds(self.cells, num_envs, *address), number)
        with one_thread(), self._response.playing(self._learning, number):
            draws, each = Draws(keys(self.cells, *address, "play")), first.episodes // num_envs
            returns, lengths, played = self._play(scene, num_envs, each, first.mode == "greedy", most, draws)
        scene.close()
        for instance, error in scene.failed.items():
            self.failed.setdefault(instance // num_envs, error)
        means = {"return": returns / played, "length": lengths / played}
        return {metric: means[metric] for metric in first.metrics}

    def record(self, probe: int) -> list[npt.NDArray[np.int64]]:
        """The actions of one more episode of every cell."""
        sources = [cell.probes[probe].source for cell in self.cells]
        number, taken = self._number(sources[0]), list[Array]()
        scene = self._scene(sources, [RECORDED] * len(self.cells), number)
        with one_thread(), self._response.playing(self._learning, number):
            draws, greedy = Draws(keys(self.cells, "recorded")), self.cells[0].probes[probe].mode == "greedy"
            _, lengths, _ = self._play(scene, 1, 1, greedy, math.inf, draws, taken)
        scene.close()
        counts = lengths.astype(int).tolist()
        return [np.array([actions[i] for actions in taken[:n]], dtype=np.int64) for i, n in enumerate(counts)]

    def _play(
        self, scene: Stage, num_envs: int, episodes: int, greedy: bool, most: float, draws: Draws,
        taken: list[Array] | None = None,
    ) -> tuple[Array, Array, Array]:  # fmt: skip
        """Sums over episodes for each cell; no new episode counts after `most` steps of an instance.

        All actions are added to `taken`.
        """
        memory: Any = None

        def act(now: Array) -> Array:
            nonlocal memory
            actions, memory = self._algorithm.play(now, memory, greedy, draws)
            return actions

        def after(step: Step) -> None:
            nonlocal memory
            memory = self._algorithm.forget(memory, step)
            if taken is not None:
                taken.append(step.action)

        sums = episode_sums(scene, episodes, most, act, after)
        returns, lengths, played = (x.reshape(len(self.cells), num_envs).sum(1) for x in sums)
        return returns, lengths, played

    def curves(self) -> list[Points]:
        window, total = self.cells[0].window, self.cells[0].steps
        sums = zip(self._returns, self._lengths, self._episodes, strict=True)
        return [windows.curve(*of_cell, window, total, self._step + self._owed) for of_cell in sums]

    def save(self) -> list[bytes] | None:
        """One cell after the other, each compressed at once: replay buffers of images are large and compress well."""
        states = []
        for i in range(len(self.cells)):
            instances = [] if i in self.failed else [self._stage.save(j) for j in self._instances(i)]
            if None in instances:
                return None
            states.append(b"" if i in self.failed else zlib.compress(pickle.dumps(self._state(i, instances)), QUICK))
        return states

    def load(self, states: Sequence[bytes]) -> None:
        read = [pickle.loads(zlib.decompress(state)) for state in states]
        self._enter(read[0]["counts"][0])
        self._segment, self._left, self._step, self._owed = read[0]["counts"]
        for i, state in enumerate(read):
            for j, instance in zip(self._instances(i), state["instances"], strict=True):
                self._stage.load(j, instance)
            for name, value in state["arrays"].items():
                getattr(self, name)[i] = value
            self._return[self._instances(i)], self._length[self._instances(i)] = state["under_way"]
            for name, part in self._parts.items():
                part.load(i, state["parts"][name])

    def _state(self, i: int, instances: Sequence[bytes | None]) -> dict[str, Any]:
        mine = self._instances(i)
        return {
            "counts": (self._segment, self._left, self._step, self._owed),
            "instances": instances,
            "under_way": (self._return[mine], self._length[mine]),
            "arrays": {name: getattr(self, name)[i].copy() for name in ("_returns", "_lengths", "_episodes")},
            "parts": {name: part.save(i) for name, part in self._parts.items()},
        }

    def _instances(self, i: int) -> list[int]:
        return list(range(i * self._num_envs, (i + 1) * self._num_envs))

    def _number(self, source: Source) -> int | None:
        """Which of the tasks that are learnt this is, in the first cell as in all others; None: none of them."""
        return self.cells[0].numbers.get(source)

    @property
    def _learning(self) -> int:
        return self.cells[0].numbers[self.cells[0].segments[self._segment].source]

    def _scene(self, sources: Sequence[Source], seeds: Sequence[int], number: int | None) -> Stage:
        """A stage for a task, with the task id where agents observe it."""
        bare = stage(sources, seeds)
        if not self._task_ids:
            return bare
        return TaskIdStage(bare, 0 if number is None else self._task_ids.get(number, 0), 1 + len(self._task_ids))

    def _next(self) -> None:
        """The next segment begins, and with it perhaps another task."""
        old = self._learning
        self._enter(self._segment + 1)
        if self._learning != old:
            with one_thread():
                self._response.change(old, self._learning, self._segment)

    def _enter(self, segment: int) -> None:
        """Starts the environments of a segment."""
        self._segment, self._left = segment, self.cells[0].segments[segment].steps
        self._step, self._owed = self._step + self._owed, 0
        sources = [cell.segments[segment].source for cell in self.cells for _ in range(self._num_envs)]
        self._stage.close()
        self._stage = self._scene(sources, seeds(self.cells, self._num_envs, "environment", segment), self._learning)
        self._return[:], self._length[:] = 0.0, 0
        self._algorithm.enter()


def copies(episodes: int) -> int:
    """The number of copies that share the episodes of an evaluation equally.

    Example:
        >>> copies(20), copies(7), copies(11)
        (5, 7, 1)
    """
    return max(k for k in range(1, COPIES + 1) if episodes % k == 0)


def task_ids(cell: Cell) -> dict[int, int]:
    """The ids that an agent observes, by the number of the task; 0 is the id of all other tasks."""
    observed = dict.fromkeys(cell.numbers[s.source] for s in cell.segments if s.task_id)
    if any(isinstance(source, TaskSet) and number in observed for source, number in cell.numbers.items()):
        raise UsageError("deep agents can observe the id of a single task, not of tasks in a set: set task_id=False.")
    return {number: i for i, number in enumerate(observed, 1)}


def _diverged(step: int) -> str:
    return (
        f"DivergenceError: by step {step} the weights of a network were not finite; a smaller learning_rate or "
        "max_grad_norm may help."
    )
