"""How is the distribution of returns computed? One step forward, and its moments one step backward, compiled."""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel, law
from mohs.exact.values.solve_kernels import MEAN, WORST, value_of
from mohs.tables.rows import prob_of, span

GIVEN = 3  # a policy's probabilities, besides the rules of `kernels`
NONE_LOW, NONE_HIGH = 2**62, -(2**62)  # the window of a state that play does not come to


@law
def weight_of(policy, state, action, actions):
    """The probability of an action; an empty policy is uniform."""
    return policy[state, action] if len(policy) > 0 else 1.0 / actions


@kernel
def reach(indptr, succ, prob, reward, terminal, actions, gains, policy, low, high, low_after, high_after):
    """The least and the largest return so far, in units, with which play comes to each state one step later."""
    for state in range(len(terminal)):
        if terminal[state] or high[state] < low[state]:
            continue
        for action in range(actions):
            if weight_of(policy, state, action, actions) == 0.0:
                continue
            begin, end = span(state * actions + action, indptr)
            for entry in range(begin, end):
                if prob_of(entry, prob) > 0.0:
                    after, gain = succ[entry], gains[entry]
                    low_after[after] = min(low_after[after], low[state] + gain)
                    high_after[after] = max(high_after[after], high[state] + gain)


@kernel
def spread(
    indptr,
    succ,
    prob,
    reward,
    terminal,
    actions,
    gains,
    policy,
    low,
    high,
    offset,
    mass,
    low_after,
    offset_after,
    result,
):
    """Adds the probability of every (state, return so far) to those that it leads to."""
    for state in range(len(terminal)):
        if terminal[state] or high[state] < low[state]:
            continue
        begin_mass, width = offset[state], high[state] - low[state] + 1
        for action in range(actions):
            chosen = weight_of(policy, state, action, actions)
            if chosen == 0.0:
                continue
            begin, end = span(state * actions + action, indptr)
            for entry in range(begin, end):
                weight = chosen * prob_of(entry, prob)
                if weight > 0.0:
                    after = succ[entry]
                    to = offset_after[after] + low[state] + gains[entry] - low_after[after]
                    for i in range(width):
                        result[to + i] += weight * mass[begin_mass + i]


@kernel
def collect(held, low, high, offset, mass, first, total):
    """Adds the windows of the held states to the `total` of returns from `first` on."""
    for state in range(len(held)):
        if held[state] and high[state] >= low[state]:
            for i in range(high[state] - low[state] + 1):
                total[low[state] - first + i] += mass[offset[state] + i]


@law
def take_of(rule, policy, state, action, actions, chosen):
    """The probability of an action by a policy, by chance, or by a choice."""
    if rule == GIVEN:
        return policy[state, action]
    if rule == MEAN:
        return 1.0 / actions
    return 1.0 if action == chosen else 0.0


@kernel
def moments_step(indptr, succ, prob, reward, terminal, actions, discount, rule, policy, after, now):
    """Mean and central moments of the return one step earlier.

    A return is a mixture, over actions and entries, of shifted and discounted later ones. Central moments of a mixture
    follow from those of its parts and the distances between their means; raw ones would lose their digits to
    cancellation. The best and the worst rule take the first action that attains the best (or worst) mean.
    """
    means = after[:, 0]
    for state in range(len(terminal)):
        for order in range(4):
            now[state, order] = 0.0
        if terminal[state]:
            continue
        first = state * actions
        chosen, top, mean = -1, -np.inf, 0.0
        for action in range(actions):
            q = value_of(first + action, indptr, succ, prob, reward, discount, means)
            signed = -q if rule == WORST else q
            if signed > top:
                top, chosen = signed, action
        for action in range(actions):
            weight = take_of(rule, policy, state, action, actions, chosen)
            if weight > 0.0:
                mean += weight * value_of(first + action, indptr, succ, prob, reward, discount, means)
        now[state, 0] = mean
        for action in range(actions):
            weight = take_of(rule, policy, state, action, actions, chosen)
            if weight == 0.0:
                continue
            begin, end = span(first + action, indptr)
            for entry in range(begin, end):
                part, to = weight * prob_of(entry, prob), succ[entry]
                off = reward[entry] + discount * after[to, 0] - mean
                second, third, fourth = (
                    discount**2 * after[to, 1],
                    discount**3 * after[to, 2],
                    discount**4 * after[to, 3],
                )
                now[state, 1] += part * (second + off**2)
                now[state, 2] += part * (third + 3.0 * off * second + off**3)
                now[state, 3] += part * (fourth + 4.0 * off * third + 6.0 * off**2 * second + off**4)
