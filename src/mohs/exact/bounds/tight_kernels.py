"""With which probability does GORP choose a sub-optimal action in one step, at most? Compiled.

Every sequence of k actions is a leaf: the mean of m returns of the random policy after it (`envelope_kernels`).
"""

from __future__ import annotations

import math

import numpy as np

from mohs.core.kernel import kernel, law
from mohs.exact.bounds.envelope_kernels import (
    AVERAGE,
    BEST,
    CONSTANT,
    COPIES,
    KIND,
    SKEW,
    VARIANCE,
    WORST,
    envelope,
    far,
    next_point,
    set_leaf,
    start,
    tail,
)

FAILS, ENDS = -1, -2  # what comes of an action, besides the position of the state that it leads to
FINENESS = 0.25  # of the intervals that a probability is added up over, in standard deviations


@law
def follow(succ, reward, terminal, actions, discount, state, sequence, depth):
    """Where a sequence of actions leads, the first its highest digit; its gain, and the weight of what follows."""
    scale = 1
    for _ in range(depth - 1):
        scale *= actions
    gain, weight = 0.0, 1.0
    for _ in range(depth):
        row = state * actions + sequence // scale
        sequence %= scale
        scale //= actions
        gain += weight * reward[row]
        weight *= discount
        state = np.int64(succ[row])
        if terminal[state]:
            weight = 0.0
            break
    return state, gain, weight


@law
def merge(leaves, begin, end):
    """Leaves out what never exceeds another leaf of the same action, and counts equal ones; where the rest ends."""
    floor = -np.inf
    for i in range(begin, end):
        floor = max(floor, leaves[i, WORST])
    kept = begin
    for i in range(begin, end):
        found = leaves[i, BEST] < floor
        for j in range(begin, kept):
            if found:
                break
            found = True
            for column in range(SKEW + 1):
                found &= leaves[i, column] == leaves[j, column]
            if found:
                leaves[j, COPIES] += 1.0
        if not found:
            for column in range(KIND + 1):
                leaves[kept, column] = leaves[i, column]
            kept += 1
    return kept


@kernel
def gather(succ, reward, terminal, actions, discount, depth, moments, best, worst, state, noise, leaves, ends):
    """The different leaves of a state, those of each first action together: they end before `ends[action]`."""
    each, filled = 1, 0
    for _ in range(depth - 1):
        each *= actions
    for action in range(actions):
        begin = filled
        for sequence in range(action * each, (action + 1) * each):
            at, gain, weight = follow(succ, reward, terminal, actions, discount, state, sequence, depth)
            set_leaf(
                leaves[filled], gain + weight * moments[at, 0], weight**2 * moments[at, 1], weight**4 * moments[at, 3],
                gain + weight * best[at], gain + weight * worst[at], noise,
            )  # fmt: skip
            filled += 1
        filled = merge(leaves, begin, filled)
        ends[action] = filled


@law
def highest(leaves, begin, end):
    """The leaf with the largest mean."""
    found = begin
    for i in range(begin, end):
        if leaves[i, AVERAGE] > leaves[found, AVERAGE]:
            found = i
    return found


@kernel
def drop(leaves, ends, m, negligible, relative, absolute, leads, live):
    """Finds the highest leaf of each action, and the `live` actions, which may look best.

    Returns a bound on the probability that another one does: one of its leaves must be above, or the highest of all
    below, a value in between.
    """
    best = leaves[highest(leaves, 0, ends[len(ends) - 1])]
    slack = 2.0 * (relative * abs(best[AVERAGE]) + absolute)
    total, begin = 0.0, 0
    for action in range(len(ends)):
        leads[action] = highest(leaves, begin, ends[action])
        lead = leaves[leads[action]]
        gap = best[AVERAGE] - lead[AVERAGE]
        ours, theirs = math.sqrt(lead[VARIANCE]), math.sqrt(best[VARIANCE])
        limit = lead[AVERAGE] + gap * (ours / (ours + theirs) if ours + theirs > 0.0 else 0.5)
        chance = 1.0 if gap <= slack else tail(m, best[AVERAGE] - best[WORST], best[VARIANCE], best[AVERAGE] - limit)
        for i in range(begin, ends[action]):
            if chance > negligible:
                break
            leaf = leaves[i]
            above = tail(m, leaf[BEST] - leaf[AVERAGE], leaf[VARIANCE], limit - leaf[AVERAGE])
            chance += leaf[COPIES] * above
        live[action] = chance > negligible
        total += 0.0 if live[action] else chance
        begin = ends[action]
    return total


