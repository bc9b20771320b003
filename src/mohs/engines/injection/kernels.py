"""What do the wrappers call? The law over all instances; a single one is a fleet of one, whose call is shorter."""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel, law
from mohs.engines.draws import as_normal, bits, nth
from mohs.engines.injection.law import begin, confuse, cut, pay, shake, stick
from mohs.engines.injection.layout import LANE_TOY, NEXT_STEP, parts


@kernel
def begin_fleet(memory, chosen):
    """Starts an episode in the chosen instances."""
    instances = parts(memory)[1]
    for i in range(len(chosen)):
        if chosen[i]:
            begin(instances, i)


@law
def outside(instances, limits, taken, width):
    """The first instance whose action is out of range, or -1.

    The action with which an instance begins a new episode is nobody's: it may be anything.
    """
    over = instances[4]
    wrong = np.int64(0)  # counted without a branch, so that this loop takes several actions at once
    for k in range(width):
        first, number = limits[2 * k], np.uint64(limits[2 * k + 1])
        for i in range(len(over)):
            wrong += np.int64((np.uint64(taken[np.uint64(i * width + k)] - first) >= number) & (over[i] == 0))
    if wrong > 0:
        for i in range(len(over)):
            for k in range(width):
                if not 0 <= taken[i * width + k] - limits[2 * k] < limits[2 * k + 1] and over[i] == 0:
                    return i
    return -1


@law
def act(dials, instances, previous, limits, taken):
    """Turns discrete actions that were chosen into those taken; -1, or the first that is out of range."""
    width = len(limits) // 2
    wrong = outside(instances, limits, taken, width)
    if wrong < 0:
        if dials.stickiness > 0.0:
            stick(instances, previous, dials.stickiness, taken, width)
        if dials.action_noise > 0.0:
            confuse(instances, limits, dials.action_noise, taken, width)
    return wrong


@kernel
def act_discrete(memory, taken):
    """Turns the actions of all instances, one after the other, into those taken; -1, or the first out of range."""
    dials, instances, _, previous, limits, _ = parts(memory)
    return act(dials[0], instances, previous, limits, taken)


@kernel
def act_one(memory, action):
    """The action, of one component, that a fleet of one takes; below the first action: it is out of range."""
    dials, instances, _, previous, limits, room = parts(memory)
    room[3] = action
    wrong = act(dials[0], instances, previous, limits, room[3:4])
    return room[3] if wrong < 0 else limits[0] - 1


@kernel
def act_continuous(memory, taken):
    """Turns the actions of all instances, one after the other, into those taken; -1: any are in range, or cut off."""
    dials, instances, _, words, limit_words, _ = parts(memory)
    previous, limits = words.view(np.float64), limit_words.view(np.float64)
    width = len(limits) // 2
    if dials[0].bounded:
        for place in range(len(taken)):
            k = place % width
            taken[place] = cut(taken[place], limits[2 * k], limits[2 * k + 1])
    if dials[0].stickiness > 0.0:
        stick(instances, previous, dials[0].stickiness, taken, width)
    if dials[0].action_noise > 0.0:
        shake(instances, limits, dials[0].action_noise, taken, width)
    return -1


@kernel
def pay_fleet(memory, terminated, truncated, paid, mode):
    """Turns the rewards that were earned into those handed out. An instance that begins an episode earns nothing."""
    dials, instances, lines, _, _, _ = parts(memory)
    pay(dials[0], instances, lines, terminated, truncated, paid, mode)


@kernel
def pay_one(memory, reward, terminated, truncated):
    """The reward that a fleet of one hands out. A step after an end begins the next episode."""
    dials, instances, lines, _, _, room = parts(memory)
    room[1], room[2] = terminated, truncated
    paid = room[0:1].view(np.float64)
    paid[0] = reward
    pay(dials[0], instances, lines, room[1:2], room[2:3], paid, NEXT_STEP)
    return paid[0]


@kernel
def add_noise(memory, rows, final, lane, deviation, values):
    """Adds normal noise to the values [rows, numbers] of these instances; `final`: those that ended an episode."""
    keys, episodes, ts, ended, _, _, _, _ = parts(memory)[1]
    for i in range(len(rows)):
        j = rows[i]
        episode, t = (episodes[j] - 1, ended[j]) if final else (episodes[j], ts[j])
        base = bits(keys[j], episode, t, lane)
        for k in range(values.shape[1]):
            values[i, k] += deviation * as_normal(nth(base, k))


@kernel
def toy_keys(memory, toys):
    """Writes the key of the stream that the irrelevant toy of every instance has in this episode."""
    keys, episodes, _, _, _, _, _, _ = parts(memory)[1]
    for i in range(len(toys)):
        toys[i] = bits(keys[i], episodes[i], 0, LANE_TOY)
