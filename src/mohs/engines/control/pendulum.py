"""How does a pendulum move under a torque? As Gymnasium's `Pendulum-v1`, with parameters that may differ.

The angle is 0 upright. Gymnasium multiplies the torque, a float32, by Python floats, so two products are rounded to
single precision. They are here too: without it rewards and speeds would differ by 1e-7. The square of the torque is
the float32 nearest to it. Gymnasium takes numpy's power, which misses it one time in 2,000, by one digit (1e-9).

With `reward="upright_time"` a step pays −1 until the pendulum has been upright (|θ| ≤ `upright_angle`, at any speed),
and 0 from then on. The return is minus the number of steps of the swing-up, the measure of section 2 of Jayawardana
et al. (2022). Nothing else changes, so a policy trained on the default reward can be evaluated on it.
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

STATE = ("theta", "theta_dot")
_GIVEN = ("dt", "max_speed", "max_torque", "upright_angle")
_DERIVED = ("pull", "gain", "timed")

INSTANCE = instance_record(*((name, np.float64) for name in STATE), ("upright", np.int64))
TASK = task_record(*_GIVEN, *_DERIVED)
START = (math.pi, 1.0)  # the bounds of a start state
_EFFORT = float(np.float32(0.001))


@law
def normalised(angle):
    """The same angle in [−π, π)."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


@law
def torque_of(task, strength):
    """What a torque adds to the angular acceleration, and its cost: both in single precision."""
    u = np.float32(strength)
    return np.float32(task.gain * u), np.float32(_EFFORT * np.float32(u * u))


@law
def moved(task, theta, theta_dot, push):
    """Angle and angular velocity after a step."""
    speed = theta_dot + (task.pull * math.sin(theta) + push) * task.dt
    speed = min(max(speed, -task.max_speed), task.max_speed)
    return theta + speed * task.dt, speed


@law
def begin(inst, tasks, ints, floats):
    """Starts the next episode."""
    x = open_episode(inst, ints, floats)
    inst.theta, inst.theta_dot = within(x, 0, START[0]), within(x, 1, START[1])
    inst.upright = 0


@law
def advance(inst, tasks, ints, floats, action):
    """One step: (reward, terminated, truncated). An episode never terminates."""
    task = at(tasks, inst.task)
    theta, theta_dot = inst.theta, inst.theta_dot
    push, effort = torque_of(task, action[0])
    angle = normalised(theta)
    if abs(angle) <= task.upright_angle:
        inst.upright = 1
    if task.timed:
        reward = -1.0 + inst.upright
    else:
        reward = -(angle * angle + 0.1 * (theta_dot * theta_dot) + effort)
    inst.theta, inst.theta_dot = moved(task, theta, theta_dot, push)
    return reward, False, close_step(inst, task, False)


@law
def observe(inst, tasks, ints, floats, observation):
    """Writes cosine and sine of the angle, and the angular velocity."""
    observation[0] = np.float32(math.cos(inst.theta))
    observation[1] = np.float32(math.sin(inst.theta))
    observation[2] = np.float32(inst.theta_dot)


@law
def bounds(inst, tasks, component):
    """The largest torque in either direction."""
    bound = np.float32(tasks[0].max_torque)
    return -bound, bound


class PendulumFleet(ControlFleet):
    """Its `spaces` are (numbers observed, largest torque)."""

    law = Law("pendulum", INSTANCE, TASK, begin, advance, observe, bounds)
    state_fields = STATE


def fleet(sources: Sequence[Source], history: bool = False) -> PendulumFleet:
    """A fleet with one instance for each source. It keeps no more with `history`."""
    return PendulumFleet.from_records(sources, write_task, spaces, "(numbers observed, max_torque)")


def write_task(record: Any, task: Task) -> None:
    """Writes a task, and what is derived from it, into its record."""
    for name in _GIVEN:
        record[name] = task[name]
    record["horizon"] = task["max_episode_steps"]
    record["pull"] = 3 * task["g"] / (2 * task["l"])
    record["gain"] = np.float32(3.0 / (task["m"] * task["l"] ** 2))
    record["timed"] = task["reward"] == "upright_time"


def spaces(task: Task) -> tuple[int, float]:
    """Tasks with the same largest torque can share a fleet: it bounds the actions."""
    return 3, float(np.float32(task["max_torque"]))
