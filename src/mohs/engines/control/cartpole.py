"""How does a pole on a cart move? As Gymnasium's `CartPole-v1`, with parameters that may differ between instances.

The law is that of Barto, Sutton and Anderson (1983) without friction, integrated by explicit Euler. Every step pays 1.
Arithmetic has the order of Gymnasium's, so that states are the same.
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
from mohs.engines.law import Law, instance_record

STATE = ("x", "x_dot", "theta", "theta_dot")
_GIVEN = ("gravity", "masscart", "masspole", "length", "force_mag", "tau", "x_threshold")
_DERIVED = ("total_mass", "polemass_length", "theta_limit")

INSTANCE = instance_record(*((name, np.float64) for name in STATE))
TASK = task_record(*_GIVEN, *_DERIVED)
START = 0.05  # the bound of every component of a start state


@law
def begin(inst, tasks, ints, floats):
    """Starts the next episode."""
    x = open_episode(inst, ints, floats)
    inst.x, inst.x_dot = within(x, 0, START), within(x, 1, START)
    inst.theta, inst.theta_dot = within(x, 2, START), within(x, 3, START)


@law
def advance(inst, tasks, ints, floats, action):
    """One step: (reward, terminated, truncated). Action 1 pushes to the right, action 0 to the left."""
    task = at(tasks, inst.task)
    x, x_dot, theta, theta_dot = inst.x, inst.x_dot, inst.theta, inst.theta_dot
    force = task.force_mag if action[0] == 1 else -task.force_mag
    cos, sin = math.cos(theta), math.sin(theta)
    push = (force + task.polemass_length * (theta_dot * theta_dot) * sin) / task.total_mass
    inertia = task.length * (4.0 / 3.0 - task.masspole * (cos * cos) / task.total_mass)
    theta_acc = (task.gravity * sin - cos * push) / inertia
    x_acc = push - task.polemass_length * theta_acc * cos / task.total_mass
    x, x_dot = x + task.tau * x_dot, x_dot + task.tau * x_acc
    theta, theta_dot = theta + task.tau * theta_dot, theta_dot + task.tau * theta_acc
    terminated = (abs(x) > task.x_threshold) | (abs(theta) > task.theta_limit)
    inst.x, inst.x_dot, inst.theta, inst.theta_dot = x, x_dot, theta, theta_dot
    return 1.0, terminated, close_step(inst, task, terminated)


@law
def observe(inst, tasks, ints, floats, observation):
    """Writes the state in single precision."""
    observation[0] = np.float32(inst.x)
    observation[1] = np.float32(inst.x_dot)
    observation[2] = np.float32(inst.theta)
    observation[3] = np.float32(inst.theta_dot)


@law
def bounds(inst, tasks, component):
    """To the left, and to the right."""
    return 0, 1


class CartPoleFleet(ControlFleet):
    """Its `spaces` are (numbers observed, actions)."""

    law = Law("cartpole", INSTANCE, TASK, begin, advance, observe, bounds)
    state_fields = STATE


def fleet(sources: Sequence[Source], history: bool = False) -> CartPoleFleet:
    """A fleet with one instance for each source. It keeps no more with `history`."""
    return CartPoleFleet.from_records(sources, _write_task, spaces, "(numbers observed, actions)")


def _write_task(record: Any, task: Task) -> None:
    for name in _GIVEN:
        record[name] = task[name]
    record["horizon"] = task["max_episode_steps"]
    record["total_mass"] = task["masspole"] + task["masscart"]
    record["polemass_length"] = task["masspole"] * task["length"]
    record["theta_limit"] = task["theta_threshold"] * 2 * math.pi / 360


def spaces(task: Task) -> tuple[int, int]:
    """The same for all tasks: any of them can share a fleet."""
    return len(STATE), 2
