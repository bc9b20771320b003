"""What does an observation look like that is only a number? A picture of its class, a little different each time.

A class is a blueprint of 4 × 4 fields that are black, grey or white, enlarged and turned by 0, 30 or 60 degrees
(section 2.4.1 of the CT-graph paper), no two alike. Whenever one is seen it is turned by some whole degrees and every
pixel becomes brighter by a random number: instances of one class.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.kernel import kernel
from mohs.core.seeding import child, hashes, key
from mohs.engines.draws import LANE_NOISE, as_uniform, bits, nth
from mohs.engines.images.moves import MOVE
from mohs.engines.images.warp import warp

Images = npt.NDArray[np.uint8]
FIELDS = 4  # of a blueprint, along each side
TURNS = (0, 30, 60)  # degrees


def class_pictures(seed: int, kinds: npt.NDArray[np.int64], similarity: float, size: int, brightest: int) -> Images:
    """Pictures [classes, size, size] of classes, each of a kind.

    With `similarity` > 0 that share of the fields of a blueprint is, on average, taken from one that all classes of its
    kind share. A class looks the same however many there are.
    """
    cells = FIELDS * FIELDS
    own = hashes(key(child(seed, "blueprints")), (len(kinds), cells + 2))
    shared = hashes(key(child(seed, "kinds")), (int(kinds.max(initial=0)) + 1, cells))[kinds]
    same = hashes(key(child(seed, "shared")), (len(kinds), cells)) < np.uint64(min(similarity * 2.0**64, 2.0**64 - 1))
    prints = np.where(same, shared, own[:, :cells]) % np.uint64(3)
    turn = own[:, cells] % np.uint64(len(TURNS))
    prints, turn = _distinct(prints.astype(np.uint8), turn.astype(np.uint8))
    place = np.arange(size) * FIELDS // size
    shades = np.rint(np.array([0.0, 0.5, 1.0]) * brightest).astype(np.uint8)
    pictures = shades[prints.reshape(-1, FIELDS, FIELDS)[:, place][:, :, place]]
    return turned(pictures, np.arange(len(kinds)), np.array(TURNS)[turn])


def _distinct(prints: npt.NDArray[np.uint8], turn: npt.NDArray[np.uint8]) -> tuple[Any, Any]:
    """Blueprints of which no two are alike: a later one that is changes its fields, one after the other."""
    powers = 3 ** np.arange(prints.shape[1] + 1, dtype=np.int64)
    codes = prints @ powers[:-1] + turn * powers[-1]
    if len(np.unique(codes)) == len(codes):
        return prints, turn
    taken: set[int] = set()
    for i, code in enumerate(codes.tolist()):
        while code in taken:
            code = (code + 1) % int(powers[-1] * len(TURNS))
        taken.add(code)
        codes[i] = code
    return (codes[:, None] // powers[:-1] % 3).astype(np.uint8), (codes // powers[-1]).astype(np.uint8)


def turned(pictures: Images, which: npt.NDArray[np.int64], degrees: npt.NDArray[np.int64]) -> Images:
    """Of pictures [classes, h, w] those numbered `which` [N], turned clockwise about their centre."""
    angle = np.deg2rad(degrees)
    moves = np.zeros(len(which), dtype=MOVE)
    moves["a"], moves["b"], moves["c"], moves["d"] = np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)
    moves["scale"], moves["resampled"] = 1.0, degrees != 0
    height, width = pictures.shape[1:]
    return warp(pictures[..., None], which[:, None].astype(np.int64), moves, (height, width))[..., 0]


@kernel
def draw_degrees(most, key, episode, t, degrees):
    """Whole degrees at each address, at most so many to either side."""
    for i in range(len(degrees)):
        u = as_uniform(bits(key[i], episode[i], t[i], LANE_NOISE))
        degrees[i] = np.int64(u * (2 * most[i] + 1)) - most[i]


def atlas(pictures: Images, reach: int) -> Images:
    """Pictures [classes, h, w] turned by all whole degrees up to `reach` either way: [classes · degrees, pixels]."""
    degrees = np.tile(np.arange(-reach, reach + 1), len(pictures))
    which = np.repeat(np.arange(len(pictures)), 2 * reach + 1)
    return turned(pictures, which, degrees).reshape(len(which), -1)


@kernel
def copy_turned(atlas, reach, which, degrees, out):
    """The pictures numbered `which`, turned by so many degrees, from an atlas."""
    for i in range(len(which)):
        row = which[i] * (2 * reach + 1) + degrees[i] + reach
        for k in range(out.shape[1]):
            out[i, k] = atlas[row, k]


@kernel
def brighten(most, key, episode, t, images):
    """Adds to every pixel of images [N, pixels] a number from 0 to `most`, four of them from one hash."""
    sixteen, low = np.uint64(16), np.uint64(0xFFFF)
    for i in range(len(images)):
        if most[i] > 0:
            start, levels = bits(key[i], episode[i], t[i], LANE_NOISE), np.uint64(most[i] + 1)
            whole = images.shape[1] // 4
            for j in range(whole):
                word = nth(start, j + 1)
                for k in range(4):
                    images[i, 4 * j + k] += np.uint8((((word >> np.uint64(16 * k)) & low) * levels) >> sixteen)
            word = nth(start, whole + 1)
            for k in range(images.shape[1] - 4 * whole):
                images[i, 4 * whole + k] += np.uint8((((word >> np.uint64(16 * k)) & low) * levels) >> sixteen)
