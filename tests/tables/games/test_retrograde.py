"""What positions are worth, by going backwards and by plain recursion; the value of each game by two methods."""

from __future__ import annotations

import numpy as np
import pytest

from mohs.core.errors import UsageError
from mohs.exact.values import solve
from mohs.tables.games.against import Opponent, against
from mohs.tables.games.checkers import checkers
from mohs.tables.games.chess import chess
from mohs.tables.games.connect_four import connect_four
from mohs.tables.games.game import ONGOING
from mohs.tables.games.go import go
from mohs.tables.games.graph import graph
from mohs.tables.games.retrograde import DISCOUNT, noisy_worths, outcomes, perfect_worths


def played_out(found, plies):
    """What positions are worth if play is a draw after so many moves: a forward sweep, no going back."""
    worth = np.where(found.outcome == ONGOING, 0, found.outcome).astype(int)
    ended = found.outcome != ONGOING
    for _ in range(plies):
        best = np.full(len(worth), -2)
        np.maximum.at(best, np.repeat(np.arange(len(worth)), np.diff(found.first)), -worth[found.to])
        worth = np.where(ended, worth, best)
    return worth


@pytest.mark.parametrize("game", [go(2), go(3), connect_four(4, 4)], ids=lambda game: game.name)
def test_going_back_from_the_ends_finds_what_playing_out_does(game):
    found = graph(game)
    result, length = outcomes(found)
    long_enough = int(length.max()) + 1
    np.testing.assert_array_equal(result, played_out(found, long_enough))
    for plies in (1, 3, long_enough // 2):
        decided = (result != 0) & (length <= plies)
        np.testing.assert_array_equal(np.where(decided, result, 0), played_out(found, plies))


@pytest.mark.parametrize(
    ("game", "value"),
    [(checkers(5, 5), 1), (checkers(6, 4), -1), (chess("4x3"), 1), (connect_four(4, 4), 0), (go(3), 1)],
    ids=lambda one: getattr(one, "name", None),
)
def test_the_best_answer_to_a_perfect_opponent_earns_the_value_of_the_game(game, value):
    """Two methods: retrograde analysis, and backward induction on the game against the opponent that it makes."""
    found = graph(game)
    assert outcomes(found)[0][0] == value
    worths = perfect_worths(found)
    mdp = against(
        game, lambda keys: worths[found.numbers.find(keys)], Opponent(0.0), horizon=100, shaped=False, limit=10**6
    )
    assert solve.values(mdp.table, "best")[mdp.start] == value


def test_sooner_wins_are_worth_more():
    found = graph(go(3))
    result, length = outcomes(found)
    np.testing.assert_allclose(perfect_worths(found), result * DISCOUNT ** length.astype(float), rtol=1e-5)


@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
def test_noisy_worths_are_a_fixed_point(noise):
    found = graph(go(2))
    worths = noisy_worths(found, noise).astype(float)
    for position in range(len(worths)):
        moves = -worths[found.to[found.first[position] : found.first[position + 1]]]
        if len(moves):
            expected = DISCOUNT * ((1 - noise) * moves.max() + noise * moves.mean())
            assert worths[position] == pytest.approx(expected, abs=2e-6)
        else:
            assert worths[position] == found.outcome[position]


def test_turned_positions_have_equal_values():
    """The search keeps one position of each class; an unreduced search by plain recursion gives the same values."""
    game = connect_four(4, 4)
    found = graph(game)
    result = outcomes(found)[0]
    cells = game.cells(found.numbers.keys).reshape(-1, 4, 4)
    seen = {board.tobytes(): value for board, value in zip(cells, result.tolist(), strict=True)}
    memory: dict[bytes, int] = {}

    def four(board, who):
        for row in range(4):
            for column in range(4):
                for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    places = [(row + i * down, column + i * right) for i in range(4)]
                    if all(0 <= r < 4 and 0 <= c < 4 and board[r, c] == who for r, c in places):
                        return True
        return False

    def value(board):
        key = board.tobytes()
        if key not in memory:
            if four(board, 2):
                memory[key] = -1
            elif board.all():
                memory[key] = 0
            else:
                best = -1
                for column in range(4):
                    free = np.flatnonzero(board[:, column] == 0)
                    if len(free):
                        after = board.copy()
                        after[free[-1], column] = 1
                        best = max(best, -value(np.array([0, 2, 1], dtype=np.uint8)[after]))
                memory[key] = best
        return memory[key]

    start = np.zeros((4, 4), dtype=np.uint8)
    start[3, 0], start[3, 1], start[2, 0], start[2, 1], start[1, 0], start[3, 2] = 1, 2, 2, 1, 1, 2
    value(start)
    assert len(memory) > 1000
    for key, found_value in memory.items():
        board = np.frombuffer(key, dtype=np.uint8).reshape(4, 4)
        kept = seen.get(board.tobytes(), seen.get(np.ascontiguousarray(board[:, ::-1]).tobytes()))
        assert kept == found_value


def test_noise_is_a_share():
    with pytest.raises(UsageError, match="noise"):
        noisy_worths(graph(go(2)), 1.5)
