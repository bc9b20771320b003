"""What do injected dials do in a step? To the actions before it, and to the rewards after it.

The action: taken again from the step before (sticky), then disturbed. The reward: withheld or given, delayed, then
(reward + noise) · scale + shift, then the scaled terminal reward, then cut off.

Each dial is one loop over all instances, passed over where the dial is off. In such loops what depends on chance is
computed, not branched on, so that several instances are taken at once. Actions lie instance by instance, `width`
components each. The draws of step t are addressed by t; those of the observation that a reset returns by t = 0.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import law
from mohs.core.splitmix import STRIDE, mix
from mohs.engines.draws import as_normal, as_uniform, nth
from mohs.engines.injection.layout import (
    ALWAYS,
    LANE_ACTION,
    LANE_MASK,
    LANE_REWARD,
    LANE_STICKY,
    NEXT_STEP,
    ON_TERMINATION,
    SAME_STEP,
)

_EPISODE, _STEP = np.uint64(32), np.uint64(3)  # where they lie in an address
AHEAD = 8  # the lanes of a step


@law
def address(key, episode, t):
    """Where the draws of a step lie; `drawn` at a lane of it are the `bits` of `engines.draws` for that lane."""
    return key + STRIDE * ((np.uint64(episode) << _EPISODE | np.uint64(t) << _STEP) + np.uint64(1))


@law
def drawn(address, lane):
    """64 random bits; a lane + AHEAD is that lane of the step after."""
    return mix(address + STRIDE * np.uint64(lane))


@law
def begin(instances, i):
    """Starts the next episode. What the delay line still holds is passed over, because it is older than the episode."""
    keys, episodes, ts, ended, over, _, addresses, _ = instances
    ended[i] = ts[i]
    episodes[i] += 1
    ts[i] = 0
    over[i] = 0
    addresses[i] = address(keys[i], episodes[i], 0)


@law
def cut(value, low, high):
    """The value, cut off at two ends; what is no number stays none."""
    return low if value < low else high if value > high else value


@law
def stick(instances, previous, stickiness, taken, width):
    """Takes the action of the step before again, by chance; the first step of an episode has none before it."""
    _, _, ts, _, over, _, addresses, _ = instances
    for i in range(len(ts)):
        u = as_uniform(drawn(addresses[i], AHEAD + LANE_STICKY))
        stuck = (u < stickiness) & (ts[i] > 0) & (over[i] == 0)
        for place in range(np.uint64(i * width), np.uint64((i + 1) * width)):
            taken[place] = previous[place] if stuck else taken[place]
            previous[place] = taken[place]


@law
def action_bits(address, k):
    """The random bits of the noise on an action component; the first has those of the lane itself."""
    x = drawn(address, AHEAD + LANE_ACTION)
    return x if k == 0 else nth(x, k)


@law
def confuse(instances, limits, noise, taken, width):
    """With probability `noise` another action, uniformly, in each component by itself: one draw u decides both.

    Given u < noise, u / noise · (number − 1) is uniform over the others. A single action has no other.
    """
    over, addresses = instances[4], instances[6]
    for k in range(width):
        first, number = limits[2 * k], limits[2 * k + 1]
        stretch = (number - 1) / noise
        if number > 1:
            for i in range(len(over)):
                place = np.uint64(i * width + k)
                u = as_uniform(action_bits(addresses[i], k))
                other = first + min(np.int64(np.int32(u * stretch)), number - 2)
                other += np.int64(other >= taken[place])
                taken[place] = other if (u < noise) & (over[i] == 0) else taken[place]


@law
def shake(instances, limits, noise, taken, width):
    """Adds normal noise to continuous actions, within their limits."""
    over, addresses = instances[4], instances[6]
    for k in range(width):
        low, high = limits[2 * k], limits[2 * k + 1]
        for i in range(len(over)):
            place = np.uint64(i * width + k)
            added = noise * as_normal(action_bits(addresses[i], k))
            taken[place] = cut(taken[place] + added, low, high) if over[i] == 0 else taken[place]


@law
def count(instances, mode):
    """Counts a step: t is 0 for an instance that begins an episode instead."""
    keys, episodes, ts, _, over, _, addresses, _ = instances
    next_step = np.int64(mode == NEXT_STEP)
    for i in range(len(ts)):
        begun = over[i] & next_step
        episodes[i] += begun
        ts[i] = (ts[i] + 1) * (1 - begun)
    for i in range(len(ts)):
        addresses[i] = address(keys[i], episodes[i], ts[i])


@law
def withhold(instances, given, paid):
    """Gives a reward with probability `given`, divided by it, so that its mean stays."""
    addresses = instances[6]
    for i in range(len(paid)):
        kept = as_uniform(drawn(addresses[i], LANE_MASK)) < given
        paid[i] = paid[i] / given if kept else 0.0


@law
def detain(instances, dials, lines, terminated, truncated, paid):
    """Hands out what was earned `delay` steps ago, and at the end of an episode all that is pending, unless dropped."""
    ts, payers = instances[2], instances[7]
    delay, place, at_end = dials.delay, dials.place, dials.at_end
    n = np.uint64(len(paid))
    row = np.uint64(place) * n
    for i in range(n):
        held = lines[row + i]
        lines[row + i] = paid[i]
        paid[i] = held if ts[i] > delay else 0.0  # before that the line holds an earlier episode, or nothing
    number = np.uint64(0)  # of those that pay all; they are listed without a branch, because ends cannot be foreseen
    for i in range(n):
        payers[number] = i
        at_once = np.int64(terminated[i]) * np.int64(at_end >= ON_TERMINATION)
        at_once |= np.int64(truncated[i]) * np.int64(at_end == ALWAYS)
        number += np.uint64(at_once)
    for j in range(number):
        payer = payers[j]
        pending = min(ts[payer], delay)
        for k in range(pending):  # from the oldest on
            back = place + 1 - pending + k
            paid[payer] += lines[np.uint64(back if back >= 0 else back + delay) * n + payer]
    dials.place = place + 1 if place + 1 < delay else 0


@law
def pay(dials, instances, lines, terminated, truncated, paid, mode):
    """Turns the rewards in `paid`, as they were earned, into those that are handed out, and counts the step."""
    _, _, ts, _, over, pushed, addresses, room = instances
    count(instances, mode)
    if dials.given < 1.0:
        withhold(instances, dials.given, paid)
    if dials.delay > 0:
        detain(instances, dials, lines, terminated, truncated, paid)
    noise = dials.reward_noise
    if noise > 0.0:
        for i in range(len(paid)):  # apart from the next loop, which looks up in a table, one instance at a time
            room[i] = drawn(addresses[i], LANE_REWARD)
        for i in range(len(paid)):
            paid[i] += noise * as_normal(room[i])
    scale, shift, bonus, lowest, highest = (
        dials.scale, dials.shift, dials.terminal_bonus, dials.lowest, dials.highest,
    )  # fmt: skip
    for i in range(len(paid)):
        reward = (paid[i] + pushed[i]) * scale + shift + bonus * np.float64(terminated[i])
        paid[i] = cut(reward, lowest, highest) if ts[i] > 0 else 0.0
    for i in range(len(paid)):
        over[i] = np.int64(terminated[i] | truncated[i]) & np.int64(ts[i] > 0)
    if mode == SAME_STEP:
        for i in range(len(paid)):
            if over[i]:
                begin(instances, i)
