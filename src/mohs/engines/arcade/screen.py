"""How do the cells of a view become pixels and masks? Tiles are copied, word by word.

Both are made from the same classes of cells, so they agree on every pixel.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.core.kernel import kernel, law
from mohs.core.seeding import MIX_1, child, hashes, key
from mohs.core.splitmix import STRIDE, mix
from mohs.engines.arcade.boards import CELLS, SIDE
from mohs.engines.arcade.boards import PLACES as _PLACES
from mohs.engines.arcade.looks import DECOYS, TILE

SIZE = SIDE * TILE  # pixels of an image, along each side
_WORDS = TILE * 3 // 4  # of a row of a tile
_SEEN = np.argsort(_PLACES, axis=1).astype(np.uint64)  # of every anchor and place of the view the cell
_SALTS = hashes(key(child(0, "cells")), (CELLS,))  # of every cell, so that each has random bits of its own
_FACTOR = np.uint64(MIX_1)
_S29, _S32, _S40, _S52 = (np.uint64(s) for s in (29, 32, 40, 52))
SHARES = 1 << 12  # in which clutter is measured
_SHARE, _DECOY = np.uint64(SHARES - 1), np.uint64(DECOYS - 1)
_LEFT, _RIGHT = np.uint64(0x01010101), np.uint64(0x01010101 << 32)  # the marks of two cells in one row of a plane

# How a task is painted: where its tiles are, and what is drawn for every level and cell.
RULE = np.dtype(
    [
        ("first", np.int64),  # tile
        ("kinds", np.int64),  # the ground, the classes and the decoys
        ("variants", np.int64),  # of every kind, a power of 2
        ("clutter", np.uint64),  # in shares
        ("themes", np.int64),  # of levels for training, and of those that are held out
        ("others", np.int64),
    ]
)


@law
def theme_of(rule, x, held_out):
    """The theme of a level from its random bits."""
    if held_out and rule.others > 0:
        return rule.themes + np.int64(x % np.uint64(rule.others))
    return np.int64(x % np.uint64(rule.themes))


@law
def level_of(state):
    """The number of the level of an observed state."""
    level = np.uint64(0)
    for k in range(4):
        level |= np.uint64(state[CELLS + k]) << np.uint64(8 * k)
    return level


@law
def cell_bits(x, cell):
    """The random bits of a cell of a level, whose own are x: one multiplication, for there are many cells."""
    y = (x ^ _SALTS[cell]) * _FACTOR
    return y ^ (y >> _S29)


@kernel
def paint(states, which, rules, tiles, held_out, starts, out):
    """Pixels of all states, as words [n, words], from tiles as words. `starts` has room for a number for each cell."""
    for i in range(len(states)):
        state, rule, image = states[i], rules[which[i]], out[i]
        level = level_of(state)
        x = mix(STRIDE * (level + np.uint64(1)))
        variants = rule.variants
        first = rule.first + theme_of(rule, x, level >= np.uint64(held_out)) * rule.kinds * variants
        if variants == 1 and rule.clutter == 0:
            for k in range(np.uint64(CELLS)):
                starts[k] = np.uint64(first + state[k]) * np.uint64(TILE * _WORDS)
        else:
            seen, mask, decoys = _SEEN[state[CELLS + 4]], np.uint64(variants - 1), rule.kinds - DECOYS
            for k in range(np.uint64(CELLS)):
                y = cell_bits(x, seen[k])
                kind, decoy = np.int64(state[k]), decoys + np.int64((y >> _S40) & _DECOY)
                hidden = (kind == 0) & ((y >> _S52) < rule.clutter)
                tile = first + (decoy if hidden else kind) * variants + np.int64((y >> _S32) & mask)
                starts[k] = np.uint64(tile) * np.uint64(TILE * _WORDS)
        at = np.uint64(0)
        for row in range(np.uint64(SIDE)):
            for r in range(np.uint64(TILE)):
                for column in range(np.uint64(SIDE)):
                    start = starts[row * np.uint64(SIDE) + column] + r * np.uint64(_WORDS)
                    for w in range(np.uint64(_WORDS)):
                        image[at] = tiles[start + w]
                        at += np.uint64(1)


@kernel
def mark(states, codes, out):
    """Planes of 0 and 1 of all states, as words of 8 bytes [n, words]. Every word is written once, in order."""
    planes = out.shape[1] * 8 // SIZE**2
    for i in range(len(states)):
        state, image, at = states[i], out[i], np.uint64(0)
        for code in range(1, planes + 1):
            for row in range(np.uint64(SIDE)):
                k = row * np.uint64(SIDE)
                for pair in range(np.uint64(SIDE // 2)):
                    one, other = codes[state[k]] == code, codes[state[k + np.uint64(1)]] == code
                    word = np.uint64(one) * _LEFT | np.uint64(other) * _RIGHT
                    for r in range(np.uint64(TILE)):
                        image[at + pair + r * np.uint64(SIDE // 2)] = word
                    k += np.uint64(2)
                at += np.uint64(TILE * SIDE // 2)


def words(tiles: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """Tiles [..., height, width, 3] as words, four bytes each."""
    return np.ascontiguousarray(tiles).reshape(-1).view(np.uint32)
