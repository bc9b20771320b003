"""How is one run of GORP simulated on a deterministic table, and did it find an optimal policy?

The table is prepared once for many runs: successors and rewards side by side, and the optimal actions of each step as
bits, so that a run can stop at the first sub-optimal action.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mohs.core import seeding
from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.core.task import SEED
from mohs.exact.lookahead import gorp_kernels as kernels
from mohs.exact.lookahead.qvi import TIES
from mohs.exact.values.solve import finite_frame, values
from mohs.tables.table import Float, Table

MAX_SEQUENCES = 2**27
MAX_EPISODES = 2**31  # of each sequence
MAX_MARKS = 2**32  # bytes of optimal actions; where there would be more, every run is whole


@dataclass(frozen=True)
class Run:
    """The T actions that GORP fixed and their undiscounted return. `simulated` is the number of steps taken."""

    actions: tuple[int, ...]
    value: float
    optimal: bool
    charged: int
    simulated: int


@dataclass(frozen=True, eq=False)
class Arena:
    """A table, prepared for many runs."""

    entries: npt.NDArray[np.void]
    actions: int
    steps: int
    weights: Float  # of the rewards after 0, 1, … steps
    firsts: npt.NDArray[np.uint64]  # the first row of each start state, or the number of rows where nothing begins
    cumulative: Float  # probabilities of the start states
    best: Float  # the undiscounted optimum of each start state
    marks: npt.NDArray[np.uint8]  # [steps, states, bytes], the optimal actions as bits; empty: runs are whole


def prepare(table: Table, horizon: int | None, discount: float | None, *, marked: bool = True) -> Arena:
    """Prepares a table. Without `marked` optimal actions every run is complete."""
    if not table.deterministic:
        raise UsageError("GORP is for deterministic tables; the agent sqirl is for stochastic tasks.")
    steps, gamma = finite_frame(table, horizon, discount)
    if steps < 1:
        raise UsageError("GORP needs a horizon of at least one step.")
    starts = np.flatnonzero(table.initial)
    firsts = np.where(table.terminal[starts], len(table.succ), starts * table.actions).astype(np.uint64)
    best, marks = _optimum(table, steps, marked)
    cumulative = np.cumsum(table.initial[starts])
    weights = np.power(gamma, np.arange(steps, dtype=np.float64))
    return Arena(_entries(table), table.actions, steps, weights, firsts, cumulative, best[starts], marks)


def play(arena: Arena, k: int, m: int, seed: int, numbers: Sequence[int]) -> Iterator[Run]:
    """The runs with these numbers. A run that stopped early has the actions up to there, and is not optimal."""
    k, m = Integer(1, arena.steps).parse("k", k), Integer(1, MAX_EPISODES).parse("m", m)
    sequences = arena.actions**k
    if most(arena, k) == 0:
        raise UsageError(f"{arena.actions} actions make {sequences:,} sequences of {k}, more than {MAX_SEQUENCES:,}.")
    stream = seeding.key(seeding.child(SEED.parse("seed", seed), "gorp", k, m))
    keys = seeding.hashes(stream, (max(numbers, default=-1) + 1,))
    draws = (seeding.mix64(keys) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    lanes, q, sizes = np.zeros(kernels.LANES, kernels.LANE), np.empty(sequences), np.empty(sequences)
    chosen = np.empty(arena.steps, dtype=np.int64)
    for number in numbers:
        start = min(int(np.searchsorted(arena.cumulative, draws[number], side="right")), len(arena.firsts) - 1)
        fixed, value, simulated = kernels.run(
            arena.entries, arena.actions, k, m, arena.weights, keys[number], arena.firsts[start], arena.marks, lanes,
            q, sizes, chosen,
        )  # fmt: skip
        optimal = fixed == arena.steps and value >= arena.best[start] - TIES
        charged = charge(arena.steps, arena.actions, k, m)
        yield Run(tuple(chosen[:fixed].tolist()), value, bool(optimal), charged, simulated)


def most(arena: Arena, k: int) -> int:
    """The largest m that can be simulated with k; 0 where there are too many sequences."""
    return MAX_EPISODES if arena.actions**k <= MAX_SEQUENCES else 0


def charge(steps: int, actions: int, k: int, m: int) -> int:
    """The steps of a run in the environment itself, where every episode begins at the start and counts as T steps."""
    return int(steps**2 * actions**k * m)


def _entries(table: Table) -> npt.NDArray[np.void]:
    """Successor and reward of each row side by side, in single precision where that is exact."""
    rows = len(table.succ)
    small = rows < 2**32 and bool(np.all(table.reward.astype(np.float32) == table.reward))
    entries = np.empty(rows, dtype=kernels.SMALL_ENTRY if small else kernels.LARGE_ENTRY)
    first = entries["first"]
    first[:] = table.succ
    first *= first.dtype.type(table.actions)
    first[table.terminal[table.succ]] = rows
    entries["reward"] = table.reward
    return entries


def _optimum(table: Table, steps: int, marked: bool) -> tuple[Float, npt.NDArray[np.uint8]]:
    """The optimum of each state and, if asked and not too large, the optimal actions at each step."""
    shape = (steps, table.states, -(-table.actions // 8))
    if not marked or math.prod(shape) > MAX_MARKS:
        return values(table, "best", horizon=steps, discount=1.0), np.zeros((0, 0, 0), dtype=np.uint8)
    marks = np.zeros(shape, dtype=np.uint8)
    after, now = np.zeros(table.states), np.zeros(table.states)
    for t in reversed(range(steps)):
        kernels.optimal_step(table.succ, table.reward, table.terminal, table.actions, TIES, after, now, marks[t])
        after, now = now, after
    return after, marks
