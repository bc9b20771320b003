"""Every puzzle, whatever its rules, becomes a closed table that pays what the goal gains."""

from __future__ import annotations

import numpy as np
import pytest

from mohs import UsageError
from mohs.exact.measures.distances import distances
from mohs.tables.puzzles import cube, hanoi, levels, sokoban, tiles
from mohs.tables.puzzles.puzzle import mdp, search, start_at

PUZZLES = {
    "tiles": tiles.puzzle(2, 3),
    "hanoi": hanoi.puzzle(5),
    "cube": cube.puzzle(),
    "sokoban": sokoban.puzzle(levels.shipped()[2]),
}
each_puzzle = pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES)


@each_puzzle
def test_the_table_is_closed(puzzle):
    states = search(puzzle)
    assert states.keys[0] == puzzle.root
    assert len(np.unique(states.keys)) == len(states.keys)
    satisfied = puzzle.satisfied(states.keys)
    live = satisfied < puzzle.predicates
    live[0] = True  # the root is searched from, even if it is the solved state
    assert np.array_equal(states.keys[states.succ[live]], puzzle.children(states.keys[live]))
    assert np.array_equal(states.succ[~live], np.flatnonzero(~live)[:, None].repeat(states.succ.shape[1], axis=1))


@each_puzzle
def test_states_are_in_order_of_distance(puzzle):
    states = search(puzzle)
    far = np.full(len(states.keys), -1)
    layer, steps = np.array([0]), 0
    while len(layer):
        far[layer] = steps
        layer, steps = np.unique(states.succ[layer][far[states.succ[layer]] < 0]), steps + 1
    assert np.array_equal(states.distance, far)
    assert np.all(np.diff(states.distance) >= 0)


@each_puzzle
def test_a_step_pays_what_the_goal_gains(puzzle):
    states = search(puzzle)
    found = mdp(states, 1, 30)
    table, satisfied = found.table, puzzle.satisfied(states.keys)
    assert found.start == 1
    assert table.deterministic
    assert table.horizon == 30
    assert np.array_equal(table.terminal, satisfied == puzzle.predicates)
    assert table.terminal.any()
    assert np.array_equal(table.reward, satisfied[table.succ] - np.repeat(satisfied, table.actions))
    ends = np.flatnonzero(np.repeat(table.terminal, table.actions))
    assert np.array_equal(table.succ[ends], ends // table.actions)


@each_puzzle
def test_a_board_shows_the_whole_state(puzzle):
    states = search(puzzle)
    assert len({board.tobytes() for board in states.cells}) == len(states.keys)
    assert states.cells.max() < len(puzzle.codes)


@each_puzzle
def test_the_same_states_every_time(puzzle):
    first, second = search(puzzle), search(puzzle)
    for name in ("keys", "succ", "distance", "cells"):
        assert np.array_equal(getattr(first, name), getattr(second, name))


def test_start_states_are_all_that_are_so_far_away_in_a_fixed_order():
    states = search(PUZZLES["tiles"])
    here = np.flatnonzero(states.distance == 10)
    drawn = [start_at(states, 10, number) for number in range(len(here))]
    assert sorted(drawn) == here.tolist()
    assert drawn != here.tolist()
    assert drawn[:3] == [start_at(search(PUZZLES["tiles"]), 10, number) for number in range(3)]


@pytest.mark.parametrize(
    ("distance", "number", "message"),
    [(0, 0, r"distance is 0, but must be an integer in \[1, 21\]"), (22, 0, "distance is 22"), (21, 1, "number is 1")],
)
def test_starts_that_are_none(distance, number, message):
    with pytest.raises(UsageError, match=message):
        start_at(search(PUZZLES["tiles"]), distance, number)


def test_every_instance_is_as_far_away_as_it_says():
    for made, away in ((tiles.tiles_mdp(31, 1, horizon=40), 31), (cube.cube_mdp(14, 3, horizon=40), 14)):
        assert distances(made.table)[made.table.terminal] == away


def test_too_many_states_are_refused_while_they_are_counted():
    seen = []
    with pytest.raises(UsageError, match="more than 100,000 states of cube 2×2×3"):
        search(PUZZLES["cube"], limit=100_000, progress=lambda what, count: seen.append((what, count)))
    assert seen == sorted(seen)
    assert seen[0] == ("states of cube 2×2×3", 7)
