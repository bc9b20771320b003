"""What is registered of the car between two hills whose force is a number? Its parameters, and where its parts are."""

from __future__ import annotations

from mohs.core.registry import Environment, Parameter
from mohs.envs.entries.common import max_episode_steps
from mohs.envs.entries.mountain_car import FROM_ZERO, HILLS, goal_position

MOUNTAIN_CAR_CONTINUOUS = Environment(
    id="control/mountain_car_continuous",
    gym_id="mohs/MountainCarContinuous-v0",
    title="the car between two hills of Gymnasium's MountainCarContinuous-v0, compiled",
    parameters={
        "power": Parameter(FROM_ZERO, 0.0015, "Acceleration by the full force, in units of position / step²."),
        **HILLS,
        "goal_position": goal_position(0.45),
        "max_episode_steps": max_episode_steps(999),
    },
    check="mohs.engines.control.mountain_car:check",
    face="mohs.envs.control.mountain_car:MountainCarContinuousEnv",
    vector_face="mohs.envs.control.mountain_car:MountainCarContinuousVectorEnv",
    spaces="mohs.engines.control.mountain_car_continuous:spaces",
    score="mohs.engines.control.references:mountain_car_continuous_score",
    unsolvable="mohs.engines.control.unsolvable:mountain_car",
    renderer="mohs.envs.control.mountain_car:picture",
)
