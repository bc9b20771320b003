"""How long is the stochastic effective horizon? The look-ahead, and the precision needed to rank actions.

Laidlaw et al. 2024, *The Effective Horizon Explains Deep RL Performance in Stochastic Environments*, Definitions 3.1 to
3.3: the k-gap Δ_k is the smallest difference, over steps and states, between the largest Qᵏ and the largest Qᵏ of an
action that is not greedy. H̄_k is k + log_A(1 / Δ_k²) if the task is k-QVI-solvable, else infinite, and H̄ is the
smallest of them: SQIRL needs A^H̄ episodes up to other factors.

The paper takes all steps and states, so an unreachable state could decide. Here a state counts at a step
if some policy can be in it at that step. The paper's returns lie in [0, 1]: gaps are divided by the
difference between the largest and the smallest return that an episode can come to (discounted where Qᵏ is). Where all
actions are always equal, the gap counts as 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.kernel import kernel
from mohs.exact.lookahead import ranks
from mohs.exact.lookahead.qvi import TIES, solvable
from mohs.exact.lookahead.qvi_kernels import UNIT, sum_up
from mohs.exact.lookahead.ranks_kernels import NO_KEY, apart
from mohs.exact.measures.table_measures_kernels import spread
from mohs.exact.values.solve import finite_frame
from mohs.tables.rows import first_entry, prob_of
from mohs.tables.table import Float, Table

MAX_BYTES = 4 * 2**30  # of the exact values of random play at all steps
_EQUAL = 1e-9  # lengths that differ by less are equal, and the smallest k is the one


@dataclass(frozen=True)
class StochasticHorizon:
    """H̄ with the k and the gap that attain it; None where no look-ahead that was tried solves the task.

    `gaps[k - 1]` is the k-gap and `solvable[k - 1]` whether the task is k-QVI-solvable, for every k that was tried.
    """

    effective_horizon: float | None
    k: int | None
    gap: float | None
    gaps: tuple[float, ...]
    solvable: tuple[bool, ...]


def stochastic_horizon(
    table: Table, *, horizon: int | None = None, discount: float | None = None, tolerance: float = TIES
) -> StochasticHorizon:
    """The least k + log_A(1 / Δ_k²). With a discount below 1 Qᵏ is discounted, and optimality is judged without.

    `tolerance` is that of `qvi.solvable`. Ties in Qᵏ are decided as there, by exact integers or by bounds on the
    rounding error; values whose bounds overlap are tied.
    """
    if table.actions < 2:
        raise UsageError("the stochastic effective horizon is for tables of at least two actions.")
    steps, gamma = finite_frame(table, horizon, discount)
    if steps < 1:
        raise UsageError("the stochastic effective horizon needs a horizon of at least one step.")
    reached = _reached(table, steps)
    scale = _range(table, steps, gamma) or 1.0
    rewards = ranks.units(table, steps, gamma)
    exact = None if rewards is None else ranks.all_ranked(table, rewards, steps, MAX_BYTES)
    count = 1
    while True:  # small k are the common case, and the work grows with k
        works = solvable(table, count, horizon=steps, discount=gamma, tolerance=tolerance)
        if rewards is None or exact is None:
            found = _gaps(table, count, gamma, reached)
        else:
            found = _exact_gaps(table, rewards, exact, count, reached)
        gaps = np.minimum(1.0, found / scale)
        lengths = np.where(works, np.arange(1, count + 1) - 2 * np.log(gaps) / math.log(table.actions), math.inf)
        best = float(lengths.min())
        # A larger k alone would be as long.
        most = min(steps, math.ceil(best - _EQUAL) - 1) if best < math.inf else steps
        if count >= most:
            break
        count = min(most, 4 * count)
    looked = tuple(gaps.tolist()), tuple(works.tolist())
    if best == math.inf:
        return StochasticHorizon(None, None, None, *looked)
    k = int(np.argmax(lengths <= best + _EQUAL)) + 1
    return StochasticHorizon(best, k, float(gaps[k - 1]), *looked)


def _range(table: Table, steps: int, discount: float) -> float:
    """The difference between the largest and the smallest possible return of an episode."""
    found = []
    for sign in (1.0, -1.0):
        now, after = np.zeros((2, table.states))
        for _ in range(steps):
            luckiest(*table.arrays, discount, sign, after, now)
            now, after = after, now
        found.append(sign * float(after[table.initial > 0].max()))
    return found[0] - found[1]


@kernel
def luckiest(indptr, succ, prob, reward, terminal, actions, discount, sign, after, now):
    """The largest return, times `sign`, that any action and any outcome of it can lead to."""
    for state in range(len(terminal)):
        now[state] = 0.0
        if terminal[state]:
            continue
        best = -np.inf
        for entry in range(first_entry(state * actions, indptr), first_entry((state + 1) * actions, indptr)):
            if prob_of(entry, prob) > 0.0:
                best = max(best, sign * reward[entry] + discount * after[succ[entry]])
        now[state] = best


def _reached(table: Table, steps: int) -> npt.NDArray[np.uint8]:
    """[T, S]: whether a state is reachable in exactly t steps, as bits, eight states to a byte."""
    now, after = table.initial > 0, np.zeros(table.states, dtype=np.bool_)
    bits = np.zeros((steps, (table.states + 7) // 8), dtype=np.uint8)
    for t in range(steps):
        bits[t] = np.packbits(now)
        spread(*table.arrays, now, after)
        now, after = after, now
    return bits


def _gaps(table: Table, count: int, discount: float, reached: npt.NDArray[np.uint8]) -> Float:
    """The k-gaps for k = 1 .. count, infinite where no action is ever better than another."""
    values, after, errors, errors_after = np.zeros((4, table.states, count + 1))
    (q, q_errors), gaps = np.zeros((2, table.actions, count)), np.full(count, np.inf)
    for bits in reached[::-1]:
        counts = np.unpackbits(bits, count=table.states).astype(np.bool_)
        gap_step(*table.arrays, discount, counts, after, values, errors_after, errors, q, q_errors, gaps)
        after, values = values, after
        errors_after, errors = errors, errors_after
    return gaps


@kernel
def gap_step(
    indptr, succ, prob, reward, terminal, actions, discount, counts, after, values, errors_after, errors, q, q_errors,
    gaps,
):  # fmt: skip
    """One step back in time, for all k at once: `values[s, 0]` is the random policy's, `values[s, k]` the largest Qᵏ.

    `errors` bound their rounding errors. `gaps[k - 1]` falls to the smallest gap among the states that count. `q` and
    `q_errors` [A, K] are scratch.
    """
    for state in range(len(terminal)):
        if terminal[state]:
            continue
        values[state, 0], errors[state, 0] = 0.0, 0.0
        for action in range(actions):
            row = state * actions + action
            sum_up(row, indptr, succ, prob, reward, discount, after, errors_after, q[action], q_errors[action])
            part = q[action, 0] / actions
            values[state, 0] += part
            errors[state, 0] += q_errors[action, 0] / actions + UNIT * (abs(part) + abs(values[state, 0]))
        for k in range(len(gaps)):
            largest, surely, second, error = -np.inf, -np.inf, -np.inf, 0.0
            for action in range(actions):
                largest = max(largest, q[action, k])
                surely = max(surely, q[action, k] - q_errors[action, k])
            for action in range(actions):
                if q[action, k] + q_errors[action, k] < surely:
                    second = max(second, q[action, k])
                else:
                    error = max(error, q_errors[action, k])
            values[state, k + 1], errors[state, k + 1] = largest, error
            if counts[state]:
                gaps[k] = min(gaps[k], largest - second)


def _exact_gaps(
    table: Table, rewards: ranks.Units, exact: ranks.AllRanked, count: int, reached: npt.NDArray[np.uint8]
) -> Float:
    """The same by exact keys."""
    keys, after = np.zeros((2, table.states, count + 1), dtype=np.int64)
    gaps, scratch = np.full(count, np.inf), np.zeros(exact.part.shape[1], dtype=np.uint64)
    for t in reversed(range(len(reached))):
        counts = np.unpackbits(reached[t], count=table.states).astype(np.bool_)
        after[:, 0] = exact.keys[t + 1]
        rank_gap_step(
            table.succ, rewards.gains, table.terminal, table.actions, exact.span, t, counts, after, keys, exact.part,
            exact.first, exact.denominators, exact.mantissas, exact.exponents, scratch, gaps,
        )  # fmt: skip
        after, keys = keys, after
    return np.asarray(gaps * rewards.size)


@kernel
def rank_gap_step(
    succ, gains, terminal, actions, span, t, counts, after, keys, part, begin, denominators, mantissas, exponents,
    scratch, gaps,
):  # fmt: skip
    """One step back in time for exact keys; gaps are in units. The caller sets the keys of k = 0."""
    for state in range(len(terminal)):
        if terminal[state]:
            continue
        first = state * actions
        for k in range(len(gaps)):
            largest, second = NO_KEY, NO_KEY
            for row in range(first, first + actions):
                key = gains[row] * span + after[succ[row], k]
                if key > largest:
                    largest, second = key, largest
                elif second < key < largest:
                    second = key
            keys[state, k + 1] = largest
            if counts[state] and second != NO_KEY:
                end = min(t + 1 + k, len(begin) - 1)
                gap = apart(
                    largest, second, span, part[begin[end] :], denominators[end], mantissas[end], exponents[end],
                    scratch,
                )  # fmt: skip
                gaps[k] = min(gaps[k], gap)
