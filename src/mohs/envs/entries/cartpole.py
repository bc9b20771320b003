"""What is registered of the pole on a cart? Its parameters, and where its parts are found."""

from __future__ import annotations

from mohs.core.domain import Real
from mohs.core.registry import Environment, Parameter
from mohs.envs.entries.common import max_episode_steps

_POSITIVE, _FROM_ZERO = Real(0, 1e6, low_open=True), Real(0, 1e6)

CARTPOLE = Environment(
    id="control/cartpole",
    gym_id="mohs/CartPole-v0",
    title="the pole on a cart of Gymnasium's CartPole-v1, compiled",
    parameters={
        "gravity": Parameter(_FROM_ZERO, 9.8, "Acceleration of free fall, in m/s²."),
        "masscart": Parameter(_POSITIVE, 1.0, "Mass of the cart, in kg."),
        "masspole": Parameter(_POSITIVE, 0.1, "Mass of the pole, in kg."),
        "length": Parameter(_POSITIVE, 0.5, "Half the length of the pole, in m."),
        "force_mag": Parameter(_FROM_ZERO, 10.0, "Force with which an action pushes the cart, in N."),
        "tau": Parameter(Real(0, 100, low_open=True), 0.02, "Time between two steps, in s."),
        "theta_threshold": Parameter(
            Real(0, 180, low_open=True), 12.0, "Angle of the pole at which the episode terminates, in degrees."
        ),
        "x_threshold": Parameter(
            _POSITIVE, 2.4, "Distance of the cart from the middle at which the episode terminates, in m."
        ),
        "max_episode_steps": max_episode_steps(500),
    },
    check="mohs.engines.control.common:check",
    face="mohs.envs.control.cartpole:CartPoleEnv",
    vector_face="mohs.envs.control.cartpole:CartPoleVectorEnv",
    spaces="mohs.engines.control.cartpole:spaces",
    score="mohs.engines.control.references:cartpole_score",
    renderer="mohs.envs.control.cartpole:picture",
)
