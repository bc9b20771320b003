"""What is Sokoban? A player in a maze pushes boxes onto goals; boxes cannot be pulled, nor two pushed at once.

The goal has a predicate for each box: it is on a goal. What cannot be pushed does not move, and neither does the
player. A box that can never leave its corner ends nothing: such states are ordinary ones, which cannot be solved.

A state is packed into six bits for the cell of the player and above them one for each cell that may have a box. Cells
are those that walls do not keep the player from, in order.
"""

from __future__ import annotations

import numpy as np

from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.core.kernel import kernel
from mohs.tables.mdp import Mdp
from mohs.tables.numbering import Progress
from mohs.tables.puzzles import levels
from mohs.tables.puzzles.levels import CODES, Level
from mohs.tables.puzzles.puzzle import Puzzle, mdp, search

MOVES = ("up", "down", "left", "right")
_WALL, _GOAL, _BOX, _PLAYER = 1, 2, 3, 5  # places in CODES; what is on a goal has the code after its own
_SHIFT = 6  # of the boxes in a key
_MOST_CELLS = 63 - _SHIFT


def sokoban_mdp(level: int | str | Level, *, horizon: int, progress: Progress | None = None) -> Mdp:
    """A level: its text, or the number of one that comes with this package, counted from 1."""
    return mdp(search(puzzle(_level(level)), progress=progress), 0, horizon)


def _level(level: int | str | Level) -> Level:
    if isinstance(level, Level):
        return level
    if isinstance(level, str):
        found = levels.parse(level)
        if len(found) > 1:
            raise UsageError(f"there are {len(found)} levels in this text, but one is wanted.")
        return found[0]
    shipped = levels.shipped()
    return shipped[Integer(1, len(shipped)).parse("level", level) - 1]


def puzzle(level: Level) -> Puzzle:
    """The rules in the maze of a level, whose own state is the root."""
    floor, (rows, columns) = level.floor, level.shape
    if len(floor) > _MOST_CELLS:
        raise UsageError(f"the player can come to {len(floor)} cells of {level}, but may to at most {_MOST_CELLS}.")
    number = {place: i for i, place in enumerate(floor)}
    beside = [[number.get((row + down, column + right), -1) for down, right in levels.WAYS] for row, column in floor]
    boxes, goals = (sum(1 << number[place] for place in places) for places in (level.boxes, level.goals))
    empty = np.zeros((rows, columns), dtype=np.uint8)
    empty[tuple(np.transpose(level.walls))] = _WALL
    empty[tuple(np.transpose(level.goals))] = _GOAL
    return Puzzle(
        name=str(level),
        root=boxes << _SHIFT | number[level.players[0]],
        predicates=len(level.goals),
        setup=(np.array(beside), np.array(floor) @ (columns, 1), empty.ravel(), goals),
        expand=expand,
        look=look,
        count=count_boxes_on_goals,
        shape=(rows, columns),
        codes=CODES,
        action_names=MOVES,
    )


@kernel
def expand(setup, keys, children):
    """Where steps and pushes lead; see `Puzzle`."""
    beside = setup[0]
    for i in range(len(keys)):
        player = keys[i] & (1 << _SHIFT) - 1
        for move in range(4):
            children[i, move] = keys[i]
            boxes = keys[i] >> _SHIFT
            to = beside[player, move]
            if to < 0:
                continue
            if boxes >> to & 1:
                behind = beside[to, move]
                if behind < 0 or boxes >> behind & 1:
                    continue
                boxes += (1 << behind) - (1 << to)
            children[i, move] = boxes << _SHIFT | to


@kernel
def look(setup, keys, cells):
    """What is on each cell, by its place in `CODES`."""
    _, place, empty, goals = setup
    for i in range(len(keys)):
        for at in range(len(empty)):
            cells[i, at] = empty[at]
        for cell in range(len(place)):
            if keys[i] >> (_SHIFT + cell) & 1:
                cells[i, place[cell]] = _BOX + (goals >> cell & 1)
        player = keys[i] & (1 << _SHIFT) - 1
        cells[i, place[player]] = _PLAYER + (goals >> player & 1)


@kernel
def count_boxes_on_goals(setup, keys, counts):
    """How many boxes are on goals."""
    goals = setup[3]
    for i in range(len(keys)):
        there = keys[i] >> _SHIFT & goals
        counts[i] = 0
        while there:
            there &= there - 1
            counts[i] += 1
