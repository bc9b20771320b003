"""A game against a fixed opponent, beside the rules themselves."""

from __future__ import annotations

import numpy as np
import pytest

from mohs.core.errors import UsageError
from mohs.exact.values import solve
from mohs.tables.games.against import Opponent, against, take_places
from mohs.tables.games.checkers import checkers
from mohs.tables.games.connect_four import connect_four
from mohs.tables.games.game import NONE, ONGOING
from mohs.tables.games.go import go
from mohs.tables.games.graph import graph
from mohs.tables.games.retrograde import perfect_worths


def worth_of(game):
    found = graph(game)
    worths = perfect_worths(found)
    return lambda keys: worths[found.numbers.find(keys)]


def nothing(keys):
    return np.zeros(len(keys))


def made(game, worth=nothing, temperature=0.0, seed=0, shaped=False, limit=10**6):
    return against(game, worth, Opponent(temperature, seed), horizon=30, shaped=shaped, limit=limit)


def key_of_boards(game):
    """The positions of a game by what they show; those that look alike are left out."""
    keys = graph(game).numbers.keys
    shown: dict[bytes, list[int]] = {}
    for key, cells in zip(keys.tolist(), game.cells(keys), strict=True):
        shown.setdefault(cells.tobytes(), []).append(key)
    return {cells: alike[0] for cells, alike in shown.items() if len(alike) == 1}


@pytest.mark.parametrize("game", [connect_four(4, 4), checkers(5, 5)], ids=lambda game: game.name)
def test_every_step_is_a_legal_move_and_a_legal_answer(game):
    mdp = made(game)
    table, names = mdp.table, key_of_boards(game)
    succ = table.succ.reshape(table.states, -1)
    rng = np.random.default_rng(0)
    for state in rng.choice(np.flatnonzero(~table.terminal), 300):
        children, outcome = game.children(np.array([names[mdp.cells[state].tobytes()]]))
        assert outcome[0] == ONGOING
        for action in np.flatnonzero(children[0] != NONE):
            answers, ended = game.children(children[0, [action]])
            after = succ[state, action]
            reward = table.reward.reshape(succ.shape)[state, action]
            if ended[0] != ONGOING:
                assert table.terminal[after]
                assert reward == -ended[0]
                continue
            keys = answers[0][answers[0] != NONE]
            if table.terminal[after]:
                assert reward in (game.children(keys)[1])
            else:
                assert names[mdp.cells[after].tobytes()] in keys


def test_the_opponent_is_the_same_whatever_the_order_of_search():
    game = go(3)
    one, other = (made(game, worth_of(game), 0.5, seed=7) for _ in range(2))
    np.testing.assert_array_equal(one.table.succ, other.table.succ)
    assert not np.array_equal(one.table.succ, made(game, worth_of(game), 0.5, seed=8).table.succ)


def test_moves_are_drawn_as_boltzmann_says():
    """Over many positions in which the opponent has one winning, drawing or losing way more than another."""
    game = connect_four(5, 4)
    found = graph(game)
    worths = perfect_worths(found).astype(float)
    temperature = 0.5
    from mohs.core.seeding import child, key
    from mohs.tables.games.against import draw_moves

    keys = found.numbers.keys[found.outcome == ONGOING][::5]
    children, _ = game.children(keys)
    legal = children != NONE
    values = np.full(children.shape, -np.inf)
    values[legal] = -worths[found.numbers.find(children[legal])]
    replies = np.full(len(keys), NONE)
    draw_moves(keys, children, values, temperature, np.uint64(key(child(0, "opponent"))), replies)
    weights = np.exp((values - values.max(axis=1, keepdims=True)) / temperature)
    weights /= weights.sum(axis=1, keepdims=True)
    same = (children == replies[:, None]) & legal  # symmetric positions have moves that lead to the same one
    expected = (weights * same).sum(axis=1)
    best = (weights * (values == values.max(axis=1, keepdims=True))).sum(axis=1)
    took_best = values[np.arange(len(keys)), same.argmax(axis=1)] == values.max(axis=1)
    assert np.all(expected > 0)
    spread = np.sqrt((best * (1 - best)).sum())
    assert abs(took_best.sum() - best.sum()) < 4 * spread


def test_a_cold_opponent_takes_one_of_its_best_moves():
    game = go(3)
    worth = worth_of(game)
    mdp = made(game, worth)
    found = graph(game)
    assert solve.values(mdp.table, "best")[0] == np.sign(perfect_worths(found)[0])


def test_boards_tell_states_apart():
    mdp = made(go(3))
    live = mdp.cells[~mdp.table.terminal]
    assert len(np.unique(live, axis=0)) == len(live)


def test_ends_are_merged_and_pay_the_result():
    mdp = made(connect_four(4, 4))
    table = mdp.table
    ends = np.flatnonzero(table.terminal)
    assert len(ends) == 3
    np.testing.assert_array_equal(ends, np.arange(table.states - 3, table.states))
    assert not mdp.cells[ends].any()
    for end, result in zip(ends, (-1, 0, 1), strict=True):
        into = (table.succ == end) & ~np.repeat(table.terminal, table.actions)
        assert set(table.reward[into]) == {result}


def test_shaping_changes_no_return_of_an_episode_that_ends():
    game = checkers(5, 5)
    plain, shaped = made(game), made(game, shaped=True)
    np.testing.assert_array_equal(plain.table.succ, shaped.table.succ)
    rng = np.random.default_rng(0)
    actions = plain.table.actions
    for _ in range(50):
        state, gains = 0, np.zeros(2)
        while not plain.table.terminal[state]:
            row = state * actions + rng.integers(actions)
            gains += plain.table.reward[row], shaped.table.reward[row]
            state = plain.table.succ[row]
        assert gains[0] == pytest.approx(gains[1])
    assert np.unique(shaped.table.reward).size > 5


def test_actions_that_are_no_moves_stand_for_the_legal_ones_in_turn():
    to = np.array([[7, NONE, 8, NONE, NONE], [NONE, NONE, NONE, NONE, 3], [1, 2, 3, 4, 5]], dtype=np.int32)
    take_places(to)
    np.testing.assert_array_equal(to, [[7, 7, 8, 8, 7], [3, 3, 3, 3, 3], [1, 2, 3, 4, 5]])


def test_too_many_states_are_refused():
    with pytest.raises(UsageError, match="more than 100 states"):
        made(connect_four(4, 4), limit=100)
