"""Cue: the corner shows one of two kinds. Objects of that kind pay, the others cost; touched ones are gone."""

from __future__ import annotations

from mohs.core.kernel import law, routine
from mohs.core.views import Classes
from mohs.engines.arcade.boards import FULL, MOVES, NONE, below, bit, flood, has, pick, scatter, stamp
from mohs.engines.arcade.collect import DRAWS, TRIES
from mohs.engines.draws import nth

CLASSES = Classes(("agent", "disc", "square"))
EACH = 6  # objects of a kind
KINDS = 2
WRONG = -0.5  # less than 1, or agents learn to leave everything before they see the cue
CORNER = 0  # the cell of the view that shows the cue; what lies there in the world is hidden


@law
def matching(inst):
    """The objects of the kind that the cue shows."""
    return inst.good if inst.tally == 0 else inst.bad


@routine
def lay(inst):
    """Scatters both kinds so that those that match can be reached past the others."""
    for attempt in range(TRIES):
        k = attempt * DRAWS
        inst.tally = below(nth(inst.world, k), KINDS)
        inst.place = pick(FULL, nth(inst.world, k + 1))
        free = FULL & ~bit(inst.place)
        inst.good = scatter(inst.world, k + 2, free, EACH)
        inst.bad = scatter(inst.world, k + 2 + EACH, free & ~inst.good, EACH)
        wanted = matching(inst)
        others = (inst.good | inst.bad) & ~wanted
        if flood(bit(inst.place), ~others) & wanted == wanted:
            break


@routine
def play(inst, action, x):
    """One step: (reward, sub-goals, whether a distractor was touched, whether the game is over)."""
    inst.place = MOVES[action, inst.place]
    here = bit(inst.place)
    taken = has(matching(inst), inst.place)
    wrong = has(inst.good | inst.bad, inst.place) and not taken
    inst.good &= ~here
    inst.bad &= ~here
    return 1.0 if taken else WRONG if wrong else 0.0, 0.0, wrong, matching(inst) == NONE


@routine
def show(inst, cells):
    """Writes the classes; returns the anchor of the view."""
    stamp(cells, inst.good, 2, inst.place)
    stamp(cells, inst.bad, 3, inst.place)
    stamp(cells, bit(inst.place), 1, inst.place)
    cells[CORNER] = 2 + inst.tally
    return inst.place
