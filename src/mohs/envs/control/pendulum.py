"""How does Gymnasium play the pendulum, and what does it look like?

`reset(options={"state": (theta, theta_dot)})` starts the episode there, upright at 0; a vector environment takes one
state for all instances or [N, 2].
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.engines.control.pendulum import PendulumFleet, fleet
from mohs.envs.fleets import Face, FleetVectorEnv, Spaces
from mohs.envs.render.episode import Episode
from mohs.envs.single import FleetEnv


def _spaces(built: PendulumFleet) -> Spaces:
    """As in Gymnasium; the largest speed of the fleet, where tasks differ."""
    high = np.array([1.0, 1.0, built.tasks["max_speed"].max()], dtype=np.float32)
    torque = built.spaces[1]
    return spaces.Box(-high, high, dtype=np.float32), spaces.Box(-torque, torque, (1,), np.float32)


FACE = Face("control/pendulum", fleet, _spaces)


class PendulumEnv(FleetEnv):
    """A pendulum under a torque: the same steps as Gymnasium's `Pendulum-v1`, from start states of its own draws."""

    face = FACE
    metadata = {**FleetEnv.metadata, "render_fps": 30}  # noqa: RUF012 – as Gymnasium has it


class PendulumVectorEnv(FleetVectorEnv):
    """Many pendulums stepped by one kernel, each with its own parameters."""

    face = FACE


def picture(episode: Episode) -> npt.NDArray[np.uint8]:
    """The pendulum, the way of its tip, and where it is upright. A state is [theta, theta_dot]."""
    from mohs.envs.render import canvas as c  # loads Pillow
    from mohs.envs.render import frame as f
    from mohs.envs.render.plane import EDGE, draw_trail

    reach, upright = f.SIDE / 2 - 1.5 * EDGE, episode.task.values["upright_angle"]
    signs = [(f.box_sign(c.ORANGE), "pendulum"), (f.disc_sign(c.SKY), "way"), (f.box_sign(c.GREEN), "upright")]
    canvas, (panel,) = f.frame(episode, 1, signs)
    middle = panel.centre
    tips = [
        (middle[0] - reach * math.sin(theta), middle[1] - reach * math.cos(theta))  # angles are anticlockwise
        for theta in (float(state[0]) for state in episode.trail)
    ]
    angle = math.remainder(float(episode.states[-1][0]), math.tau)
    f.aside(canvas, "angle", f"{math.degrees(angle):.0f}°")
    canvas.disc(middle, reach, None, c.LINE, 1)
    turn = math.degrees(upright)
    canvas.band(middle, reach, -90 - turn, -90 + turn, c.GREEN, 6)
    draw_trail(canvas, tips, 5)
    canvas.line([middle, tips[-1]], c.ORANGE, 10)
    canvas.disc(tips[-1], 11, c.ORANGE)
    canvas.disc(middle, 6, c.DARK)
    return canvas.finished()
