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


@kernel
def follow(indptr, succ, prob, reward, terminal, actions, discount, policy, values, result):  # type: ignore[no-untyped-def]
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
def action_values(indptr, succ, prob, reward, terminal, actions, discount, values, result):  # type: ignore[no-untyped-def]
    """`result[state, action]` from the `values` one step later; 0 where the episode is over."""
    for state in range(len(terminal)):
        for action in range(actions):
            q = value_of(state * actions + action, indptr, succ, prob, reward, discount, values)
            result[state, action] = 0.0 if terminal[state] else q


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


OPTIMAL, DISCOUNTED, LEAST = 0, 1, 2  # rows of `exact`: the undiscounted optimum, the discounted one, the worst value
VALUE, SPREAD = 0, 1  # rows of `ahead`: the largest Qᵏ (k = 0: random play), and the variance bound backed up k steps


@kernel
def bound_step(  # type: ignore[no-untyped-def]
    succ, reward, terminal, actions, discount, tolerance, exact_after, exact, ahead_after, ahead, followed, write
):
    """One step back in time of the simple bound for one k: the largest 16 v / gap² among the marked states.

    With `write`, `followed` receives the actions, as bits, that Qᵏ puts above the best sub-optimal one; without, it
    marks the states that count.
    """
    k = ahead.shape[1] - 1
    need = 0.0
    for state in range(len(terminal)):
        for row in range(3):
            exact[row, state] = 0.0
        for j in range(k + 1):
            ahead[VALUE, j, state] = 0.0
            ahead[SPREAD, j, state] = 0.0
        if terminal[state]:
            continue
        first = state * actions
        top, high, low, total, spread = -np.inf, -np.inf, np.inf, 0.0, -np.inf
        for action in range(actions):
            pay, after = reward[first + action], succ[first + action]
            top = max(top, pay + exact_after[OPTIMAL, after])
            best = pay + discount * exact_after[DISCOUNTED, after]
            worst = pay + discount * exact_after[LEAST, after]
            usual = pay + discount * ahead_after[VALUE, 0, after]
            high, low, total = max(high, best), min(low, worst), total + usual
            spread = max(spread, (usual - worst) * (best - worst))
        exact[OPTIMAL, state], exact[DISCOUNTED, state], exact[LEAST, state] = top, high, low
        ahead[VALUE, 0, state] = total / actions
        ahead[SPREAD, 1, state] = spread
        good, bad = -np.inf, -np.inf
        for j in range(1, k + 1):
            largest = -np.inf
            for action in range(actions):
                pay, after = reward[first + action], succ[first + action]
                q = pay + discount * ahead_after[VALUE, j - 1, after]
                largest = max(largest, q)
                if j > 1:
                    ahead[SPREAD, j, state] = max(ahead[SPREAD, j, state], ahead_after[SPREAD, j - 1, after])
                if j == k:
                    if pay + exact_after[OPTIMAL, after] >= top - tolerance:
                        good = max(good, q)
                    else:
                        bad = max(bad, q)
            ahead[VALUE, j, state] = largest
        if write:
            bits = np.uint64(0)
            for action in range(actions):
                q = reward[first + action] + discount * ahead_after[VALUE, k - 1, succ[first + action]]
                if q > bad:
                    bits |= np.uint64(1) << np.uint64(action)
            followed[state] = bits
        elif followed[state] != np.uint64(0) and bad > -np.inf:
            gap = good - bad
            need = max(need, 16.0 * ahead[SPREAD, k, state] / gap**2 if gap > 0.0 else np.inf)
    return need


@kernel
def keep_reached(succ, terminal, actions, initial, followed):  # type: ignore[no-untyped-def]
    """Leaves the marks of the states that followed actions lead to from the start; a last bit marks a state reached."""
    mark = np.uint64(1) << np.uint64(63)
    for state in range(len(terminal)):
        if initial[state] > 0.0:
            followed[0, state] |= mark
    for t in range(len(followed)):
        for state in range(len(terminal)):
            if followed[t, state] & mark == np.uint64(0) or terminal[state]:
                followed[t, state] = np.uint64(0)
                continue
            if t + 1 < len(followed):
                for action in range(actions):
                    if followed[t, state] >> np.uint64(action) & np.uint64(1):
                        followed[t + 1, succ[state * actions + action]] |= mark
