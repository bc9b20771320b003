"""How is Go played on a small board? Stones without liberties are taken, two passes end the game, area decides.

A move that would leave its own stones without liberties is illegal, and so is taking back a single stone at once
(simple ko). The score is that of Tromp and Taylor: a player's stones, and the empty regions that touch no other's.

A position is a number: a bit for each stone of the mover, a bit for each of the other, the point that ko forbids, and
whether the last move or the last two were passes. Positions that are turned or mirrored are one: the smallest number
stands for all eight.
"""

from __future__ import annotations

import numpy as np

from mohs.core.domain import Integer
from mohs.core.kernel import kernel, law
from mohs.tables.games.game import NONE, ONGOING, Game, Keys

_HALF = 1 << 8
_HEAD = 4  # setup: size, all cells, cells not in the first column, not in the last; then the symmetries


def go(size: int = 4) -> Game:
    """The game on a square board. Actions are the points row by row, and after them to pass."""
    size = Integer(2, 4).parse("size", size)
    return Game(
        name=f"go {size}×{size}",
        start=0,
        room=size * size + 1,
        actions=size * size + 1,
        setup=_setup(size),
        expand=expand,
        look=look,
        advantage=advantage,
        shape=(size, size),
        codes=".xo!,",
        action_names=(*(f"{'abcd'[column]}{size - row}" for row in range(size) for column in range(size)), "pass"),
    )


def _setup(size: int) -> Keys:
    """The masks of the board, and for each symmetry where the stones of each half of the bits, and each point, go."""
    board = np.arange(size * size).reshape(size, size)
    every = (1 << size * size) - 1
    first = sum(1 << int(cell) for cell in board[:, 0])
    last = sum(1 << int(cell) for cell in board[:, -1])
    parts = [np.array([size, every, every & ~first, every & ~last])]
    for turned in (np.rot90(side, turns) for side in (board, board.T) for turns in range(4)):
        goes = np.zeros(16, dtype=np.int64)
        goes[turned.ravel()] = board.ravel()
        for half in range(2):
            bits = np.arange(_HALF)[:, None] >> np.arange(8) & 1
            parts.append((bits << goes[8 * half : 8 * half + 8]).sum(axis=1))
        parts.append(goes)
    return np.concatenate(parts).astype(np.int64)


@law
def beside(stones, setup):
    """These points and those next to them."""
    size, every = setup[0], setup[1]
    spread = stones | stones << size | stones >> size | (stones & setup[3]) << 1 | (stones & setup[2]) >> 1
    return spread & every


@law
def connected(seed, stones, setup):
    """All of these stones that hang together with the first ones."""
    group = seed
    grown = beside(group, setup) & stones
    while grown != group:
        group = grown
        grown = beside(group, setup) & stones
    return group


@law
def turned(key, symmetry, setup):
    """The position as one of the symmetries shows it."""
    at = _HEAD + symmetry * (2 * _HALF + 16)
    mine = setup[at + (key & 255)] | setup[at + _HALF + (key >> 8 & 255)]
    theirs = setup[at + (key >> 16 & 255)] | setup[at + _HALF + (key >> 24 & 255)]
    ko = key >> 32 & 31
    if ko:
        ko = setup[at + 2 * _HALF + ko - 1] + 1
    return (key >> 37) << 37 | ko << 32 | theirs << 16 | mine


@law
def oriented(key, setup):
    """The smallest of the eight positions that are this one turned and mirrored."""
    least = key
    for symmetry in range(1, 8):
        least = min(least, turned(key, symmetry, setup))
    return least


@law
def area(mine, theirs, setup):
    """The score of the one who moves: his stones and regions less the other's."""
    every = setup[1]
    score = 0
    for point in range(setup[0] * setup[0]):
        bit = 1 << point
        if mine & bit:
            score += 1
        elif theirs & bit:
            score -= 1
        else:
            edge = beside(connected(bit, every & ~(mine | theirs), setup), setup)
            score += (edge & theirs == 0 and edge & mine != 0) * 1 - (edge & mine == 0 and edge & theirs != 0) * 1
    return score


@law
def placed(mine, theirs, point, ko, setup):
    """(my stones, the other's, the point that ko forbids) after a stone at a point; NONE for an illegal one."""
    every = setup[1]
    stone = 1 << point
    if (mine | theirs) & stone or point + 1 == ko:
        return NONE, 0, 0
    own = mine | stone
    taken = 0
    for other in range(setup[0] * setup[0]):
        bit = 1 << other
        if beside(stone, setup) & theirs & bit & ~taken:
            group = connected(bit, theirs, setup)
            if beside(group, setup) & every & ~(own | theirs) == 0:
                taken |= group
    theirs &= ~taken
    group = connected(stone, own, setup)
    free = beside(group, setup) & every & ~(own | theirs)
    if free == 0:
        return NONE, 0, 0
    if group != stone or free != taken or taken & (taken - 1) != 0:
        return own, theirs, 0
    back = 0
    while 1 << back != taken:
        back += 1
    return own, theirs, back + 1


@kernel
def expand(setup, keys, children, outcomes, scratch):
    """Where the moves of positions lead; see `Game`."""
    points = setup[0] * setup[0]
    for i in range(len(keys)):
        mine, theirs, ko, passes = keys[i] & 65535, keys[i] >> 16 & 65535, keys[i] >> 32 & 31, keys[i] >> 37
        children[i, :] = NONE
        if passes == 2:
            score = area(mine, theirs, setup)
            outcomes[i] = (score > 0) * 1 - (score < 0) * 1
            continue
        outcomes[i] = ONGOING
        for point in range(points):
            own, other, forbidden = placed(mine, theirs, point, ko, setup)
            if own != NONE:
                children[i, point] = oriented(forbidden << 32 | own << 16 | other, setup)
        children[i, points] = oriented((passes + 1) << 37 | mine << 16 | theirs, setup)


@kernel
def look(setup, keys, cells):
    """What is on each point, row by row: nothing, a stone of the mover, one of the other, forbidden by ko.

    After a pass empty points have a code of their own, 4: to pass as well would end the game.
    """
    for i in range(len(keys)):
        passed = keys[i] >> 37 != 0
        for point in range(setup[0] * setup[0]):
            stone = keys[i] >> point & 1 | (keys[i] >> (16 + point) & 1) << 1
            cells[i, point] = 4 if passed and stone == 0 else stone
        ko = keys[i] >> 32 & 31
        if ko:
            cells[i, ko - 1] = 3


@kernel
def advantage(setup, keys, ahead):
    """The score, as a share of one point more than the board has."""
    for i in range(len(keys)):
        score = area(keys[i] & 65535, keys[i] >> 16 & 65535, setup)
        ahead[i] = score / (setup[0] * setup[0] + 1)
