"""How does a car move between two hills under a force that is a number? As Gymnasium's `MountainCarContinuous-v0`.

Gymnasium keeps this state in single precision from the first step on, and so does this law: every product and sum is
rounded where Gymnasium's is. Start states are rounded too, which Gymnasium's are not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mohs.core.kernel import law
from mohs.core.task import Source, Task
from mohs.engines.common_law import at
from mohs.engines.control.common import ControlFleet, close_step, open_episode, task_record, within
from mohs.engines.control.mountain_car import START, STATE
from mohs.engines.law import Law, instance_record

_GIVEN = ("power", "gravity", "max_speed", "min_position", "max_position", "goal_position", "goal_velocity")

INSTANCE = instance_record(*((name, np.float32) for name in STATE))
TASK = task_record(*_GIVEN)
_THREE = np.float32(3.0)


@law
def moved(task, position, velocity, force):
    """Position and velocity after a step, all in single precision. The wall on the left stops the car."""
    slope = math.cos(np.float64(_THREE * position))
    velocity = velocity + (np.float32(force) * np.float32(task.power) - np.float32(task.gravity * slope))
    fastest = np.float32(task.max_speed)
    velocity = min(max(velocity, -fastest), fastest)
    lowest = np.float32(task.min_position)
    position = min(max(position + velocity, lowest), np.float32(task.max_position))
    if position == lowest and velocity < np.float32(0.0):
        velocity = np.float32(0.0)
    return position, velocity


@law
def at_goal(task, position, velocity):
    """Is the car at the goal, and fast enough?"""
    return (position >= np.float32(task.goal_position)) & (velocity >= np.float32(task.goal_velocity))


@law
def begin(inst, tasks, ints, floats):
    """Starts the next episode."""
    x = open_episode(inst, ints, floats)
    inst.position, inst.velocity = np.float32(START[0] + within(x, 0, START[1])), np.float32(0.0)


@law
def advance(inst, tasks, ints, floats, action):
    """One step: (reward, terminated, truncated). The goal pays 100, a force its square / 10 less."""
    task = at(tasks, inst.task)
    force = np.float64(action[0])
    position, velocity = moved(task, inst.position, inst.velocity, action[0])
    terminated = at_goal(task, position, velocity)
    inst.position, inst.velocity = position, velocity
    reward = (100.0 if terminated else 0.0) - force * force * 0.1
    return reward, terminated, close_step(inst, task, terminated)


@law
def observe(inst, tasks, ints, floats, observation):
    """Writes the state."""
    observation[0] = inst.position
    observation[1] = inst.velocity


@law
def bounds(inst, tasks, component):
    """The full force in either direction."""
    return np.float32(-1.0), np.float32(1.0)


class MountainCarContinuousFleet(ControlFleet):
    """Its `spaces` are (numbers observed, largest force)."""

    law = Law("mountain_car_continuous", INSTANCE, TASK, begin, advance, observe, bounds)
    state_fields = STATE


def fleet(sources: Sequence[Source], history: bool = False) -> MountainCarContinuousFleet:
    """A fleet with one instance for each source. It keeps no more with `history`."""
    return MountainCarContinuousFleet.from_records(sources, write_task, spaces, "(numbers observed, largest force)")


def write_task(record: Any, task: Task) -> None:
    """Writes a task into its record."""
    for name in _GIVEN:
        record[name] = task[name]
    record["horizon"] = task["max_episode_steps"]


def spaces(task: Task) -> tuple[int, float]:
    """The same for all tasks: any of them can share a fleet."""
    return len(STATE), 1.0
