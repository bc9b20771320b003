"""What is registered of the quadcopter between floors and roofs? Its parameters, and where its parts are found."""

from __future__ import annotations

from mohs.core.domain import Choice, Integer, Real
from mohs.core.registry import Environment, Parameter
from mohs.envs.entries.common import max_episode_steps

_POSITIVE = Real(0, 1e6, low_open=True)

QUAD = Environment(
    id="control/quad",
    gym_id="mohs/Quad-v0",
    title="a quadcopter in a plane that flies through tunnels (Inala et al., 2020)",
    parameters={
        "u": Parameter(Real(0, 12), 1.0, "Height of the floor before the first tunnel, in m."),
        "l": Parameter(Real(0, 12, low_open=True), 5.0, "Height of the roof before the first tunnel, in m."),
        "tunnels": Parameter(Integer(1, 100_000), 60, "How many tunnels of 1 m follow each other."),
        "shift": Parameter(Real(0, 12), 0.8, "How much higher or lower a tunnel is than the one before, in m."),
        "course": Parameter(
            Choice(("wave", "random")), "wave", "Tunnels rise and fall in turns, or each shift is drawn (seed)."
        ),
        "speed": Parameter(Real(0.1, 1e6), 2.0, "Mean of the constant horizontal velocity, in m/s."),
        "dt": Parameter(Real(0, 100, low_open=True), 0.1, "Time between two steps, in s."),
        "max_acceleration": Parameter(_POSITIVE, 5.0, "Largest vertical acceleration, in m/s². It bounds the actions."),
        "reward": Parameter(
            Choice(("default", "distance")), "default", "1 for each step; or the share of the course that it covers."
        ),
        "max_episode_steps": max_episode_steps(1000),
    },
    check="mohs.engines.control.quad:check",
    face="mohs.envs.control.quad:QuadEnv",
    vector_face="mohs.envs.control.quad:QuadVectorEnv",
    spaces="mohs.engines.control.quad:spaces",
    score="mohs.engines.control.references:quad_score",
    renderer="mohs.envs.control.quad:picture",
)
