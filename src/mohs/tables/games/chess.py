"""How is chess played on a small board? With pawns, rooks, queens and kings; mate wins, stalemate is a draw.

Pawns take one step, become queens on the last row, and there is neither castling nor taking in passing. A position is
a number in base 9: of each square, row by row from the mover's side, what stands on it. A position and its mirror image
are one: the smaller number stands for both.
"""

from __future__ import annotations

import numpy as np

from mohs.core.errors import unknown
from mohs.core.kernel import kernel, law
from mohs.tables.games.game import NONE, ONGOING, Game

# From the side of the mover, last row first; capitals are the mover's, as in the usual notation.
BOARDS = {
    "4x3": ("kqr", "ppp", "PPP", "KQR"),
    "4x4": ("r..k", "p..p", "P..P", "R..K"),  # few enough pieces for all positions to be listed
    "silverman": ("rqkr", "pppp", "PPPP", "RQKR"),
}
ACTIONS = {"4x3": 20, "4x4": 27}  # the most moves of a position, where all positions have been listed
_PIECES = ".PRQKprqk"
_PAWN, _ROOK, _QUEEN, _KING = 1, 2, 3, 4
_THEIRS = 4  # what is added to the code of a piece of the other's
_ROOM = 64


def chess(board: str = "4x4") -> Game:
    """The game on a board. Action i is the i-th legal move: by square, then direction, then distance."""
    if board not in BOARDS:
        raise unknown("chess board", board, BOARDS)
    rows = BOARDS[board][::-1]
    squares = [_PIECES.index(piece) for row in rows for piece in row]
    return Game(
        name=f"chess {board.replace('x', '×')}",
        start=_smaller(squares, len(rows), len(rows[0])),
        room=_ROOM,
        actions=ACTIONS.get(board, _ROOM),
        setup=np.array([len(rows), len(rows[0]), 9 * sum(0 < code <= _THEIRS for code in squares)], dtype=np.int64),
        expand=expand,
        look=look,
        advantage=advantage,
        shape=(len(rows), len(rows[0])),
        codes=_PIECES,
    )


def _smaller(squares: list[int], rows: int, columns: int) -> int:
    mirrored = [squares[row * columns + columns - 1 - column] for row in range(rows) for column in range(columns)]
    return min(int(sum(code * 9**square for square, code in enumerate(each))) for each in (squares, mirrored))


@law
def step_of(way):
    """Rows and columns of the eight directions, clockwise from ahead; those of the rook are even."""
    up = (1 if way in (0, 1, 7) else 0) - (1 if way in (3, 4, 5) else 0)
    right = (1 if way in (1, 2, 3) else 0) - (1 if way in (5, 6, 7) else 0)
    return up, right


@law
def attacked(board, rows, columns, square):
    """Could the other take a piece of the mover's that stands there?"""
    for way in range(8):
        up, right = step_of(way)
        row, column = square // columns + up, square % columns + right
        near = True
        while 0 <= row < rows and 0 <= column < columns:
            piece = board[row * columns + column] - _THEIRS
            if piece == _QUEEN or (piece == _ROOK and way % 2 == 0):
                return True
            if near and (piece == _KING or (piece == _PAWN and way in (1, 7))):
                return True
            if piece != -_THEIRS:
                break
            near = False
            row += up
            column += right
    return False


@law
def seen_by_other(board, rows, columns):
    """The position from the other's side; the smaller of it and its mirror image."""
    here = 0
    mirrored = 0
    for place in range(rows * columns):  # the last digit first
        column = columns - 1 - place % columns
        row = place // columns
        piece = board[row * columns + column]
        here = 9 * here + (0 if piece == 0 else (piece + 3) % 8 + 1)
        piece = board[row * columns + columns - 1 - column]
        mirrored = 9 * mirrored + (0 if piece == 0 else (piece + 3) % 8 + 1)
    return min(here, mirrored)


@law
def try_move(board, rows, columns, king, start, end, children, count):
    """Writes where a move leads if it leaves the king safe; the number of moves so far."""
    moved, taken = board[start], board[end]
    board[start] = 0
    board[end] = _QUEEN if moved == _PAWN and end // columns == rows - 1 else moved
    if not attacked(board, rows, columns, end if start == king else king):
        children[count] = seen_by_other(board, rows, columns)
        count += 1
    board[start] = moved
    board[end] = taken
    return count


@kernel
def expand(setup, keys, children, outcomes, scratch):
    """Where the moves of positions lead; see `Game`."""
    rows, columns = setup[0], setup[1]
    board = scratch[: rows * columns]
    for i in range(len(keys)):
        king = unpack(keys[i], board)
        children[i, :] = NONE
        count = 0
        for square in range(rows * columns):
            piece = board[square]
            if piece == 0 or piece > _THEIRS:
                continue
            for way in range(8):
                if (piece == _ROOK and way % 2 == 1) or (piece == _PAWN and way not in (0, 1, 7)):
                    continue
                up, right = step_of(way)
                row, column = square // columns + up, square % columns + right
                while 0 <= row < rows and 0 <= column < columns:
                    target = board[row * columns + column]
                    if 0 < target <= _THEIRS:
                        break
                    if piece == _PAWN and (way == 0) != (target == 0):
                        break
                    end = row * columns + column
                    count = try_move(board, rows, columns, king, square, end, children[i], count)
                    if target != 0 or piece in (_PAWN, _KING):
                        break
                    row += up
                    column += right
        outcomes[i] = ONGOING
        if count == 0:
            outcomes[i] = -1 if attacked(board, rows, columns, king) else 0


@law
def unpack(key, board):
    """Sets up the board; the square of the mover's king."""
    king = 0
    for square in range(len(board)):
        board[square] = key % 9
        key //= 9
        if board[square] == _KING:
            king = square
    return king


@kernel
def look(setup, keys, cells):
    """What stands on each square, row by row from the far side: a place in the list of pieces."""
    rows, columns = setup[0], setup[1]
    for i in range(len(keys)):
        key = keys[i]
        for square in range(rows * columns):
            cells[i, (rows - 1 - square // columns) * columns + square % columns] = key % 9
            key //= 9


@kernel
def advantage(setup, keys, ahead):
    """The difference in pieces, a pawn 1, a rook 5, a queen 9, as a share of more than an army can become worth."""
    for i in range(len(keys)):
        key, worth = keys[i], 0
        while key > 0:
            piece = key % 9
            kind = piece - _THEIRS if piece > _THEIRS else piece
            value = 9 if kind == _QUEEN else 5 if kind == _ROOK else 1 if kind == _PAWN else 0
            worth += value if piece <= _THEIRS else -value
            key //= 9
        ahead[i] = worth / setup[2]
