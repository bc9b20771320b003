"""What is the sliding-tile puzzle? Tiles in a frame with one cell free, to be put in order.

A board lists its cells row by row, 0 is the blank; solved, the tiles are in order and the blank comes last. The goal
has a predicate for each tile: it is in place. Boards are found from the solved one, which is state 0, so the distance
of a state is the number of moves that solve it.

A board is packed into four bits for each cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mohs.core.domain import Each, Integer
from mohs.core.errors import UsageError
from mohs.core.kernel import kernel
from mohs.tables.mdp import Mdp
from mohs.tables.numbering import Progress
from mohs.tables.puzzles.puzzle import Puzzle, States, mdp, search, start_at, table
from mohs.tables.table import Table

MOVES = ("up", "down", "left", "right")  # where the blank goes
MAX_STATES = 2_000_000
_LARGEST = 2**31 - 1  # states that can be numbered; so boards have at most 12 cells


def tiles_mdp(distance: int, number: int = 0, *, horizon: int, progress: Progress | None = None) -> Mdp:
    """The 3 × 3 puzzle, started from one of the boards that are `distance` moves away from the solved one."""
    found = boards(progress=progress)
    return mdp(found, start_at(found, distance, number), horizon)


def tiles(
    rows: int = 3,
    columns: int = 3,
    *,
    start: Sequence[int] | None = None,
    distance: int | None = None,
    horizon: int | None = 50,
    limit: int = MAX_STATES,
) -> Table:
    """The puzzle from the board `start`, or from the first one that is `distance` moves away (by default the farthest).

    A move off the board changes nothing. A step pays the change in the number of tiles in place, so the rewards of an
    episode that solves the puzzle add up to the tiles that were out of place; the solved board is terminal.
    """
    found = boards(rows, columns, limit)
    if start is not None and distance is not None:
        raise UsageError("give either a start or a distance, not both.")
    first = _first_at(found, distance) if start is None else _number_of(found, start)
    return table(found, first, horizon)


def boards(rows: int = 3, columns: int = 3, limit: int = MAX_STATES, *, progress: Progress | None = None) -> States:
    """All boards that can be solved: half of the arrangements of the tiles and the blank."""
    rows, columns = Integer(2).parse("rows", rows), Integer(2).parse("columns", columns)
    count = math.factorial(rows * columns) // 2
    if count > Integer(1, _LARGEST).parse("limit", limit):
        raise UsageError(
            f"the {rows} × {columns} puzzle has {count:,} states, more than the limit of {limit:,}; raise limit."
        )
    return search(puzzle(rows, columns), limit=limit, progress=progress)


def puzzle(rows: int, columns: int) -> Puzzle:
    """The rules on a board of this size."""
    cells = rows * columns
    return Puzzle(
        name=f"tiles {rows}×{columns}",
        root=sum(tile << 4 * (tile - 1) for tile in range(1, cells)),
        predicates=cells - 1,
        setup=np.array([rows, columns], dtype=np.int64),
        expand=expand,
        look=look,
        count=count_in_place,
        shape=(rows, columns),
        codes=".123456789ABCDEF"[:cells],
        action_names=MOVES,
    )


def _first_at(found: States, distance: int | None) -> int:
    farthest = int(found.distance[-1])
    away = farthest if distance is None else Integer(1, farthest).parse("distance", distance)
    return int(np.searchsorted(found.distance, away))


def _number_of(found: States, start: Sequence[int]) -> int:
    cells = found.cells.shape[1]
    board = Each(Integer(0, cells - 1), cells).parse("start", start)
    if len(set(board)) != cells:
        raise UsageError(f"start is {board}, but must have each of the numbers from 0 (the blank) to {cells - 1} once.")
    same = np.flatnonzero(found.keys == sum(tile << 4 * cell for cell, tile in enumerate(board)))
    if len(same) == 0:
        raise UsageError(f"start is {board}, which cannot be solved: half of all arrangements cannot.")
    if same[0] == 0:
        raise UsageError("start is the solved board, which is the end; give another one.")
    return int(same[0])


@kernel
def expand(setup, keys, children):
    """Where the blank can go; see `Puzzle`."""
    rows, columns = setup[0], setup[1]
    for i in range(len(keys)):
        blank = 0
        while keys[i] >> 4 * blank & 15:
            blank += 1
        row, column = blank // columns, blank % columns
        for move in range(4):
            to_row = row + (move == 1) - (move == 0)
            to_column = column + (move == 3) - (move == 2)
            children[i, move] = keys[i]
            if 0 <= to_row < rows and 0 <= to_column < columns:
                to = to_row * columns + to_column
                tile = keys[i] >> 4 * to & 15
                children[i, move] += (tile << 4 * blank) - (tile << 4 * to)


@kernel
def look(setup, keys, cells):
    """The tile on each cell, 0 for the blank."""
    for i in range(len(keys)):
        for cell in range(cells.shape[1]):
            cells[i, cell] = keys[i] >> 4 * cell & 15


@kernel
def count_in_place(setup, keys, counts):
    """How many tiles are in place."""
    last = setup[0] * setup[1] - 1
    for i in range(len(keys)):
        counts[i] = 0
        for cell in range(last):
            counts[i] += (keys[i] >> 4 * cell & 15) == cell + 1
