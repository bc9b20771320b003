"""Which network sees objects in one frame? A small one, trained by torch and then played by a kernel.

Pixels are gathered in blocks of 2 × 2; three layers of 3 × 3 filters follow, the last with gaps; their result and the
pixels themselves give a membership of every pixel in the ground and in each slot. The kernel goes from image to image,
and every number in a fixed order: a mask does not depend on the batch that its image comes in, nor on the processor.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from torch import Tensor, nn
from torch.nn import functional

from mohs.core.kernel import kernel

Bytes = npt.NDArray[np.uint8]
Arrays = Mapping[str, npt.NDArray[Any]]

MARGIN = 2  # zeros around planes, as far as filters reach
STEPS = 256  # of a table of exp(-x) from 0 to 16, between which it is linear
EXPONENTIALS = np.exp(-np.arange(16 * STEPS + 1) / STEPS).astype(np.float32)
LAYERS = ("one", "two", "three", "coarse", "fine")


class Encoder(nn.Module):
    """Pixels [n, 3, height, width] from -1 to 1 → logits [n, 1 + slots, height, width]; the first is the ground."""

    def __init__(self, slots: int, width: int) -> None:
        super().__init__()
        self.one = nn.Conv2d(12, width, 3, padding=1)
        self.two = nn.Conv2d(width, width, 3, padding=1)
        self.three = nn.Conv2d(width, width, 3, padding=2, dilation=2)
        self.coarse = nn.Conv2d(width, 4 * (1 + slots), 1)
        self.fine = nn.Conv2d(3, 1 + slots, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        hidden = functional.relu(self.one(functional.pixel_unshuffle(x, 2)))
        hidden = functional.relu(self.three(functional.relu(self.two(hidden))))
        logits: Tensor = functional.pixel_shuffle(self.coarse(hidden), 2) + self.fine(x)
        return logits

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Its weights, as they are kept."""
        found = {}
        for name in LAYERS:
            layer = getattr(self, name)
            found[f"{name}_weight"] = layer.weight.detach().numpy().copy()
            found[f"{name}_bias"] = layer.bias.detach().numpy().copy()
        return found


def shapes(slots: int, width: int) -> dict[str, tuple[int, ...]]:
    """The shapes of the weights."""
    return {
        "one_weight": (width, 12, 3, 3), "one_bias": (width,), "two_weight": (width, width, 3, 3),
        "two_bias": (width,), "three_weight": (width, width, 3, 3), "three_bias": (width,),
        "coarse_weight": (4 * (1 + slots), width, 1, 1), "coarse_bias": (4 * (1 + slots),),
        "fine_weight": (1 + slots, 3, 3, 3), "fine_bias": (1 + slots,),
    }  # fmt: skip


