"""Small Go, beside open_spiel's rules and the known numbers of boards."""

from __future__ import annotations

import numpy as np
import pytest
from lines_of_play import perft

from mohs.tables.games.game import NONE, ONGOING
from mohs.tables.games.go import go
from mohs.tables.games.graph import graph

pyspiel = pytest.importorskip("pyspiel")


def board_of(state, size):
    """The board as open_spiel prints it, row by row: 1 black, 2 white."""
    rows = [line.split()[1] for line in str(state).splitlines() if line.strip()[:1].isdigit()]
    return np.array([["+XO".index(point) for point in row] for row in rows]).reshape(size, size)


def images(board):
    return [np.rot90(side, turns) for side in (board, board.T) for turns in range(4)]


@pytest.mark.parametrize("size", [2, 3, 4])
def test_games_go_as_in_open_spiel(size):
    """It ends games that are long and those in which a board comes again; these are left there."""
    game, rng = go(size), np.random.default_rng(0)
    theirs = pyspiel.load_game(f"go(board_size={size},komi=0.0)")
    compared = 0
    for _ in range(60):
        state, key = theirs.new_initial_state(), game.start
        for _ in range(60):
            board = board_of(state, size)
            black = len(state.history()) % 2 == 0
            mine = board if black else np.array([0, 2, 1])[board]
            children, ended = game.children(np.array([key]))
            cells = game.cells(np.array([key]))[0].reshape(size, size)
            stones = np.where(cells >= 3, 0, cells)
            assert any(np.array_equal(stones, image) for image in images(mine))
            if state.is_terminal():
                if state.history()[-2:] != [size * size] * 2:
                    break
                assert ended[0] == state.returns()[0 if black else 1]
                break
            assert ended[0] == ONGOING
            after = {child: None for child in children[0].tolist() if child != NONE}
            theirs_after = [state.child(action) for action in state.legal_actions()]
            assert int((children[0] != NONE).sum()) == len(theirs_after)
            compared += 1
            action = int(rng.choice(state.legal_actions()))
            state.apply_action(action)
            seen = board_of(state, size)
            seen = seen if len(state.history()) % 2 == 0 else np.array([0, 2, 1])[seen]
            passes = action == size * size
            fitting = [
                child
                for child in after
                if any(
                    np.array_equal(
                        np.where((c := game.cells(np.array([child]))[0].reshape(size, size)) >= 3, 0, c), image
                    )
                    for image in images(seen)
                )
                and (child >> 37 > 0) == passes
            ]
            assert fitting
            key = fitting[0]
    assert compared > 100


def test_there_are_as_many_legal_boards_as_known():
    """12,675 on 3 × 3; boards are found by play, and every legal one can be played to."""
    game = go(3)
    keys = graph(game).numbers.keys
    boards = set()
    for mine, theirs in zip((keys & 0xFFFF).tolist(), (keys >> 16 & 0xFFFF).tolist(), strict=True):
        for a, b in ((mine, theirs), (theirs, mine)):
            board = np.array([(a >> i & 1) + 2 * (b >> i & 1) for i in range(9)]).reshape(3, 3)
            boards.update(image.tobytes() for image in images(board))
    assert len(boards) == 12_675


def test_there_are_as_many_lines_as_in_open_spiel():
    assert perft(go(3), 4) == [10, 91, 738, 5281]
    assert perft(go(4), 3) == [17, 273, 4112]
