"""How well can the task be played at all? An oracle that is handed the exact table and follows an optimal plan.

It finds its place in the table by what it sees: from a product state and an action, no two successors have the same
observation. So it needs no look into the environment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mohs.agents.protocol import NONE_FAILED, Points
from mohs.agents.streams import bursts, keys, started
from mohs.agents.tabular import learner as tabular
from mohs.agents.windows import Windows
from mohs.core.cell import Agent, Cell
from mohs.core.errors import UsageError
from mohs.core.kernel import kernel
from mohs.core.packed import pack, unpack
from mohs.core.task import Source, Task, members
from mohs.engines.numbered import advance, begin


class Planned(Protocol):
    """A plan as this module reads it: a table and the action for each step and state."""

    @property
    def table(self) -> Any: ...

    @property
    def actions(self) -> npt.NDArray[np.int32]: ...


Planner = Callable[[Task], Planned]

ENDLESS = 2**62  # more steps or episodes than any run has
TRACKER = np.dtype(
    [("at", np.int64), ("step", np.int64), ("episode_return", np.float64), ("length", np.int64)], align=True
)


def check_sees(agent: Agent, source: Source) -> None:
    """Raises where the agent cannot find its place in the table by what it observes."""
    tabular.check_sees(agent, source)
    if any(task.values.get("sticky_actions") for task in members(source)[0]):
        raise UsageError(f"the {agent.name} agent does not see which action was taken: sticky_actions must be 0.")


@kernel
def follow(
    instances, tasks, ints, floats, indptr, succ, actions, others, observation, starts, policy, trackers,
    returns, lengths, episodes, window, steps, most_episodes,
):  # fmt: skip
    """Plays by the plan for `steps` steps or until `most_episodes` have ended, which it counts; sums go to windows.

    A plan knows nothing of irrelevant actions: so many go with each of its own, and the first is taken.
    """
    inst, me = instances[0], trackers[0]
    ended = 0
    for _ in range(steps):
        if ended >= most_episodes:
            break
        if me.at < 0:
            me.at = starts[inst.state]
        action = policy[inst.t, me.at]
        row = me.at * actions + action
        reward, _, _ = advance(inst, tasks, ints, floats, action * others)
        me.step += 1
        me.episode_return += reward
        me.length += 1
        if len(indptr) == 0:
            me.at = succ[row]
        else:
            for entry in range(indptr[row], indptr[row + 1]):
                if observation[succ[entry]] == inst.state:
                    me.at = succ[entry]
                    break
        if inst.over:
            point = min((me.step - 1) // window, len(returns) - 1)
            returns[point] += me.episode_return
            lengths[point] += me.length
            episodes[point] += 1
            me.episode_return, me.length, me.at = 0.0, 0, -1
            ended += 1
            begin(inst, tasks, ints, floats)
    return ended


class OptimalLearner:
    """A pack of oracles. Training changes nothing: its curve is that of the optimal policy."""

    failed = NONE_FAILED

    def __init__(self, cells: Sequence[Cell], planner: Planner) -> None:
        self.cells = cells
        self._planner = planner
        self._segment, self._left = -1, 0
        self._stages: list[_Stage] = []
        self._windows = [Windows(cell.window, cell.steps) for cell in cells]
        self._enter(0)

    def train(self, steps: int) -> None:
        while self._left == 0 and steps:  # a segment may have no steps
            self._enter(self._segment + 1)
        for stage, windows in zip(self._stages, self._windows, strict=True):
            stage.play(windows, steps, ENDLESS)
        self._left -= steps

    def evaluate(self, probe: int) -> dict[str, npt.NDArray[np.float64]]:
        rows = []
        for cell, windows in zip(self.cells, self._windows, strict=True):
            p = cell.probes[probe]
            (key,) = keys([cell], "probe", p.name, windows.step)
            stage = _Stage(p.source, self._planner, key)
            totals = Windows(ENDLESS, ENDLESS)
            stage.play(totals, ENDLESS, p.episodes)
            rows.append((totals.returns[0] / p.episodes, totals.lengths[0] / p.episodes))
        means = dict(zip(("return", "length"), np.array(rows).T, strict=True))
        return {metric: means[metric] for metric in self.cells[0].probes[probe].metrics}

    def curves(self) -> list[Points]:
        return [windows.points() for windows in self._windows]

    def save(self) -> list[bytes]:
        return [
            pack((self._segment, self._left, windows.state(), stage.state()))
            for windows, stage in zip(self._windows, self._stages, strict=True)
        ]

    def load(self, states: Sequence[bytes]) -> None:
        for i, blob in enumerate(states):
            segment, left, windows, stage = unpack(blob)
            if i == 0:
                self._enter(segment)
                self._left = left
            self._windows[i].restore(windows)
            self._stages[i].restore(stage)

    def _enter(self, segment: int) -> None:
        self._segment, self._left = segment, self.cells[0].segments[segment].steps
        streams = keys(self.cells, "environment", segment)
        self._stages = [
            _Stage(cell.segments[segment].source, self._planner, key, windows.step)
            for cell, windows, key in zip(self.cells, self._windows, streams, strict=True)
        ]


class _Stage:
    """One environment and the plan that is followed in it."""

    def __init__(self, source: Source, planner: Planner, key: int, step: int = 0) -> None:
        if not isinstance(source, Task):
            raise UsageError("the optimal agent plays single tasks, not sets of tasks.")
        self._plan = planner(source)
        table = self._plan.table
        self._starts = np.full(int(table.observation.max()) + 1, -1, dtype=np.int64)
        first = np.flatnonzero(table.initial)
        self._starts[table.observation[first]] = first
        self._fleet = started([source], [key])
        self._others = self._fleet.sizes[1] // table.actions
        self._tracker = np.zeros(1, dtype=TRACKER)
        self._tracker["at"], self._tracker["step"] = -1, step

    def play(self, windows: Windows, steps: int, episodes: int) -> None:
        table = self._plan.table
        indptr, succ = table.arrays[:2]
        for burst in bursts(steps, self._fleet):
            episodes -= follow(
                *self._fleet.arrays, indptr, succ, table.actions, self._others, table.observation, self._starts,
                self._plan.actions, self._tracker, windows.returns, windows.lengths, windows.episodes, windows.window,
                burst, episodes,
            )  # fmt: skip
            if episodes == 0:
                break
        windows.step = int(self._tracker["step"][0])

    def state(self) -> tuple[Any, ...]:
        return self._fleet.save(0), self._tracker.copy()

    def restore(self, state: tuple[Any, ...]) -> None:
        self._fleet.load(0, state[0])
        self._tracker[:] = state[1]
