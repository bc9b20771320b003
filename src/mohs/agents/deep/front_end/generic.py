"""What does a front-end show that knows nothing of the game? Edges and opponent colours, at two scales.

The first stages of natural vision: simple cells that prefer upright or level edges (their contrast, whatever its sign),
and centre-surround cells for red against green and blue against yellow. All is computed in integers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int32]

CHANNELS = 8
EDGE = np.array([-1, -2, 0, 2, 1], dtype=np.int32)  # an odd Gabor filter, and the Gaussian that it lies across
BLUR = np.array([1, 4, 6, 4, 1], dtype=np.int32)


def masks(frames: Bytes) -> Bytes:
    """Four channels at the scale of pixels and four at half of it, [n, 8, height, width], of [n, height, width, 3]."""
    n, height, width, _ = frames.shape
    out = np.empty((n, CHANNELS, height, width), dtype=np.uint8)
    colours = np.moveaxis(frames, -1, 1).astype(np.int32)
    out[:, :4] = _cells(colours)
    even = np.pad(colours, ((0, 0), (0, 0), (0, height % 2), (0, width % 2)), mode="edge")
    half = (even[..., ::2, ::2] + even[..., ::2, 1::2] + even[..., 1::2, ::2] + even[..., 1::2, 1::2]) // 4
    out[:, 4:] = _cells(half).repeat(2, axis=2).repeat(2, axis=3)[:, :, :height, :width]
    return out


def _cells(colours: Numbers) -> Bytes:
    """Upright edges, level edges, red against green, blue against yellow: [n, 4, height, width]."""
    red, green, blue = (colours[:, c] for c in range(3))
    light = (red + green + blue) // 3
    edges = [np.abs(_across(light, *pair)) // 48 for pair in ((EDGE, BLUR), (BLUR, EDGE))]
    opponents = [red - green, blue - (red + green) // 2]
    seen = [128 + (colour - _across(colour, BLUR, BLUR) // 256) // 2 + colour // 4 for colour in opponents]
    return np.stack([*edges, *seen], axis=1).clip(0, 255).astype(np.uint8)


def _across(plane: Numbers, columns: Numbers, rows: Numbers) -> Numbers:
    """The plane filtered along its rows by `columns`, then along its columns by `rows`; edges are repeated."""
    height, width = plane.shape[1:]
    margin = np.pad(plane, ((0, 0), (2, 2), (2, 2)), mode="edge")
    along, found = np.zeros((len(plane), height + 4, width), np.int32), np.zeros_like(plane)
    for i in range(5):
        along += columns[i] * margin[:, :, i : i + width]
    for i in range(5):
        found += rows[i] * along[:, i : i + height]
    return found
