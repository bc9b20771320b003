"""What is the value of a position of Connect Four, which has too many to store? Alpha-beta search.

What is known of a position's value, a lower and an upper bound, is kept in a transposition table of fixed size, in
which a newer entry takes the place of an older one. Values do not depend on what was searched before.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.core.kernel import kernel, law
from mohs.core.splitmix import mix
from mohs.tables.games.connect_four import bottom_row, discs, four, oriented
from mohs.tables.games.game import Game, Keys

SLOTS = 1 << 24

# A position under search: both players' discs, the window, the best value so far, what was known, where that is kept,
# the cells that may be taken, and the next column to try.
FRAME = np.dtype(
    [
        ("mine", np.int64),
        ("both", np.int64),
        ("free", np.int64),
        ("key", np.int64),
        ("low", np.int64),
        ("high", np.int64),
        ("best", np.int64),
        ("least", np.int64),
        ("most", np.int64),
        ("next", np.int64),
    ]
)


class AlphaBeta:
    """Values of positions of Connect Four; what was found is kept for the next ones."""

    def __init__(self, game: Game, slots: int = SLOTS) -> None:
        self._rows, self._columns = game.shape
        self._order = np.array(sorted(range(self._columns), key=lambda c: abs(2 * c - self._columns + 1)))
        self._known = np.full(slots, -1, dtype=np.int64)
        self._frames = np.zeros(self._rows * self._columns + 1, dtype=FRAME)

    def __call__(self, keys: Keys) -> npt.NDArray[np.int8]:
        """1, 0 or -1 for the player to move."""
        values = np.empty(len(keys), dtype=np.int8)
        solve(self._rows, self._columns, keys, self._order, self._known, self._frames, values)
        return values


@law
def enter(frame, mine, both, low, high, rows, columns, known):
    """Begins the search of a position whose last move did not win: its value where that is seen at once, else 2."""
    theirs = both ^ mine
    bottom = bottom_row(rows, columns)
    free = (both + bottom) & (bottom * ((1 << rows) - 1))  # the lowest empty cell of each column
    if free == 0:
        return 0
    threats = 0
    for column in range(columns):
        cell = free & (((1 << rows) - 1) << column * (rows + 1))
        if cell and four(mine | cell, rows):
            return 1
        if cell and four(theirs | cell, rows):
            threats |= cell
    if threats & (threats - 1):
        return -1  # two of them cannot both be met
    if threats:
        free = threats
    frame.mine, frame.both, frame.free = mine, both, free
    frame.low, frame.high, frame.best, frame.next = low, high, -1, 0
    frame.least, frame.most = -1, 1
    frame.key = oriented(both + bottom + mine, rows, columns)
    entry = known[slot_of(known, frame.key)]
    if entry >> 4 == frame.key:
        frame.least, frame.most = (entry >> 2 & 3) - 1, (entry & 3) - 1
        if frame.least >= high or frame.least == frame.most:
            return frame.least
        if frame.most <= low:
            return frame.most
    return 2


@law
def leave(frame, known):
    """Keeps what the search of a position has shown: its value, if that is within the window, or a bound beyond it."""
    if frame.best > frame.low:
        frame.least = max(frame.least, frame.best)
    if frame.best < frame.high:
        frame.most = min(frame.most, frame.best)
    known[slot_of(known, frame.key)] = frame.key << 4 | (frame.least + 1) << 2 | (frame.most + 1)


@law
def slot_of(known, key):
    return np.int64(mix(np.uint64(key))) & (len(known) - 1)


@law
def search(mine, both, rows, columns, order, known, frames):
    """The value of a position whose last move did not win."""
    value = enter(frames[0], mine, both, -1, 1, rows, columns, known)
    depth = 0 if value == 2 else -1
    while depth >= 0:
        frame = frames[depth]
        if value != 2:  # of the move that was tried last, to the other player
            frame.best = max(frame.best, -value)
        column = 0
        cell = 0
        while frame.next < columns and frame.best < frame.high and cell == 0:
            column = order[frame.next]
            cell = frame.free & (((1 << rows) - 1) << column * (rows + 1))
            frame.next += 1
        if cell == 0:
            leave(frame, known)
            value = frame.best
            depth -= 1
            continue
        value = enter(
            frames[depth + 1], frame.both ^ frame.mine, frame.both | cell, -frame.high, -max(frame.low, frame.best),
            rows, columns, known,
        )  # fmt: skip
        if value == 2:
            depth += 1
    return value


@kernel
def solve(rows, columns, keys, order, known, frames, values):
    for i in range(len(keys)):
        mine, both = discs(keys[i], rows, columns)
        values[i] = -1 if four(both ^ mine, rows) else search(mine, both, rows, columns, order, known, frames)
