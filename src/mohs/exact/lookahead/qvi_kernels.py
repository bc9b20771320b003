"""How is Q-value iteration from the random policy computed? One backward step, also of guessing, compiled."""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel, law
from mohs.exact.values.solve_kernels import BEST, MEAN, value_of

NOISE = 1e-11  # relative difference up to which action values count as tied: what rounding makes of equal ones


@law
def fill(row, indptr, succ, prob, reward, discount, after, earned_after, q, gains):
    """`q[k]` and `gains[k]` of an action: what it pays, and what follows by look-ahead and by greedy play."""
    if len(indptr) == 0:
        pay, leads = reward[row], succ[row]
        for k in range(len(q)):
            q[k] = pay + discount * after[leads, k]
            gains[k] = pay + earned_after[leads, k]
        return
    for k in range(len(q)):
        q[k] = 0.0
        gains[k] = 0.0
    for entry in range(indptr[row], indptr[row + 1]):
        weight, pay, leads = prob[entry], reward[entry], succ[entry]
        for k in range(len(q)):
            q[k] += weight * (pay + discount * after[leads, k])
            gains[k] += weight * (pay + earned_after[leads, k])


@kernel
def look_ahead(
    indptr,
    succ,
    prob,
    reward,
    terminal,
    actions,
    discount,
    base,
    floor,
    depth,
    t,
    best_after,
    best,
    after,
    values,
    earned_after,
    earned,
    q,
    gains,
):
    """For all k at once: `values[s, 0]` is what Q¹ expects of the rest, by `base`, and `values[s, k]` the largest Qᵏ.

    `earned[s, k - 1]` is the least undiscounted return among the policies greedy in Qᵏ, and `best` the optimum. The
    look-aheads of a state lie side by side, so that an action reads them at once. Only states that are no deeper than t
    can be reached by then. `q` and `gains` [A, K] are scratch.
    """
    count = earned.shape[1]
    for state in range(len(terminal)):
        if depth[state] < 0 or depth[state] > t:
            continue
        best[state] = 0.0
        values[state, 0] = 0.0
        for k in range(count):
            values[state, k + 1] = 0.0
            earned[state, k] = 0.0
        if terminal[state]:
            continue
        first = state * actions
        top = -np.inf
        for k in range(count):
            values[state, k + 1] = -np.inf
            earned[state, k] = np.inf
        for action in range(actions):
            row = first + action
            top = max(top, value_of(row, indptr, succ, prob, reward, 1.0, best_after))
            fill(row, indptr, succ, prob, reward, discount, after, earned_after, q[action], gains[action])
            for k in range(count):
                values[state, k + 1] = q[action, k] if q[action, k] > values[state, k + 1] else values[state, k + 1]
        best[state] = top
        for action in range(actions):
            for k in range(count):
                largest = values[state, k + 1]
                tied = q[action, k] >= largest - NOISE * abs(largest) - floor
                earned[state, k] = (
                    gains[action, k] if tied and gains[action, k] < earned[state, k] else earned[state, k]
                )
        if base == MEAN:
            for action in range(actions):
                values[state, 0] += q[action, 0] / actions
        elif base == BEST:
            values[state, 0] = values[state, 1]


@kernel
def guess(indptr, succ, prob, reward, terminal, actions, tolerance, best_after, best, chance_after, chance):
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
