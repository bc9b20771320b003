"""The tower cube is what its rules say: turned a second time as strips of its unfolded net."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mohs.tables.puzzles.cube import MOVES, cubes, puzzle

SOLVED = """
..WW....
..WW....
OOGGRRBB
OOGGRRBB
OOGGRRBB
..YY....
..YY...."""


def net(text):
    return np.array([list(row) for row in text.split()])


def swap(cells, first, second):
    cells[first], cells[second] = cells[second].copy(), cells[first].copy()


def plain_turn(cells, move):
    """A move of the net: rows 2 to 4 go around the tower, from left and front to right and back."""
    cells = cells.copy()
    if move in ("U", "U'"):
        times = 1 if move == "U" else 3
        cells[:2, 2:4] = np.rot90(cells[:2, 2:4], -times)
        cells[2] = np.roll(cells[2], -2 * times)
    elif move in ("D", "D'"):
        times = 1 if move == "D" else 3
        cells[5:, 2:4] = np.rot90(cells[5:, 2:4], -times)
        cells[4] = np.roll(cells[4], 2 * times)
    elif move == "R2":
        cells[2:5, 4:6] = cells[2:5, 4:6][::-1, ::-1].copy()
        swap(cells, (slice(2, 5), 3), (slice(4, 1, -1), 6))
        swap(cells, (slice(0, 2), 3), (slice(5, 7), 3))
    else:
        cells[2:5, 2:4] = cells[2:5, 2:4][::-1, ::-1].copy()
        swap(cells, (slice(2, 5), 1), (slice(4, 1, -1), 4))
        swap(cells, (1, slice(2, 4)), (5, slice(3, 1, -1)))
    return cells


def seen(rules, key):
    return np.array(list(rules.codes))[rules.cells(key)[0]].reshape(rules.shape)


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), max_size=40))
def test_the_kernels_follow_the_net(moves):
    rules = puzzle()
    key, cells = np.array([rules.root]), net(SOLVED)
    assert np.array_equal(seen(rules, key), cells)
    for move in moves:
        key, cells = rules.children(key)[:, move], plain_turn(cells, MOVES[move])
        assert np.array_equal(seen(rules, key), cells)
        right = (cells == net(SOLVED)) & (cells != ".")
        assert rules.satisfied(key)[0] == right.sum()


def test_known_counts():
    found = cubes()
    assert len(found.keys) == 241_920
    assert found.distance.max() == 15
    assert np.flatnonzero(puzzle().satisfied(found.keys) == 32).tolist() == [0]


def test_moves_undo_each_other():
    succ = cubes().succ
    here = np.arange(len(succ))
    for move, back in ((0, 1), (2, 3), (4, 4), (5, 5)):
        assert np.array_equal(succ[succ[:, move], back], here)
