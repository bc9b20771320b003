"""Random moves of images in plain Python: nothing is shared with the kernels but the addresses of the draws."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from toy_reference import bits, uniform

from mohs.engines.images.warp import MOVE, Settings

IMAGE_LANE = 7
SCALE, SHIFT_X, SHIFT_Y, ROTATE, FLIP = range(5)


@dataclass(frozen=True)
class Move:
    """Scaled, rotated clockwise, flipped, shifted right and down, about the centre of the frame and in this order."""

    scale: float = 1.0
    degrees: int = 0
    left_right: bool = False
    top_bottom: bool = False
    dx: int = 0
    dy: int = 0

    @property
    def matrix(self) -> np.ndarray:
        """Of homogeneous coordinates, x right and y down, from the centre of the frame."""
        angle = math.radians(self.degrees)
        turn = np.array([[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0], [0, 0, 1]])
        flip = np.diag([-1.0 if self.left_right else 1.0, -1.0 if self.top_bottom else 1.0, 1.0])
        shift = np.array([[1, 0, self.dx], [0, 1, self.dy], [0, 0, 1]])
        return shift @ flip @ turn @ np.diag([self.scale, self.scale, 1.0])

    @property
    def record(self) -> np.ndarray:
        """As kernels take it, [1]."""
        (a, b, dx), (c, d, dy), _ = self.matrix
        resampled = self.scale != 1.0 or self.degrees != 0
        return np.array([(a, b, c, d, dx, dy, self.scale, resampled)], dtype=MOVE)


def move(
    settings: Settings, key: int, episode: int, t: int, frame: tuple[float, float], content: tuple[float, float]
) -> Move:
    own = bits(key, episode, t, IMAGE_LANE)
    on = settings.transforms.split(",")
    u = [uniform(own, 0, 0, number) for number in range(5)]
    low, high = settings.scale_range
    scale = low * (high / low) ** u[SCALE] if "scale" in on else 1.0
    angles = range(0, 360, settings.ro_quant)
    degrees = angles[math.floor(u[ROTATE] * len(angles))] if "rotate" in on else 0
    side = math.floor(u[FLIP] * 4) if "flip" in on else 0
    steps = []
    for axis, number in ((1, SHIFT_X), (0, SHIFT_Y)):
        room = (frame[axis] - scale * content[axis]) / 2
        q = settings.sh_quant
        allowed = [k * q for k in range(-4096, 4097) if abs(k * q) <= room + 1e-9] or [0]
        steps.append(allowed[math.floor(u[number] * len(allowed))] if "shift" in on else 0)
    return Move(scale, degrees, side == 2, side == 3, steps[0], steps[1])
