"""Sokoban is what its rules say: played a second time on its text; and its levels mislead who is greedy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mohs import UsageError
from mohs.exact.values.solve import backward
from mohs.tables.puzzles.levels import parse, shipped
from mohs.tables.puzzles.puzzle import search, table
from mohs.tables.puzzles.sokoban import puzzle, sokoban_mdp

LEVELS = shipped()
SHORTEST = (20, 22, 33, 39, 35, 45, 58, 59, 60, 50, 56, 65, 74, 75, 54, 60, 77, 80, 80)  # moves
each_level = pytest.mark.parametrize("number", range(1, len(LEVELS) + 1), ids=[level.title for level in LEVELS])
STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
HORIZON = 100


def plain_step(rows, move):
    """The text of the board after a move."""
    board = {(i, j): code for i, row in enumerate(rows) for j, code in enumerate(row)}
    player = next(place for place, code in board.items() if code in "@+")
    down, right = STEPS[move]
    to, behind = ((player[0] + n * down, player[1] + n * right) for n in (1, 2))
    if board[to] in "$*" and board[behind] in " .":
        board[to] = {"$": " ", "*": "."}[board[to]]
        board[behind] = {" ": "$", ".": "*"}[board[behind]]
    if board[to] in " .":
        board[player] = {"@": " ", "+": "."}[board[player]]
        board[to] = {" ": "@", ".": "+"}[board[to]]
    return tuple("".join(board[i, j] for j in range(len(row))) for i, row in enumerate(rows))


def seen(rules, key):
    text = "".join(rules.codes[code] for code in rules.cells(key)[0])
    return tuple(text[i : i + rules.shape[1]] for i in range(0, len(text), rules.shape[1]))


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(LEVELS), st.lists(st.integers(0, 3), max_size=80))
def test_the_kernels_follow_the_text(level, moves):
    rules, rows = puzzle(level), level.rows
    key = np.array([rules.root])
    assert seen(rules, key) == rows
    for move in moves:
        key, rows = rules.children(key)[:, move], plain_step(rows, rules.action_names[move])
        assert seen(rules, key) == rows
        assert rules.satisfied(key)[0] == "".join(rows).count("*")


def test_every_state_of_a_plain_search():
    level = parse("######\n#@ . #\n# $$ #\n# .  #\n######")[0]
    queue = [level.rows]
    for rows in queue:
        if "$" in "".join(rows):
            queue += [after for after in dict.fromkeys(plain_step(rows, move) for move in STEPS) if after not in queue]
    states = search(puzzle(level))
    assert [seen(states.puzzle, states.keys[i : i + 1]) for i in range(len(states.keys))] == queue


def test_moves_by_hand():
    made = sokoban_mdp("#######\n#@$.  #\n# $$. #\n#  .  #\n#######", horizon=10)
    after = {name: made.table.succ[made.start * 4 + move] for move, name in enumerate(STEPS)}
    assert after["up"] == after["left"] == made.start  # walls
    assert made.table.reward[:4].tolist() == [0, 0, 0, 1]  # the box to the right comes onto a goal
    below = after["down"]
    assert made.table.succ[below * 4 + 3] == below  # two boxes in line do not move


@each_level
def test_levels_can_be_solved_but_not_by_the_greedy(number):
    """The shortest way to one more box on a goal, taken again and again, leads to where it cannot be solved."""
    level, shortest = LEVELS[number - 1], SHORTEST[number - 1]
    states = search(puzzle(level))
    task = table(states, 0, HORIZON)
    satisfied = states.puzzle.satisfied(states.keys)
    from_start = []
    for best in backward(task):
        from_start.append(best[0])
    missing = len(level.goals) - satisfied[0]
    assert from_start[shortest - 1] < from_start[shortest] == from_start[HORIZON] == missing
    todo, ends = [0], []
    for state in todo:
        better = nearest_better(states.succ, satisfied, state)
        todo += [other for other in better if other not in todo]
        if not better:
            ends.append(state)
    assert np.all(satisfied[ends] + best[ends] < len(level.goals))


def nearest_better(succ, satisfied, state):
    known, layer = {state}, [state]
    while layer:
        layer = list(dict.fromkeys(int(to) for here in layer for to in succ[here] if int(to) not in known))
        known.update(layer)
        if better := [other for other in layer if satisfied[other] > satisfied[state]]:
            return better
    return []


@pytest.mark.parametrize(
    ("level", "message"),
    [
        (0, r"level is 0, but must be an integer in \[1, 19\]"),
        (20, "level is 20"),
        ("#####\n#@$.#\n#####\n\n#####\n#@$.#\n#####", "there are 2 levels in this text"),
        (
            "##########\n" + "#        #\n" * 7 + "#@$.     #\n##########",
            "can come to 64 cells .*, but may to at most 57",
        ),
    ],
)
def test_levels_that_cannot_be_built(level, message):
    with pytest.raises(UsageError, match=message):
        sokoban_mdp(level, horizon=10)
