"""What does the package need to know of a puzzle? A root state, the moves, the board, and the goal.

A state is an integer ≥ 0. Rules are kernels on arrays of states, so nothing else need know how a board is packed. The
goal of a puzzle is a number of predicates, all of which must hold (as in PDDL); a step pays the change in how many do,
and the puzzle is over when all do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core import seeding
from mohs.core.domain import Integer
from mohs.tables.mdp import Mdp
from mohs.tables.numbering import Keys, Numbering, Progress
from mohs.tables.table import Table

LIMIT = 4_000_000  # states
BATCH = 1 << 14


@dataclass(frozen=True, eq=False)
class Puzzle:
    """The rules of a puzzle.

    `expand(setup, keys, children)` writes where each move leads, `children[i, move]`: a move that is not possible
    changes nothing. `look(setup, keys, cells)` writes a code for what lies on each cell of the board, row by row, and
    `count(setup, keys, counts)` how many predicates of the goal hold.
    """

    name: str
    root: int  # the state that all others are found from
    predicates: int
    setup: Any  # what the kernels must know of this instance
    expand: Callable[..., Any]
    look: Callable[..., Any]
    count: Callable[..., Any]
    shape: tuple[int, int]
    codes: str
    action_names: tuple[str, ...]

    def children(self, keys: Keys) -> Keys:
        """Where the moves of these states lead, [state, move]."""
        children = np.empty((len(keys), len(self.action_names)), dtype=np.int64)
        self.expand(self.setup, keys, children)
        return children

    def cells(self, keys: Keys) -> npt.NDArray[np.uint8]:
        """What lies on the boards of these states, [state, cell]."""
        cells = np.empty((len(keys), self.shape[0] * self.shape[1]), dtype=np.uint8)
        self.look(self.setup, keys, cells)
        return cells

    def satisfied(self, keys: Keys) -> npt.NDArray[np.int64]:
        """How many predicates of the goal hold in each of these states."""
        counts = np.empty(len(keys), dtype=np.int64)
        self.count(self.setup, keys, counts)
        return counts


@dataclass(frozen=True, eq=False)
class States:
    """Every state that the root leads to, the root first: its key, where moves lead, `succ[state, move]`, and how far.

    States are numbered breadth-first, moves in their order, so they are in order of `distance` from the root.
    """

    puzzle: Puzzle
    keys: Keys
    succ: npt.NDArray[np.int32]
    distance: npt.NDArray[np.int32]

    @property
    def cells(self) -> npt.NDArray[np.uint8]:
        return self.puzzle.cells(self.keys)


def search(puzzle: Puzzle, *, limit: int = LIMIT, progress: Progress | None = None) -> States:
    """All states, breadth-first. Nothing lies beyond a solved state, unless it is the root."""
    numbers = Numbering(limit, f"states of {puzzle.name}")
    numbers.add(np.array([puzzle.root]))
    succ: list[npt.NDArray[np.int32]] = []
    distance: list[npt.NDArray[np.int32]] = []
    done, far = 0, 0
    while done < numbers.count:
        end = numbers.count  # of the states that are `far` away
        distance.append(np.full(end - done, far, dtype=np.int32))
        for first in range(done, end, BATCH):
            keys = numbers.keys[first : min(first + BATCH, end)].copy()
            children = puzzle.children(keys)
            over = (puzzle.satisfied(keys) == puzzle.predicates) & (keys != puzzle.root)
            children[over] = keys[over, None]
            succ.append(numbers.add(children))
            if progress is not None:
                progress(f"states of {puzzle.name}", numbers.count)
        done, far = end, far + 1
    return States(puzzle, numbers.keys.copy(), np.concatenate(succ), np.concatenate(distance))


def table(states: States, start: int, horizon: int | None) -> Table:
    """The puzzle from one of its states. Solving it earns the number of predicates that did not hold at the start."""
    puzzle, number = states.puzzle, np.arange(len(states.keys), dtype=np.int32)
    satisfied = puzzle.satisfied(states.keys)
    over = satisfied == puzzle.predicates
    succ = np.where(over[:, None], number[:, None], states.succ)
    return Table(
        actions=len(puzzle.action_names),
        succ=succ.ravel(),
        reward=(satisfied[succ] - satisfied[:, None]).ravel().astype(np.float64),
        terminal=over,
        initial=(number == start).astype(np.float64),
        observation=number,
        horizon=horizon,
        action_names=puzzle.action_names,
    )


def mdp(states: States, start: int, horizon: int) -> Mdp:
    """The puzzle from one of its states, and what is seen of all of them."""
    return Mdp(table(states, start, horizon), states.cells, states.puzzle.shape, states.puzzle.codes)


def start_at(states: States, distance: int, number: int = 0) -> int:
    """One of the states that are so far from the root; other numbers are other states, in an order drawn once."""
    distance = Integer(1, int(states.distance[-1])).parse("distance", distance)
    first, end = np.searchsorted(states.distance, [distance, distance + 1])
    number = Integer(0, int(end - first) - 1).parse("number", number)
    stream = seeding.key(seeding.child(0, "start", states.puzzle.name, distance))
    return int(first + seeding.ranking(stream, int(end - first))[number])
