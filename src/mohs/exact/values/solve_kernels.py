"""How is a value computed one step earlier? Backward steps over a table, compiled.

A deterministic table has an empty `indptr`.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel, law

BEST, MEAN, WORST = 0, 1, 2


@law
def value_of(row, indptr, succ, prob, reward, discount, values):
    """The value of taking an action: its row's expected reward and the value it leads to."""
    if len(indptr) == 0:
        return reward[row] + discount * values[succ[row]]
    total = 0.0
    for entry in range(indptr[row], indptr[row + 1]):
        total += prob[entry] * (reward[entry] + discount * values[succ[entry]])
    return total


@kernel
def backup(indptr, succ, prob, reward, terminal, actions, discount, rule, values, result, choice):
    """`result` from `values` one step later, by the best, the mean or the worst action; the largest change.

    `choice`, where it is not empty, receives the first action that attains the best (or worst) value.
    """
    change = 0.0
    for state in range(len(terminal)):
        if terminal[state]:
            result[state] = 0.0
            continue
        total = 0.0
        chosen = 0
        best = -np.inf
        for action in range(actions):
            q = value_of(state * actions + action, indptr, succ, prob, reward, discount, values)
            total += q
            signed = -q if rule == WORST else q
            if signed > best:
                best = signed
                chosen = action
        new = total / actions if rule == MEAN else -best if rule == WORST else best
        change = max(change, abs(new - values[state]))
        result[state] = new
        if len(choice) > 0:
            choice[state] = chosen
    return change


@kernel
def follow(indptr, succ, prob, reward, terminal, actions, discount, policy, values, result):
    """`result` from `values` one step later by a policy's action probabilities; the largest change."""
    change = 0.0
    for state in range(len(terminal)):
        total = 0.0
        if not terminal[state]:
            for action in range(actions):
                if policy[state, action] > 0.0:
                    q = value_of(state * actions + action, indptr, succ, prob, reward, discount, values)
                    total += policy[state, action] * q
        change = max(change, abs(total - values[state]))
        result[state] = total
    return change


@kernel
def action_values(indptr, succ, prob, reward, terminal, actions, discount, values, result):
    """`result[state, action]` from the `values` one step later; 0 where the episode is over."""
    for state in range(len(terminal)):
        for action in range(actions):
            q = value_of(state * actions + action, indptr, succ, prob, reward, discount, values)
            result[state, action] = 0.0 if terminal[state] else q
