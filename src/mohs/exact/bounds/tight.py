"""How long is the effective horizon at most, by bounding the failure probability of GORP at every step?

Laidlaw et al. (2023, appendix) bound the probability p_t(s) that GORP, with k steps of look-ahead and m episodes for
each sequence of actions, does not stay optimal from an optimal state s on. It is the sum over sequences of P(it looks
best) · f(its first action), f being 1 for an action that is not optimal and p_t+1(where it leads) for one that is; p is
the largest sum that the bounds on these probabilities allow. With p_0(start) ≤ ½, m episodes suffice.

What is known of the mean of m returns is an envelope of its distribution function (`envelope_kernels`). The authors
bound the probability of each sequence by sums over quantiles .01 apart, and find the largest sum in that box by a
linear program. Here the nested sets of the actions with the largest f are bounded, P(one of them looks as good as all
others), and the largest sum is found greedily: the worst actions get what they can have, the next worse what is left.
This is never more than the box allows, where a tie counts once for each sequence in it (0.58 against 0.39 for m = 2 in
the `maze` of the BRIDGE data). Ties go against GORP, so that the bound holds whichever way they are broken. The
authors' sums over returns of two values begin above the lowest, and so leave out the most frequent tie, that no episode
earned anything; here it counts. On their files this makes m = 270 instead of 244 (KeyCorridor) and 2 as theirs (maze).

With a discount below 1, GORP compares discounted returns; what is optimal is judged without.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from mohs.core.domain import Integer, Real
from mohs.core.errors import UsageError
from mohs.exact.bounds import tight_kernels as kernels
from mohs.exact.bounds.envelope_kernels import COLUMNS
from mohs.exact.lookahead.qvi import TIES
from mohs.exact.values.distribution import backward_moments
from mohs.exact.values.solve import backward, finite_frame
from mohs.exact.values.solve_kernels import BEST, backup
from mohs.tables.table import Float, Table

MOST_SEQUENCES = 1000
LARGEST = 2**20  # number of sequences that there is memory for
MOST_EPISODES = 1e40
MAX_BYTES = 4 * 2**30  # of the states that an optimal policy can be in at every step, with their actions
CLEAR = 1e-3  # a failure probability so near to 0 or 1 does not locate ½
PRECISION = 1.01  # m is at most this many times an m that is not known to suffice
NEAR = 1.0045  # on both sides of where it is likely to be
NEGLIGIBLE = 1e-3  # added to the failure probability at most, to pass over states where no action matters
_ROUNDING = 2.0**-52
_NO_CHOICE = np.empty(0, dtype=np.int32)


@dataclass(frozen=True)
class TightBound:
    """`m` episodes suffice with `k` steps of look-ahead; None where no m and k within the limit are known to.

    `ks` has every k that was looked at, with its m: infinite where no m is known to suffice, or none that would make
    the bound smaller than a smaller k does. GORP is `charged` T² · A^k · m steps.
    """

    effective_horizon: float
    k: int | None
    m: int | None
    ks: tuple[tuple[int, float], ...]
    charged: float


@dataclass(frozen=True, eq=False)
class _Step:
    """The states that an optimal policy can be in before a step, and the outcome of each action there."""

    states: npt.NDArray[np.int32]
    outcomes: npt.NDArray[np.int32]  # [states, actions]: a position among the next step's states, or FAILS, or ENDS


def tight_bound(
    table: Table, *, horizon: int | None = None, discount: float | None = None, most: int | None = None,
    tolerance: float = TIES,
) -> TightBound:  # fmt: skip
    """The least k + log_A m over the k of which there are at most `most` sequences (1,000 by default; k = 1 always).

    The bound on the failure need not fall with m everywhere: the m found is one with which it is at most ½, and it is
    larger than ½ with one that is a hundredth, or by 1, smaller.
    """
    steps, gamma = _frame(table, horizon, discount)
    limit = MOST_SEQUENCES if most is None else Integer(1, LARGEST).parse("most", most)
    path = tuple(_optimal_path(table, steps, tolerance))
    ks: list[tuple[int, float]] = []
    best_k, best_m, cap = 0, math.inf, MOST_EPISODES
    k = 1
    while k <= steps and cap >= 1 and (k == 1 or table.actions**k <= limit):
        m = _least(partial(_failures, table, path, k, gamma), cap)
        ks.append((k, m))
        if m < math.inf:
            best_k, best_m = k, m
        k += 1
        cap = MOST_EPISODES if best_m == math.inf else (best_m - 1) // table.actions ** (k - best_k)
    if best_m == math.inf:
        return TightBound(math.inf, None, None, tuple(ks), math.inf)
    charged = float(steps**2 * table.actions**best_k * best_m)
    return TightBound(best_k + math.log(best_m, table.actions), best_k, int(best_m), tuple(ks), charged)


def failure(
    table: Table,
    k: int,
    m: float,
    *,
    horizon: int | None = None,
    discount: float | None = None,
    tolerance: float = TIES,
) -> float:
    """GORP with these k and m finds no optimal policy with at most this probability."""
    steps, gamma = _frame(table, horizon, discount)
    depth = Integer(1, steps).parse("k", k)
    if table.actions**depth > LARGEST:
        raise UsageError(f"{table.actions} actions have more than {LARGEST:,} sequences of k = {k}.")
    path = tuple(_optimal_path(table, steps, tolerance))
    return float(_failures(table, path, depth, gamma, np.array([Real(1, MOST_EPISODES).parse("m", m)]))[0])


def _frame(table: Table, horizon: int | None, discount: float | None) -> tuple[int, float]:
    if not table.deterministic:
        raise UsageError("the tight bound is for deterministic tables.")
    if table.actions < 2:
        raise UsageError("the tight bound is for at least two actions.")
    steps, gamma = finite_frame(table, horizon, discount)
    if steps < 1:
        raise UsageError("the tight bound needs a horizon of at least one step.")
    return steps, gamma


def _least(failures: Callable[[Float], Float], most: float) -> float:
    """The smallest m up to `most` found with a failure probability of at most ½; infinite if there is none.

    A failure probability is close to a logistic function of log m, so two of them locate ½. Every third
    guess is made without, so that the search ends soon whatever the function.
    """
    tried: dict[float, float] = {}
    ms, fits = np.unique([1.0, most]), 0
    while True:
        tried.update(zip(ms.tolist(), failures(ms).tolist(), strict=True))
        high = min((m for m, p in tried.items() if p <= 0.5), default=math.inf)
        low = max((m for m in tried if m < high), default=0.0)
        if high == math.inf or high <= max(low + 1, PRECISION * low):
            return high
        if fits < 2 and tried[low] < 1 - CLEAR and tried[high] > CLEAR:
            more, less = (math.log(tried[m] / (1 - tried[m])) for m in (low, high))
            likely = low * (high / low) ** (more / (more - less))
            ms, fits = np.array([likely / NEAR, likely * NEAR + 1]), fits + 1
        else:
            ms, fits = np.geomspace(low, high, 5)[1:-1], 0
        ms = np.unique(np.clip(np.floor(ms), low + 1, high - 1))


def _failures(table: Table, path: tuple[_Step, ...], k: int, discount: float, ms: Float) -> Float:
    """For each m, the probability that GORP fails, from the last step back to the start."""
    steps, width = len(path), table.actions
    count = width ** min(k, steps)
    leaves = np.zeros((count, COLUMNS))
    ends, leads, ranked = np.zeros((3, width), dtype=np.int64)
    live, work = np.zeros(width, dtype=np.bool_), np.zeros((5, width))
    # Sums of equal rewards in another order differ by rounding: relative to the sum, unless positive and negative ones
    # may cancel.
    mixed = bool(table.reward.min() < 0 < table.reward.max())
    size = float(np.abs(table.reward).max())
    frames: deque[tuple[Float, ...]] = deque(maxlen=k + 1)
    after = np.zeros((0, len(ms)))
    backwards = zip(
        backward_moments(table, "mean", horizon=steps, discount=discount),
        backward(table, "best", horizon=steps, discount=discount),
        backward(table, "worst", horizon=steps, discount=discount),
        strict=True,
    )
    for left, frame in enumerate(backwards):
        frames.append(tuple(part.copy() for part in frame))
        if left == 0:
            continue
        depth, noise = min(k, left), left * _ROUNDING
        step = path[steps - left]
        now = np.zeros((len(step.states), len(ms)))
        kernels.fail(
            table.succ, table.reward, table.terminal, width, discount, depth, *frames[-1 - depth], step.states,
            step.outcomes, ms, NEGLIGIBLE / steps, 0.0 if mixed else noise, noise * size * left if mixed else 0.0,
            after, now, leaves, ends, leads, ranked, live, work,
        )  # fmt: skip
        after = now
    return np.asarray(table.initial[path[0].states] @ after)


def _optimal_path(table: Table, steps: int, tolerance: float) -> Iterator[_Step]:
    """The states that optimal actions lead to from the start, step by step."""
    succ = table.succ.reshape(table.states, table.actions)
    reward = table.reward.reshape(table.states, table.actions)
    place = np.zeros(table.states, dtype=np.int32)
    states = np.flatnonzero((table.initial > 0) & ~table.terminal).astype(np.int32)
    places = 0
    for t, later in enumerate(_optima_after(table, steps)):
        places += len(states)
        if places * (table.actions + 1) * states.itemsize > MAX_BYTES:
            raise UsageError(
                f"optimal policies visit more than {places:,} states, summed over steps: "
                "the tight bound needs too much memory."
            )
        leads = succ[states]
        q = reward[states] + later[leads]
        optimal = q >= q.max(axis=1, keepdims=True) - tolerance
        goes_on = optimal & ~table.terminal[leads] & (t + 1 < steps)
        following = np.unique(leads[goes_on])
        place[following] = np.arange(len(following), dtype=np.int32)
        outcomes = np.where(goes_on, place[leads], np.where(optimal, kernels.ENDS, kernels.FAILS))
        yield _Step(states, outcomes.astype(np.int32))
        states = following


def _optima_after(table: Table, steps: int) -> Iterator[Float]:
    """The optimum of every state after 1, 2, …, T steps. It is found backwards and kept for some steps only."""
    stride = math.isqrt(steps) + 1
    kept = []
    for left, values in enumerate(backward(table, horizon=steps - 1, discount=1.0)):
        if left % stride == 0:
            kept.append((left, values.copy()))
    last = steps - 1
    for left, values in reversed(kept):
        block = [values]
        while left + len(block) <= last:
            block.append(np.zeros(table.states))
            backup(*table.arrays, 1.0, BEST, block[-2], block[-1], _NO_CHOICE)
        yield from reversed(block)
        last = left - 1
