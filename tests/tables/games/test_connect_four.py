"""Connect Four, beside open_spiel's rules; alpha-beta beside what all positions say."""

from __future__ import annotations

import numpy as np
import pytest
from lines_of_play import legal, perft

from mohs.core.errors import UsageError
from mohs.tables.games.alpha_beta import AlphaBeta
from mohs.tables.games.connect_four import connect_four
from mohs.tables.games.game import NONE, ONGOING
from mohs.tables.games.graph import graph
from mohs.tables.games.retrograde import outcomes

pyspiel = pytest.importorskip("pyspiel")


@pytest.mark.parametrize(("rows", "columns"), [(6, 5), (7, 4), (5, 4), (6, 7)])
def test_games_go_as_in_open_spiel(rows, columns):
    game, rng = connect_four(rows, columns), np.random.default_rng(0)
    theirs = pyspiel.load_game(f"connect_four(rows={rows},columns={columns})")
    for _ in range(40):
        state, key, turned = theirs.new_initial_state(), game.start, False
        while True:
            children, ended = game.children(np.array([key]))
            cells = game.cells(np.array([key]))[0].reshape(rows, columns)
            seen = "\n".join("".join(game.codes[code] for code in row) for row in cells)
            board = str(state).strip()
            if len(state.history()) % 2:  # ours is told from the side of the mover
                board = board.translate(str.maketrans("xo", "ox"))
            mirrored = "\n".join(row[::-1] for row in board.split("\n"))
            assert seen in (board, mirrored)
            turned = seen != board
            if state.is_terminal():
                assert ended[0] == state.returns()[len(state.history()) % 2]
                break
            assert ended[0] == ONGOING
            columns_free = {columns - 1 - a if turned else a for a in state.legal_actions()}
            assert columns_free == {int(c) for c in np.flatnonzero(children[0] != NONE)}
            action = int(rng.choice(state.legal_actions()))
            key = int(children[0, columns - 1 - action if turned else action])
            state.apply_action(action)


def test_there_are_as_many_positions_on_4_by_4_as_known():
    game = connect_four(4, 4)
    keys = graph(game).numbers.keys
    cells = game.cells(keys).reshape(-1, 4, 4)
    symmetric = (cells == cells[:, :, ::-1]).all(axis=(1, 2))
    assert 2 * len(keys) - int(symmetric.sum()) == 161_029
    assert perft(game, 5) == [4, 16, 64, 256, 1020]


@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (5, 4), (4, 5)])
def test_alpha_beta_finds_what_all_positions_say(rows, columns):
    game = connect_four(rows, columns)
    found = graph(game)
    small = AlphaBeta(game, slots=1 << 12)  # entries are overwritten all the time
    some = found.numbers.keys[:: 1 if len(found.outcome) < 10**5 else 97]
    np.testing.assert_array_equal(small(some), outcomes(found)[0][found.numbers.find(some)])


def test_the_boards_of_the_challenge_are_drawn():
    """As in Tromp's table of solved sizes."""
    for rows, columns in ((6, 5), (7, 4)):
        game = connect_four(rows, columns)
        assert AlphaBeta(game, slots=1 << 22)(np.array([game.start]))[0] == 0


def test_a_board_too_large_to_pack_is_refused():
    with pytest.raises(UsageError, match="too large"):
        connect_four(8, 8)


def test_a_full_column_cannot_be_played():
    game = connect_four(4, 4)
    key = game.start
    for _ in range(4):
        children, _ = game.children(np.array([key]))
        key = int(children[0, np.argmax(game.cells(np.array([key]))[0].reshape(4, 4).any(axis=0))])
    assert len(legal(game, key)[0]) == 3
