"""Cross the road: two lanes, then a kerb, without end. The next kerb pays, a car throws the agent back to the last."""

from __future__ import annotations

from mohs.core.kernel import routine
from mohs.core.views import Classes
from mohs.engines.arcade.boards import (
    MOVES,
    NONE,
    SIDE,
    below,
    bit,
    has,
    left,
    right,
    row_of,
    rows,
    scatter,
    stamp,
)  # fmt: skip
from mohs.engines.arcade.layout import DOWN, UP
from mohs.engines.draws import nth

CLASSES = Classes(("agent", "car_left", "car_right", "kerb"))
APART = 3  # rows from a kerb to the next
KERBS = rows(0, APART)
MOST_CARS = 2


@routine
def lay(inst):
    """Every lane has a direction and one or two cars."""
    inst.bad, inst.item = NONE, NONE
    draws = 2 + MOST_CARS
    for row in range(SIDE):
        if row % APART != 0:
            k = row * draws
            cars = scatter(inst.world, k + 2, row_of(row), 1 + below(nth(inst.world, k + 1), MOST_CARS))
            if below(nth(inst.world, k), 2) == 0:
                inst.bad |= cars
            else:
                inst.item |= cars
    inst.place = below(nth(inst.world, 0), SIDE)
    inst.tally = 0


@routine
def play(inst, action, x):
    """One step: (reward, sub-goals, whether a distractor was touched, whether the game is over).

    The tally is the farthest lane since the last kerb.
    """
    before = inst.place // SIDE
    if not (action == DOWN and before % APART == 0):
        inst.place = MOVES[action, inst.place]
    row = inst.place // SIDE
    reward, lane = 0.0, (APART - row % APART) % APART
    if action == UP and lane == 0:
        reward = 1.0
        inst.tally = 0
    inst.bad, inst.item = left(inst.bad), right(inst.item)
    hit = has(inst.bad | inst.item, inst.place)
    new = lane > inst.tally and not hit
    if new:
        inst.tally = lane
    if hit:
        inst.place = (row + lane) % SIDE * SIDE + inst.place % SIDE
    return reward, 1.0 if new else 0.0, hit, False


@routine
def show(inst, cells):
    """Writes the classes; returns the anchor of the view."""
    stamp(cells, KERBS, 4, inst.place)
    stamp(cells, inst.bad, 2, inst.place)
    stamp(cells, inst.item, 3, inst.place)
    stamp(cells, bit(inst.place), 1, inst.place)
    return inst.place
