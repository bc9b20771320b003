"""Small chess, beside Fairy-Stockfish's rules and the known numbers of lines."""

from __future__ import annotations

import numpy as np
import pytest
from lines_of_play import legal, perft

from mohs.core.errors import UsageError
from mohs.tables.games.chess import BOARDS, chess
from mohs.tables.games.game import ONGOING

pyffish = pytest.importorskip("pyffish")

VARIANT = """
[mohs{name}:chess]
maxRank = {ranks}
maxFile = {files}
startFen = {fen} w - - 0 1
promotionRegionWhite = *{ranks}
promotionRegionBlack = *1
promotionPieceTypes = q
doubleStep = false
castling = false
nMoveRule = 0
nFoldRule = 0
"""


def fen_of(name):
    rows = "/".join(BOARDS[name])
    for blanks in range(4, 0, -1):
        rows = rows.replace("." * blanks, str(blanks))
    return rows


def variant(name):
    rows = BOARDS[name]
    pyffish.load_variant_config(VARIANT.format(name=name, ranks=len(rows), files=len(rows[0]), fen=fen_of(name)))
    return f"mohs{name}"


@pytest.mark.parametrize(("name", "counts"), [("silverman", [6, 21, 112, 547]), ("4x3", [4, 12, 48, 176])])
def test_there_are_as_many_lines_as_known(name, counts):
    assert perft(chess(name), 4) == counts


def board_from_mover(fen, name):
    """The board of a FEN from the side of the player to move, capitals his, the far row first."""
    rows, mover = fen.split()[:2]
    for blanks in range(4, 0, -1):
        rows = rows.replace(str(blanks), "." * blanks)
    return rows if mover == "w" else "/".join(reversed(rows.split("/"))).swapcase()


def text_of(game, key):
    cells = game.cells(np.array([key]))[0].reshape(game.shape)
    return "/".join("".join(game.codes[code] for code in row) for row in cells)


def mirrored(board):
    return "/".join(row[::-1] for row in board.split("/"))


@pytest.mark.parametrize("name", BOARDS)
def test_moves_and_ends_are_those_of_fairy_stockfish(name):
    game, called, start = chess(name), variant(name), f"{fen_of(name)} w - - 0 1"
    rng = np.random.default_rng(0)
    for _ in range(25):
        key, moves = game.start, []
        for _ in range(60):
            fen = pyffish.get_fen(called, start, moves)
            board = board_from_mover(fen, name)
            assert text_of(game, key) in (board, mirrored(board))
            children, outcome = legal(game, key)
            theirs = pyffish.legal_moves(called, start, moves)
            assert len(children) == len(theirs)
            after = {
                frozenset(
                    (seen := board_from_mover(pyffish.get_fen(called, start, [*moves, move]), name), mirrored(seen))
                )
                for move in theirs
            }
            assert {frozenset((text_of(game, c), mirrored(text_of(game, c)))) for c in children} == after
            if not theirs:
                lost = pyffish.gives_check(called, start, moves) and pyffish.game_result(called, start, moves) != 0
                assert outcome == (-1 if lost else 0)
                break
            assert outcome == ONGOING
            moves.append(theirs[rng.integers(len(theirs))])
            seen = board_from_mover(pyffish.get_fen(called, start, moves), name)
            key = next(child for child in children if text_of(game, child) in (seen, mirrored(seen)))


def test_an_unknown_board_is_refused():
    with pytest.raises(UsageError, match="4x4"):
        chess("4x5")
