"""How does a car move between two hills? As Gymnasium's `MountainCar-v0`, with parameters that may differ.

Moore's (1990) car: actions push to the left, not at all or to the right, every step costs 1 until the goal is reached.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mohs.core.errors import UsageError
from mohs.core.kernel import law
from mohs.core.task import Source, Task
from mohs.engines.common_law import at
from mohs.engines.control.common import ControlFleet, close_step, open_episode, task_record, within
from mohs.engines.law import Law, instance_record

STATE = ("position", "velocity")
_GIVEN = ("force", "gravity", "max_speed", "min_position", "max_position", "goal_position", "goal_velocity")

INSTANCE = instance_record(*((name, np.float64) for name in STATE))
TASK = task_record(*_GIVEN)
START = (-0.5, 0.1)  # episodes start at rest, at a position within ±0.1 of −0.5


@law
def moved(task, position, velocity, action):
    """Position and velocity after a step. The wall on the left stops the car."""
    velocity += (action - 1) * task.force + math.cos(3 * position) * (-task.gravity)
    velocity = min(max(velocity, -task.max_speed), task.max_speed)
    position = min(max(position + velocity, task.min_position), task.max_position)
    if position == task.min_position and velocity < 0.0:
        velocity = 0.0
    return position, velocity


@law
def at_goal(task, position, velocity):
    """Is the car at the goal, and fast enough?"""
    return (position >= task.goal_position) & (velocity >= task.goal_velocity)


@law
def begin(inst, tasks, ints, floats):
    """Starts the next episode."""
    x = open_episode(inst, ints, floats)
    inst.position, inst.velocity = START[0] + within(x, 0, START[1]), 0.0


@law
def advance(inst, tasks, ints, floats, action):
    """One step: (reward, terminated, truncated)."""
    task = at(tasks, inst.task)
    position, velocity = moved(task, inst.position, inst.velocity, action[0])
    terminated = at_goal(task, position, velocity)
    inst.position, inst.velocity = position, velocity
    return -1.0, terminated, close_step(inst, task, terminated)


@law
def observe(inst, tasks, ints, floats, observation):
    """Writes the state in single precision."""
    observation[0] = np.float32(inst.position)
    observation[1] = np.float32(inst.velocity)


@law
def bounds(inst, tasks, component):
    """To the left, not at all, and to the right."""
    return 0, 2


class MountainCarFleet(ControlFleet):
    """Its `spaces` are (numbers observed, actions)."""

    law = Law("mountain_car", INSTANCE, TASK, begin, advance, observe, bounds)
    state_fields = STATE


def fleet(sources: Sequence[Source], history: bool = False) -> MountainCarFleet:
    """A fleet with one instance for each source. It keeps no more with `history`."""
    return MountainCarFleet.from_records(sources, write_task, spaces, "(numbers observed, actions)")


def write_task(record: Any, task: Task) -> None:
    """Writes a task into its record."""
    for name in _GIVEN:
        record[name] = task[name]
    record["horizon"] = task["max_episode_steps"]


def spaces(task: Task) -> tuple[int, int]:
    """The same for all tasks: any of them can share a fleet."""
    return len(STATE), 3


def check(values: Mapping[str, Any], given: frozenset[str]) -> dict[str, Any]:
    """The start positions lie between the ends, and so does the goal."""
    low, high, goal = values["min_position"], values["max_position"], values["goal_position"]
    first, last = START[0] - START[1], START[0] + START[1]
    if not low <= first <= last <= high:
        raise UsageError(
            f"min_position = {low:g} and max_position = {high:g} must enclose the start positions, "
            f"{first:g} to {last:g}."
        )
    if not low <= goal <= high:
        raise UsageError(f"goal_position = {goal:g} must lie between min_position and max_position.")
    return {}
