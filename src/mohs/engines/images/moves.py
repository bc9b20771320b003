"""How is an image transformed at random? One move for each observation: a scale, a rotation, a flip and a shift.

They are drawn by address (section 4.1 of MDP Playground gives the transforms, its authors' code their ranges):

- scale: log-uniform in `scale_range`
- rotation: uniform over the multiples of `ro_quant` degrees in [0, 360), clockwise as seen
- flip: none in half of all images, else left-right or top-bottom, equally often
- shift: uniform over the multiples of `sh_quant` pixels that keep the content, as scaled, inside the frame

Content is scaled, rotated and flipped about the centre of the frame and shifted last, so that it stays inside.
Each has random numbers of its own: switching one transform on leaves those of the others as they were.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.kernel import kernel, law
from mohs.engines.draws import LANE_IMAGE, as_uniform, bits, nth

_RULE = np.dtype(
    [
        ("shift", np.int64),
        ("scale", np.int64),
        ("rotate", np.int64),
        ("flip", np.int64),
        ("sh_quant", np.int64),
        ("ro_quant", np.int64),
        ("log_low", np.float64),
        ("log_span", np.float64),
    ]
)
# Where a point of the content goes, both measured from the centre of the frame, x right and y down:
# (x, y) -> (a x + b y + dx, c x + d y + dy). The matrix is scale · rotation, mirrored where flipped.
MOVE = np.dtype(
    [
        ("a", np.float64),
        ("b", np.float64),
        ("c", np.float64),
        ("d", np.float64),
        ("dx", np.float64),
        ("dy", np.float64),
        ("scale", np.float64),
        ("resampled", np.int64),  # 0: the move is a flip and a shift, which is an exact copy of pixels
    ]
)
Moves = npt.NDArray[Any]

_SCALE, _SHIFT_X, _SHIFT_Y, _ROTATE, _FLIP = range(5)  # the numbers of one image
_SLACK = 1e-9  # pixels: content may touch the edge of the frame, whatever rounding makes of it


def _cosines() -> npt.NDArray[np.float64]:
    """Of whole degrees; those of right angles are exact."""
    values = np.cos(np.deg2rad(np.arange(360)))
    values[::90] = (1.0, 0.0, -1.0, 0.0)
    return values


_COS = _cosines()


@dataclass(frozen=True)
class Settings:
    """Which transforms are applied (as the dial `image_transforms` is written), and their ranges."""

    transforms: str = ""
    sh_quant: int = 1
    ro_quant: int = 1
    scale_range: tuple[float, float] = (0.5, 1.5)


def rules(settings: Iterable[Settings]) -> npt.NDArray[Any]:
    """Settings as the records that `draw` reads, one for each."""
    rows = []
    for one in settings:
        words = one.transforms.split(",")
        on = tuple(int(word in words) for word in ("shift", "scale", "rotate", "flip"))
        low, high = np.log(one.scale_range)
        rows.append((*on, one.sh_quant, one.ro_quant, low, high - low))
    return np.array(rows, dtype=_RULE)


@law
def _shift(u, room, quantum):
    """A multiple of the quantum, at most `room` to either side."""
    most = np.int64(max(room + _SLACK, 0.0) / quantum)
    return np.float64(quantum * (np.int64(u * (2 * most + 1)) - most))


@kernel
def draw(rules, which, key, episode, t, frame, content, moves):
    """Writes the move of every address into `moves`; `which` is the rule that each obeys.

    `frame` and `content` are (height, width): what stays inside is `content`, times the scale, about the centre.
    """
    for i in range(len(moves)):
        rule = rules[which[i]]
        x = bits(key[i], episode[i], t[i], LANE_IMAGE)
        scale, cosine, sine = 1.0, 1.0, 0.0
        mirror_x, mirror_y, dx, dy = 1.0, 1.0, 0.0, 0.0
        if rule.scale:
            scale = np.exp(rule.log_low + rule.log_span * as_uniform(nth(x, _SCALE)))
        if rule.rotate:
            steps = (359 + rule.ro_quant) // rule.ro_quant
            degrees = np.int64(as_uniform(nth(x, _ROTATE)) * steps) * rule.ro_quant
            cosine, sine = _COS[degrees], _COS[(degrees + 270) % 360]
        if rule.flip:
            side = np.int64(as_uniform(nth(x, _FLIP)) * 4)
            mirror_x = -1.0 if side == 2 else 1.0
            mirror_y = -1.0 if side == 3 else 1.0
        if rule.shift:
            dx = _shift(as_uniform(nth(x, _SHIFT_X)), 0.5 * (frame[1] - scale * content[1]), rule.sh_quant)
            dy = _shift(as_uniform(nth(x, _SHIFT_Y)), 0.5 * (frame[0] - scale * content[0]), rule.sh_quant)
        move = moves[i]
        move.a, move.b = mirror_x * scale * cosine, -mirror_x * scale * sine
        move.c, move.d = mirror_y * scale * sine, mirror_y * scale * cosine
        move.dx, move.dy = dx, dy
        move.scale = scale
        move.resampled = np.int64(scale != 1.0 or cosine != 1.0)
