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
from mohs.exact.lookahead.qvi import TIES, rounding, solvable
from mohs.exact.lookahead.qvi_kernels import NOISE
from mohs.exact.measures.table_measures_kernels import spread
from mohs.exact.values.solve import finite_frame
from mohs.tables.rows import first_entry, prob_of
from mohs.tables.table import Float, Table

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

    `tolerance` is that of `qvi.solvable`; actions are not greedy if they differ in Qᵏ by more than rounding.
    """
    if table.actions < 2:
        raise UsageError("the stochastic effective horizon is for tables of at least two actions.")
    steps, gamma = finite_frame(table, horizon, discount)
    if steps < 1:
        raise UsageError("the stochastic effective horizon needs a horizon of at least one step.")
    reached = _reached(table, steps)
    scale = _range(table, steps, gamma) or 1.0
    count = 1
    while True:  # small k are the common case, and the work grows with k
        works = solvable(table, count, horizon=steps, discount=gamma, tolerance=tolerance)
        gaps = np.minimum(1.0, _gaps(table, count, gamma, reached) / scale)
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
    floor = rounding(table)
    values, after = np.zeros((2, table.states, count + 1))
    q, gaps = np.zeros((table.actions, count)), np.full(count, np.inf)
    for bits in reached[::-1]:
        counts = np.unpackbits(bits, count=table.states).astype(np.bool_)
        gap_step(*table.arrays, discount, floor, counts, after, values, q, gaps)
        after, values = values, after
    return gaps


@kernel
def gap_step(indptr, succ, prob, reward, terminal, actions, discount, floor, counts, after, values, q, gaps):
    """One step back in time, for all k at once: `values[s, 0]` is the random policy's, `values[s, k]` the largest Qᵏ.

    `gaps[k - 1]` falls to the smallest gap among the states that count. `q` [A, K] is scratch.
    """
    for state in range(len(terminal)):
        for k in range(len(gaps) + 1):
            values[state, k] = 0.0
        if terminal[state]:
            continue
        for action in range(actions):
            row = state * actions + action
            begin, end = (row, row + 1) if len(indptr) == 0 else (indptr[row], indptr[row + 1])
            for k in range(len(gaps)):
                q[action, k] = 0.0
            for entry in range(begin, end):
                weight, leads = 1.0 if len(indptr) == 0 else prob[entry], succ[entry]
                for k in range(len(gaps)):
                    q[action, k] += weight * (reward[entry] + discount * after[leads, k])
            values[state, 0] += q[action, 0] / actions
        for k in range(len(gaps)):
            largest, second = -np.inf, -np.inf
            for action in range(actions):
                largest = max(largest, q[action, k])
            for action in range(actions):
                if q[action, k] < largest - NOISE * abs(largest) - floor:
                    second = max(second, q[action, k])
            values[state, k + 1] = largest
            if counts[state]:
                gaps[k] = min(gaps[k], largest - second)
