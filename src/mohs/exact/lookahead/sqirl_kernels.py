"""How does SQIRL collect episodes and fit values? One step of its search, compiled.

The episodes of a step are kept as arrays [episodes, k]: the states from the step under search on (-1 where the episode
was over), the actions taken there, their rewards, and the return from the last of them on.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel, law
from mohs.core.splitmix import STRIDE, mix
from mohs.exact.lookahead.gorp_kernels import NOISE, below
from mohs.tables.rows import prob_of, span

UNSEEN = -1  # no action was found for a state: it is drawn
_S11 = np.uint64(11)
_UNIT = 1.0 / 9007199254740992.0  # 2^-53


@law
def uniform(bits):
    """A number in [0, 1)."""
    return np.float64(bits >> _S11) * _UNIT


@law
def start_at(starts, cumulative, bits):
    """The start state that a draw selects by the cumulative probabilities."""
    u = uniform(bits)
    low, high = 0, len(starts) - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > u:
            high = middle
        else:
            low = middle + 1
    return starts[low]


@law
def entry_of(row, indptr, prob, bits):
    """The entry of a row that a draw selects by its probabilities."""
    if len(indptr) == 0:
        return np.int64(row)
    u = uniform(bits)
    found = indptr[row]
    for entry in range(indptr[row], indptr[row + 1]):
        if prob[entry] > 0.0:
            found = entry
            u -= prob[entry]
            if u < 0.0:
                break
    return found


@kernel
def collect(
    indptr, succ, prob, reward, terminal, actions, starts, cumulative, policy, t, depth, discount, key, states, taken,
    rewards, tails,
):  # fmt: skip
    """Episodes that follow the policy before step t and are random from there on; the number of steps taken."""
    steps, played = len(policy), 0
    for episode in range(len(states)):
        stream = mix(key + STRIDE * np.uint64(episode + 1))
        state = np.int64(start_at(starts, cumulative, stream))
        weight = 1.0
        tails[episode] = 0.0
        for j in range(depth):
            states[episode, j] = -1
        for i in range(steps):
            if terminal[state]:
                break
            stream += STRIDE
            action = np.int64(policy[i, state]) if i < t else np.int64(UNSEEN)
            if action == UNSEEN:
                action = below(mix(stream), actions)
            stream += STRIDE
            entry = entry_of(state * actions + action, indptr, prob, mix(stream))
            j = i - t
            if 0 <= j < depth:
                states[episode, j], taken[episode, j], rewards[episode, j] = state, action, reward[entry]
            if j >= depth - 1:
                tails[episode] += weight * reward[entry]
                weight *= discount
            state = np.int64(succ[entry])
            played += 1
    return played


@law
def clear(actions, size, visited, sums, counts, seen):
    for i in range(size):
        state = visited[i]
        seen[state] = False
        for row in range(state * actions, (state + 1) * actions):
            sums[row] = 0.0
            counts[row] = 0


@kernel
def regress(actions, depth, discount, states, taken, rewards, tails, sums, counts, best, visited, seen):
    """Tabular regression of the returns, and back to the step under search; the number of states visited there.

    A state's action has the value sums / counts. What follows is worth the best of the actions that were tried.
    """
    size = 0
    for level in range(depth - 1, -1, -1):
        size = 0
        for episode in range(len(states)):
            state = np.int64(states[episode, level])
            if state < 0:
                continue
            target = tails[episode]
            if level < depth - 1:
                after = np.int64(states[episode, level + 1])
                target = rewards[episode, level] + (discount * best[after] if after >= 0 else 0.0)
            if not seen[state]:
                seen[state] = True
                visited[size] = state
                size += 1
            row = state * actions + taken[episode, level]
            sums[row] += target
            counts[row] += 1
        for i in range(size):
            state = visited[i]
            best[state] = -np.inf
            for row in range(state * actions, (state + 1) * actions):
                if counts[row] > 0:
                    best[state] = max(best[state], sums[row] / counts[row])
        if level > 0:
            clear(actions, size, visited, sums, counts, seen)
    return size


@kernel
def decide(actions, size, key, sums, counts, best, visited, seen, policy):
    """The policy of a step: the best of the actions tried in each visited state; a draw decides between equal ones."""
    for i in range(size):
        state = visited[i]
        first, ties = state * actions, 0
        least = best[state] - NOISE * abs(best[state])
        for row in range(first, first + actions):
            ties += counts[row] > 0 and sums[row] / counts[row] >= least
        pick = below(mix(key - STRIDE * np.uint64(state + 1)), ties)
        for action in range(actions):
            row = first + action
            if counts[row] > 0 and sums[row] / counts[row] >= least:
                if pick == 0:
                    policy[state] = action
                pick -= 1
    clear(actions, size, visited, sums, counts, seen)


@kernel
def policy_value(indptr, succ, prob, reward, terminal, actions, initial, policy, now, after):
    """The exact undiscounted return of a policy [T, S] from the start; where it has no action it acts at random."""
    total = 0.0
    for state in range(len(terminal)):
        now[state] = initial[state]
    for t in range(len(policy)):
        for state in range(len(terminal)):
            after[state] = 0.0
        for state in range(len(terminal)):
            if now[state] == 0.0 or terminal[state]:
                continue
            chosen = policy[t, state]
            for action in range(actions):
                if chosen != UNSEEN and chosen != action:
                    continue
                row = state * actions + action
                share = now[state] if chosen != UNSEEN else now[state] / actions
                begin, end = span(row, indptr)
                for entry in range(begin, end):
                    weight = share * prob_of(entry, prob)
                    total += weight * reward[entry]
                    after[succ[entry]] += weight
        for state in range(len(terminal)):
            now[state] = after[state]
    return total
