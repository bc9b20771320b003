"""What is the best return in a level? Dynamic programming, because a level is deterministic.

Two kinds of games. In a *course* (avoid, chase, maze, cross, shoot) what does not depend on the agent goes its own way,
so a state is a small number at every step, and values are exact. On a *route* (collect, cue, dig) it matters what was
taken; states are the agent's cell and the set of what pays. There a distractor costs each time instead of once, and
earth takes two steps each time instead of the first: that gives a policy, so a lower bound. Without both costs it is an
upper bound. They meet unless time is short.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel, law, routine
from mohs.engines.arcade import cue
from mohs.engines.arcade.boards import CELLS, MOVES, NONE, PLACES, SIDE, bit, first, has, row_of, size
from mohs.engines.arcade.chase import HOME, SEEN
from mohs.engines.arcade.law import lay, play, world_of
from mohs.engines.arcade.layout import (
    ACTIONS,
    CHASE,
    COLLECT,
    CUE,
    DIG,
    MAZE,
    SHOOT,
)
from mohs.engines.draws import LANE_SUCCESSOR, bits

ROUTES = (COLLECT, CUE, DIG)
_PAIRS = 4  # subsets of what a maze has two of
_ROWS = 1 << (SIDE - 1)  # sets of rows in which something may fly
STATES = {CHASE: CELLS * CELLS, MAZE: CELLS * _PAIRS**3, SHOOT: SIDE * _ROWS}  # of a course; else one for each cell
_NEVER, _ONE = np.int8(-128), np.uint64(1)


@kernel
def enter(instances, game, levels):
    """Lays out the levels."""
    for i in range(len(instances)):
        inst = instances[i]
        inst.level = levels[i]
        inst.world = world_of(game, levels[i])
        lay(inst, game)


@law
def copy(inst, other):
    """Makes an instance equal to another one, as far as the rules read it."""
    inst.world = other.world
    inst.good, inst.bad, inst.item = other.good, other.bad, other.item
    inst.solid, inst.soft, inst.trodden = other.solid, other.soft, other.trodden
    inst.place, inst.prey, inst.ghost, inst.tally = other.place, other.prey, other.ghost, other.tally


@law
def subset(board, chosen):
    """Of a board of two cells those that are chosen."""
    one = bit(first(board))
    other = board & ~one
    return (one if chosen & 1 else NONE) | (other if chosen & 2 else NONE)


@law
def which(board, part):
    """The number of a part of a board of two cells: the inverse of `subset`."""
    one = bit(first(board))
    return int(part & one != NONE) + 2 * int(part & ~one != NONE)


@routine
def put(inst, game, state):
    """Brings an instance, which holds what goes its own way, into a state of the course."""
    if game == CHASE:
        inst.place = HOME
        inst.prey, inst.ghost = SEEN[HOME, state // CELLS], SEEN[HOME, state % CELLS]
    elif game == MAZE:
        inst.place = state % CELLS
        left = state // CELLS
        keys, doors, treasures = left % _PAIRS, left // _PAIRS % _PAIRS, left // _PAIRS // _PAIRS
        taken = (keys & 1 == 0) + (keys & 2 == 0)
        opened = (doors & 1 == 0) + (doors & 2 == 0)
        inst.tally = taken - opened
        inst.item, inst.soft = subset(inst.item, keys), subset(inst.soft, doors)
        inst.good = subset(inst.good, treasures)
    elif game == SHOOT:
        inst.place = SIDE * (SIDE - 1) + state % SIDE
        for row in range(SIDE - 1):
            if (state // SIDE >> row) & 1 == 0:
                inst.good &= ~row_of(row)
                inst.bad &= ~row_of(row)
    else:
        inst.place = state


@routine
def found(inst, game, origin):
    """The state of the course in which an instance is; `origin` is its level at the start."""
    if game == CHASE:
        return np.int64(PLACES[inst.place, inst.prey]) * CELLS + PLACES[inst.place, inst.ghost]
    if game == MAZE:
        treasures, doors = which(origin.good, inst.good), which(origin.soft, inst.soft)
        return inst.place + CELLS * (which(origin.item, inst.item) + _PAIRS * (doors + _PAIRS * treasures))
    if game == SHOOT:
        rows = 0
        for row in range(SIDE - 1):
            if (inst.good | inst.bad) & row_of(row) != NONE:
                rows |= 1 << row
        return inst.place % SIDE + SIDE * rows
    return np.int64(inst.place)


@kernel
def follow(courses, game):
    """What goes its own way: the instance at every step, from the first one on."""
    for t in range(1, len(courses)):
        inst = courses[t]
        copy(inst, courses[t - 1])
        if game not in (CHASE, MAZE):
            inst.place = SIDE * (SIDE - 1)  # nothing in those games depends on where the agent stands still
            play(inst, game, 0, bits(inst.world, 1, t, LANE_SUCCESSOR))


@kernel
def course_value(courses, room, game, deadly, counted, values, after):
    """The best sum of rewards from the start of a course on, or of the number of rewards where they are `counted`."""
    inst, states = room[0], len(values)
    for s in range(states):
        after[s] = 0.0
    for t in range(len(courses) - 1, 0, -1):
        x = bits(courses[0].world, 1, t, LANE_SUCCESSOR)
        for s in range(states):
            best = -np.inf
            for action in range(ACTIONS):
                copy(inst, courses[t - 1])
                put(inst, game, s)
                reward, _, touched, over = play(inst, game, action, x)
                if counted:
                    reward = 1.0 if reward > 0.0 else 0.0
                if not over and not (touched and deadly):
                    reward += after[found(inst, game, courses[0])]
                best = max(best, reward)
            values[s] = best
        for s in range(states):
            after[s] = values[s]
    return after[found(courses[0], game, courses[0])]


@routine
def wanted_of(inst, game):
    """What pays in a level, and what costs."""
    if game == CUE:
        wanted = cue.matching(inst)
        return wanted, (inst.good | inst.bad) & ~wanted
    return inst.good, inst.bad


@kernel
def route_value(inst, game, horizon, free, deadly, scores):
    """The best sum of rewards on a route: a bound, upper where distractors and earth are `free`, else lower.

    `scores` has room for three steps of [cells, sets of what was taken].
    """
    wanted, costly = wanted_of(inst, game)
    soft = inst.soft if game == DIG and not free else NONE
    solid = inst.solid if game == DIG else NONE
    if deadly:
        solid |= costly
    many, sets = size(wanted), scores.shape[2]
    scores[:] = _NEVER
    scores[0, inst.place, 0] = 0
    best, unchanged = np.int64(0), 0
    for t in range(horizon):
        now, soon, later = scores[t % 3], scores[(t + 1) % 3], scores[(t + 2) % 3]
        gained = False
        for cell in range(CELLS):
            for taken in range(sets):
                score = now[cell, taken]
                if score == _NEVER:
                    continue
                for action in range(ACTIONS):
                    to = MOVES[action, cell]
                    if has(solid, to):
                        continue
                    late = has(soft, to) and to != cell
                    if late and t + 2 > horizon:
                        continue
                    has_it, total = taken, np.int64(score)
                    if has(wanted, to):
                        own = 1 << size(wanted & (bit(to) - _ONE))
                        total += taken & own == 0
                        has_it |= own
                    elif has(costly, to) and not free and to != cell:
                        total -= 1
                    target = later if late else soon
                    if target[to, has_it] < total:
                        target[to, has_it] = total
                        gained |= total > now[to, has_it]
                    if total > best:
                        best = total
        if best == many:
            break
        unchanged = 0 if gained else unchanged + 1
        if unchanged > 2:
            break
        now[:] = _NEVER
    return best
