"""Frames with planted truth: sprites that move over a ground of random texture, seen by a camera that moves, too."""

from __future__ import annotations

import numpy as np

SIDE, SPRITE, KINDS = 24, 4, 3
MOVES = np.array([[0, 2], [0, -2], [3, 0]])  # of each kind of sprite, over the ground


def scene(pairs, seed=0, sprites=3, moving=True, camera=2, themes=4):
    """Pairs of frames [pairs, side, side, 3], and where the sprites are in the first of each."""
    looks = np.random.default_rng(99)
    grounds = looks.integers(20, 140, (themes, 3 * SIDE, 3 * SIDE, 3))
    kinds = looks.integers(0, 2, (KINDS, SPRITE, SPRITE, 1)) * looks.integers(120, 250, (KINDS, 1, 1, 3))
    draws = np.random.default_rng(seed)
    before = np.zeros((pairs, SIDE, SIDE, 3), np.uint8)
    after, figure = before.copy(), np.zeros((pairs, SIDE, SIDE), np.bool_)
    for i in range(pairs):
        ground = grounds[draws.integers(themes)]
        at, shift = draws.integers(SIDE // 2, SIDE, 2), draws.integers(-camera, camera + 1, 2)
        kind, place = draws.integers(0, KINDS, sprites), draws.integers(3, SIDE - SPRITE - 3, (sprites, 2)) + at
        moves = MOVES[kind] if moving else 0 * MOVES[kind]
        before[i] = _screen(ground, kinds, kind, place, at)
        after[i] = _screen(ground, kinds, kind, place + moves, at + shift)
        for y, x in place - at:
            figure[i, y : y + SPRITE, x : x + SPRITE] = True
    return before, after, figure


def _screen(ground, kinds, kind, place, at):
    seen = ground.copy()
    for k, (y, x) in zip(kind, place, strict=True):
        seen[y : y + SPRITE, x : x + SPRITE] = kinds[k]
    return seen[at[0] : at[0] + SIDE, at[1] : at[1] + SIDE]


def iou(front_end, before, figure):
    found = front_end.masks(before).astype(int).sum(1) > 127
    return (found & figure).sum() / max(1, (found | figure).sum())
