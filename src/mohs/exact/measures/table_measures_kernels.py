"""Which states are reachable, and with which probability? Step by step over a table, compiled.

A deterministic table has an empty `indptr`.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel, law
from mohs.tables.rows import first_entry, prob_of, span


@kernel
def advance(indptr, succ, prob, reward, terminal, actions, policy, now, after):
    """The distribution of the state `after` one more step of a policy; an empty one is uniform."""
    for state in range(len(terminal)):
        after[state] = 0.0
    for state in range(len(terminal)):
        if terminal[state]:
            after[state] += now[state]
        if terminal[state] or now[state] == 0.0:
            continue
        for action in range(actions):
            share = now[state] / actions if len(policy) == 0 else now[state] * policy[state, action]
            if share > 0.0:
                first, last = span(state * actions + action, indptr)
                for entry in range(first, last):
                    after[succ[entry]] += share * prob_of(entry, prob)


@kernel
def spread(indptr, succ, prob, reward, terminal, actions, now, after):
    """The states that are reachable `after` one more step from those of `now`."""
    for state in range(len(terminal)):
        after[state] = False
    for state in range(len(terminal)):
        if terminal[state] or not now[state]:
            continue
        first, last = first_entry(state * actions, indptr), first_entry((state + 1) * actions, indptr)
        for entry in range(first, last):
            if prob_of(entry, prob) > 0.0:
                after[succ[entry]] = True


@kernel
def first_taken(indptr, succ, prob, reward, terminal, actions, initial, steps, states, now, after, taken):
    """`taken[i, action]`: the probability that an episode of random play takes an action in `states[i]` at all.

    Play that takes the pair is counted and led no further, so that nothing is counted twice.
    """
    for i in range(len(states)):
        for taking in range(actions):
            pair = states[i] * actions + taking
            total = 0.0
            for state in range(len(terminal)):
                now[state] = initial[state]
            for _ in range(steps):
                total += now[states[i]] / actions
                for state in range(len(terminal)):
                    after[state] = 0.0
                for state in range(len(terminal)):
                    if terminal[state] or now[state] == 0.0:
                        continue
                    for row in range(state * actions, (state + 1) * actions):
                        if row != pair:
                            first, last = span(row, indptr)
                            for entry in range(first, last):
                                after[succ[entry]] += now[state] / actions * prob_of(entry, prob)
                now, after = after, now
            taken[i, taking] = total


@law
def search(indptr, succ, prob, terminal, actions, queue, found, distance):
    """Breadth first from the `found` states at the head of the queue; how many are found in the end.

    `distance` is -1 where a state has not been found; those in the queue have theirs.
    """
    done = 0
    while done < found:
        state = queue[done]
        done += 1
        if terminal[state]:
            continue
        first, last = first_entry(state * actions, indptr), first_entry((state + 1) * actions, indptr)
        for entry in range(first, last):
            after = succ[entry]
            if distance[after] < 0 and prob_of(entry, prob) > 0.0:
                distance[after] = distance[state] + 1
                queue[found] = after
                found += 1
    return found


@kernel
def from_start(indptr, succ, prob, reward, terminal, actions, initial, queue, distance):
    """The fewest steps in which play can come from the start to each state; -1 where it never can."""
    found = 0
    for state in range(len(terminal)):
        distance[state] = -1
        if initial[state] > 0.0:
            distance[state] = 0
            queue[found] = state
            found += 1
    search(indptr, succ, prob, terminal, actions, queue, found, distance)


@kernel
def between_all(indptr, succ, prob, reward, terminal, actions, states, queue, distance):
    """The largest finite distance between two of the `states`, which are all that can be come to; whether all are."""
    largest = 0
    everywhere = True
    for i in range(len(states)):
        for state in range(len(terminal)):
            distance[state] = -1
        distance[states[i]] = 0
        queue[0] = states[i]
        found = search(indptr, succ, prob, terminal, actions, queue, 1, distance)
        largest = max(largest, distance[queue[found - 1]])
        everywhere &= found == len(states)
    return largest, everywhere


@kernel
def can_surely_reach(indptr, succ, prob, reward, terminal, actions, goal, states, sure, led):
    """`sure` marks the states from which some policy reaches the goal with probability 1; returns the sweeps taken.

    It starts from all marked, and drops those that have no way to the goal by actions that surely stay among the
    marked, until none is dropped.
    """
    sweeps = 0
    dropped = True
    while dropped:
        for i in range(len(states)):
            led[states[i]] = states[i] == goal
        grown = True
        while grown:
            grown = False
            sweeps += 1
            for i in range(len(states)):
                # There and back again, so that a long way in either order of the states takes few sweeps.
                state = states[i] if sweeps % 2 == 0 else states[len(states) - 1 - i]
                if led[state] or terminal[state] or not sure[state]:
                    continue
                for action in range(actions):
                    stays, nearer = True, False
                    first, last = span(state * actions + action, indptr)
                    for entry in range(first, last):
                        if prob_of(entry, prob) > 0.0:
                            stays &= sure[succ[entry]]
                            nearer |= led[succ[entry]]
                    if stays and nearer:
                        led[state] = True
                        grown = True
                        break
        dropped = False
        for i in range(len(states)):
            if sure[states[i]] and not led[states[i]]:
                sure[states[i]] = False
                dropped = True
    return sweeps


@kernel
def least_steps(indptr, succ, prob, reward, terminal, actions, goal, states, precision, most, steps):
    """The least expected `steps` to the goal, in place from below by value iteration; returns the sweeps taken.

    They end when one changes no state by more than `precision`; where `most` of them are not enough, after one more.
    """
    sweeps = 0
    change = np.inf
    while change > precision and sweeps <= most:
        sweeps += 1
        change = 0.0
        for i in range(len(states)):
            state = states[i] if sweeps % 2 == 0 else states[len(states) - 1 - i]
            if state == goal or steps[state] == np.inf:
                continue
            least = np.inf
            for action in range(actions):
                total = 1.0
                first, last = span(state * actions + action, indptr)
                for entry in range(first, last):
                    if prob_of(entry, prob) > 0.0:
                        total += prob_of(entry, prob) * steps[succ[entry]]
                least = min(least, total)
            change = max(change, least - steps[state])
            steps[state] = least
    return sweeps


@kernel
def entropies(indptr, succ, prob, reward, terminal, actions, mass, bits):
    """The entropy, in `bits[state, action]`, of the next state; entries that differ in their reward alone are one."""
    for state in range(len(terminal)):
        for action in range(actions):
            bits[state, action] = 0.0
            if terminal[state]:
                continue
            first, last = span(state * actions + action, indptr)
            for entry in range(first, last):
                mass[succ[entry]] += prob_of(entry, prob)
            for entry in range(first, last):
                share = mass[succ[entry]]
                mass[succ[entry]] = 0.0
                if share > 0.0:
                    bits[state, action] -= share * np.log2(share)


@kernel
def largest_variance(indptr, succ, prob, reward, terminal, actions, reached, values):
    """The largest variance, over the actions of the states reached, of the value of the next state."""
    largest = 0.0
    for state in range(len(terminal)):
        if terminal[state] or not reached[state]:
            continue
        for row in range(state * actions, (state + 1) * actions):
            first, last = span(row, indptr)
            mean = 0.0
            for entry in range(first, last):
                mean += prob_of(entry, prob) * values[succ[entry]]
            variance = 0.0
            for entry in range(first, last):
                variance += prob_of(entry, prob) * (values[succ[entry]] - mean) ** 2
            largest = max(largest, variance)
    return largest
