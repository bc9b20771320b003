"""How does Gymnasium play the car between two hills, and what does it look like? One face for each kind of action.

`reset(options={"state": (position, velocity)})` starts the episode there; a vector environment takes one state for all
instances or [N, 2].
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.engines.control import mountain_car, mountain_car_continuous
from mohs.engines.control.common import ControlFleet
from mohs.envs.fleets import Face, FleetVectorEnv, Spaces
from mohs.envs.render.episode import Episode
from mohs.envs.single import FleetEnv

_POINTS = 120  # of the curve of the hills


def _observed(built: ControlFleet) -> spaces.Box:
    """As in Gymnasium; the widest range of the fleet, where tasks differ."""
    tasks = built.tasks
    speed = tasks["max_speed"].max()
    low = np.array([tasks["min_position"].min(), -speed], dtype=np.float32)
    high = np.array([tasks["max_position"].max(), speed], dtype=np.float32)
    return spaces.Box(low, high, dtype=np.float32)


def _discrete(built: ControlFleet) -> Spaces:
    return _observed(built), spaces.Discrete(3)


def _continuous(built: ControlFleet) -> Spaces:
    return _observed(built), spaces.Box(-1.0, 1.0, (1,), np.float32)


DISCRETE = Face("control/mountain_car", mountain_car.fleet, _discrete)
CONTINUOUS = Face("control/mountain_car_continuous", mountain_car_continuous.fleet, _continuous)


class MountainCarEnv(FleetEnv):
    """A car between two hills: the same steps as Gymnasium's `MountainCar-v0`, from start states of its own draws."""

    face = DISCRETE
    metadata = {**FleetEnv.metadata, "render_fps": 30}  # noqa: RUF012 – as Gymnasium has it


class MountainCarVectorEnv(FleetVectorEnv):
    """Many cars between two hills stepped by one kernel, each with its own parameters."""

    face = DISCRETE


class MountainCarContinuousEnv(MountainCarEnv):
    """The same with forces that are numbers: the steps of Gymnasium's `MountainCarContinuous-v0`."""

    face = CONTINUOUS


class MountainCarContinuousVectorEnv(FleetVectorEnv):
    """Many of them stepped by one kernel, each with its own parameters."""

    face = CONTINUOUS


def picture(episode: Episode) -> npt.NDArray[np.uint8]:
    """The car on the curve whose slope accelerates it, its way, and the goal. A state is [position, velocity]."""
    from mohs.envs.render import canvas as c  # loads Pillow
    from mohs.envs.render import frame as f
    from mohs.envs.render.canvas import Point
    from mohs.envs.render.plane import EDGE, draw_trail

    values = episode.task.values
    low, high, goal = values["min_position"], values["max_position"], values["goal_position"]
    signs = [(f.disc_sign(c.BLUE), "car"), (f.disc_sign(c.SKY), "way"), (f.star_sign, "goal")]
    canvas, (panel,) = f.frame(episode, 1, signs)
    f.aside(canvas, "velocity", f"{float(episode.states[-1][1]):.3f}")
    wide = f.SIDE - 2 * EDGE

    def place(position: float, above: float = 0.0) -> Point:
        height = (math.sin(3 * position) + 1) / 2
        share = (position - low) / (high - low)
        return panel.left + EDGE + wide * share, panel.top + f.SIDE - 2 * EDGE - 0.5 * wide * height - above

    hills = [place(low + (high - low) * i / _POINTS) for i in range(_POINTS + 1)]
    ground = panel.top + f.SIDE - EDGE
    canvas.polygon([(hills[0][0], ground), *hills, (hills[-1][0], ground)], c.PALE_GREEN)
    canvas.line(hills, c.MUTED, 2)
    canvas.line([place(goal), place(goal, 34)], c.DARK, 2)
    canvas.star(place(goal, 40), 11, c.GREEN)
    way = [place(float(state[0]), 10) for state in episode.trail]
    draw_trail(canvas, way, 6)
    canvas.disc(way[-1], 10, c.BLUE, c.PAPER, 1.5)
    return canvas.finished()
