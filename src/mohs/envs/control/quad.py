"""How does Gymnasium play the quadcopter between floors and roofs, and what does it look like?

`reset(options={"state": (x, y, vx, vy)})` starts the episode there; a vector environment takes one state for all
instances or [N, 4].
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.engines.control.quad import CEILING, ENTRANCE, QuadFleet, course, fleet
from mohs.envs.fleets import Face, FleetVectorEnv, Spaces
from mohs.envs.render.episode import Episode
from mohs.envs.single import FleetEnv


def _spaces(built: QuadFleet) -> Spaces:
    """Nothing bounds the state in which a copter crashes. Gymnasium's checker warns of infinity, so a number does."""
    most = np.finfo(np.float32).max
    acceleration = built.spaces[1]
    return spaces.Box(-most, most, (4,), np.float32), spaces.Box(-acceleration, acceleration, (1,), np.float32)


FACE = Face("control/quad", fleet, _spaces)


class QuadEnv(FleetEnv):
    """A quadcopter in a plane that flies through tunnels."""

    face = FACE
    metadata = {**FleetEnv.metadata, "render_fps": 10}  # noqa: RUF012 – one frame for each step of 0.1 s


class QuadVectorEnv(FleetVectorEnv):
    """Many quadcopters stepped by one kernel, each in its own course."""

    face = FACE


def picture(episode: Episode) -> npt.NDArray[np.uint8]:
    """The copter, its way, and the tunnels around it. A state is [x, y, vx, vy]."""
    from mohs.envs.render import canvas as c  # loads Pillow
    from mohs.envs.render import frame as f
    from mohs.envs.render.plane import Plane, draw_trail

    signs = [(f.disc_sign(c.ORANGE), "copter"), (f.disc_sign(c.SKY), "way"), (f.box_sign(c.LINE), "floor and roof")]
    canvas, (panel,) = f.frame(episode, 1, signs)
    heights = course(episode.task)
    x, y = (float(number) for number in episode.states[-1][:2])
    first = max(0.0, x - CEILING / 3)  # the window is as wide as the world is high
    plane = Plane.of(panel, (first, 0.0), (first + CEILING, CEILING))
    flown = (x - ENTRANCE) / len(heights)
    f.aside(canvas, "flown", f"{100 * min(max(flown, 0), 1):.0f}%")
    for i, (floor, roof) in enumerate(heights):
        left, right = ENTRANCE + i, ENTRANCE + i + 1
        if right > first and left < first + CEILING:
            if floor > 0:
                canvas.box(*plane.corners((left, 0.0), (right, floor)), c.LINE)
            if roof < CEILING:
                canvas.box(*plane.corners((left, roof), (right, CEILING)), c.LINE)
    goal = ENTRANCE + len(heights)
    if first < goal < first + CEILING:
        canvas.line([plane.at((goal, 0.0)), plane.at((goal, CEILING))], c.GREEN, 3)
    plane.outline(canvas)
    way = [plane.at(state[:2]) for state in episode.trail if state[0] >= first]
    draw_trail(canvas, way, 4)
    here = plane.at((x, y))
    canvas.line([(here[0] - 11, here[1] - 4), (here[0] + 11, here[1] - 4)], c.DARK, 2.5)
    canvas.disc(here, 6, c.ORANGE, c.PAPER, 1)
    return canvas.finished()