@law
def prepare(leaves, ends, live, m):
    """Makes the leaves ready for this m; the values between which the best one almost surely lies."""
    first, last, begin = -np.inf, -np.inf, 0
    for action in range(len(ends)):
        for i in range(begin, ends[action] if live[action] else begin):
            leaf = leaves[i]
            start(leaf, m)
            low, high = leaf[WORST], leaf[BEST]
            if leaf[KIND] != CONSTANT:
                low = max(low, leaf[AVERAGE] - far(leaf, m, leaf[AVERAGE] - leaf[WORST]))
                high = min(high, leaf[AVERAGE] + far(leaf, m, leaf[BEST] - leaf[AVERAGE]))
            first, last = max(first, low), max(last, high)
        begin = ends[action]
    return first, last


@law
def rank(values, ranked):
    """The positions of the values, the largest first."""
    for i in range(len(values)):
        j = i
        while j > 0 and values[ranked[j - 1]] < values[i]:
            ranked[j] = ranked[j - 1]
            j -= 1
        ranked[j] = i


@kernel
def expected_failure(leaves, ends, live, leads, failure, m, relative, absolute, ranked, least, most, held, chance):
    """The expected failure after the first action of the best leaf, ties going to the worst action, at most.

    It is Σ (f_j - f_j+1) · P(one of the j actions of largest failure has a leaf as good as all others), f in descending
    order. Such a probability grows if the leaves of these actions grow and the others shrink, so it is largest at the
    ends of the envelopes: the sum over intervals of (growth of the product of the former's least) × (product of the
    latter's most at the end of the interval).
    """
    actions = len(ends)
    rank(failure, ranked)
    first, last = prepare(leaves, ends, live, m)
    x = first - 2.0 * (relative * abs(first) + absolute)
    for j in range(actions):
        held[j], chance[j] = 0.0, 0.0
    while True:
        slack = relative * abs(x) + absolute
        following, begin = last, 0
        for action in range(actions):
            least[action], most[action] = 1.0, 1.0
            for i in range(begin, ends[action] if live[action] else begin):
                below, above = envelope(leaves[i], m, x, slack)
                if leaves[i, COPIES] > 1.0:
                    below, above = below ** leaves[i, COPIES], above ** leaves[i, COPIES]
                least[action] *= below
                most[action] *= above
                if above == 0.0:
                    break
            if live[action]:
                following = min(following, next_point(leaves[leads[action]], m, x, slack, FINENESS))
            begin = ends[action]
        for j in range(actions - 2, -1, -1):
            most[ranked[j]] *= most[ranked[j + 1]]
        worse = 1.0
        for j in range(1, actions):
            worse *= least[ranked[j - 1]]
            grown = max(0.0, worse - held[j])
            chance[j] += grown * most[ranked[j]]
            held[j] += grown
        if x >= last or held[actions - 1] > 1.0 - 1e-7:
            break
        x = following
    result = failure[ranked[actions - 1]]
    for j in range(1, actions):
        result += (failure[ranked[j - 1]] - failure[ranked[j]]) * min(1.0, chance[j] + 1.0 - held[j])
    return result


@kernel
def fail(
    succ, reward, terminal, actions, discount, depth, moments, best, worst, states, outcomes, ms, negligible, relative,
    absolute, after, now, leaves, ends, leads, ranked, live, work,
):  # fmt: skip
    """`now[i, j]`: with `ms[j]` episodes GORP fails from the i-th of the `states` on with at most this probability.

    `after` has those one step later, to which the `outcomes` of actions point. Where the actions that may look best
    differ by next to nothing in what follows, the worst of them is as good as any.
    """
    failure, least, most, held, chance = work[0], work[1], work[2], work[3], work[4]
    for i in range(len(states)):
        gathered = False
        for j in range(len(ms)):
            low, high = np.inf, -np.inf
            for action in range(actions):
                outcome = outcomes[i, action]
                failure[action] = 1.0 if outcome == FAILS else 0.0 if outcome == ENDS else after[outcome, j]
                low, high = min(low, failure[action]), max(high, failure[action])
            now[i, j] = high
            if high - low <= negligible:
                continue
            if not gathered:
                gather(
                    succ, reward, terminal, actions, discount, depth, moments, best, worst, np.int64(states[i]),
                    absolute, leaves, ends,
                )  # fmt: skip
                gathered = True
            dropped = drop(leaves, ends, ms[j], negligible / actions, relative, absolute, leads, live)
            low, worst_live = np.inf, -np.inf
            for action in range(actions):
                if live[action]:
                    low, worst_live = min(low, failure[action]), max(worst_live, failure[action])
            found = worst_live
            if worst_live - low > negligible:
                for action in range(actions):
                    failure[action] = failure[action] if live[action] else low
                found = expected_failure(
                    leaves, ends, live, leads, failure, ms[j], relative, absolute, ranked, least, most, held, chance
                )  # fmt: skip
            now[i, j] = min(high, found + dropped)
