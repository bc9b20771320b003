"""How is GORP simulated on a deterministic table? Compiled, with many random episodes interleaved.

A random step waits for memory. So the episodes of a batch take their steps in turn and their memory accesses overlap.
An entry has all that a step needs of the table.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel, law
from mohs.core.splitmix import STRIDE, mix

LANES = 32  # episodes under way at once; more do not wait less
NOISE = 1e-10  # means that differ by less, relative to what was added up, are equal
_S11, _S32 = np.uint64(11), np.uint64(32)
_UNIT = 1.0 / 9007199254740992.0  # 2^-53

# `first` is the first row of the state that a row leads to; the number of rows where the episode ends there.
SMALL_ENTRY = np.dtype([("first", np.uint32), ("reward", np.float32)])
LARGE_ENTRY = np.dtype([("first", np.uint64), ("reward", np.float64)])
LANE = np.dtype(
    [
        ("at", np.uint64),  # first row of the state
        ("key", np.uint64),
        ("rest", np.uint64),  # what is left of the last draw
        ("gain", np.float64),
        ("size", np.float64),  # the gain if every reward were positive
        ("sequence", np.int64),
    ]
)


@law
def draws_each(actions):
    """The number n of actions from one draw of 64 bits; they are within n · actions / 2^32 of uniform."""
    if actions <= 16:
        return 8
    if actions <= 256:
        return 4
    return 2 if actions <= 65536 else 1


@law
def follow(entries, actions, at, sequence, depth, weights):
    """Where a sequence of actions leads, the first one its highest digit; its gain, its size and its steps."""
    end = np.uint64(len(entries))
    scale = 1
    for _ in range(depth - 1):
        scale *= actions
    gain, size, taken = 0.0, 0.0, 0
    for j in range(depth):
        action = sequence // scale
        sequence -= action * scale
        scale //= actions
        entry = entries[at + np.uint64(action)]
        at = np.uint64(entry.first)
        gain += weights[j] * entry.reward
        size += weights[j] * abs(entry.reward)
        taken += 1
        if at == end:
            break
    return at, gain, size, taken


@law
def settle(lane, m, q, sizes):
    """An episode is over."""
    q[lane.sequence] += lane.gain / m
    sizes[lane.sequence] += lane.size / m


@law
def walk(entries, actions, lanes, active, steps, weights, offset, m, q, sizes):
    """The first `active` episodes take up to `steps` random steps; returns the number of steps taken.

    A draw is a fraction: times the number of actions, its whole part is an action and its fraction the next draw.
    """
    end = np.uint64(len(entries))
    width = np.uint64(actions)
    each = draws_each(actions)
    taken = 0
    for t in range(steps):
        if active == 0:
            break
        if t % each == 0:
            for i in range(active):
                lanes[i].key += STRIDE
                lanes[i].rest = mix(lanes[i].key)
        weight = weights[offset + t]
        taken += active
        i = 0
        while i < active:
            lane = lanes[i]
            entry = entries[lane.at + (((lane.rest >> _S32) * width) >> _S32)]
            lane.rest *= width
            lane.at = np.uint64(entry.first)
            lane.gain += weight * entry.reward
            lane.size += weight * abs(entry.reward)
            if lane.at == end:
                settle(lane, m, q, sizes)
                active -= 1
                lanes[i] = lanes[active]
            else:
                i += 1
    for i in range(active):
        settle(lanes[i], m, q, sizes)
    return taken


@law
def estimate(entries, actions, at, depth, steps, m, weights, stream, lanes, count, q, sizes):
    """The mean return of each sequence over m episodes that go on at random for `steps` steps; the steps taken.

    A sequence is followed once, not once for each episode, and one that ends the episode needs no other.
    """
    end = np.uint64(len(entries))
    leaf, taken = at, 0
    sequence, episode = 0, 0
    while sequence < count:
        active = 0
        while sequence < count and active < len(lanes):
            if episode == 0:
                leaf, q[sequence], sizes[sequence], followed = follow(entries, actions, at, sequence, depth, weights)
                taken += followed
                if leaf == end or steps == 0:
                    sequence += 1
                    continue
            lane = lanes[active]
            lane.at = leaf
            lane.key = mix(stream + STRIDE * np.uint64(sequence * m + episode + 1))
            lane.gain, lane.size = 0.0, 0.0
            lane.sequence = sequence
            active += 1
            episode += 1
            if episode == m:
                sequence, episode = sequence + 1, 0
        taken += walk(entries, actions, lanes, active, steps, weights, depth, m, q, sizes)
    return taken


@law
def below(bits, count):
    """A number from 0 to count - 1."""
    return np.int64(np.float64(bits >> _S11) * _UNIT * count)


@law
def best(q, sizes, count, bits):
    """One of the best sequences; where several are, up to the noise of summation, the draw decides."""
    top, size = -np.inf, 0.0
    for i in range(count):
        top, size = max(top, q[i]), max(size, sizes[i])
    least, ties = top - NOISE * size, 0
    for i in range(count):
        ties += q[i] >= least
    pick = below(bits, ties)
    for i in range(count):
        if q[i] >= least:
            if pick == 0:
                return i
            pick -= 1
    return 0  # only where a value is not a number


@kernel
def run(entries, actions, k, m, weights, key, start, optimal, lanes, q, sizes, chosen):
    """One run of GORP from the state whose rows begin at `start`: actions fixed, undiscounted return, steps taken.

    Where `optimal` is not empty, its bits [steps, states, bytes] mark the optimal actions; the run stops at the first
    other action. After the end of the episode all actions are equal, and one is drawn.
    """
    end = np.uint64(len(entries))
    horizon = len(chosen)
    at, value, taken = start, 0.0, 0
    for t in range(horizon):
        stream = mix(key + STRIDE * np.uint64(t + 1))
        if at == end:
            chosen[t] = below(mix(stream), actions)
            continue
        depth = min(k, horizon - t)
        later = 1  # sequences with the same first action
        for _ in range(depth - 1):
            later *= actions
        count = later * actions
        steps = horizon - t - depth
        taken += estimate(entries, actions, at, depth, steps, m, weights, stream, lanes, count, q, sizes)
        action = best(q, sizes, count, mix(stream)) // later
        chosen[t] = action
        state = at // np.uint64(actions)
        entry = entries[at + np.uint64(action)]
        value += entry.reward
        at = np.uint64(entry.first)
        if len(optimal) > 0 and optimal[t, state, action >> 3] >> (action & 7) & 1 == 0:
            return t + 1, value, taken
    return horizon, value, taken


@kernel
def optimal_step(succ, reward, terminal, actions, tolerance, after, now, bits):
    """One step back in time of the undiscounted optimum; `bits`, all 0 before, mark the actions that attain it."""
    for state in range(len(terminal)):
        now[state] = 0.0
        if terminal[state]:
            continue
        first = state * actions
        top = -np.inf
        for action in range(actions):
            top = max(top, reward[first + action] + after[succ[first + action]])
        for action in range(actions):
            if reward[first + action] + after[succ[first + action]] >= top - tolerance:
                bits[state, action >> 3] |= np.uint8(1 << (action & 7))
        now[state] = top
