"""How is any image moved? Shifts and flips copy pixels, scales and rotations interpolate between them.

    settings = Settings("shift,rotate", sh_quant=4)               # as the dials image_* are written
    transformed = transform(images, settings, key, episode, t)    # images uint8 or float32, [N, H, W] or [N, H, W, C]

`key`, `episode` and `t` ([N], or one number for all) address the draws, as in `engines.draws`. Nothing of an image
leaves a frame that is padded by `padding` pixels on every side; without padding the middle half of the image stays
inside. What comes into the frame is 0 (black).

For images that are many views of few pictures: `draw` the moves, then `warp(pictures, which, moves, frame)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.kernel import kernel, law
from mohs.engines.images.moves import MOVE, Moves, Settings, draw, rules

__all__ = ["MOVE", "Moves", "Settings", "draw", "rules", "transform", "warp"]

Images = npt.NDArray[Any]


def transform(images: Images, settings: Settings, key: Any, episode: Any, t: Any, padding: int = 0) -> Images:
    """Images [N, H, W] or [N, H, W, C], each moved as its address draws it; larger by the padding on every side."""
    if images.ndim not in (3, 4) or images.dtype not in (np.uint8, np.float32):
        raise UsageError(
            f"images must be uint8 or float32 of shape [N, height, width] or [N, height, width, channels], not "
            f"{images.dtype} of shape {images.shape}."
        )
    count, height, width = images.shape[:3]
    frame = height + 2 * padding, width + 2 * padding
    content = (height, width) if padding else (height / 2, width / 2)
    moves = np.empty(count, dtype=MOVE)
    address = [
        np.broadcast_to(np.asarray(part, dtype=dtype), count).copy()
        for part, dtype in ((key, np.uint64), (episode, np.int32), (t, np.int32))
    ]
    one = np.zeros(count, dtype=np.int32)
    draw(rules([settings]), one, *address, _floats(frame), _floats(content), moves)
    pictures = np.ascontiguousarray(images).reshape(count, height, width, -1)
    moved = warp(pictures, np.arange(count).reshape(count, 1), moves, frame)
    return moved.reshape(count, *frame, *images.shape[3:])


def warp(pictures: Images, which: npt.NDArray[np.int64], moves: Moves, frame: tuple[int, int]) -> Images:
    """Frames [N, height, panels · width, C] that show the pictures [M, h, w, C] numbered `which` [N, panels], moved.

    All panels of a frame are moved alike.
    """
    (height, width), (count, panels) = frame, which.shape
    many, h, w, channels = pictures.shape
    out = np.empty((count, height, panels, width * channels), dtype=pictures.dtype)
    rounding = 0.5 if pictures.dtype == np.uint8 else 0.0
    _warp(pictures.reshape(many, h, w * channels), which, moves, out, channels, rounding)
    return out.reshape(count, height, panels * width, channels)


def _floats(size: tuple[float, float]) -> tuple[float, float]:
    return float(size[0]), float(size[1])


@law
def _span(start, step, low, high, first, last):
    """Of the places first ≤ x < last, those with low < start + step · x < high."""
    if step == 0.0:
        return (first, last) if low < start < high else (first, first)
    one, two = (low - start) / step, (high - start) / step
    one, two = min(one, two), max(one, two)
    begin = min(max(np.int64(np.floor(min(max(one, -1.0), np.float64(last)))) + 1, first), last)
    end = max(min(np.int64(np.ceil(min(max(two, -1.0), np.float64(last)))), last), begin)
    return begin, end


@law
def _clear(row, begin, end):
    for k in range(np.uint64(begin), np.uint64(end)):
        row[k] = 0


@law
def _copy(row, line, begin, end, first, step, channels):
    """Pixels of a line, from the pixel `first` on, or backward."""
    if step > 0:
        to, source = np.uint64(begin * channels), np.uint64(first * channels)
        for k in range(np.uint64((end - begin) * channels)):
            row[to + k] = line[source + k]
    else:
        for x in range(begin, end):
            for channel in range(channels):
                place = np.uint64((first - x + begin) * channels + channel)
                row[np.uint64(x * channels + channel)] = line[place]


@law
def _blend(row, x, picture, u, v, channels, rounding):
    """One pixel from the four around a place in the picture; those outside it are 0."""
    column, line = np.int64(np.floor(u)), np.int64(np.floor(v))
    right, below = u - column, v - line
    w0, w1 = (1.0 - below) * (1.0 - right), (1.0 - below) * right
    w2, w3 = below * (1.0 - right), below * right
    last, width = picture.shape[0] - 1, picture.shape[1] // channels
    if not 0 <= line < last or not 0 <= column < width - 1:
        w0 = w0 if 0 <= line <= last and 0 <= column < width else 0.0
        w1 = w1 if 0 <= line <= last and 0 <= column + 1 < width else 0.0
        w2 = w2 if 0 <= line + 1 <= last and 0 <= column < width else 0.0
        w3 = w3 if 0 <= line + 1 <= last and 0 <= column + 1 < width else 0.0
    top, bottom = np.uint64(min(max(line, 0), last)), np.uint64(min(max(line + 1, 0), last))
    one = np.uint64(min(max(column, 0), width - 1) * channels)
    two = np.uint64(min(max(column + 1, 0), width - 1) * channels)
    to = np.uint64(x * channels)
    for k in range(np.uint64(channels)):
        value = w0 * picture[top, one + k] + w1 * picture[top, two + k]
        value += w2 * picture[bottom, one + k] + w3 * picture[bottom, two + k]
        row[to + k] = value + rounding


@kernel
def _warp(pictures, which, moves, out, channels, rounding):
    """Pictures are [M, h, w · channels], frames [N, height, panels, width · channels]."""
    h, w = pictures.shape[1], pictures.shape[2] // channels
    height, width = out.shape[1], out.shape[3] // channels
    for i in range(len(moves)):
        move = moves[i]
        # The inverse of the move takes the middle of a pixel of the frame to a place among the pixels of the picture.
        area = move.a * move.d - move.b * move.c
        a, b, c, d = move.d / area, -move.b / area, -move.c / area, move.a / area
        x0, y0 = 0.5 - 0.5 * width - move.dx, 0.5 - 0.5 * height - move.dy
        resampled = move.resampled
        for panel in range(out.shape[2]):
            picture = pictures[which[i, panel]]
            for y in range(height):
                row = out[i, y, panel]
                u = a * x0 + b * (y0 + y) + 0.5 * w - 0.5
                v = c * x0 + d * (y0 + y) + 0.5 * h - 0.5
                begin, end = _span(u, a, -1.0, np.float64(w), 0, width)
                begin, end = _span(v, c, -1.0, np.float64(h), begin, end)
                _clear(row, 0, begin * channels)
                _clear(row, end * channels, width * channels)
                if resampled:
                    for x in range(begin, end):
                        _blend(row, x, picture, u + a * x, v + c * x, channels, rounding)
                elif begin < end:
                    first = np.int64(np.rint(u + a * begin))
                    _copy(row, picture[np.int64(np.rint(v))], begin, end, first, a, channels)
