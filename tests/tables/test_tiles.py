"""The sliding-tile puzzle is what its rules say: counted, searched and solved a second time in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from mohs import UsageError
from mohs.exact.values.solve import returns, values
from mohs.tables.puzzles.tiles import MOVES, boards, tiles


def plain(rows, columns):
    """Boards breadth-first from the solved one, their successors and distances, with dictionaries."""
    solved = (*range(1, rows * columns), 0)
    distance, succ = {solved: 0}, []
    queue = [solved]
    for board in queue:
        blank = board.index(0)
        row, column = divmod(blank, columns)
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            after = list(board)
            if 0 <= row + down < rows and 0 <= column + right < columns:
                to = (row + down) * columns + column + right
                after[blank], after[to] = after[to], 0
            if tuple(after) not in distance:
                distance[tuple(after)] = distance[board] + 1
                queue.append(tuple(after))
            succ.append(tuple(after))
    number = {board: i for i, board in enumerate(queue)}
    return queue, [number[board] for board in succ], list(distance.values())


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (2, 3), (3, 2)])
def test_boards_are_those_of_a_plain_search(rows, columns):
    queue, succ, distance = plain(rows, columns)
    found = boards(rows, columns)
    assert found.cells.tolist() == [list(board) for board in queue]
    assert found.succ.ravel().tolist() == succ
    assert found.distance.tolist() == distance


@pytest.mark.parametrize(
    ("size", "states", "farthest", "how_many"),
    [((2, 2), 12, 6, 1), ((2, 3), 360, 21, 1), ((2, 4), 20_160, 36, 1), ((3, 3), 181_440, 31, 2)],
)
def test_known_counts(size, states, farthest, how_many):
    found = boards(*size)
    assert len(found.cells) == states
    assert len(np.unique(found.cells, axis=0)) == states
    assert found.distance.max() == farthest
    assert np.count_nonzero(found.distance == farthest) == how_many


def test_moves_by_hand():
    table = tiles(start=(1, 2, 3, 4, 0, 6, 7, 5, 8), horizon=5)
    cells = boards().cells
    (state,) = np.flatnonzero(table.initial)
    assert cells[state].tolist() == [1, 2, 3, 4, 0, 6, 7, 5, 8]
    after = {name: cells[table.succ[state * 4 + move]].tolist() for move, name in enumerate(MOVES)}
    assert after == {
        "up": [1, 0, 3, 4, 2, 6, 7, 5, 8],
        "down": [1, 2, 3, 4, 5, 6, 7, 0, 8],
        "left": [1, 2, 3, 0, 4, 6, 7, 5, 8],
        "right": [1, 2, 3, 4, 6, 0, 7, 5, 8],
    }
    assert table.reward[state * 4 : state * 4 + 4].tolist() == [-1, 1, -1, -1]
    # The solved board ends it: two tiles come into place, in two moves.
    assert returns(table, horizon=2).optimal == 2
    assert returns(table, horizon=1).optimal == 1


def test_a_move_off_the_board_changes_nothing():
    found = boards()
    blank = np.argmin(found.cells, axis=1)
    off = {"up": blank < 3, "down": blank >= 6, "left": blank % 3 == 0, "right": blank % 3 == 2}
    table = tiles()
    for move, name in enumerate(MOVES):
        stays = found.succ[:, move] == np.arange(len(found.cells))
        assert np.array_equal(stays, off[name])
        assert not table.reward.reshape(-1, 4)[stays, move].any()


@pytest.mark.parametrize("distance", [1, 7, 31])
def test_the_best_return_is_what_was_out_of_place(distance):
    """As soon as the horizon allows for a solution, and not before, everything is in place at the end."""
    table = tiles(distance=distance)
    found = boards()
    (state,) = np.flatnonzero(table.initial)
    assert state == np.flatnonzero(found.distance == distance)[0]
    wrong = np.count_nonzero(found.cells[state, :-1] != np.arange(1, 9))
    assert values(table, horizon=distance)[state] == wrong
    assert values(table, horizon=distance - 1)[state] < wrong


def test_the_farthest_board_is_the_default():
    (state,) = np.flatnonzero(tiles().initial)
    assert boards().distance[state] == 31
    assert tiles().horizon == 50
    assert tiles(2, 3, horizon=None).horizon is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": 1}, "rows is 1"),
        ({"columns": 2.5}, "columns is 2.5"),
        ({"rows": 4, "columns": 4}, "10,461,394,944,000 states, more than the limit of 2,000,000"),
        ({"limit": 1_000}, "181,440 states, more than the limit of 1,000; raise limit"),
        ({"distance": 0}, "distance is 0, but must be an integer in \\[1, 31\\]"),
        ({"distance": 32}, "distance is 32"),
        ({"distance": 3, "start": (1, 2, 3, 4, 5, 6, 7, 0, 8)}, "either a start or a distance"),
        ({"start": (1, 2, 3)}, "a list of 9 values"),
        ({"start": (1, 2, 3, 4, 5, 6, 7, 8, 9)}, "start\\[8\\] is 9"),
        ({"start": (1, 1, 3, 4, 5, 6, 7, 8, 0)}, "each of the numbers from 0"),
        ({"start": (2, 1, 3, 4, 5, 6, 7, 8, 0)}, "cannot be solved"),
        ({"start": (1, 2, 3, 4, 5, 6, 7, 8, 0)}, "is the solved board"),
        ({"horizon": 0}, "horizon is 0"),
    ],
)
def test_puzzles_that_are_none(options, message):
    with pytest.raises(UsageError, match=message):
        tiles(**options)
