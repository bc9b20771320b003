"""What is the sliding-tile puzzle as a table? Every board that the solved one can be shuffled to, and its four moves.

A board lists its cells row by row, 0 is the blank; solved, the tiles are in order and the blank comes last. Boards are
numbered breadth-first from the solved one, which is state 0, moves in the order up, down, left, right: so states are
in order of their distance, and the first at some distance is well defined.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mohs.core.domain import Each, Integer
from mohs.core.errors import UsageError
from mohs.core.kernel import kernel, law
from mohs.tables.table import Table

MOVES = ("up", "down", "left", "right")  # where the blank goes
MAX_STATES = 2_000_000


@dataclass(frozen=True, eq=False)
class Boards:
    """Every board `cells[state]`, where the moves lead, `succ[state, move]`, and the fewest moves to the solved one."""

    cells: npt.NDArray[np.uint8]
    succ: npt.NDArray[np.int32]
    distance: npt.NDArray[np.int32]


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
    states, cells = found.cells.shape
    in_place = (found.cells[:, :-1] == np.arange(1, cells)).sum(axis=1)
    reward = in_place[found.succ] - in_place[:, None]
    first = _first_at(found, distance) if start is None else _number_of(found, start)
    number = np.arange(states)
    return Table(
        actions=len(MOVES),
        succ=found.succ.ravel(),
        reward=reward.ravel().astype(np.float64),
        terminal=number == 0,
        initial=(number == first).astype(np.float64),
        observation=number.astype(np.int32),
        horizon=horizon,
        action_names=MOVES,
    )


def boards(rows: int = 3, columns: int = 3, limit: int = MAX_STATES) -> Boards:
    """All boards that can be solved: half of the arrangements of the tiles and the blank."""
    cells = Integer(2).parse("rows", rows) * Integer(2).parse("columns", columns)
    count = math.factorial(cells) // 2
    if count > Integer(1).parse("limit", limit):
        raise UsageError(
            f"the {rows} × {columns} puzzle has {count:,} states, more than the limit of {limit:,}; raise limit."
        )
    found = np.empty((count + 1, cells), dtype=np.uint8)  # the last row is for a board that is not new
    found[0] = np.append(np.arange(1, cells), 0)
    succ = np.empty((count, len(MOVES)), dtype=np.int32)
    distance = np.zeros(count, dtype=np.int32)
    numbers = np.full(2 * count, -1, dtype=np.int32)
    explore(rows, columns, found, succ, distance, numbers)
    return Boards(found[:count], succ, distance)


def _first_at(found: Boards, distance: int | None) -> int:
    farthest = int(found.distance[-1])
    away = farthest if distance is None else Integer(1, farthest).parse("distance", distance)
    return int(np.searchsorted(found.distance, away))


def _number_of(found: Boards, start: Sequence[int]) -> int:
    cells = found.cells.shape[1]
    board = Each(Integer(0, cells - 1), cells).parse("start", start)
    if len(set(board)) != cells:
        raise UsageError(f"start is {board}, but must have each of the numbers from 0 (the blank) to {cells - 1} once.")
    same = np.flatnonzero((found.cells == np.array(board)).all(axis=1))
    if len(same) == 0:
        raise UsageError(f"start is {board}, which cannot be solved: half of all arrangements cannot.")
    if same[0] == 0:
        raise UsageError("start is the solved board, which is the end; give another one.")
    return int(same[0])


@law
def rank(board):  # type: ignore[no-untyped-def]
    """The place of a board among all arrangements in lexicographic order."""
    size = len(board)
    place = 0
    for i in range(size):
        smaller = 0
        for j in range(i + 1, size):
            smaller += board[j] < board[i]
        place = place * (size - i) + smaller
    return place


@kernel
def explore(rows, columns, boards, succ, distance, numbers):  # type: ignore[no-untyped-def]
    """Breadth-first from `boards[0]`; `numbers` says which state a rank is, if known."""
    numbers[rank(boards[0])] = 0
    count = 1
    for state in range(len(succ)):
        blank = 0
        while boards[state, blank] != 0:
            blank += 1
        row, column = blank // columns, blank % columns
        for move in range(4):
            to_row = row + (move == 1) - (move == 0)
            to_column = column + (move == 3) - (move == 2)
            if to_row < 0 or to_row >= rows or to_column < 0 or to_column >= columns:
                succ[state, move] = state
                continue
            to = to_row * columns + to_column
            for cell in range(boards.shape[1]):  # written as if new, kept only if it is
                boards[count, cell] = boards[state, cell]
            boards[count, blank] = boards[state, to]
            boards[count, to] = 0
            place = rank(boards[count])
            if numbers[place] < 0:
                numbers[place] = count
                distance[count] = distance[state] + 1
                count += 1
            succ[state, move] = numbers[place]
