"""One step back in time over a table, compiled. A deterministic table has an empty `indptr`."""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel, law

BEST, MEAN, WORST = 0, 1, 2


@law
def value_of(row, indptr, succ, prob, reward, discount, values):  # type: ignore[no-untyped-def]
    """The value of taking an action: its row's expected reward and the value it leads to."""
    if len(indptr) == 0:
        return reward[row] + discount * values[succ[row]]
    total = 0.0
    for entry in range(indptr[row], indptr[row + 1]):
        total += prob[entry] * (reward[entry] + discount * values[succ[entry]])
    return total


@kernel
def backup(indptr, succ, prob, reward, terminal, actions, discount, rule, values, result, choice):  # type: ignore[no-untyped-def]
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


@law
def reaches_good(row, indptr, succ, good):  # type: ignore[no-untyped-def]
    """Whether every state that an action may lead to is good."""
    if len(indptr) == 0:
        return good[succ[row]]
    every = True
    for entry in range(indptr[row], indptr[row + 1]):
        every &= good[succ[entry]]
    return every


@kernel
def look_ahead(  # type: ignore[no-untyped-def]
    indptr,
    succ,
    prob,
    reward,
    terminal,
    actions,
    discount,
    tolerance,
    after,
    values,
    best_after,
    best,
    good_after,
    good,
):
    """One step back in time of Q-value iteration from random play, for all k at once.

    `values[0]` is the value of random play, `values[k]` the largest Qᵏ; `best` is the undiscounted optimum. A state is
    `good[k - 1]` if every action that is greedy in Qᵏ is optimal and leads to good states only.
    """
    count = len(good)
    for state in range(len(terminal)):
        if terminal[state]:
            for k in range(count + 1):
                values[k, state] = 0.0
            for k in range(count):
                good[k, state] = True
            best[state] = 0.0
            continue
        first = state * actions
        top = -np.inf
        for action in range(actions):
            top = max(top, value_of(first + action, indptr, succ, prob, reward, 1.0, best_after))
        best[state] = top
        for k in range(1, count + 1):
            largest = -np.inf
            total = 0.0
            for action in range(actions):
                q = value_of(first + action, indptr, succ, prob, reward, discount, after[k - 1])
                largest = max(largest, q)
                total += q
            values[k, state] = largest
            if k == 1:
                values[0, state] = total / actions
            fine = True
            for action in range(actions):
                row = first + action
                q = value_of(row, indptr, succ, prob, reward, discount, after[k - 1])
                if q < largest - tolerance:
                    continue
                truth = value_of(row, indptr, succ, prob, reward, 1.0, best_after)
                if truth < top - tolerance or not reaches_good(row, indptr, succ, good_after[k - 1]):
                    fine = False
                    break
            good[k - 1, state] = fine


@kernel
def guess(  # type: ignore[no-untyped-def]
    indptr, succ, prob, reward, terminal, actions, tolerance, best_after, best, chance_after, chance
):
    """One step back in time of the optimum and of the chance that random actions are optimal from here on."""
    for state in range(len(terminal)):
        best[state] = 0.0
        chance[state] = 1.0
        if terminal[state]:
            continue
        first = state * actions
        top = -np.inf
        for action in range(actions):
            top = max(top, value_of(first + action, indptr, succ, prob, reward, 1.0, best_after))
        total = 0.0
        for action in range(actions):
            row = first + action
            if value_of(row, indptr, succ, prob, reward, 1.0, best_after) >= top - tolerance:
                if len(indptr) == 0:
                    total += chance_after[succ[row]]
                else:
                    for entry in range(indptr[row], indptr[row + 1]):
                        total += prob[entry] * chance_after[succ[entry]]
        best[state] = top
        chance[state] = total / actions
