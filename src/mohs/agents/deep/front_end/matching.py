"""How well does a displacement explain what becomes of each pixel in the next frame?

A frame is warped by a displacement when every pixel takes the colour of the pixel that far away in the next frame. A
displacement is likely where this changes little (photometric error). The camera moves all that rests: its *dominant
shift* is found first, and displacements are counted from it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.core.kernel import kernel, law

Bytes = npt.NDArray[np.uint8]
Shifts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

SWAY = 0.2
MATCHED = 24  # a pixel is the same if its channels differ by no more in all


def displacements(reach: int) -> Shifts:
    """Rows and columns of all displacements up to `reach`, [(2 reach + 1)², 2]; none is in the middle."""
    side = np.arange(-reach, reach + 1)
    return np.stack(np.meshgrid(side, side, indexing="ij"), -1).reshape(-1, 2)


def dominant_shifts(before: Bytes, after: Bytes, most: int) -> Shifts:
    """The shift [n, 2] by at most `most` rows and columns that most pixels of a frame follow.

    Args:
        before: Frames [n, height, width, 3].
        after: The frames that follow them.
        most: The largest shift. Shorter shifts are preferred where several fit as well.

    The camera is taken to rest unless another shift explains `SWAY` more of a frame: over a plain ground, a shift can
    be that of many things that move together.
    """
    most = min(most, before.shape[1] // 2, before.shape[2] // 2)
    tried = displacements(most)
    tried = tried[np.argsort(np.abs(tried).sum(1), kind="stable")]
    found = np.zeros((len(before), 2), dtype=np.int64)
    _dominant(*_planes(before, after), tried, np.empty(before.shape[2], np.int32), found)
    return found


def likelihoods(
    before: Bytes, after: Bytes, shifts: Shifts, reach: int, sigma: float, floor: float
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """How likely each displacement makes what is seen of each pixel.

    Args:
        before: Frames [n, height, width, 3].
        after: The frames that follow them.
        shifts: Their dominant shifts.
        reach: The largest displacement from the dominant shift, in rows and columns.
        sigma: Scale of photometric errors, which are Laplacian, as a share of the range of a pixel.
        floor: The likelihood of any colour: something may appear, or be hidden.

    Returns:
        Likelihoods [n, displacements, height, width], and whether pixels [n, height, width] stay in sight if they
        move with the camera.
    """
    n, height, width, _ = before.shape
    tried = displacements(reach)
    found = np.empty((n, len(tried), height, width), dtype=np.float32)
    seen = np.empty((n, height, width), dtype=np.bool_)
    total = 3 * 255  # the largest sum of errors, of 3 channels
    table = (np.exp(-np.arange(total + 1) / total / sigma) + floor).astype(np.float32)
    errors = np.empty(width, np.int32)
    _likelihoods(*_planes(before, after), shifts, tried, table, np.float32(floor), errors, found, seen)
    return found, seen


def _planes(before: Bytes, after: Bytes) -> tuple[Bytes, ...]:
    """Frames [n, height, width, channels] with channels first."""
    return tuple(np.ascontiguousarray(np.moveaxis(frames, -1, 1)) for frames in (before, after))


@law
def _compare(here, there, error):
    """Sums the differences of two rows [channels, width] over the channels."""
    for x in range(error.shape[0]):
        error[x] = 0
    for c in range(here.shape[0]):
        one, other = here[c], there[c]
        for x in range(error.shape[0]):
            error[x] += abs(np.int32(one[x]) - np.int32(other[x]))


@kernel
def _dominant(before, after, tried, errors, found):
    """Frames are [n, channels, height, width]."""
    n, _, height, width = before.shape
    for i in range(n):
        best = -1.0
        for k in range(tried.shape[0]):
            dy, dx = tried[k, 0], tried[k, 1]
            top, bottom = max(0, -dy), height - max(0, dy)
            left, size = max(0, -dx), max(0, width - abs(dx))
            same = 0
            for y in range(top, bottom):
                error = errors[:size]
                _compare(before[i, :, y, left : left + size], after[i, :, y + dy, left + dx : left + dx + size], error)
                for x in range(size):
                    same += error[x] <= MATCHED
            share = same / ((bottom - top) * size)
            if share > best + 1e-3:
                best = share + SWAY if k == 0 else share
                found[i, 0], found[i, 1] = dy, dx


@kernel
def _likelihoods(before, after, shifts, tried, table, floor, errors, found, seen):
    """Frames are [n, channels, height, width]."""
    n, _, height, width = before.shape
    for i in range(n):
        for k in range(tried.shape[0]):
            dy, dx = shifts[i, 0] + tried[k, 0], shifts[i, 1] + tried[k, 1]
            top, bottom = max(0, -dy), height - max(0, dy)
            left, size = max(0, -dx), max(0, width - abs(dx))
            plane = found[i, k]
            for y in range(height):
                row = plane[y]
                for x in range(width):
                    row[x] = floor
            if tried[k, 0] == 0 and tried[k, 1] == 0:
                for y in range(height):
                    for x in range(width):
                        seen[i, y, x] = top <= y < bottom and left <= x < left + size
            for y in range(top, bottom):
                error, row = errors[:size], plane[y, left : left + size]
                _compare(before[i, :, y, left : left + size], after[i, :, y + dy, left + dx : left + dx + size], error)
                for x in range(size):
                    row[x] = table[error[x]]
