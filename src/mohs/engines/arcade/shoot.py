"""Shoot: foes and friends come down. A foe that is shot pays, a friend that is shot costs, so does a foe that lands on
the agent. The agent moves along the lowest row; the shot hits what is nearest above it.
"""

from __future__ import annotations

from mohs.core.kernel import law, routine
from mohs.core.views import Classes
from mohs.engines.arcade.boards import MIDDLE, MOVES, NONE, SIDE, below, bit, down, has, rows, stamp
from mohs.engines.arcade.layout import DOWN, UP
from mohs.engines.draws import as_uniform, nth

CLASSES = Classes(("agent", "foe", "friend"))
FALLS, COMES, HOSTILE = 0.5, 0.8, 0.6  # probabilities
GROUND = SIDE - 1  # the row of the agent
FALLEN = rows(GROUND)


@law
def arrive(inst, row, x):
    """Perhaps a foe or a friend appears in a row."""
    if as_uniform(nth(x, 1)) < COMES:
        there = bit(SIDE * row + below(nth(x, 2), SIDE))
        if as_uniform(nth(x, 3)) < HOSTILE:
            inst.good |= there
        else:
            inst.bad |= there


@routine
def lay(inst):
    """The upper rows are as if the game had gone on for a while."""
    inst.good, inst.bad = NONE, NONE
    for row in range(MIDDLE + 1):
        arrive(inst, row, nth(inst.world, 1 + row))
    inst.place = SIDE * GROUND + below(nth(inst.world, 0), SIDE)


@routine
def play(inst, action, x):
    """One step: (reward, sub-goals, whether a distractor was touched, whether the game is over).

    No row has more than one foe or friend.
    """
    reward, harmed = 0.0, False
    if action == UP:
        for i in range(GROUND):
            target = bit(inst.place - SIDE * (i + 1))
            if (inst.good | inst.bad) & target != NONE:
                harmed = inst.bad & target != NONE
                reward = -1.0 if harmed else 1.0
                inst.good &= ~target
                inst.bad &= ~target
                break
    elif action != DOWN:
        inst.place = MOVES[action, inst.place]
    if as_uniform(nth(x, 0)) < FALLS:
        inst.good, inst.bad = down(inst.good), down(inst.bad)
        if has(inst.good, inst.place):
            reward -= 1.0
            harmed = True
        inst.good &= ~FALLEN
        inst.bad &= ~FALLEN
        arrive(inst, 0, x)
    return reward, 0.0, harmed, False


@routine
def show(inst, cells):
    """Writes the classes; returns the anchor of the view: only columns turn with the agent."""
    anchor = SIDE * MIDDLE + inst.place % SIDE
    stamp(cells, inst.good, 2, anchor)
    stamp(cells, inst.bad, 3, anchor)
    stamp(cells, bit(inst.place), 1, anchor)
    return anchor
