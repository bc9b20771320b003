"""How does a screen become smaller? Pixels are averaged over squares; ids of classes are put to the vote."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.core.kernel import kernel, law

Bytes = npt.NDArray[np.uint8]


def averaged(pictures: Bytes, square: int) -> Bytes:
    """Pictures [n, height, width, 3] whose pixels are means over squares with this side, rounded."""
    if square == 1:
        return pictures
    n, height, width, _ = pictures.shape
    smaller = np.empty((n, height // square, width // square, 3), dtype=np.uint8)
    _average(pictures, smaller)
    return smaller


def voted(ids: Bytes, square: int) -> Bytes:
    """Ids [n, height, width]: each the class of most pixels of its square.

    Ties go to the class with the lowest number, and to any class before the ground.
    """
    if square == 1:
        return ids
    n, height, width = ids.shape
    smaller = np.empty((n, height // square, width // square), dtype=np.uint8)
    _vote(ids, np.zeros(256, dtype=np.int64), smaller)
    return smaller


@kernel
def _average(pictures, smaller):
    k = pictures.shape[1] // smaller.shape[1]
    for i in range(smaller.shape[0]):
        for y in range(smaller.shape[1]):
            for x in range(smaller.shape[2]):
                for c in range(3):
                    total = np.int64(0)
                    for dy in range(k):
                        for dx in range(k):
                            total += np.int64(pictures[i, y * k + dy, x * k + dx, c])
                    smaller[i, y, x, c] = (total + k * k // 2) // (k * k)


@kernel
def _vote(ids, votes, smaller):
    k = ids.shape[1] // smaller.shape[1]
    for i in range(smaller.shape[0]):
        for y in range(smaller.shape[1]):
            for x in range(smaller.shape[2]):
                one, alike = ids[i, y * k, x * k], True
                for dy in range(k):
                    for dx in range(k):
                        alike &= ids[i, y * k + dy, x * k + dx] == one
                smaller[i, y, x] = one if alike else _elected(ids[i, y * k : y * k + k, x * k : x * k + k], votes)


@law
def _elected(square, votes):
    best = np.int64(0)
    for here in square.flat:
        votes[here] += 1
    for id_ in square.flat:
        here = np.int64(id_)
        more = votes[here] > votes[best]
        tie = votes[here] == votes[best] and here > 0 and (best == 0 or here < best)
        if more or tie:
            best = here
    for here in square.flat:
        votes[here] = 0
    return best
