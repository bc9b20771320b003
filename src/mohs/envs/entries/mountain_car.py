"""What is registered of the car between two hills? Its parameters, and where its parts are found."""

from __future__ import annotations

from mohs.core.domain import Real
from mohs.core.registry import Environment, Parameter
from mohs.envs.entries.common import max_episode_steps

POSITIVE, FROM_ZERO, ANY = Real(0, 1e6, low_open=True), Real(0, 1e6), Real(-1e6, 1e6)

# Those of both cars, but for the goal, which Gymnasium puts elsewhere in each.
HILLS = {
    "gravity": Parameter(FROM_ZERO, 0.0025, "Largest acceleration of the slopes, in units of position / step²."),
    "max_speed": Parameter(POSITIVE, 0.07, "Largest velocity; it is clipped there."),
    "min_position": Parameter(ANY, -1.2, "Position of the wall on the left, which stops the car."),
    "max_position": Parameter(ANY, 0.6, "Largest position."),
    "goal_velocity": Parameter(ANY, 0.0, "Velocity that the car must have at the goal, at least."),
}


def goal_position(default: float) -> Parameter:
    """Where the episode terminates."""
    return Parameter(ANY, default, "The episode terminates at this position.")


MOUNTAIN_CAR = Environment(
    id="control/mountain_car",
    gym_id="mohs/MountainCar-v0",
    title="the car between two hills of Gymnasium's MountainCar-v0, compiled",
    parameters={
        "force": Parameter(FROM_ZERO, 0.001, "Acceleration by an action, in units of position / step²."),
        **HILLS,
        "goal_position": goal_position(0.5),
        "max_episode_steps": max_episode_steps(200),
    },
    check="mohs.engines.control.mountain_car:check",
    face="mohs.envs.control.mountain_car:MountainCarEnv",
    vector_face="mohs.envs.control.mountain_car:MountainCarVectorEnv",
    spaces="mohs.engines.control.mountain_car:spaces",
    score="mohs.engines.control.references:mountain_car_score",
    unsolvable="mohs.engines.control.unsolvable:mountain_car",
    renderer="mohs.envs.control.mountain_car:picture",
)
