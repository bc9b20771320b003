"""How does Gymnasium play the two links driven at the elbow, and what do they look like?

`reset(options={"state": (theta1, theta2, theta1_dot, theta2_dot)})` starts the episode there, hanging at 0; a vector
environment takes one state for all instances or [N, 4].
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.engines.control.acrobot import AcrobotFleet, fleet
from mohs.envs.fleets import Face, FleetVectorEnv, Spaces
from mohs.envs.render.episode import Episode
from mohs.envs.single import FleetEnv


def _spaces(built: AcrobotFleet) -> Spaces:
    """As in Gymnasium; the largest speeds of the fleet, where tasks differ."""
    speeds = built.tasks["max_vel_1"].max(), built.tasks["max_vel_2"].max()
    high = np.array([1.0, 1.0, 1.0, 1.0, *speeds], dtype=np.float32)
    return spaces.Box(-high, high, dtype=np.float32), spaces.Discrete(3)


FACE = Face("control/acrobot", fleet, _spaces)


class AcrobotEnv(FleetEnv):
    """Two links driven at the elbow: the same steps as Gymnasium's `Acrobot-v1`, from start states of its own draws."""

    face = FACE
    metadata = {**FleetEnv.metadata, "render_fps": 15}  # noqa: RUF012 – as Gymnasium has it


class AcrobotVectorEnv(FleetVectorEnv):
    """Many pairs of links stepped by one kernel, each with its own parameters."""

    face = FACE


def picture(episode: Episode) -> npt.NDArray[np.uint8]:
    """Both links, the way of the tip, and the height to reach, drawn with links of equal length, as the goal is."""
    from mohs.envs.render import canvas as c  # loads Pillow
    from mohs.envs.render import frame as f
    from mohs.envs.render.canvas import Point
    from mohs.envs.render.plane import EDGE, draw_trail

    signs = [(f.box_sign(c.BLUE), "links"), (f.disc_sign(c.SKY), "way of the tip"), (f.box_sign(c.GREEN), "to reach")]
    canvas, (panel,) = f.frame(episode, 1, signs)
    middle, link = panel.centre, (f.SIDE / 2 - EDGE) / 2
    f.aside(canvas, "height", f"{_height(episode.states[-1]):.2f}")

    def below(joint: Point, angle: float) -> Point:
        return joint[0] + link * math.sin(angle), joint[1] + link * math.cos(angle)

    def tip(state: npt.NDArray[np.float64]) -> Point:
        return below(below(middle, state[0]), state[0] + state[1])

    goal = middle[1] - link
    canvas.line([(panel.left + EDGE, goal), (panel.left + f.SIDE - EDGE, goal)], c.GREEN, 2)
    draw_trail(canvas, [tip(state) for state in episode.trail], 5)
    theta1, theta2 = (float(angle) for angle in episode.states[-1][:2])
    elbow = below(middle, theta1)
    canvas.line([middle, elbow], c.BLUE, 11)
    canvas.line([elbow, below(elbow, theta1 + theta2)], c.BLUE, 9)
    canvas.disc(elbow, 7, c.ORANGE)
    canvas.disc(middle, 7, c.DARK)
    return canvas.finished()


def _height(state: npt.NDArray[np.float64]) -> float:
    """The height of the tip above the upper joint, in links."""
    return float(-math.cos(state[0]) - math.cos(state[0] + state[1]))
