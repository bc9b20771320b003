"""One step back in time of Q-value iteration from random play, and of guessing, compiled."""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel
from mohs.exact.kernels import BEST, MEAN, value_of

NOISE = 1e-11  # relative difference up to which action values count as tied: what rounding makes of equal ones


@kernel
def look_ahead(  # type: ignore[no-untyped-def]
    indptr,
    succ,
    prob,
    reward,
    terminal,
    actions,
    discount,
    base,
    floor,
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
    look-aheads of a state lie side by side, so that an action reads them at once. `q` and `gains` [A, K] are scratch.
    """
    count = earned.shape[1]
    for state in range(len(terminal)):
        best[state] = 0.0
        for k in range(count):
            values[state, k] = 0.0
            earned[state, k] = 0.0
        values[state, count] = 0.0
        if terminal[state]:
            continue
        first = state * actions
        top = -np.inf
        for action in range(actions):
            row = first + action
            top = max(top, value_of(row, indptr, succ, prob, reward, 1.0, best_after))
            begin, end = (row, row + 1) if len(indptr) == 0 else (indptr[row], indptr[row + 1])
            for k in range(count):
                q[action, k] = 0.0
                gains[action, k] = 0.0
            for entry in range(begin, end):
                weight = 1.0 if len(indptr) == 0 else prob[entry]
                pay, leads = weight * reward[entry], succ[entry]
                for k in range(count):
                    q[action, k] += pay + weight * discount * after[leads, k]
                    gains[action, k] += pay + weight * earned_after[leads, k]
        best[state] = top
        if base == MEAN:
            for action in range(actions):
                values[state, 0] += q[action, 0] / actions
        for k in range(count):
            largest, least = -np.inf, np.inf
            for action in range(actions):
                largest = max(largest, q[action, k])
            limit = largest - NOISE * abs(largest) - floor
            for action in range(actions):
                if q[action, k] >= limit:
                    least = min(least, gains[action, k])
            values[state, k + 1] = largest
            earned[state, k] = least
        if base == BEST:
            values[state, 0] = values[state, 1]


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
