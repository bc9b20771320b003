"""What are the towers of Hanoi? Discs on three pegs, none on a smaller one, to be carried from the first to the last.

The goal is what PDDL says of it: each disc lies on the next larger one, and the largest on the last peg. At the start
all but the last of these hold, so every way to the goal first undoes what holds already.

Of the moves from peg to peg never more than three are allowed, so there are three actions: the smallest disc goes one
peg to the right or to the left (from the last peg to the first, and back), or the only other move is made; this one
does not involve the smallest disc, and where all discs lie on one peg it changes nothing.

A state is packed into two bits for each disc, the smallest first: the peg that it is on.
"""

from __future__ import annotations

from mohs.core.domain import Integer
from mohs.core.kernel import kernel
from mohs.tables.mdp import Mdp
from mohs.tables.numbering import Progress
from mohs.tables.puzzles.puzzle import Puzzle, mdp, search

MOVES = ("smallest right", "smallest left", "other")
_DISCS = Integer(1, 13)  # 3¹³ states are still fewer than 4 million


def hanoi_mdp(discs: int, *, horizon: int, progress: Progress | None = None) -> Mdp:
    """The puzzle with so many discs, all of them on the first peg; 2ⁿ - 1 moves solve it."""
    return mdp(search(puzzle(discs), progress=progress), 0, horizon)


def puzzle(discs: int) -> Puzzle:
    """The rules with so many discs."""
    discs = _DISCS.parse("discs", discs)
    return Puzzle(
        name=f"hanoi {discs}",
        root=0,
        predicates=discs,
        setup=discs,
        expand=expand,
        look=look,
        count=count_on_next,
        shape=(discs, 3),
        codes=".123456789ABCD"[: discs + 1],
        action_names=MOVES,
    )


@kernel
def expand(setup, keys, children):
    """Where the three moves lead; see `Puzzle`."""
    for i in range(len(keys)):
        key = keys[i]
        peg = key & 3
        for move in range(2):
            children[i, move] = key - peg + (peg + 1 + move) % 3
        # The smallest of the discs that are not below the smallest one goes to the third peg.
        disc = 1
        while disc < setup and key >> 2 * disc & 3 == peg:
            disc += 1
        children[i, 2] = key
        if disc < setup:
            other = key >> 2 * disc & 3
            children[i, 2] += (3 - peg - 2 * other) << 2 * disc


@kernel
def look(setup, keys, cells):
    """The size of the disc at each height of each peg, 0 for none; the first row is the highest."""
    for i in range(len(keys)):
        cells[i, :] = 0
        for peg in range(3):
            row = setup - 1
            for disc in range(setup - 1, -1, -1):
                if keys[i] >> 2 * disc & 3 == peg:
                    cells[i, 3 * row + peg] = disc + 1
                    row -= 1


@kernel
def count_on_next(setup, keys, counts):
    """How many discs lie on the next larger one, the largest on the last peg."""
    for i in range(len(keys)):
        counts[i] = 0
        for disc in range(setup):
            below = 2 if disc == setup - 1 else keys[i] >> 2 * (disc + 1) & 3
            counts[i] += (keys[i] >> 2 * disc & 3) == below
