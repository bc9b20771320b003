"""Which signal does an environment have? What a controller may know of it beside what it observes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mohs.core.cell import Agent, Cell
from mohs.core.errors import UsageError
from mohs.core.task import Task, members
from mohs.engines.traffic.signal import LANE_FEATURES, Signal
from mohs.envs.make import make


def signal_of(env: Any, name: str) -> Signal:
    """The signal of an environment.

    Args:
        env: A Gymnasium environment.
        name: The controller, for the message.

    Raises:
        UsageError: it has none.
    """
    found = getattr(env.unwrapped, "signal", None)
    if not isinstance(found, Signal):
        raise UsageError(f"{name} controls a traffic signal, which this environment has not: use traffic/intersection.")
    return found


def signals_of(cells: Sequence[Cell]) -> list[Signal]:
    """The signal that each cell learns to control, observed lane by lane.

    Raises:
        UsageError: a cell has no signal, several, or does not observe lanes.
    """
    name = cells[0].agent.name
    each = [dict.fromkeys(task for source in cell.sources for task in members(source)[0]) for cell in cells]
    known = {task: _signal(task, name) for task in dict.fromkeys(task for tasks in each for task in tasks)}
    return [_only(name, {task: known[task] for task in tasks}) for tasks in each]


def _only(name: str, signals: Mapping[Task, Signal]) -> Signal:
    """The signal that all tasks of a cell have."""
    tasks, (first, *others) = list(signals), signals.values()
    if set(first.features) != set(LANE_FEATURES):
        raise UsageError(f"{name} observes lanes, but {tasks[0]} shows {', '.join(first.features)}: set observation.")
    for other, task in zip(others, tasks[1:], strict=True):
        same = np.array_equal(first.permits, other.permits) and np.array_equal(first.greens, other.greens)
        if not same or first.features != other.features:
            raise UsageError(f"{name} learns to control one intersection, but {task} has other lanes or phases.")
    return first


def _signal(task: Task, name: str) -> Signal:
    env = make(task)
    try:
        return signal_of(env, name)
    finally:
        env.close()


def check_plays(agent: Agent, task: Task, steps: int | None = None) -> None:
    """Raises where a task is no traffic signal."""
    _signal(task, agent.name)
