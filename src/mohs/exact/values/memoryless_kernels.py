"""How are policies that act on the observation alone compared? Passes over a table and a depth-first search, compiled.

A deterministic table has an empty `indptr`. `observations[state]` is the number of the state's observation.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel, law
from mohs.exact.values.solve_kernels import value_of


@law
def copy(source, target):
    for i in range(len(source)):
        target[i] = source[i]


@law
def spread(row, mass, indptr, succ, prob, result):
    """Adds the probability `mass` of taking a row to its successors."""
    if len(indptr) == 0:
        result[succ[row]] += mass
    else:
        for entry in range(indptr[row], indptr[row + 1]):
            result[succ[entry]] += mass * prob[entry]


@kernel
def relax(
    indptr, succ, prob, reward, terminal, actions, discount, observations, fixed, initial, values_left, choice, masses,
    use,
):  # fmt: skip
    """The best return of a policy that takes `fixed[observation]` where that is an action, and else sees everything.

    `values_left[left, state]` receives its values with `left` steps to go, `choice[t, state]` its actions,
    `use[observation, action]` the expected number of times that it takes each.
    """
    horizon = len(choice)
    values_left[0, :] = 0.0
    for left in range(1, horizon + 1):
        after, now, chosen = values_left[left - 1], values_left[left], choice[horizon - left]
        for state in range(len(terminal)):
            if terminal[state]:
                now[state] = 0.0
                continue
            action = fixed[observations[state]]
            if action >= 0:
                now[state] = value_of(state * actions + action, indptr, succ, prob, reward, discount, after)
            else:
                best = -np.inf
                for candidate in range(actions):
                    q = value_of(state * actions + candidate, indptr, succ, prob, reward, discount, after)
                    if q > best:
                        best, action = q, candidate
                now[state] = best
            chosen[state] = action
    use[:] = 0.0
    copy(initial, masses[0])
    for t in range(horizon):
        before, then = masses[t % 2], masses[(t + 1) % 2]
        then[:] = 0.0
        for state in range(len(terminal)):
            if before[state] > 0.0 and not terminal[state]:
                action = choice[t, state]
                use[observations[state], action] += before[state]
                spread(state * actions + action, before[state], indptr, succ, prob, then)
    total = 0.0
    for state in range(len(terminal)):
        total += initial[state] * values_left[horizon, state]
    return total


@law
def earned(indptr, succ, prob, reward, terminal, actions, discount, observations, policy, initial, horizon, values):
    """The expected return of a deterministic memoryless policy."""
    values[:] = 0.0
    for left in range(horizon):
        after, now = values[left % 2], values[(left + 1) % 2]
        for state in range(len(terminal)):
            if not terminal[state]:
                row = state * actions + policy[observations[state]]
                now[state] = value_of(row, indptr, succ, prob, reward, discount, after)
    total = 0.0
    for state in range(len(terminal)):
        total += initial[state] * values[horizon % 2, state]
    return total


@kernel
def climb(
    indptr, succ, prob, reward, terminal, actions, discount, observations, policy, initial, horizon, values, enough,
    noise, max_changes,
):  # fmt: skip
    """Changes one action of `policy` at a time while that gains more than `noise`: the return.

    It stops when the policy earns `enough`, and after `max_changes` tried changes.
    """
    best = earned(
        indptr, succ, prob, reward, terminal, actions, discount, observations, policy, initial, horizon, values
    )  # fmt: skip
    tried, better = 0, True
    while better and best < enough and tried < max_changes:
        better = False
        for observation in range(len(policy)):
            kept = policy[observation]
            for action in range(actions):
                if action == kept or tried == max_changes:
                    continue
                tried += 1
                before = policy[observation]
                policy[observation] = action
                found = earned(
                    indptr, succ, prob, reward, terminal, actions, discount, observations, policy, initial, horizon,
                    values,
                )  # fmt: skip
                if found > best + noise:
                    best, better = found, True
                else:
                    policy[observation] = before
    return best


@kernel
def search(
    succ, reward, terminal, actions, discount, observations, starts, chances, values_left, rest, best, slack, enough,
    max_nodes, policy, order, champion,
):  # fmt: skip
    """Depth-first over the deterministic memoryless policies of a deterministic table: (best return, nodes tried).

    Episodes are followed from every start until an observation has no action yet; then each is tried. A policy is given
    up where what its episodes have earned, and the best that could follow, stays within `slack` of the best. `rest[i]`
    is the best return of the starts from i on. `champion` receives the best policy. It ends early at `enough`, and
    after `max_nodes` nodes, of which it then reports one more.
    """
    horizon = len(values_left) - 1
    depth, nodes = 0, 0
    policy[:] = -1
    while True:
        nodes += 1
        if nodes > max_nodes:
            return best, nodes
        total, bound, stuck = 0.0, -np.inf, -1
        for i in range(len(starts)):
            state, gained, factor, left = starts[i], 0.0, 1.0, horizon
            while left > 0:
                if terminal[state]:
                    break
                action = policy[observations[state]]
                if action < 0:
                    stuck = observations[state]
                    break
                row = state * actions + action
                gained += factor * reward[row]
                factor *= discount
                state = succ[row]
                left -= 1
            if stuck >= 0:
                bound = total + chances[i] * (gained + factor * values_left[left, state]) + rest[i + 1]
                break
            total += chances[i] * gained
            bound = total + rest[i + 1]
            if bound <= best + slack:
                break
        if bound > best + slack:
            if stuck >= 0:
                policy[stuck] = 0
                order[depth] = stuck
                depth += 1
                continue
            best = total
            copy(policy, champion)
            if best >= enough:
                return best, nodes
        while depth > 0:
            observation = order[depth - 1]
            if policy[observation] + 1 < actions:
                policy[observation] += 1
                break
            policy[observation] = -1
            depth -= 1
        if depth == 0:
            return best, nodes


@kernel
def slope(
    indptr, succ, prob, reward, terminal, actions, discount, observations, policy, initial, values, masses, gain, visits
):
    """The expected return of a randomised memoryless policy [observations, actions].

    `gain[observation, action]` receives the sum over visits of the value of taking the action there and following the
    policy afterwards: the gradient of the return. `visits[observation]` is the expected number of visits.
    """
    horizon = len(values) - 1
    values[0, :] = 0.0
    for left in range(1, horizon + 1):
        for state in range(len(terminal)):
            total = 0.0
            if not terminal[state]:
                for action in range(actions):
                    share = policy[observations[state], action]
                    if share > 0.0:
                        row = state * actions + action
                        total += share * value_of(row, indptr, succ, prob, reward, discount, values[left - 1])
            values[left, state] = total
    gain[:] = 0.0
    visits[:] = 0.0
    copy(initial, masses[0])
    factor = 1.0
    for t in range(horizon):
        before, then = masses[t % 2], masses[(t + 1) % 2]
        then[:] = 0.0
        for state in range(len(terminal)):
            if before[state] == 0.0 or terminal[state]:
                continue
            visits[observations[state]] += before[state]
            for action in range(actions):
                row = state * actions + action
                q = value_of(row, indptr, succ, prob, reward, discount, values[horizon - t - 1])
                gain[observations[state], action] += factor * before[state] * q
                if policy[observations[state], action] > 0.0:
                    spread(row, before[state] * policy[observations[state], action], indptr, succ, prob, then)
        factor *= discount
    total = 0.0
    for state in range(len(terminal)):
        total += initial[state] * values[horizon, state]
    return total
