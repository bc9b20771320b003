"""How is the simple bound computed? One backward step for several k at once, and a forward pass, compiled.

`rank_step` compares exact keys (`lookahead.ranks`); `bound_step` compares values with bounds on their rounding errors.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel
from mohs.exact.lookahead.qvi_kernels import UNIT, plus
from mohs.exact.lookahead.ranks_kernels import NO_KEY, apart

OPTIMAL, DISCOUNTED, LEAST = (
    0,
    1,
    2,
)  # columns of `exact`: the undiscounted optimum, the discounted one, the worst value
# Rows of `edges`: the largest Qᵏ of an optimal action, of another, at least of an optimal one, at most of another.
GOOD, BAD, LOW, HIGH = 0, 1, 2, 3


@kernel
def bound_step(
    succ,
    reward,
    terminal,
    actions,
    discount,
    tolerance,
    depth,
    t,
    exact_after,
    exact,
    after,
    values,
    errors_after,
    errors,
    spread_after,
    spread,
    followed,
    one,
    edges,
    need,
    write,
):
    """For the last few k, raises `need` to the largest 16 v / gap² among the marked states.

    `values[s, j]` is the largest Qʲ (j = 0: random play), `errors[s, j]` bounds its rounding error, and `spread[s, j]`
    is the variance bound backed up j steps; there are as many k as `followed` has columns, up to the largest j. With
    `write`, `followed[s]` receives the actions, as bits, that Qᵏ puts above the best sub-optimal one; without, it marks
    the states that count. `one` is 1 in the type of the marks. Only states that are no deeper than t can be reached by
    then.
    """
    most, count = values.shape[1] - 1, followed.shape[1]
    base = most - count  # the first k is base + 1 and looks at the values after `base` steps
    none = one ^ one
    for state in range(len(terminal)):
        if depth[state] < 0 or depth[state] > t:
            continue
        for j in range(most + 1):
            values[state, j] = 0.0
            errors[state, j] = 0.0
            spread[state, j] = 0.0
        for j in range(3):
            exact[state, j] = 0.0
        if terminal[state]:
            continue
        first = state * actions
        top, high, low, total, widest = -np.inf, -np.inf, np.inf, 0.0, -np.inf
        for j in range(1, most + 1):
            values[state, j] = -np.inf
        for action in range(actions):
            pay, leads = reward[first + action], succ[first + action]
            top = max(top, pay + exact_after[leads, OPTIMAL])
            best = pay + discount * exact_after[leads, DISCOUNTED]
            worst = pay + discount * exact_after[leads, LEAST]
            usual, error = plus(pay, after[leads, 0], errors_after[leads, 0], discount)
            high, low, total = max(high, best), min(low, worst), total + usual
            errors[state, 0] += (error + UNIT * (abs(usual) + abs(total))) / actions
            widest = max(widest, (usual - worst) * (best - worst))
            for j in range(most):
                q, error = plus(pay, after[leads, j], errors_after[leads, j], discount)
                wide = spread_after[leads, j]
                errors[state, j + 1] = error if error > errors[state, j + 1] else errors[state, j + 1]
                values[state, j + 1] = q if q > values[state, j + 1] else values[state, j + 1]
                spread[state, j + 1] = wide if wide > spread[state, j + 1] else spread[state, j + 1]
        exact[state, OPTIMAL], exact[state, DISCOUNTED], exact[state, LEAST] = top, high, low
        values[state, 0] = total / actions
        spread[state, 1] = widest
        for i in range(count):
            for row in range(4):
                edges[row, i] = -np.inf
        for action in range(actions):
            pay, leads = reward[first + action], succ[first + action]
            good = pay + exact_after[leads, OPTIMAL] >= top - tolerance
            for i in range(count):
                q, error = plus(pay, after[leads, base + i], errors_after[leads, base + i], discount)
                side, bound = (LOW, q - error) if good else (HIGH, q + error)
                edges[side, i] = max(edges[side, i], bound)
                side = GOOD if good else BAD
                edges[side, i] = max(edges[side, i], q)
        if not write:
            for i in range(count):
                if followed[state, i] != none and edges[BAD, i] > -np.inf:
                    gap = edges[GOOD, i] - edges[BAD, i]
                    tied = edges[LOW, i] <= edges[HIGH, i]
                    need[i] = max(need[i], np.inf if tied else 16.0 * spread[state, base + i + 1] / gap / gap)
            continue
        for i in range(count):
            followed[state, i] = none
        for action in range(actions):
            pay, leads = reward[first + action], succ[first + action]
            bit = one << (one * action)
            for i in range(count):
                q, error = plus(pay, after[leads, base + i], errors_after[leads, base + i], discount)
                if q - error > edges[HIGH, i]:
                    followed[state, i] |= bit


@kernel
def rank_step(
    succ,
    gains,
    terminal,
    actions,
    span,
    tolerance,
    depth,
    t,
    best_after,
    best,
    worst_after,
    worst,
    above_after,
    after,
    keys,
    spread_after,
    spread,
    followed,
    one,
    edges,
    part,
    begin,
    denominators,
    mantissas,
    exponents,
    scratch,
    need,
    write,
):
    """The same for exact keys, in units: `above_after` is how far random play is above the worst value.

    `part[begin[t] + rank]` and what follows have the fractions of every step (`ranks.AllRanked`). The caller sets the
    keys of j = 0.
    """
    most, count = keys.shape[1] - 1, followed.shape[1]
    base = most - count
    none = one ^ one
    for state in range(len(terminal)):
        if depth[state] < 0 or depth[state] > t or terminal[state]:
            continue
        first = state * actions
        top, low, widest = best_after[succ[first]] + gains[first], worst_after[succ[first]] + gains[first], 0.0
        for j in range(1, most + 1):
            keys[state, j] = NO_KEY
            spread[state, j] = 0.0
        for row in range(first, first + actions):
            pay, leads = gains[row] * span, succ[row]
            top, low = max(top, gains[row] + best_after[leads]), min(low, gains[row] + worst_after[leads])
            widest = max(widest, above_after[leads] * (best_after[leads] - worst_after[leads]))
            for j in range(most):
                key, wide = pay + after[leads, j], spread_after[leads, j]
                keys[state, j + 1] = key if key > keys[state, j + 1] else keys[state, j + 1]
                spread[state, j + 1] = wide if wide > spread[state, j + 1] else spread[state, j + 1]
        best[state], worst[state] = top, low
        spread[state, 1] = widest
        for i in range(count):
            edges[GOOD, i] = NO_KEY
            edges[BAD, i] = NO_KEY
        for row in range(first, first + actions):
            pay, leads = gains[row] * span, succ[row]
            side = GOOD if gains[row] + best_after[leads] >= top - tolerance else BAD
            for i in range(count):
                edges[side, i] = max(edges[side, i], pay + after[leads, base + i])
        if not write:
            for i in range(count):
                if followed[state, i] != none and edges[BAD, i] != NO_KEY:
                    if edges[GOOD, i] <= edges[BAD, i]:
                        need[i] = np.inf
                        continue
                    end = min(t + 1 + base + i, len(begin) - 1)
                    gap = apart(
                        edges[GOOD, i], edges[BAD, i], span, part[begin[end] :], denominators[end], mantissas[end],
                        exponents[end], scratch,
                    )  # fmt: skip
                    need[i] = max(need[i], 16.0 * spread[state, base + i + 1] / gap / gap)
            continue
        for i in range(count):
            followed[state, i] = none
        for action in range(actions):
            pay, leads = gains[first + action] * span, succ[first + action]
            bit = one << (one * action)
            for i in range(count):
                if pay + after[leads, base + i] > edges[BAD, i]:
                    followed[state, i] |= bit


@kernel
def keep_reached(succ, terminal, actions, initial, followed, one):
    """Leaves the marks of the states that followed actions lead to from the start; one more bit says: reached."""
    none, mark = one ^ one, one << (one * actions)
    steps, states, count = followed.shape
    for state in range(states):
        if initial[state] > 0.0:
            for i in range(count):
                followed[0, state, i] |= mark
    for t in range(steps):
        for state in range(states):
            for i in range(count):
                if followed[t, state, i] & mark == none or terminal[state]:
                    followed[t, state, i] = none
                elif t + 1 < steps:
                    for action in range(actions):
                        if followed[t, state, i] >> (one * action) & one != none:
                            followed[t + 1, succ[state * actions + action], i] |= mark
