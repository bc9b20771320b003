"""How are checkers played on a small board? Men go ahead, kings both ways; who can take must; who cannot move loses.

A turn is one move, or one chain of captures as long as the piece can go on taking; a man that reaches the last row
becomes a king and the turn is over. A position is a number in base 5: of each dark square, row by row from the mover's
side, what stands on it. On boards that are their own mirror image the smaller of two mirrored numbers stands for both.
"""

from __future__ import annotations

import numpy as np

from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.core.kernel import kernel, law
from mohs.tables.games.game import NONE, ONGOING, Game, Keys

_MAN, _KING = 1, 2
_THEIRS = 2  # what is added to the code of a piece of the other's
_HEAD = 2  # setup: dark squares, rows of pieces of each side; then of each square five numbers
_EACH = 6  # four neighbours, its mirror image, whether it is in the last row
_ROOM = 32
ACTIONS = {(5, 5): 12, (6, 4): 12}  # the most moves of a position, where all positions have been listed
_SQUARES = 26  # as many digits in base 5 as fit into a word
_LONGEST = 8  # captures in a row


def checkers(rows: int = 6, columns: int = 4) -> Game:
    """The game on a board whose near left corner is dark. Action i is the i-th legal turn, by square and direction."""
    rows, columns = Integer(4, 8).parse("rows", rows), Integer(4, 8).parse("columns", columns)
    dark = [(row, column) for row in range(rows) for column in range(columns) if (row + column) % 2 == 0]
    if len(dark) > _SQUARES:
        raise UsageError(f"a board of {rows} × {columns} has {len(dark)} dark squares, more than {_SQUARES}.")
    filled = (rows - 1) // 2
    squares = [_MAN if row < filled else _MAN + _THEIRS if row >= rows - filled else 0 for row, _ in dark]
    return Game(
        name=f"checkers {rows}×{columns}",
        start=sum(code * 5**square for square, code in enumerate(squares)),
        room=_ROOM,
        actions=ACTIONS.get((rows, columns), _ROOM),
        setup=_setup(rows, columns, dark),
        expand=expand,
        look=look,
        advantage=advantage,
        shape=(rows, columns),
        codes=".mkMK ",
    )


def _setup(rows: int, columns: int, dark: list[tuple[int, int]]) -> Keys:
    number = {place: square for square, place in enumerate(dark)}
    parts = [len(dark), columns]
    for row, column in dark:
        steps = ((1, -1), (1, 1), (-1, -1), (-1, 1))
        parts += [number.get((row + up, column + right), NONE) for up, right in steps]
        parts += [number.get((row, columns - 1 - column), NONE), int(row == rows - 1)]
    return np.array(parts, dtype=np.int64)


@law
def next_to(setup, square, way):
    """The neighbour in one of the four directions; the first two are ahead."""
    return setup[_HEAD + _EACH * square + way]


@law
def jump(setup, board, square, piece, way):
    """(the square that is taken, the one beyond) where a piece can capture that way; else NONE twice."""
    if way >= 2 and piece == _MAN:
        return NONE, NONE
    over = next_to(setup, square, way)
    if over < 0 or board[over] <= _THEIRS:
        return NONE, NONE
    end = next_to(setup, over, way)
    if end < 0 or board[end] != 0:
        return NONE, NONE
    return over, end


@law
def seen_by_other(setup, board):
    """The position from the other's side, turned by half a circle; the smaller of it and its mirror image."""
    here = 0
    mirrored = 0
    symmetric = setup[_HEAD + 4] >= 0
    for square in range(len(board)):  # the last digit first
        piece = board[square]
        here = 5 * here + (0 if piece == 0 else (piece + 1) % 4 + 1)
        if symmetric:
            piece = board[setup[_HEAD + _EACH * square + 4]]
            mirrored = 5 * mirrored + (0 if piece == 0 else (piece + 1) % 4 + 1)
    return min(here, mirrored) if symmetric else here


@law
def promoted(setup, piece, square):
    return _KING if setup[_HEAD + _EACH * square + 5] else piece


@law
def capture(setup, board, start, children, count, chain):
    """Writes where the chains of captures of a piece lead; how many turns there are now.

    `chain` holds, for each capture under way, the square it began at, the direction tried last, what was taken and
    where; the search goes depth first.
    """
    piece = board[start]
    board[start] = 0
    depth = 0
    chain[0] = start
    chain[1] = -1
    went_on = False  # the piece that stands here has already taken as far as it could
    while depth >= 0:
        square = chain[4 * depth]
        chain[4 * depth + 1] += 1
        way = chain[4 * depth + 1]
        if way == 4:
            if depth > 0 and not went_on:
                count = write(setup, board, square, piece, children, count)
            went_on = True
            depth -= 1
            if depth >= 0:
                board[chain[4 * depth + 3]] = chain[4 * depth + 2]
            continue
        over, end = jump(setup, board, square, piece, way)
        if over < 0:
            continue
        if promoted(setup, piece, end) != piece:
            taken = board[over]
            board[over] = 0
            count = write(setup, board, end, _KING, children, count)
            board[over] = taken
            went_on = True
            chain[4 * depth + 2] = taken
            continue
        chain[4 * depth + 2] = board[over]
        chain[4 * depth + 3] = over
        board[over] = 0
        depth += 1
        chain[4 * depth] = end
        chain[4 * depth + 1] = -1
        went_on = False
    board[start] = piece
    return count


@law
def write(setup, board, square, piece, children, count):
    """Adds the position with a piece on a square, unless a turn before led there too."""
    board[square] = piece
    child = seen_by_other(setup, board)
    board[square] = 0
    for earlier in range(count):
        if children[earlier] == child:
            return count
    children[count] = child
    return count + 1


@kernel
def expand(setup, keys, children, outcomes, scratch):
    """Where the turns of positions lead; see `Game`."""
    squares = setup[0]
    board = scratch[:squares]
    chain = scratch[squares : squares + 4 * (_LONGEST + 1)]
    for i in range(len(keys)):
        key = keys[i]
        for square in range(squares):
            board[square] = key % 5
            key //= 5
        children[i, :] = NONE
        count = 0
        for square in range(squares):
            if board[square] == _MAN or board[square] == _KING:
                count = capture(setup, board, square, children[i], count, chain)
        if count == 0:
            for square in range(squares):
                piece = board[square]
                if piece != _MAN and piece != _KING:
                    continue
                for way in range(2 if piece == _MAN else 4):
                    end = next_to(setup, square, way)
                    if end >= 0 and board[end] == 0:
                        board[square] = 0
                        count = write(setup, board, end, promoted(setup, piece, end), children[i], count)
                        board[square] = piece
        outcomes[i] = ONGOING if count else -1


@kernel
def look(setup, keys, cells):
    """What is on each cell, row by row from the far side: nothing, man, king, their man, their king, or not dark."""
    columns = setup[1]
    count = cells.shape[1]
    for i in range(len(keys)):
        key = keys[i]
        for cell in range(count):
            row, column = cell // columns, cell % columns
            shown = (count // columns - 1 - row) * columns + column
            if (row + column) % 2:
                cells[i, shown] = 5
            else:
                cells[i, shown] = key % 5
                key //= 5


@kernel
def advantage(setup, keys, ahead):
    """The difference in pieces, a king two, as a share of more than all squares could hold."""
    for i in range(len(keys)):
        key, worth = keys[i], 0
        while key > 0:
            piece = key % 5
            worth += piece if piece <= _THEIRS else _THEIRS - piece
            key //= 5
        ahead[i] = worth / (2 * setup[0])
