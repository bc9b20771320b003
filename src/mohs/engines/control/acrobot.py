"""How do two links move that are driven at the elbow? As Gymnasium's `Acrobot-v1`, with parameters that may differ.

The equations are those of Sutton and Barto's book or of Sutton (1996), integrated by one Runge-Kutta step. The centre
of mass of a link lies in its middle unless it is given. As in Gymnasium, the goal is a matter of angles only: the tip
counts as high enough if −cos θ₁ − cos(θ₁ + θ₂) > 1, whatever the lengths.
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
from mohs.engines.draws import LANE_NOISE, uniform
from mohs.engines.law import Law, instance_record

STATE = ("theta1", "theta2", "theta1_dot", "theta2_dot")
_GIVEN = (
    "link_length_1", "link_mass_1", "link_mass_2", "link_moi", "max_vel_1", "max_vel_2", "gravity", "torque", "dt",
    "torque_noise_max",
)  # fmt: skip
_DERIVED = ("com_1", "com_2", "nips")

INSTANCE = instance_record(*((name, np.float64) for name in STATE))
TASK = task_record(*_GIVEN, *_DERIVED)
START = 0.1  # the bound of every component of a start state
_TURN = 2.0 * math.pi
_FAR = 100.0 * math.pi


@law
def accelerations(task, theta1, theta2, dtheta1, dtheta2, torque):
    """The angular accelerations of both links."""
    m1, m2, l1, moi, g = task.link_mass_1, task.link_mass_2, task.link_length_1, task.link_moi, task.gravity
    lc1, lc2 = task.com_1, task.com_2
    cos2, sin2 = math.cos(theta2), math.sin(theta2)
    d1 = m1 * (lc1 * lc1) + m2 * (l1 * l1 + lc2 * lc2 + 2.0 * l1 * lc2 * cos2) + moi + moi
    d2 = m2 * (lc2 * lc2 + l1 * lc2 * cos2) + moi
    phi2 = m2 * lc2 * g * math.cos(theta1 + theta2 - math.pi / 2.0)
    phi1 = -m2 * l1 * lc2 * (dtheta2 * dtheta2) * sin2 - 2.0 * m2 * l1 * lc2 * dtheta2 * dtheta1 * sin2
    phi1 += (m1 * lc1 + m2 * l1) * g * math.cos(theta1 - math.pi / 2.0) + phi2
    drive = torque + d2 / d1 * phi1 - phi2
    if not task.nips:
        drive -= m2 * l1 * lc2 * (dtheta1 * dtheta1) * sin2
    ddtheta2 = drive / (m2 * (lc2 * lc2) + moi - d2 * d2 / d1)
    return -(d2 * ddtheta2 + phi1) / d1, ddtheta2


@law
def moved(task, a, b, va, vb, torque):
    """The state after a step of Runge-Kutta's fourth order: angles may have left [−π, π], speeds their bounds."""
    dt = task.dt
    half = dt / 2.0
    wa1, wb1 = accelerations(task, a, b, va, vb, torque)
    va2, vb2 = va + half * wa1, vb + half * wb1
    wa2, wb2 = accelerations(task, a + half * va, b + half * vb, va2, vb2, torque)
    va3, vb3 = va + half * wa2, vb + half * wb2
    wa3, wb3 = accelerations(task, a + half * va2, b + half * vb2, va3, vb3, torque)
    va4, vb4 = va + dt * wa3, vb + dt * wb3
    wa4, wb4 = accelerations(task, a + dt * va3, b + dt * vb3, va4, vb4, torque)
    sixth = dt / 6.0
    return (
        a + sixth * (va + 2.0 * va2 + 2.0 * va3 + va4),
        b + sixth * (vb + 2.0 * vb2 + 2.0 * vb3 + vb4),
        va + sixth * (wa1 + 2.0 * wa2 + 2.0 * wa3 + wa4),
        vb + sixth * (wb1 + 2.0 * wb2 + 2.0 * wb3 + wb4),
    )


@law
def wrapped(angle):
    """The same angle in [−π, π], turn by turn as in Gymnasium; what is fifty turns away is brought near at once."""
    if abs(angle) > _FAR:
        angle = angle % _TURN
    while angle > math.pi:
        angle = angle - _TURN
    while angle < -math.pi:
        angle = angle + _TURN
    return angle


@law
def begin(inst, tasks, ints, floats):
    """Starts the next episode, as Gymnasium does from numbers of single precision."""
    x = open_episode(inst, ints, floats)
    inst.theta1, inst.theta2 = np.float32(within(x, 0, START)), np.float32(within(x, 1, START))
    inst.theta1_dot, inst.theta2_dot = np.float32(within(x, 2, START)), np.float32(within(x, 3, START))


@law
def advance(inst, tasks, ints, floats, action):
    """One step: (reward, terminated, truncated). Actions 0, 1, 2 turn the elbow one way, not at all, the other way."""
    task = at(tasks, inst.task)
    torque = (action[0] - 1) * task.torque
    if task.torque_noise_max > 0.0:
        u = uniform(inst.key, inst.episode, inst.t + 1, LANE_NOISE)
        torque += task.torque_noise_max * (2.0 * u - 1.0)
    a, b, va, vb = moved(task, inst.theta1, inst.theta2, inst.theta1_dot, inst.theta2_dot, torque)
    a, b = wrapped(a), wrapped(b)
    va, vb = min(max(va, -task.max_vel_1), task.max_vel_1), min(max(vb, -task.max_vel_2), task.max_vel_2)
    inst.theta1, inst.theta2, inst.theta1_dot, inst.theta2_dot = a, b, va, vb
    terminated = -math.cos(a) - math.cos(b + a) > 1.0
    return 0.0 if terminated else -1.0, terminated, close_step(inst, task, terminated)


@law
def observe(inst, tasks, ints, floats, observation):
    """Writes cosine and sine of both angles, and both angular velocities."""
    observation[0] = np.float32(math.cos(inst.theta1))
    observation[1] = np.float32(math.sin(inst.theta1))
    observation[2] = np.float32(math.cos(inst.theta2))
    observation[3] = np.float32(math.sin(inst.theta2))
    observation[4] = np.float32(inst.theta1_dot)
    observation[5] = np.float32(inst.theta2_dot)


@law
def bounds(inst, tasks, component):
    """One way, not at all, and the other way."""
    return 0, 2


class AcrobotFleet(ControlFleet):
    """Its `spaces` are (numbers observed, actions)."""

    law = Law("acrobot", INSTANCE, TASK, begin, advance, observe, bounds)
    state_fields = STATE


def fleet(sources: Sequence[Source], history: bool = False) -> AcrobotFleet:
    """A fleet with one instance for each source. It keeps no more with `history`."""
    return AcrobotFleet.from_records(sources, _write_task, spaces, "(numbers observed, actions)")


def _write_task(record: Any, task: Task) -> None:
    for name in _GIVEN:
        record[name] = task[name]
    record["horizon"] = task["max_episode_steps"]
    for link in (1, 2):
        given = task[f"link_com_pos_{link}"]
        record[f"com_{link}"] = task[f"link_length_{link}"] / 2 if given is None else given
    record["nips"] = task["book_or_nips"] == "nips"


def spaces(task: Task) -> tuple[int, int]:
    """The same for all tasks: any of them can share a fleet."""
    return 6, 3
