"""How is the simple bound computed? One backward step for several k at once, and a forward pass, compiled."""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel
from mohs.exact.lookahead.qvi_kernels import NOISE

OPTIMAL, DISCOUNTED, LEAST = (
    0,
    1,
    2,
)  # columns of `exact`: the undiscounted optimum, the discounted one, the worst value
GOOD, BAD, CLEAR = 0, 1, 2  # rows of `edges`: the largest Qᵏ of an optimal action, of another, and clearly above that


@kernel
def bound_step(
    succ,
    reward,
    terminal,
    actions,
    discount,
    tolerance,
    floor,
    depth,
    t,
    exact_after,
    exact,
    after,
    values,
    spread_after,
    spread,
    followed,
    one,
    edges,
    need,
    write,
):
    """For the last few k, raises `need` to the largest 16 v / gap² among the marked states.

    `values[s, j]` is the largest Qʲ (j = 0: random play), `spread[s, j]` the variance bound backed up j steps; there
    are as many k as `followed` has columns, up to the largest j. With `write`, `followed[s]` receives the actions, as
    bits, that Qᵏ puts above the best sub-optimal one; without, it marks the states that count. `one` is 1 in the type
    of the marks. Only states that are no deeper than t can be reached by then.
    """
    most, count = values.shape[1] - 1, followed.shape[1]
    base = most - count  # the first k is base + 1 and looks at the values after `base` steps
    none = one ^ one
    for state in range(len(terminal)):
        if depth[state] < 0 or depth[state] > t:
            continue
        for j in range(most + 1):
            values[state, j] = 0.0
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
            usual = pay + discount * after[leads, 0]
            high, low, total = max(high, best), min(low, worst), total + usual
            widest = max(widest, (usual - worst) * (best - worst))
            for j in range(most):
                q, wide = pay + discount * after[leads, j], spread_after[leads, j]
                values[state, j + 1] = q if q > values[state, j + 1] else values[state, j + 1]
                spread[state, j + 1] = wide if wide > spread[state, j + 1] else spread[state, j + 1]
        exact[state, OPTIMAL], exact[state, DISCOUNTED], exact[state, LEAST] = top, high, low
        values[state, 0] = total / actions
        spread[state, 1] = widest
        for i in range(count):
            edges[GOOD, i] = -np.inf
            edges[BAD, i] = -np.inf
        for action in range(actions):
            pay, leads = reward[first + action], succ[first + action]
            side = GOOD if pay + exact_after[leads, OPTIMAL] >= top - tolerance else BAD
            for i in range(count):
                q = pay + discount * after[leads, base + i]
                edges[side, i] = q if q > edges[side, i] else edges[side, i]
        if not write:
            for i in range(count):
                if followed[state, i] != none and edges[BAD, i] > -np.inf:
                    gap = edges[GOOD, i] - edges[BAD, i]
                    tied = gap <= NOISE * abs(edges[BAD, i]) + floor
                    need[i] = max(need[i], np.inf if tied else 16.0 * spread[state, base + i + 1] / gap**2)
            continue
        for i in range(count):
            edges[CLEAR, i] = edges[BAD, i] + NOISE * abs(edges[BAD, i]) + floor if edges[BAD, i] > -np.inf else -np.inf
            followed[state, i] = none
        for action in range(actions):
            pay, leads = reward[first + action], succ[first + action]
            bit = one << (one * action)
            for i in range(count):
                if pay + discount * after[leads, base + i] > edges[CLEAR, i]:
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
