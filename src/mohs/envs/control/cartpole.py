"""How does Gymnasium play the pole on a cart, and what does it look like?

`reset(options={"state": (x, x_dot, theta, theta_dot)})` starts the episode there; a vector environment takes one state
for all instances or [N, 4].
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.engines.control.cartpole import CartPoleFleet, fleet
from mohs.envs.fleets import Face, FleetVectorEnv, Spaces
from mohs.envs.render.episode import Episode
from mohs.envs.single import FleetEnv

_CART, _AXLE, _POLE = (50, 26), 5, 9  # pixels


def _spaces(built: CartPoleFleet) -> Spaces:
    """As in Gymnasium, twice the thresholds: the largest of the fleet, where tasks differ.

    Velocities are not bounded. Gymnasium's checker warns of infinity, so the largest float32 stands for it.
    """
    x, theta = 2 * built.tasks["x_threshold"].max(), 2 * built.tasks["theta_limit"].max()
    most = np.finfo(np.float32).max
    high = np.array([x, most, theta, most], dtype=np.float32)
    return spaces.Box(-high, high, dtype=np.float32), spaces.Discrete(2)


FACE = Face("control/cartpole", fleet, _spaces)


class CartPoleEnv(FleetEnv):
    """A pole on a cart: the same steps as Gymnasium's `CartPole-v1`, from start states of its own draws."""

    face = FACE
    metadata = {**FleetEnv.metadata, "render_fps": 50}  # noqa: RUF012 – as Gymnasium has it


class CartPoleVectorEnv(FleetVectorEnv):
    """Many poles on carts stepped by one kernel, each with its own parameters."""

    face = FACE


def picture(episode: Episode) -> npt.NDArray[np.uint8]:
    """The cart on its track between the thresholds, and the pole. A state is [x, x_dot, theta, theta_dot]."""
    from mohs.envs.render import canvas as c  # loads Pillow
    from mohs.envs.render import frame as f
    from mohs.envs.render.plane import EDGE

    values = episode.task.values
    x, _, theta, _ = (float(number) for number in episode.states[-1])
    signs = [(f.box_sign(c.BLUE), "cart"), (f.box_sign(c.ORANGE), "pole"), (f.box_sign(c.LINE), "thresholds")]
    canvas, (panel,) = f.frame(episode, 1, signs)
    f.aside(canvas, "angle", f"{math.degrees(theta):.1f}°")
    limit, length = values["x_threshold"], 2 * values["length"]
    scale = (f.SIDE / 2 - EDGE) / limit
    middle, track = panel.centre[0], panel.top + f.SIDE - 2 * EDGE
    for end in (-limit, limit):
        at = middle + scale * end
        canvas.line([(at, panel.top + EDGE), (at, track + EDGE / 2)], c.LINE, 2)
        canvas.text((at, track + EDGE), c.number(end), 12, c.MUTED)
    canvas.line([(middle - scale * limit, track), (middle + scale * limit, track)], c.MUTED, 1.5)
    width, height = _CART
    cart = middle + scale * x
    canvas.box((cart - width / 2, track - height), (cart + width / 2, track), c.BLUE, r=3)
    joint = (cart, track - height)
    reach = min(scale * length, f.SIDE - 4 * EDGE)  # a long pole is cut off
    tilt = math.radians(values["theta_threshold"])
    for side in (-tilt, tilt):
        far = (joint[0] + reach * math.sin(side), joint[1] - reach * math.cos(side))
        canvas.line([joint, far], c.LINE, 1)
    tip = (joint[0] + reach * math.sin(theta), joint[1] - reach * math.cos(theta))
    canvas.line([joint, tip], c.ORANGE, _POLE)
    canvas.disc(joint, _AXLE, c.DARK)
    return canvas.finished()
