"""Maze: two treasures behind doors. A key opens a door; both treasures end the game. Traps only matter if deadly."""

from __future__ import annotations

from mohs.core.kernel import routine
from mohs.core.views import Classes
from mohs.engines.arcade.boards import FULL, MOVES, NONE, around, below, bit, flood, has, pick, scatter, stamp
from mohs.engines.arcade.layout import ACTIONS
from mohs.engines.draws import nth

CLASSES = Classes(("agent", "agent_with_key", "wall", "key", "door", "treasure", "trap"))
CHAMBERS, TRAPS, WALLS, CANDIDATES = 2, 2, 5, 14
NOVEL = 0.1  # of a sub-goal: what a cell is worth that was not trodden before
TRIES, DRAWS = 256, 64


@routine
def lay_chambers(inst, k):
    """Two chambers of one cell, each with three walls and a door: their cells, what lies before the doors, success."""
    inst.good, inst.soft, inst.solid, inst.bad, inst.item = NONE, NONE, NONE, NONE, NONE
    taken, fronts, apart = NONE, NONE, True
    for i in range(CHAMBERS):
        cell = pick(FULL, nth(inst.world, k + 2 * i))
        way = 1 + below(nth(inst.world, k + 2 * i + 1), ACTIONS - 1)
        door = MOVES[way, cell]
        front = bit(MOVES[way, door])
        chamber = bit(cell) | around(bit(cell))
        apart &= (chamber & (taken | fronts) == NONE) and (front & taken == NONE)
        taken |= chamber
        fronts |= front
        inst.good |= bit(cell)
        inst.soft |= bit(door)
        inst.solid |= chamber & ~bit(cell) & ~bit(door)
    return taken, fronts, apart


@routine
def lay(inst):
    """Chambers, then traps and walls that cut nothing off, then keys."""
    for attempt in range(TRIES):
        k = attempt * DRAWS
        taken, fronts, apart = lay_chambers(inst, k)
        k += 2 * CHAMBERS
        inst.place = pick(FULL & ~taken & ~fronts, nth(inst.world, k))
        start, free = bit(inst.place), FULL & ~taken
        if apart and flood(start, free) == free:
            laid = 0
            for i in range(CANDIDATES):
                cell = bit(pick(free & ~start & ~fronts, nth(inst.world, k + 1 + i)))
                rest = free & ~cell
                if laid < TRAPS + WALLS and flood(start, rest) == rest:
                    if laid < TRAPS:
                        inst.bad |= cell
                    else:
                        inst.solid |= cell
                    free = rest
                    laid += 1
            inst.item = scatter(inst.world, k + 1 + CANDIDATES, free & ~start & ~fronts, CHAMBERS)
            break
    inst.tally = 0
    inst.trodden = bit(inst.place)


@routine
def play(inst, action, x):
    """One step: (reward, sub-goals, whether a distractor was touched, whether the game is over).

    The tally counts the keys that the agent has.
    """
    to, goals = MOVES[action, inst.place], 0.0
    door = has(inst.soft, to)
    if not has(inst.solid, to) and (not door or inst.tally > 0):
        inst.place = to
    here = bit(inst.place)
    if inst.soft & here != NONE:
        inst.tally -= 1
        goals += 1.0
    if inst.item & here != NONE:
        inst.tally += 1
        goals += 1.0
    if inst.trodden & here == NONE:
        goals += NOVEL
    found, trapped = has(inst.good, inst.place), has(inst.bad, inst.place)
    inst.trodden |= here
    inst.soft &= ~here
    inst.item &= ~here
    inst.good &= ~here
    inst.bad &= ~here
    return 1.0 if found else 0.0, goals, trapped, inst.good == NONE


@routine
def show(inst, cells):
    """Writes the classes; returns the anchor of the view."""
    stamp(cells, inst.solid, 3, inst.place)
    stamp(cells, inst.item, 4, inst.place)
    stamp(cells, inst.soft, 5, inst.place)
    stamp(cells, inst.good, 6, inst.place)
    stamp(cells, inst.bad, 7, inst.place)
    stamp(cells, bit(inst.place), 2 if inst.tally > 0 else 1, inst.place)
    return inst.place
