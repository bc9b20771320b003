"""Checkers, beside open_spiel's rules and a plain search of turns."""

from __future__ import annotations

import numpy as np
import pytest
from lines_of_play import legal, perft

from mohs.core.errors import UsageError
from mohs.tables.games.checkers import ACTIONS, checkers
from mohs.tables.games.graph import graph

pyspiel = pytest.importorskip("pyspiel")


def turns(state):
    """The states after a whole turn: open_spiel takes one step of a chain of captures at a time."""
    mover, ends = state.current_player(), {}
    stack = [state]
    while stack:
        here = stack.pop()
        for action in here.legal_actions():
            after = here.child(action)
            if not after.is_terminal() and after.current_player() == mover:
                stack.append(after)
            else:
                ends[str(after)] = after
    return list(ends.values())


def test_there_are_as_many_lines_as_in_open_spiel():
    states, counts = [pyspiel.load_game("checkers(rows=8,columns=4)").new_initial_state()], []
    for _ in range(7):
        states = [after for state in states if not state.is_terminal() for after in turns(state)]
        counts.append(len(states))
    assert counts[:6] == [3, 9, 22, 53, 144, 383]
    assert perft(checkers(8, 4), 7) == counts


def reference(rows, columns, board, mover):
    """All boards after a turn of `mover` (1 or -1); a board is a dict from (row, column) to ±1 a man or ±2 a king."""

    def ways(piece):
        ahead = [(mover, -1), (mover, 1)]
        return [*ahead, (-mover, -1), (-mover, 1)] if abs(piece) == 2 else ahead

    def last(row):
        return row == (rows - 1 if mover == 1 else 0)

    def inside(row, column):
        return 0 <= row < rows and 0 <= column < columns

    def captures(now, place, piece):
        found = []
        for up, right in ways(piece):
            over, end = (place[0] + up, place[1] + right), (place[0] + 2 * up, place[1] + 2 * right)
            if inside(*end) and end not in now and now.get(over, 0) * mover < 0:
                after = {k: v for k, v in now.items() if k not in (over, place)}
                if abs(piece) == 1 and last(end[0]):
                    found.append({**after, end: 2 * mover})
                else:
                    further = captures({**after, end: piece}, end, piece)
                    found += further or [{**after, end: piece}]
        return found

    mine = {place: piece for place, piece in board.items() if piece * mover > 0}
    taken = [after for place, piece in mine.items() for after in captures(board, place, piece)]
    if taken:
        return taken
    moved = []
    for place, piece in mine.items():
        for up, right in ways(piece):
            end = (place[0] + up, place[1] + right)
            if inside(*end) and end not in board:
                after = {k: v for k, v in board.items() if k != place}
                moved.append({**after, end: 2 * mover if last(end[0]) else piece})
    return moved


def seen(game, board, mover):
    """What the mover sees of a board, far row first, and its mirror image where the board is its own."""
    rows, columns = game.shape
    codes = {0: 0, 1: 1, 2: 2, -1: 3, -2: 4}
    cells = np.zeros((rows, columns), dtype=int)
    for row in range(rows):
        for column in range(columns):
            there = (row, column) if mover == 1 else (rows - 1 - row, columns - 1 - column)
            cells[rows - 1 - row, column] = 5 if (row + column) % 2 else codes[board.get(there, 0) * mover]
    images = [cells] if columns % 2 == 0 else [cells, cells[:, ::-1]]
    return frozenset(image.tobytes() for image in images)


def shown(game, key):
    cells = game.cells(np.array([key]))[0].reshape(game.shape).astype(int)
    images = [cells] if game.shape[1] % 2 == 0 else [cells, cells[:, ::-1]]
    return frozenset(image.tobytes() for image in images)


@pytest.mark.parametrize("size", [(5, 5), (6, 4), (8, 4), (7, 5)])
def test_turns_are_those_of_a_plain_search(size):
    game, (rows, columns) = checkers(*size), size
    filled = (rows - 1) // 2
    rng = np.random.default_rng(1)
    for _ in range(20):
        board = {
            (row, column): 1 if row < filled else -1
            for row in range(rows)
            for column in range(columns)
            if (row + column) % 2 == 0 and (row < filled or row >= rows - filled)
        }
        key, mover = game.start, 1
        for _ in range(80):
            children, outcome = legal(game, key)
            after = {seen(game, each, -mover): each for each in reference(rows, columns, board, mover)}
            assert {shown(game, child): child for child in children}.keys() == after.keys()
            if not after:
                assert outcome == -1
                break
            child = children[rng.integers(len(children))]
            key, board, mover = child, after[shown(game, child)], -mover


@pytest.mark.parametrize("size", ACTIONS)
def test_no_position_has_more_moves_than_actions(size):
    assert int(np.diff(graph(checkers(*size)).first).max()) == ACTIONS[size]


def test_a_board_too_large_to_pack_is_refused():
    with pytest.raises(UsageError, match="dark squares"):
        checkers(8, 8)
