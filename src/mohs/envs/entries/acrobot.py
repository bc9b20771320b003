"""What is registered of the two links driven at the elbow? Their parameters, and where their parts are found."""

from __future__ import annotations

import math

from mohs.core.domain import Choice, Optional, Real
from mohs.core.registry import Environment, Parameter
from mohs.envs.entries.common import max_episode_steps

_POSITIVE, _FROM_ZERO = Real(1e-6, 1e6), Real(0, 1e6)

ACROBOT = Environment(
    id="control/acrobot",
    gym_id="mohs/Acrobot-v0",
    title="the two links of Gymnasium's Acrobot-v1, compiled",
    parameters={
        "link_length_1": Parameter(_POSITIVE, 1.0, "Length of the upper link, in m."),
        "link_length_2": Parameter(
            _POSITIVE, 1.0, "Length of the lower link, in m. Only its centre of mass moves the links."
        ),
        "link_mass_1": Parameter(_POSITIVE, 1.0, "Mass of the upper link, in kg."),
        "link_mass_2": Parameter(_POSITIVE, 1.0, "Mass of the lower link, in kg."),
        "link_com_pos_1": Parameter(
            Optional(_FROM_ZERO), None, "Distance of the upper link's centre of mass from its joint, in m; its middle."
        ),
        "link_com_pos_2": Parameter(
            Optional(_FROM_ZERO), None, "Distance of the lower link's centre of mass from its joint, in m; its middle."
        ),
        "link_moi": Parameter(_POSITIVE, 1.0, "Moment of inertia of each link, in kg·m²."),
        "max_vel_1": Parameter(_POSITIVE, 4 * math.pi, "Largest angular velocity of the upper link, in rad/s."),
        "max_vel_2": Parameter(_POSITIVE, 9 * math.pi, "Largest angular velocity of the lower link, in rad/s."),
        "gravity": Parameter(_FROM_ZERO, 9.8, "Acceleration of free fall, in m/s²."),
        "torque": Parameter(_FROM_ZERO, 1.0, "Torque of an action at the elbow, in N·m."),
        "torque_noise_max": Parameter(_FROM_ZERO, 0.0, "Uniform noise on the torque, at most, in N·m."),
        "dt": Parameter(Real(0, 100, low_open=True), 0.2, "Time between two steps, in s."),
        "book_or_nips": Parameter(
            Choice(("book", "nips")), "book", "The equations of Sutton and Barto's book, or of Sutton (1996)."
        ),
        "max_episode_steps": max_episode_steps(500),
    },
    check="mohs.engines.control.common:check",
    face="mohs.envs.control.acrobot:AcrobotEnv",
    vector_face="mohs.envs.control.acrobot:AcrobotVectorEnv",
    spaces="mohs.engines.control.acrobot:spaces",
    renderer="mohs.envs.control.acrobot:picture",
    noise=("torque_noise_max",),
)
