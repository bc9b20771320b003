"""Dig: gems lie in the earth and pay, gas costs. Earth must be dug away before one can go there, stones stay."""

from __future__ import annotations

from mohs.core.kernel import routine
from mohs.core.views import Classes
from mohs.engines.arcade.boards import FULL, MOVES, bit, flood, has, pick, scatter, stamp
from mohs.engines.arcade.collect import DRAWS, TRIES, take
from mohs.engines.draws import nth

CLASSES = Classes(("agent", "gem", "gas", "stone", "earth"))
GEMS, GAS, STONES, EARTH = 6, 4, 5, 14


@routine
def lay(inst):
    """Scatters all so that every gem can be reached past gas and stones."""
    for attempt in range(TRIES):
        k = attempt * DRAWS
        inst.place = pick(FULL, nth(inst.world, k))
        free = FULL & ~bit(inst.place)
        inst.good = scatter(inst.world, k + 1, free, GEMS)
        free &= ~inst.good
        inst.bad = scatter(inst.world, k + 1 + GEMS, free, GAS)
        free &= ~inst.bad
        inst.solid = scatter(inst.world, k + 1 + GEMS + GAS, free, STONES)
        free &= ~inst.solid
        inst.soft = scatter(inst.world, k + 1 + GEMS + GAS + STONES, free, EARTH)
        if flood(bit(inst.place), FULL & ~inst.bad & ~inst.solid) & inst.good == inst.good:
            break


@routine
def play(inst, action, x):
    """One step: (reward, sub-goals, whether a distractor was touched, whether the game is over).

    A step into earth digs it away and leads nowhere.
    """
    to = MOVES[action, inst.place]
    if has(inst.soft, to):
        inst.soft &= ~bit(to)
    elif not has(inst.solid, to):
        inst.place = to
    return take(inst)


@routine
def show(inst, cells):
    """Writes the classes; returns the anchor of the view."""
    stamp(cells, inst.good, 2, inst.place)
    stamp(cells, inst.bad, 3, inst.place)
    stamp(cells, inst.solid, 4, inst.place)
    stamp(cells, inst.soft, 5, inst.place)
    stamp(cells, bit(inst.place), 1, inst.place)
    return inst.place
