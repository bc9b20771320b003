"""Collect: fruit pays, thorns cost. Both are gone when they are touched; without fruit the game is over."""

from __future__ import annotations

from mohs.core.kernel import routine
from mohs.core.views import Classes
from mohs.engines.arcade.boards import FULL, MOVES, NONE, bit, flood, has, pick, scatter, stamp
from mohs.engines.draws import nth

CLASSES = Classes(("agent", "fruit", "thorn"))
FRUIT, THORNS = 8, 6
TRIES, DRAWS = 64, 64  # layouts that are tried, and draws of each


@routine
def lay(inst):
    """Scatters both so that all fruit can be reached past the thorns."""
    for attempt in range(TRIES):
        k = attempt * DRAWS
        inst.place = pick(FULL, nth(inst.world, k))
        free = FULL & ~bit(inst.place)
        inst.good = scatter(inst.world, k + 1, free, FRUIT)
        inst.bad = scatter(inst.world, k + 1 + FRUIT, free & ~inst.good, THORNS)
        if flood(bit(inst.place), ~inst.bad) & inst.good == inst.good:
            break


@routine
def play(inst, action, x):
    """One step: (reward, sub-goals, whether a distractor was touched, whether the game is over)."""
    inst.place = MOVES[action, inst.place]
    return take(inst)


@routine
def take(inst):
    """Takes what lies where the agent is: (reward, sub-goals, whether it was bad, whether nothing good is left)."""
    here = bit(inst.place)
    good, bad = has(inst.good, inst.place), has(inst.bad, inst.place)
    inst.good &= ~here
    inst.bad &= ~here
    return 1.0 if good else -1.0 if bad else 0.0, 0.0, bad, inst.good == NONE


@routine
def show(inst, cells):
    """Writes the classes; returns the anchor of the view."""
    stamp(cells, inst.good, 2, inst.place)
    stamp(cells, inst.bad, 3, inst.place)
    stamp(cells, bit(inst.place), 1, inst.place)
    return inst.place
