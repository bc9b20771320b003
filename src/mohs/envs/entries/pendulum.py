"""What is registered of the pendulum? Its parameters, and where its parts are found."""

from __future__ import annotations

import math

from mohs.core.domain import Choice, Real
from mohs.core.registry import Environment, Parameter
from mohs.envs.entries.common import max_episode_steps

_POSITIVE, _FROM_ZERO = Real(0, 1e6, low_open=True), Real(0, 1e6)

PENDULUM = Environment(
    id="control/pendulum",
    gym_id="mohs/Pendulum-v0",
    title="the pendulum of Gymnasium's Pendulum-v1, compiled",
    parameters={
        "g": Parameter(_FROM_ZERO, 10.0, "Acceleration of free fall, in m/s²."),
        "m": Parameter(Real(1e-6, 1e6), 1.0, "Mass of the pendulum, in kg."),
        "l": Parameter(Real(1e-6, 1e6), 1.0, "Length of the pendulum, in m."),
        "dt": Parameter(Real(0, 100, low_open=True), 0.05, "Time between two steps, in s."),
        "max_speed": Parameter(_POSITIVE, 8.0, "Largest angular velocity, in rad/s; it is clipped there."),
        "max_torque": Parameter(_POSITIVE, 2.0, "Largest torque, in N·m. It bounds the actions."),
        "reward": Parameter(
            Choice(("default", "upright_time")),
            "default",
            "Minus angle² + 0.1 angular velocity² + 0.001 torque²; or −1 for each step until it has been upright.",
        ),
        "upright_angle": Parameter(
            Real(0, math.pi, low_open=True), 0.2, "The pendulum is upright within this angle, in rad (upright_time)."
        ),
        "max_episode_steps": max_episode_steps(200),
    },
    check="mohs.engines.control.common:check",
    face="mohs.envs.control.pendulum:PendulumEnv",
    vector_face="mohs.envs.control.pendulum:PendulumVectorEnv",
    spaces="mohs.engines.control.pendulum:spaces",
    score="mohs.engines.control.references:pendulum_score",
    renderer="mohs.envs.control.pendulum:picture",
)
