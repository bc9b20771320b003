"""How are sets of cells kept and moved? As bits of one integer, on a torus of 6 × 6 cells, row by row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.core.kernel import law, routine
from mohs.engines.draws import as_uniform, nth

SIDE = 6
CELLS = SIDE * SIDE
MIDDLE = SIDE // 2  # the row and the column of a view in which the agent stands


def _board(cells: list[int]) -> np.uint64:
    return np.uint64(sum(1 << cell for cell in cells))


def rows(*chosen: int) -> np.uint64:
    """The cells of some rows."""
    return _board([SIDE * row + column for row in chosen for column in range(SIDE)])


NONE, FULL = np.uint64(0), rows(*range(SIDE))
_TOP = rows(0)
_ONE, _SIDE = np.uint64(1), np.uint64(SIDE)
_LAST, _WRAP = np.uint64(SIDE - 1), np.uint64(CELLS - SIDE)
_WEST = _board([SIDE * row for row in range(SIDE)])
_EAST = _board([SIDE * row + SIDE - 1 for row in range(SIDE)])
_M1, _M2, _M4, _SUM = (np.uint64(m * (2**64 // 255)) for m in (0x55, 0x33, 0x0F, 0x01))
_S1, _S2, _S4, _S56 = (np.uint64(s) for s in (1, 2, 4, 56))


def _moves() -> npt.NDArray[np.int32]:
    """Of every action and cell the cell that it leads to."""
    row, column = np.divmod(np.arange(CELLS), SIDE)
    steps = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))
    return np.array([(row + i) % SIDE * SIDE + (column + j) % SIDE for i, j in steps], dtype=np.int32)


def _places() -> npt.NDArray[np.uint8]:
    """Of every anchor and cell its place in a view in which the anchor is in the middle."""
    row, column = np.divmod(np.arange(CELLS), SIDE)
    i = (row[None] - row[:, None] + MIDDLE) % SIDE
    j = (column[None] - column[:, None] + MIDDLE) % SIDE
    return np.asarray(i * SIDE + j, dtype=np.uint8)


MOVES, PLACES = _moves(), _places()


@law
def bit(cell):
    """The board with one cell."""
    return _ONE << np.uint64(cell)


@law
def has(board, cell):
    """Whether a cell is on a board."""
    return (board >> np.uint64(cell)) & _ONE != NONE


@law
def size(board):
    """How many cells are on a board."""
    x = board - ((board >> _S1) & _M1)
    x = (x & _M2) + ((x >> _S2) & _M2)
    x = (x + (x >> _S4)) & _M4
    return np.int64((x * _SUM) >> _S56)


@law
def row_of(row):
    """The board of a row."""
    return _TOP << np.uint64(SIDE * row)


@law
def first(board):
    """The first cell of a board."""
    return size((board & (~board + _ONE)) - _ONE)


@law
def below(x, n):
    """A number from 0 to n - 1 from random bits."""
    return np.int64(as_uniform(x) * n)


@routine
def pick(board, x):
    """A cell of a board by random bits."""
    for _ in range(below(x, size(board))):
        board &= board - _ONE
    return first(board)


@routine
def scatter(world, k, board, count):
    """So many cells of a board, by the draws from the k-th on."""
    chosen = NONE
    for i in range(count):
        chosen |= bit(pick(board & ~chosen, nth(world, k + i)))
    return chosen


@law
def down(board):
    """Every cell one row down, on the torus."""
    return ((board << _SIDE) & FULL) | (board >> _WRAP)


@law
def up(board):
    """Every cell one row up."""
    return (board >> _SIDE) | ((board << _WRAP) & FULL)


@law
def right(board):
    """Every cell one column to the right."""
    return ((board & ~_EAST) << _ONE) | ((board & _EAST) >> _LAST)


@law
def left(board):
    """Every cell one column to the left."""
    return ((board & ~_WEST) >> _ONE) | ((board & _WEST) << _LAST)


@law
def around(board):
    """The neighbours of all cells of a board."""
    return up(board) | down(board) | left(board) | right(board)


@routine
def flood(start, passable):
    """The cells that are reached from a board over passable ones."""
    reached, before = start, NONE
    while reached != before:
        before = reached
        reached |= around(reached) & passable
    return reached


@routine
def stamp(cells, board, code, anchor):
    """Writes a class into the view's cells that lie on a board."""
    while board != NONE:
        cells[PLACES[anchor, first(board)]] = code
        board &= board - _ONE
