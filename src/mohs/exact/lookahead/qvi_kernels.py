"""How is Q-value iteration from the random policy computed? One backward step, also of guessing, compiled.

`rank_ahead` compares exact keys (`ranks`). `look_ahead` takes any table: it carries a bound on the rounding error of
every value, and what it cannot tell apart it counts both ways.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel, law
from mohs.exact.values.solve_kernels import BEST, MEAN, value_of

UNIT = 2.0**-52  # twice the relative error of one operation, which also covers the rounding of the bounds themselves
MAY, SURE = 1, 2  # bits of `fails`: some policy that may be greedy takes a sub-optimal action; every one does


@law
def plus(pay, value, error, discount):
    """pay + discount · value, and a bound on its rounding error from that of the value."""
    later = discount * value
    total = pay + later
    virtual = total - pay  # Knuth's sum: the exact error of the addition
    wrong = discount * error + abs((pay - (total - virtual)) + (later - virtual))
    if discount != 1.0:
        wrong = (1.0 + UNIT) * wrong + UNIT * abs(later)
    return total, wrong


@law
def sum_up(row, indptr, succ, prob, reward, discount, after, errors_after, q, errors):
    """`q[k]` of an action, what it pays and the value that follows, and a bound on its rounding error."""
    if len(indptr) == 0:
        pay, leads = reward[row], succ[row]
        for k in range(len(q)):
            q[k], errors[k] = plus(pay, after[leads, k], errors_after[leads, k], discount)
        return
    for k in range(len(q)):
        q[k] = 0.0
        errors[k] = 0.0
    for entry in range(indptr[row], indptr[row + 1]):
        weight, pay, leads = prob[entry], reward[entry], succ[entry]
        for k in range(len(q)):
            later = discount * after[leads, k]
            term = weight * (pay + later)
            q[k] += term
            error = discount * errors_after[leads, k] + UNIT * (abs(later) + abs(pay + later))
            errors[k] += weight * error + UNIT * (abs(term) + abs(q[k]))


@law
def fill(row, indptr, succ, prob, reward, low_after, high_after, fails_after, low, high, fails):
    """What an action pays and greedy play after it earns, at least and at most, and whether that fails."""
    if len(indptr) == 0:
        pay, leads = reward[row], succ[row]
        for k in range(len(low)):
            low[k] = pay + low_after[leads, k]
            high[k] = pay + high_after[leads, k]
            fails[k] = fails_after[leads, k]
        return
    for k in range(len(low)):
        low[k] = 0.0
        high[k] = 0.0
        fails[k] = 0
    for entry in range(indptr[row], indptr[row + 1]):
        weight, pay, leads = prob[entry], reward[entry], succ[entry]
        if weight > 0.0:
            for k in range(len(low)):
                low[k] += weight * (pay + low_after[leads, k])
                high[k] += weight * (pay + high_after[leads, k])
                fails[k] |= fails_after[leads, k]


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
    tolerance,
    depth,
    t,
    best_after,
    best,
    after,
    values,
    errors_after,
    errors,
    low_after,
    low,
    high_after,
    high,
    fails_after,
    fails,
    q,
    q_errors,
    lows,
    highs,
    surely,
    tied,
    failures,
    some,
    every,
):
    """For all k at once: `values[s, 0]` is what Q¹ expects of the rest, by `base`, and `values[s, k]` the largest Qᵏ.

    An action may be greedy if its value could be the largest, by the bounds on the errors. `low[s, k - 1]` is the least
    undiscounted return among policies of such actions and `high[s, k - 1]` the largest; where the values have no
    rounding error they are tied, and both are the least. `fails` has `MAY` and `SURE`. `best` is the optimum. The
    look-aheads of a state lie side by side, so that an action reads them at once. Only states that are no deeper than t
    can be reached by then. The arguments after `fails`, [A, K] and [K], are scratch.
    """
    count = low.shape[1]
    for state in range(len(terminal)):
        if depth[state] < 0 or depth[state] > t or terminal[state]:
            continue
        first = state * actions
        top = -np.inf
        for action in range(actions):
            row = first + action
            top = max(top, value_of(row, indptr, succ, prob, reward, 1.0, best_after))
            sum_up(row, indptr, succ, prob, reward, discount, after, errors_after, q[action], q_errors[action])
            fill(
                row, indptr, succ, prob, reward, low_after, high_after, fails_after, lows[action], highs[action],
                failures[action],
            )  # fmt: skip
        best[state] = top
        values[state, 0], errors[state, 0] = 0.0, 0.0
        if base == MEAN:
            for action in range(actions):
                part = q[action, 0] / actions
                values[state, 0] += part
                errors[state, 0] += q_errors[action, 0] / actions + UNIT * (abs(part) + abs(values[state, 0]))
        for action in range(actions):
            if value_of(first + action, indptr, succ, prob, reward, 1.0, best_after) < top - tolerance:
                for k in range(count):
                    failures[action, k] = MAY | SURE
        for k in range(count):
            values[state, k + 1], errors[state, k + 1], surely[k] = -np.inf, 0.0, -np.inf
            low[state, k], high[state, k], tied[k] = np.inf, -np.inf, np.inf
            some[k], every[k] = 0, MAY | SURE
        # Selections instead of branches, and few arrays in a loop: then the compiler does several k at a time.
        for action in range(actions):
            for k in range(count):
                value = q[action, k]
                values[state, k + 1] = value if value > values[state, k + 1] else values[state, k + 1]
            for k in range(count):
                least = q[action, k] - q_errors[action, k]
                surely[k] = least if least > surely[k] else surely[k]
        for action in range(actions):
            for k in range(count):  # what cannot be greedy is out of the way
                may = q[action, k] + q_errors[action, k] >= surely[k]
                q_errors[action, k] = q_errors[action, k] if may else -1.0
            for k in range(count):
                error = q_errors[action, k]
                errors[state, k + 1] = error if error > errors[state, k + 1] else errors[state, k + 1]
            for k in range(count):
                gain = lows[action, k] if q_errors[action, k] >= 0.0 else np.inf
                low[state, k] = gain if gain < low[state, k] else low[state, k]
            for k in range(count):
                gain = highs[action, k] if q_errors[action, k] >= 0.0 else -np.inf
                high[state, k] = gain if gain > high[state, k] else high[state, k]
            for k in range(count):
                gain = highs[action, k] if q_errors[action, k] >= 0.0 else np.inf
                tied[k] = gain if gain < tied[k] else tied[k]
            for k in range(count):
                some[k] |= failures[action, k] if q_errors[action, k] >= 0.0 else np.uint8(0)
            for k in range(count):
                every[k] &= failures[action, k] if q_errors[action, k] >= 0.0 else np.uint8(MAY | SURE)
        for k in range(count):
            if errors[state, k + 1] == 0.0:
                high[state, k], every[k] = tied[k], some[k]
            fails[state, k] = (some[k] & MAY) | (every[k] & SURE)
        if base == BEST:
            values[state, 0], errors[state, 0] = values[state, 1], errors[state, 1]


@kernel
def rank_ahead(
    succ, gains, terminal, actions, span, tolerance, depth, t, best_after, best, after, keys, earned_after, earned,
    fails_after, fails,
):  # fmt: skip
    """The same for exact keys: `keys[s, k]` is that of the largest Qᵏ, and equal ones are tied.

    `earned`, `best` and `tolerance` are in units. `fails` may have no columns, where it is not asked for. The caller
    sets the keys of k = 0.
    """
    count = earned.shape[1]
    for state in range(len(terminal)):
        if depth[state] < 0 or depth[state] > t or terminal[state]:
            continue
        first = state * actions
        top = best_after[succ[first]] + gains[first]
        for k in range(count):
            keys[state, k + 1] = gains[first] * span + after[succ[first], k]
            earned[state, k] = gains[first] + earned_after[succ[first], k]
        for row in range(first + 1, first + actions):
            leads = succ[row]
            top = max(top, gains[row] + best_after[leads])
            pay = gains[row] * span
            for k in range(count):
                key, gain = pay + after[leads, k], gains[row] + earned_after[leads, k]
                largest, least = keys[state, k + 1], earned[state, k]
                least = gain if gain < least or key > largest else least
                earned[state, k] = earned[state, k] if key < largest else least
                keys[state, k + 1] = key if key > largest else largest
        best[state] = top
        for k in range(fails.shape[1]):
            fails[state, k] = 0
            for row in range(first, first + actions):
                if gains[row] * span + after[succ[row], k] == keys[state, k + 1]:
                    worse = gains[row] + best_after[succ[row]] < top - tolerance
                    fails[state, k] |= 1 if worse else fails_after[succ[row], k]


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
