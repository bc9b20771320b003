"""Does SQIRL find an optimal policy of a table, and with how many episodes?

Laidlaw et al. 2024 (*The Effective Horizon Explains Deep RL Performance in Stochastic Environments*, Algorithm 1), with
tabular regression: for one step t after another, m episodes follow the policy found so far up to t and are random from
there on. The value of a state and action at step t + k - 1 is the mean return from there on; k - 1 steps of fitted
Q-iteration, each a mean of reward + the best value of the next state, lead back to t, where the policy is greedy from
then on. All episodes together count as T² · m steps.

Means are over what was seen: an action that was not tried in a state is neither chosen there nor counted among its
best, and in a state that was not visited at a step the policy is to act at random. Between equal actions a draw
decides. Returns may be discounted while it learns; its policy is judged by its exact value without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core import seeding
from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.core.task import SEED
from mohs.exact.lookahead import sqirl_kernels as kernels
from mohs.exact.lookahead.qvi import TIES
from mohs.exact.lookahead.trials import Outcome, Success, probe, success_of
from mohs.exact.values.solve import finite_frame, returns
from mohs.tables.table import Float, Table

MAX_SEEN = 2**25  # steps of all episodes that are kept at once
MAX_POLICY = 2**29  # steps × states
RESOLUTION = 1 / 16  # relative, of m: a hundred runs cannot resolve more
LOOKS = 3  # interim analyses of a probe; the number of runs doubles from one to the next


@dataclass(frozen=True, eq=False)
class Run:
    """`policy[t, s]` is the action after t steps, -1: at random; `value` its exact undiscounted return.

    `simulated` is the number of steps taken, `charged` is T² · m.
    """

    policy: npt.NDArray[np.int32]
    value: float
    optimal: bool
    charged: int
    simulated: int


@dataclass(frozen=True)
class SqirlHorizon:
    """The k that needs the fewest episodes to succeed in half of the runs; None if none does within the budget.

    `episodes` are T · m and the sample complexity is T² · m steps. The interval is that of the probability of success,
    from the `runs` with these k and m. `tried` lists all probes; a probe ends early once its outcome is clear.
    """

    k: int | None
    m: int | None
    episodes: int | None
    sample_complexity: int | None
    interval: tuple[float, float] | None
    runs: int
    tried: tuple[Success, ...]
    budget: int


def sqirl(
    table: Table, k: int, m: int, *, horizon: int | None = None, discount: float | None = None, seed: int = 0,
    run: int = 0, tolerance: float = TIES,
) -> Run:  # fmt: skip
    """One run. It depends on the table, k, m, the seed and the number of the run only."""
    (found,) = _play(_ready(table, horizon, discount, tolerance), k, m, seed, [Integer(0).parse("run", run)])
    return found


def sqirl_success(
    table: Table, k: int, m: int, runs: int, *, horizon: int | None = None, discount: float | None = None,
    seed: int = 0, tolerance: float = TIES,
) -> Success:  # fmt: skip
    """How often the policy is optimal, within `tolerance` of its return, over the runs 0, 1, …"""
    ready = _ready(table, horizon, discount, tolerance)
    return success_of(k, m, _outcomes(ready, k, m, seed, range(Integer(1).parse("runs", runs))))


def sqirl_horizon(
    table: Table,
    *,
    horizon: int | None = None,
    discount: float | None = None,
    most: int = 5,
    runs: int = 100,
    budget: int = 10_000_000,
    seed: int = 0,
    tolerance: float = TIES,
    progress: Callable[[str], None] | None = None,
) -> SqirlHorizon:
    """Searches k = 1 .. most and for each k the smallest m, while a run is charged no more than the budget.

    A larger k is tried only with fewer episodes than the best so far. m is found to within 1/16 of its value.
    """
    ready = _ready(table, horizon, discount, tolerance)
    count, limit = Integer(1).parse("runs", runs), Integer(1).parse("budget", budget) // ready.steps**2
    tried: list[Success] = []

    def judged(k: int, m: int) -> Success:
        found = probe(lambda numbers: _outcomes(ready, k, m, seed, numbers), k, m, count, LOOKS)
        tried.append(found)
        if progress is not None:
            progress(str(found))
        return found

    best: Success | None = None
    for k in range(1, min(ready.steps, Integer(1).parse("most", most)) + 1):
        found = _least(judged, k, limit if best is None else best.m - 1)
        best = found if found is not None else best
    if best is None:
        return SqirlHorizon(None, None, None, None, None, count, tuple(tried), budget)
    episodes = ready.steps * best.m
    return SqirlHorizon(
        best.k, best.m, episodes, ready.steps * episodes, best.interval, best.runs, tuple(tried), budget
    )  # fmt: skip


def _least(judged: Callable[[int, int], Success], k: int, most: int) -> Success | None:
    """The smallest m up to `most` that succeeds in half of the runs, by doubling and then bisection."""
    low, best = 0, None
    while low < most and (best is None or best.m - low > max(1, RESOLUTION * best.m)):
        found = judged(k, min(max(1, 2 * low), most) if best is None else (low + best.m) // 2)
        if found.likely:
            best = found
        else:
            low = found.m
    return best


@dataclass(frozen=True, eq=False)
class _Ready:
    """A table, prepared for many runs."""

    table: Table
    steps: int
    discount: float
    starts: npt.NDArray[np.int64]
    cumulative: Float  # probabilities of the start states
    enough: float  # the smallest return of an optimal policy


def _ready(table: Table, horizon: int | None, discount: float | None, tolerance: float) -> _Ready:
    steps, gamma = finite_frame(table, horizon, discount)
    if steps < 1:
        raise UsageError("SQIRL needs a horizon of at least one step.")
    if steps * table.states > MAX_POLICY:
        raise UsageError(
            f"a policy of {steps:,} steps × {table.states:,} states is larger than {MAX_POLICY:,} actions."
        )
    starts = np.flatnonzero(table.initial)
    enough = returns(table, horizon=steps, discount=1.0).optimal - tolerance
    return _Ready(table, steps, gamma, starts, np.cumsum(table.initial[starts]), enough)


def _play(ready: _Ready, k: int, m: int, seed: int, numbers: Sequence[int]) -> Iterator[Run]:
    """The runs with these numbers."""
    k, m = Integer(1, ready.steps).parse("k", k), Integer(1).parse("m", m)
    if k * m > MAX_SEEN:
        raise UsageError(f"{m:,} episodes of {k} steps are more than the {MAX_SEEN:,} steps that are kept at once.")
    table, gamma = ready.table, ready.discount
    episodes = _episodes(k, m)
    fit = _fit(table, m)
    stream = seeding.key(seeding.child(SEED.parse("seed", seed), "sqirl", k, m))
    keys = seeding.hashes(stream, (max(numbers, default=-1) + 1, ready.steps))
    now, after = np.zeros(table.states), np.zeros(table.states)
    for number in numbers:
        policy = np.full((ready.steps, table.states), kernels.UNSEEN, dtype=np.int32)
        simulated = 0
        for t, key in enumerate(keys[number]):
            depth = min(k, ready.steps - t)
            simulated += kernels.collect(
                *table.arrays, ready.starts, ready.cumulative, policy, t, depth, gamma, key, *episodes
            )  # fmt: skip
            size = kernels.regress(table.actions, depth, gamma, *episodes, *fit)
            kernels.decide(table.actions, size, key, *fit, policy[t])
        value = float(kernels.policy_value(*table.arrays, table.initial, policy, now, after))
        yield Run(policy, value, value >= ready.enough, ready.steps**2 * m, simulated)


def _episodes(k: int, m: int) -> tuple[Any, ...]:
    """Room for what m episodes see in k steps: states, actions, rewards, and the returns from the last of them on."""
    return np.zeros((m, k), dtype=np.int32), np.zeros((m, k), dtype=np.int32), np.zeros((m, k)), np.zeros(m)


def _fit(table: Table, m: int) -> tuple[Any, ...]:
    """Room for a regression: sums and counts of every row, the best value of every state, and which were visited."""
    rows = table.states * table.actions
    visited = np.zeros(min(m, table.states), dtype=np.int64)
    return (
        np.zeros(rows), np.zeros(rows, dtype=np.int64), np.zeros(table.states), visited,
        np.zeros(table.states, dtype=np.bool_),
    )  # fmt: skip


def _outcomes(ready: _Ready, k: int, m: int, seed: int, numbers: Sequence[int]) -> list[Outcome]:
    """Whether each run was optimal, and the steps it took; policies are too large to keep."""
    return [(run.optimal, run.simulated) for run in _play(ready, k, m, seed, numbers)]
