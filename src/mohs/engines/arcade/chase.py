"""Chase: prey flees, and pays when it is caught; then another one appears. A ghost follows, and costs when it touches.

All that happens depends on where things are as seen from the agent, so the world looks the same from everywhere.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.core.kernel import law, routine
from mohs.core.views import Classes
from mohs.engines.arcade.boards import CELLS, MIDDLE, MOVES, PLACES, SIDE, below, bit, pick, stamp
from mohs.engines.arcade.layout import ACTIONS
from mohs.engines.draws import as_uniform, nth

CLASSES = Classes(("agent", "prey", "ghost"))
FLEES, STRAYS, FOLLOWS = 0.35, 0.5, 0.5  # probabilities; that of straying is above FLEES


def _distances() -> npt.NDArray[np.int32]:
    """Of every two cells the steps between them."""
    row, column = np.divmod(np.arange(CELLS), SIDE)

    def away(at: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        gap = np.abs(at[:, None] - at)
        return np.asarray(np.minimum(gap, SIDE - gap))

    return (away(row) + away(column)).astype(np.int32)


def _far(least: int) -> npt.NDArray[np.uint64]:
    """Of every cell the board of those that are so many steps away, or more."""
    return np.array([sum(1 << j for j in range(CELLS) if DISTANCE[i, j] >= least) for i in range(CELLS)], np.uint64)


DISTANCE = _distances()
FAR = _far(3)


@law
def opposite(cell):
    """The cell that is farthest away."""
    row, column = cell // SIDE, cell % SIDE
    return (row + MIDDLE) % SIDE * SIDE + (column + MIDDLE) % SIDE


@routine
def away(place, agent, towards, turn):
    """The neighbour of a place that is farthest from the agent, or nearest to it; the turn says which comes first."""
    best = place
    for i in range(ACTIONS - 1):
        cell = MOVES[1 + (turn + i) % (ACTIONS - 1), place]
        gain = DISTANCE[cell, agent] - DISTANCE[best, agent]
        if (gain < 0 and towards) or (gain > 0 and not towards):
            best = cell
    return best


@routine
def appear(inst, x):
    """Another prey, some steps away."""
    inst.prey = seen_from(inst.place, pick(FAR[HOME], x))


HOME = MIDDLE * SIDE + MIDDLE  # the place of the agent in a view
SEEN = np.argsort(PLACES, axis=1).astype(np.int32)  # of every anchor and place the cell


@law
def seen_from(anchor, place):
    """The cell at a place of the view."""
    return SEEN[anchor, place]


@routine
def lay(inst):
    """The ghost begins as far away as it can."""
    inst.place = below(nth(inst.world, 0), CELLS)
    inst.ghost = opposite(inst.place)
    appear(inst, nth(inst.world, 1))


@routine
def play(inst, action, x):
    """One step: (reward, sub-goals, whether a distractor was touched, whether the game is over).

    The agent moves, then what it has not touched: the prey, which never walks into the agent, and the ghost.
    """
    inst.place = MOVES[action, inst.place]
    caught = inst.prey == inst.place
    if caught:
        appear(inst, nth(x, 0))
    else:
        u, turn = as_uniform(nth(x, 1)), below(nth(x, 2), ACTIONS - 1)
        if u < STRAYS:
            cell = away(inst.prey, inst.place, False, turn) if u < FLEES else MOVES[1 + turn, inst.prey]
            if cell != inst.place:
                inst.prey = cell
    touched = inst.ghost == inst.place
    if not touched and as_uniform(nth(x, 3)) < FOLLOWS:
        inst.ghost = away(inst.ghost, inst.place, True, below(nth(x, 4), ACTIONS - 1))
        touched = inst.ghost == inst.place
    if touched:
        inst.ghost = opposite(inst.place)
    reward = 1.0 if caught else 0.0
    return reward - 1.0 if touched else reward, 0.0, touched, False


@routine
def show(inst, cells):
    """Writes the classes; returns the anchor of the view. Where both meet, the ghost is seen."""
    stamp(cells, bit(inst.prey), 2, inst.place)
    stamp(cells, bit(inst.ghost), 3, inst.place)
    stamp(cells, bit(inst.place), 1, inst.place)
    return inst.place
