"""How is Connect Four played? Four in a row, a column or a diagonal win; a full board is a draw.

A position is a number: of each column, from the left, `rows + 1` bits, which are the mover's discs (1) from below with
another 1 on top of the highest disc. A position and its mirror image are one: the smaller number stands for both.
"""

from __future__ import annotations

import numpy as np

from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.core.kernel import kernel, law
from mohs.tables.games.game import NONE, ONGOING, Game

_BITS = 58  # of a position, so that four more fit into a word


def connect_four(rows: int = 6, columns: int = 5) -> Game:
    """The game on a board of this size. Action c drops a disc into column c, counted from the left."""
    rows, columns = Integer(4, 8).parse("rows", rows), Integer(4, 8).parse("columns", columns)
    if (rows + 1) * columns > _BITS:
        raise UsageError(f"a board of {rows} rows and {columns} columns is too large: columns · (rows + 1) ≤ {_BITS}.")
    setup = np.array([rows, columns], dtype=np.int64)
    return Game(
        name=f"connect four {rows}×{columns}",
        start=sum(1 << column * (rows + 1) for column in range(columns)),
        room=columns,
        actions=columns,
        setup=setup,
        expand=expand,
        look=look,
        advantage=advantage,
        shape=(rows, columns),
        codes=".xo",
        action_names=tuple(f"column {column + 1}" for column in range(columns)),
    )


@law
def discs(key, rows, columns):
    """(the mover's, all of them): a bit for each cell, `rows + 1` for each column."""
    mine = 0
    both = 0
    for column in range(columns):
        shift = column * (rows + 1)
        field = (key >> shift) & ((1 << (rows + 1)) - 1)
        top = 1
        while top * 2 <= field:
            top *= 2
        mine |= (field - top) << shift
        both |= (top - 1) << shift
    return mine, both


@law
def four(those, rows):
    """Are there four in line?"""
    for way in range(4):
        step = 1 if way == 0 else rows - 1 + way  # up; down to the right, right, up to the right
        pairs = those & (those >> step)
        if pairs & (pairs >> 2 * step):
            return True
    return False


@law
def oriented(key, rows, columns):
    """The smaller of a position and its mirror image."""
    field = (1 << (rows + 1)) - 1
    mirrored = 0
    for column in range(columns):
        mirrored = (mirrored << (rows + 1)) | ((key >> column * (rows + 1)) & field)
    return min(key, mirrored)


@kernel
def expand(setup, keys, children, outcomes, scratch):
    """Where the moves of positions lead; see `Game`."""
    rows, columns = setup[0], setup[1]
    for i in range(len(keys)):
        mine, both = discs(keys[i], rows, columns)
        children[i, :] = NONE
        theirs = both ^ mine
        if four(theirs, rows):
            outcomes[i] = -1
            continue
        full = True
        for column in range(columns):
            shift = column * (rows + 1)
            if both >> (shift + rows - 1) & 1:
                continue
            full = False
            dropped = both + (1 << shift) | both
            # The discs of the one who moves next, and the bit on top of each column.
            tops = dropped + bottom_row(rows, columns)
            children[i, column] = oriented(tops + theirs, rows, columns)
        outcomes[i] = 0 if full else ONGOING


@law
def bottom_row(rows, columns):
    bottom = 0
    for column in range(columns):
        bottom |= 1 << column * (rows + 1)
    return bottom


@kernel
def look(setup, keys, cells):
    """What lies in each cell, row by row from the top: 0 nothing, 1 a disc of the mover, 2 one of the other."""
    rows, columns = setup[0], setup[1]
    for i in range(len(keys)):
        mine, both = discs(keys[i], rows, columns)
        for row in range(rows):
            for column in range(columns):
                bit = column * (rows + 1) + row
                taken, own = both >> bit & 1, mine >> bit & 1
                cells[i, (rows - 1 - row) * columns + column] = taken * (2 - own)


@kernel
def advantage(setup, keys, ahead):
    """Nobody is ahead before somebody has won."""
    ahead[:] = 0.0
