"""How is a discrete state drawn? State n is a filled regular polygon with n + 3 sides, white on black.

It stands in the middle of the frame with a vertex to the right; its circumscribed circle has a fifth of the frame's
shorter side as radius (section 4.1 of MDP Playground: 20 of 100 pixels). A pixel is white if and only if its middle
lies in the polygon or on its edge.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.core.kernel import kernel, law
from mohs.engines.images.moves import MOVE, Moves
from mohs.engines.images.spans import SLACK, end_at, first_from

Images = npt.NDArray[np.uint8]

_RADIUS = 0.2


def radius(frame: tuple[int, int]) -> float:
    """Of the circumscribed circle."""
    return _RADIUS * min(frame)


def turns(states: int) -> npt.NDArray[np.float64]:
    """Of each state's polygon (cos, sin) of the angle from one vertex to the next."""
    angles = 2 * np.pi / (np.arange(states) + 3)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def still(count: int, scale: float = 1.0) -> Moves:
    """Moves that leave everything where it is, but for its size."""
    moves = np.zeros(count, dtype=MOVE)
    moves["a"] = moves["d"] = moves["scale"] = scale
    return moves


def polygons(
    states: npt.NDArray[np.int64], moves: Moves, frame: tuple[int, int], turns: npt.NDArray[np.float64]
) -> Images:
    """Images [N, height, panels · width, 1] of states [N, panels]; all panels of an image are moved alike."""
    (height, width), (count, panels) = frame, states.shape
    out = np.empty((count, height, panels * width, 1), dtype=np.uint8)
    _fill(states, moves, turns, radius(frame), np.empty((2, height)), out.reshape(count, -1))
    return out


@law
def _cut(left, right, x0, y0, x1, y1):
    """Widens the span of every row whose middle the edge from (x0, y0) to (x1, y1) crosses."""
    if y0 > y1:
        x0, y0, x1, y1 = x1, y1, x0, y0
    low, high, fall = min(x0, x1), max(x0, x1), y1 - y0
    slope = (x1 - x0) / fall if fall > SLACK else 0.0
    for y in range(first_from(y0, len(left)), end_at(y1, len(left))):
        one = two = min(max(x0 + (np.float64(y) + 0.5 - y0) * slope, low), high)
        if fall <= SLACK:  # the whole edge lies in the middle of the row
            one, two = low, high
        place = np.uint64(y)
        left[place] = min(left[place], one)
        right[place] = max(right[place], two)


@kernel
def _fill(states, moves, turns, size, rows, out):
    """Images are rows of `out`, flat; `rows` is room for the left and right ends of the polygon in every row."""
    left, right = rows[0], rows[1]
    height, panels = len(left), states.shape[1]
    stride = out.shape[1] // height
    width = stride // panels
    for i in range(len(states)):
        image, move = out[i], moves[i]
        for k in range(np.uint64(len(image))):
            image[k] = 0
        a, b, c, d = size * move.a, size * move.b, size * move.c, size * move.d
        x, y = 0.5 * width + move.dx, 0.5 * height + move.dy
        reach = size * move.scale + SLACK
        first, end = first_from(y - reach, height), end_at(y + reach, height)
        for panel in range(panels):
            for row in range(first, end):
                left[np.uint64(row)], right[np.uint64(row)] = np.inf, -np.inf
            state = states[i, panel]
            cosine, sine = turns[state, 0], turns[state, 1]
            u, v = 1.0, 0.0
            for _ in range(state + 3):
                u1, v1 = cosine * u - sine * v, sine * u + cosine * v
                _cut(left, right, x + a * u + b * v, y + c * u + d * v, x + a * u1 + b * v1, y + c * u1 + d * v1)
                u, v = u1, v1
            for row in range(first, end):
                line = row * stride + panel * width
                begin, after = first_from(left[row], width), end_at(right[row], width)
                for k in range(np.uint64(line + begin), np.uint64(line + max(after, begin))):
                    image[k] = 255
