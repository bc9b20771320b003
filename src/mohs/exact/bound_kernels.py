"""One step back in time of the simple bound, and forth over the states that it counts, compiled."""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel

OPTIMAL, DISCOUNTED, LEAST = (
    0,
    1,
    2,
)  # columns of `exact`: the undiscounted optimum, the discounted one, the worst value


@kernel
def bound_step(  # type: ignore[no-untyped-def]
    succ,
    reward,
    terminal,
    actions,
    discount,
    tolerance,
    exact_after,
    exact,
    after,
    values,
    spread_after,
    spread,
    followed,
    one,
    write,
):
    """For one k the largest 16 v / gap² among the marked states.

    `values[s, j]` is the largest Qʲ (j = 0: random play), `spread[s, j]` the variance bound backed up j steps. With
    `write`, `followed` receives the actions, as bits, that Qᵏ puts above the best sub-optimal one; without, it marks
    the states that count. `one` is 1 in the type of the marks.
    """
    k = values.shape[1] - 1
    none = one ^ one
    need = 0.0
    for state in range(len(terminal)):
        for j in range(k + 1):
            values[state, j] = 0.0
            spread[state, j] = 0.0
        for j in range(3):
            exact[state, j] = 0.0
        if terminal[state]:
            continue
        first = state * actions
        top, high, low, total, widest = -np.inf, -np.inf, np.inf, 0.0, -np.inf
        for j in range(1, k + 1):
            values[state, j] = -np.inf
        for action in range(actions):
            pay, leads = reward[first + action], succ[first + action]
            top = max(top, pay + exact_after[leads, OPTIMAL])
            best = pay + discount * exact_after[leads, DISCOUNTED]
            worst = pay + discount * exact_after[leads, LEAST]
            usual = pay + discount * after[leads, 0]
            high, low, total = max(high, best), min(low, worst), total + usual
            widest = max(widest, (usual - worst) * (best - worst))
            for j in range(1, k + 1):
                values[state, j] = max(values[state, j], pay + discount * after[leads, j - 1])
            for j in range(2, k + 1):
                spread[state, j] = max(spread[state, j], spread_after[leads, j - 1])
        exact[state, OPTIMAL], exact[state, DISCOUNTED], exact[state, LEAST] = top, high, low
        values[state, 0] = total / actions
        spread[state, 1] = widest
        if not write and followed[state] == none:
            continue
        good, bad = -np.inf, -np.inf
        for action in range(actions):
            pay, leads = reward[first + action], succ[first + action]
            q = pay + discount * after[leads, k - 1]
            if pay + exact_after[leads, OPTIMAL] >= top - tolerance:
                good = max(good, q)
            else:
                bad = max(bad, q)
        if write:
            bits = none
            for action in range(actions):
                if reward[first + action] + discount * after[succ[first + action], k - 1] > bad:
                    bits |= one << (one * action)
            followed[state] = bits
        elif bad > -np.inf:
            gap = good - bad
            need = max(need, 16.0 * spread[state, k] / gap**2 if gap > 0.0 else np.inf)
    return need


@kernel
def keep_reached(succ, terminal, actions, initial, followed, one):  # type: ignore[no-untyped-def]
    """Leaves the marks of the states that followed actions lead to from the start; one more bit says: reached."""
    none, mark = one ^ one, one << (one * actions)
    for state in range(len(terminal)):
        if initial[state] > 0.0:
            followed[0, state] |= mark
    for t in range(len(followed)):
        for state in range(len(terminal)):
            if followed[t, state] & mark == none or terminal[state]:
                followed[t, state] = none
                continue
            if t + 1 < len(followed):
                for action in range(actions):
                    if followed[t, state] >> (one * action) & one != none:
                        followed[t + 1, succ[state * actions + action]] |= mark