def masks(arrays: Arrays, frames: Bytes) -> Bytes:
    """Memberships [n, slots, height, width] from 0 to 255 of frames [n, height, width, 3]."""
    n, height, width, _ = frames.shape
    if height % 2 or width % 2:
        padded = np.pad(frames, ((0, 0), (0, height % 2), (0, width % 2), (0, 0)), mode="edge")
        return np.ascontiguousarray(masks(arrays, padded)[:, :, :height, :width])
    filters, slots = len(arrays["one_bias"]), len(arrays["fine_bias"]) - 1
    half = filters, (height // 2 + 2 * MARGIN) * (width // 2 + 2 * MARGIN)
    whole = (height + 2 * MARGIN) * (width + 2 * MARGIN)
    fours = -(-(1 + slots) // 4) * 4
    fine_weight, fine_bias = np.zeros((fours, 3, 3, 3), np.float32), np.zeros(fours, np.float32)
    fine_weight[: 1 + slots], fine_bias[: 1 + slots] = arrays["fine_weight"], arrays["fine_bias"]
    out = np.empty((n, slots, height, width), dtype=np.uint8)
    _masks(
        np.ascontiguousarray(frames),
        *(arrays[f"{name}_{part}"] for name in LAYERS[:3] for part in ("weight", "bias")),
        arrays["coarse_weight"][:, :, 0, 0], arrays["coarse_bias"], fine_weight, fine_bias,
        EXPONENTIALS, np.zeros((3, whole), np.float32), np.zeros((12, half[1]), np.float32), np.zeros(half, np.float32),
        np.zeros(half, np.float32), np.zeros(half[1], np.float32), np.zeros(width, np.float32),
        np.zeros((fours, whole), np.float32), out,
    )  # fmt: skip
    return out


@kernel
def _convolve(x, weight, bias, wide, reach, out):
    """Filters of 3 × 3 with gaps of `reach` over flat planes [channels, rows × wide]; four at a time, without margins.

    What it leaves in the margins is not meant.
    """
    first = reach * (wide + 1)
    size = x.shape[1] - 2 * first
    for o in range(0, out.shape[0], 4):
        a, b, c, d = (
            out[o, first : first + size], out[o + 1, first : first + size],
            out[o + 2, first : first + size], out[o + 3, first : first + size],
        )  # fmt: skip
        for i in range(size):
            a[i], b[i], c[i], d[i] = bias[o], bias[o + 1], bias[o + 2], bias[o + 3]
        for channel in range(x.shape[0]):
            for row in range(3):
                w = weight[o : o + 4, channel, row]
                a0, a1, a2 = w[0, 0], w[0, 1], w[0, 2]
                b0, b1, b2 = w[1, 0], w[1, 1], w[1, 2]
                c0, c1, c2 = w[2, 0], w[2, 1], w[2, 2]
                d0, d1, d2 = w[3, 0], w[3, 1], w[3, 2]
                start = first + (row - 1) * reach * wide
                left = x[channel, start - reach : start - reach + size]
                middle = x[channel, start : start + size]
                right = x[channel, start + reach : start + reach + size]
                for i in range(size):
                    p, q, r = left[i], middle[i], right[i]
                    a[i] += a0 * p + a1 * q + a2 * r
                    b[i] += b0 * p + b1 * q + b2 * r
                    c[i] += c0 * p + c1 * q + c2 * r
                    d[i] += d0 * p + d1 * q + d2 * r


@kernel
def _rectify(planes, high, wide):
    """What is negative becomes 0, and so do the margins."""
    for o in range(planes.shape[0]):
        for y in range(high):
            row = planes[o, y * wide : (y + 1) * wide]
            if y < MARGIN or y >= high - MARGIN:
                for x in range(wide):
                    row[x] = 0.0
            else:
                for x in range(wide):
                    row[x] = max(row[x], np.float32(0.0))
                for x in range(MARGIN):
                    row[x] = 0.0
                    row[wide - 1 - x] = 0.0


@kernel
def _masks(
    frames, one, one_bias, two, two_bias, three, three_bias, coarse, coarse_bias, fine, fine_bias, exponentials, pixels,
    blocks, hidden, other, plane, sums, logits, out,
):  # fmt: skip
    n, height, width, _ = frames.shape
    wide, half, across = width + 2 * MARGIN, width // 2 + 2 * MARGIN, width // 2
    high = height // 2 + 2 * MARGIN
    for i in range(n):
        for y in range(height):
            for x in range(width):
                for c in range(3):
                    value = np.float32(frames[i, y, x, c]) * np.float32(1 / 127.5) - np.float32(1.0)
                    pixels[c, (y + MARGIN) * wide + x + MARGIN] = value
                    blocks[c * 4 + (y & 1) * 2 + (x & 1), ((y >> 1) + MARGIN) * half + (x >> 1) + MARGIN] = value
        _convolve(blocks, one, one_bias, half, 1, hidden)
        _rectify(hidden, high, half)
        _convolve(hidden, two, two_bias, half, 1, other)
        _rectify(other, high, half)
        _convolve(other, three, three_bias, half, 2, hidden)
        _rectify(hidden, high, half)
        _convolve(pixels, fine, fine_bias, wide, 1, logits)
        for o in range(coarse.shape[0]):
            _mix(hidden, coarse[o], coarse_bias[o], plane)
            target = logits[o >> 2]
            for y in range(height // 2):
                place = (2 * y + (o >> 1 & 1) + MARGIN) * wide + (o & 1) + MARGIN
                row = target[place : place + width]
                source = plane[(y + MARGIN) * half + MARGIN : (y + MARGIN) * half + MARGIN + across]
                for x in range(across):
                    row[2 * x] += source[x]
        _normalise(logits, exponentials, plane, sums, height, width, out[i])


@kernel
def _mix(planes, weights, bias, out):
    """One weighted sum of planes."""
    for j in range(out.shape[0]):
        out[j] = bias
    for c in range(planes.shape[0]):
        weight, source = weights[c], planes[c]
        for j in range(out.shape[0]):
            out[j] += weight * source[j]


@kernel
def _normalise(logits, exponentials, top, total, height, width, out):
    """Softmax over the ground and the slots, of which the slots are written, from 0 to 255."""
    wide, slots = width + 2 * MARGIN, out.shape[0]
    for y in range(height):
        start = (y + MARGIN) * wide + MARGIN
        for x in range(width):
            top[x] = logits[0, start + x]
            total[x] = 0.0
        for k in range(1, slots + 1):
            row = logits[k, start : start + width]
            for x in range(width):
                top[x] = max(top[x], row[x])
        for k in range(slots + 1):
            row = logits[k, start : start + width]
            for x in range(width):
                below = min((top[x] - row[x]) * np.float32(STEPS), np.float32(len(exponentials) - 1))
                whole = np.int32(below)
                row[x] = exponentials[whole] * (np.float32(1.0) - (below - whole) * np.float32(1 / STEPS))
                total[x] += row[x]
        for k in range(slots):
            row = logits[k + 1, start : start + width]
            for x in range(width):
                out[k, y, x] = np.uint8(np.float32(255.0) * row[x] / total[x] + np.float32(0.5))
