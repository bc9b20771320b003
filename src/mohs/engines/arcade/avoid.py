"""Avoid: rocks fall, bats fly to the right, without end. A step without a hit pays, a hit costs."""

from __future__ import annotations

from mohs.core.kernel import routine
from mohs.core.views import Classes
from mohs.engines.arcade.boards import FULL, MOVES, NONE, SIDE, below, bit, down, has, pick, right, rows, scatter, stamp
from mohs.engines.draws import nth

CLASSES = Classes(("agent", "rock", "bat"))
BATS = 3
SAFE, HIT = 0.25, -1.0
_ROW = rows(0)


@routine
def lay(inst):
    """A rock in every column, a bat in some rows."""
    rocks, bats = NONE, NONE
    for column in range(SIDE):
        rocks |= bit(SIDE * below(nth(inst.world, column), SIDE) + column)
    chosen = scatter(inst.world, SIDE, _ROW, BATS)
    for row in range(SIDE):
        if has(chosen, row):
            bats |= bit(SIDE * row + below(nth(inst.world, SIDE + BATS + row), SIDE))
    inst.bad, inst.item = rocks, bats
    inst.place = pick(FULL & ~(rocks | bats), nth(inst.world, 2 * SIDE + BATS))


@routine
def play(inst, action, x):
    """One step: (reward, sub-goals, whether a distractor was touched, whether the game is over)."""
    inst.place = MOVES[action, inst.place]
    inst.bad, inst.item = down(inst.bad), right(inst.item)
    hit = has(inst.bad | inst.item, inst.place)
    return HIT if hit else SAFE, 0.0, hit, False


@routine
def show(inst, cells):
    """Writes the classes; returns the anchor of the view. Where several things meet, the last one is seen."""
    stamp(cells, inst.bad, 2, inst.place)
    stamp(cells, inst.item, 3, inst.place)
    stamp(cells, bit(inst.place), 1, inst.place)
    return inst.place
