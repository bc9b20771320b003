"""Which tabular agents are there? Q-learning, double Q-learning, SARSA and a random agent, trained in packs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.agents import windows
from mohs.agents.external import side_by_side
from mohs.agents.hyperparameters import Config, setting
from mohs.agents.protocol import NONE_FAILED, Learner, Points
from mohs.agents.streams import bursts, keys, started
from mohs.agents.tabular import kernels
from mohs.core.cell import Agent, Cell
from mohs.core.domain import Integer, Real
from mohs.core.errors import UsageError
from mohs.core.packed import pack, unpack
from mohs.core.task import Source, Task, members
from mohs.engines.fleets import NumberedFleet

Float = npt.NDArray[np.float64]

ALGORITHMS = {
    "q_learning": kernels.Q_LEARNING,
    "double_q_learning": kernels.DOUBLE_Q_LEARNING,
    "sarsa": kernels.SARSA,
    "random": kernels.RANDOM,
}
MAX_ENTRIES = 2**27  # of the Q-tables of a pack: 1 GB, or two where a pair is learnt


@dataclass(frozen=True)
class TabularConfig(Config):
    """The learning rate was chosen by a scan over vanilla and the dials of Appendix D."""

    learning_rate: float = setting(0.15, Real(0, 1, low_open=True), "learning rate")
    gamma: float = setting(0.95, Real(0, 1), "discount factor")
    exploration_initial_eps: float = setting(1.0, Real(0, 1), "initial exploration rate")
    exploration_final_eps: float = setting(0.02, Real(0, 1), "final exploration rate")
    exploration_steps: int = setting(
        2000, Integer(0), "environment steps over which exploration falls linearly to its final rate"
    )
    history: int = setting(1, Integer(1, 16), "number of latest observations that it acts on")


def is_numbered(task: Task) -> bool:
    """Whether a kernel can play the task by the numbers of its states, whatever else may be seen of them."""
    return task.environment.fleet is not None and not task.values.get("image_representations", False)


def seen_as_states(task: Task) -> bool:
    """Whether an agent sees the numbers of states, not images or boards."""
    return is_numbered(task) and task.values.get("observation", "state") == "state"


def check_sees(agent: Agent, source: Source) -> None:
    """Raises where the agent does not observe the numbers of states."""
    for task in members(source)[0]:
        if seen_as_states(task):
            continue
        if is_numbered(task):
            raise UsageError(f"{agent.name} keeps a table of states and must see their numbers: set observation=state.")
        shown = f"{task.env} as images" if task.values.get("image_representations") else task.env
        raise UsageError(
            f"{agent.name} keeps a table of states and cannot play {shown}, whose observations are not state numbers: "
            "take a deep agent (mohs agents lists them)."
        )


def learner(cells: Sequence[Cell], device: str = "cpu") -> TabularLearner:
    """The learner of a pack."""
    return TabularLearner(cells)


def random_learner(cells: Sequence[Cell], device: str = "cpu") -> Learner:
    """The random policy, compiled where states are numbered."""
    numbered = all(is_numbered(task) for source in cells[0].sources for task in members(source)[0])
    return TabularLearner(cells) if numbered else side_by_side(cells)


def most_cells(cell: Cell) -> int:
    """How many cells like this one a pack may have, so that their Q-tables fit into memory."""
    task = members(cell.segments[0].source)[0][0]
    if not is_numbered(task):
        return MAX_ENTRIES
    fleet: NumberedFleet = task.environment.realisation("fleet")([task])
    observations, actions = fleet.sizes
    rows, _ = _rows(observations, TabularConfig.of(cell.agent).history)
    return max(1, MAX_ENTRIES // (rows * actions * (1 + len(_task_ids(cell)))))


class TabularLearner:
    """A pack of tabular agents where states are numbered: one Q-table and one instance for each cell."""

    failed = NONE_FAILED

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.cells = cells
        self.config = TabularConfig.of(cells[0].agent)
        self._algorithm = ALGORITHMS[cells[0].agent.name]
        self._task_ids = [_task_ids(cell) for cell in cells]
        self._segment = -1
        self._left = 0
        self._fleet: NumberedFleet
        self._enter(0, keys(cells, "environment", 0))
        observations, actions = self._fleet.sizes
        # Block 0 of the rows is for tasks whose id is not observed; then comes one block for each task id.
        of_task, self._pasts = _rows(observations, self.config.history)
        rows = of_task * (1 + max(map(len, self._task_ids)))
        shape = len(cells), rows, actions
        if rows * actions > MAX_ENTRIES:
            raise UsageError(f"a Q-table of {rows:,} observations × {actions:,} actions is too large to learn in.")
        self._q = np.zeros(shape)
        self._second = np.zeros(shape if self._algorithm == kernels.DOUBLE_Q_LEARNING else (len(cells), 0, shape[2]))
        self._learners = np.zeros(len(cells), dtype=kernels.LEARNER)
        self._learners["key"] = keys(cells, "agent")
        self._learners["action"] = -1
        self._past = np.zeros(len(cells), dtype=np.int64)
        points = windows.count(cells[0].window, cells[0].steps)
        self._returns, self._lengths = np.zeros((len(cells), points)), np.zeros((len(cells), points))
        self._episodes = np.zeros((len(cells), points), dtype=np.int64)

    def train(self, steps: int) -> None:
        while self._left == 0 and steps:  # a segment may have no steps
            number = self._segment + 1
            self._enter(number, keys(self.cells, "environment", number))
            self._learners["action"], self._past[:] = -1, 0
            self._learners["episode_return"], self._learners["length"] = 0.0, 0
        config = self.config
        blocks = self._blocks(self._fleet, self._segment)
        for burst in bursts(steps, self._fleet):
            kernels.train(
                *self._fleet.arrays, blocks, self._past, self._pasts, self._learners, self._q, self._second,
                self._returns, self._lengths, self._episodes, self.cells[0].window, burst, self._algorithm,
                config.learning_rate, config.gamma, config.exploration_initial_eps, config.exploration_final_eps,
                config.exploration_steps,
            )  # fmt: skip
        self._left -= steps

    def evaluate(self, probe: int) -> dict[str, npt.NDArray[np.float64]]:
        step = int(self._learners["step"][0])
        probes = [cell.probes[probe] for cell in self.cells]
        stage = started([p.source for p in probes], keys(self.cells, "probe", probes[0].name, step))
        players = np.array(keys(self.cells, "probe", probes[0].name, step, "play"), dtype=np.uint64)
        n = len(self.cells)
        returns, lengths, played = np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64)
        c = self.config
        greedy = probes[0].mode == "greedy"
        epsilon = (
            0.0
            if greedy
            else kernels.epsilon_at(step, c.exploration_initial_eps, c.exploration_final_eps, c.exploration_steps)
        )
        episodes = probes[0].episodes
        rows, past = self._blocks(stage), np.zeros(n, dtype=np.int64)
        while played.min() < episodes:
            burst = next(bursts(1 << 20, stage))
            kernels.play(
                *stage.arrays, rows, past, self._pasts, players, self._q, self._second, epsilon, burst, episodes,
                returns, lengths, played,
            )  # fmt: skip
        means = {"return": returns / episodes, "length": lengths / episodes}
        return {metric: means[metric] for metric in probes[0].metrics}

    def curves(self) -> list[Points]:
        window, total, step = self.cells[0].window, self.cells[0].steps, int(self._learners["step"][0])
        sums = zip(self._returns, self._lengths, self._episodes, strict=True)
        return [windows.curve(*of_cell, window, total, step) for of_cell in sums]

    def save(self) -> list[bytes]:
        return [pack(self._state(i)) for i in range(len(self.cells))]

    def load(self, states: Sequence[bytes]) -> None:
        read = [unpack(state) for state in states]
        self._enter(read[0]["segment"], [0] * len(read))
        self._left = read[0]["left"]
        for i, state in enumerate(read):
            self._fleet.load(i, state["instance"])
            for name, value in state["arrays"].items():
                getattr(self, name)[i] = value
            for name, kept in state["tables"].items():
                _restore(getattr(self, name)[i], *kept)

    def _state(self, i: int) -> dict[str, Any]:
        names = ("_learners", "_past", "_returns", "_lengths", "_episodes")
        arrays = {name: getattr(self, name)[i].copy() for name in names}
        tables = {name: _kept(getattr(self, name)[i]) for name in ("_q", "_second")}
        instance = self._fleet.save(i)
        return {"segment": self._segment, "left": self._left, "instance": instance, "arrays": arrays, "tables": tables}

    def _enter(self, segment: int, streams: Sequence[int]) -> None:
        """Starts the environments of a segment."""
        self._segment = segment
        self._left = self.cells[0].segments[segment].steps
        self._fleet = started([cell.segments[segment].source for cell in self.cells], streams)

    def _blocks(self, of: NumberedFleet, segment: int | None = None) -> npt.NDArray[np.int64]:
        """For each cell and each task of a fleet the block of rows to learn in: 0 where the task id is not observed.

        In an evaluation (no segment) the agent observes the task ids that it observed in training.
        """
        blocks = np.zeros((len(self.cells), len(of.tasks)), dtype=np.int64)
        for i, (cell, task_ids) in enumerate(zip(self.cells, self._task_ids, strict=True)):
            if segment is None or cell.segments[segment].task_id:
                for task, block in task_ids.items():
                    if task in of.numbers:
                        blocks[i, of.numbers[task]] = block
        return blocks


def _kept(table: Float) -> tuple[npt.NDArray[np.int64], Float]:
    """What of a Q-table differs from 0, and where: of a large one the agent has seen little."""
    places = np.flatnonzero(table)
    return places, table.ravel()[places]


def _restore(table: Float, places: npt.NDArray[np.int64], values: Float) -> None:
    if table.any():
        table[:] = 0.0
    table.reshape(-1)[places] = values


def _rows(observations: int, history: int) -> tuple[int, int]:
    """The rows of a Q-table for one task, and the number of pasts that an observation can have."""
    pasts: int = (observations + 1) ** (history - 1)
    return observations if history == 1 else pasts * (observations + 1), pasts


def _task_ids(cell: Cell) -> dict[Task, int]:
    """The ids of tasks that the agent observes: from 1 on, in the order of training."""
    numbers: dict[Task, int] = {}
    for segment in cell.segments:
        if segment.task_id:
            for task in members(segment.source)[0]:
                numbers.setdefault(task, len(numbers) + 1)
    return numbers
