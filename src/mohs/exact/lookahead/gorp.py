"""Does GORP (greedy over random policy) find an optimal policy, and which effective horizon does that give?

GORP (Laidlaw et al. 2023, Algorithm 1) fixes one action after another: it tries every sequence of the next k actions
in m episodes that go on at random, and fixes the first action of the sequence with the largest mean return. It is
charged T² · A^k · m steps. The effective horizon is the smallest k + log_A m with which it finds an optimal policy with
probability ½. Returns may be discounted during the search; the policy found is judged by its undiscounted return.

A run plays all of these steps. With `analytic` it draws each choice with its exact probability (`gorp_analytic`), which
takes milliseconds for trillions of steps. Then the final state must determine the return.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.exact.lookahead import gorp_analytic, gorp_runs
from mohs.exact.lookahead.gorp_runs import Run, charge, play, prepare
from mohs.exact.lookahead.trials import Outcome, Success, completed, probe, success_of
from mohs.tables.table import Table

LONG = 8  # the effective horizon that separates easy from hard benchmarks in the paper
LOOKS = 4  # interim analyses of a probe; the number of runs doubles from one to the next
RESOLUTION = 1 / 32  # relative, of m: a hundred runs cannot resolve more


@dataclass(frozen=True)
class GorpHorizon:
    """The smallest k + log_A m that succeeds in half of the runs; None if none does within the budget.

    The interval reaches from the largest m up to which success is significantly rarer than in half of the runs to the
    smallest at which it is significantly more frequent, over all k; its confidence is that of a single probe. `tried`
    lists the probes; a probe ends early once its outcome is clear.
    """

    effective_horizon: float | None
    k: int | None
    m: int | None
    interval: tuple[float, float]
    successes: int | None
    runs: int
    tried: tuple[Success, ...]
    charged: int | None
    budget: int

    def __str__(self) -> str:
        low, high = self.interval
        if not self.tried:
            return f"not measured: a run of GORP takes more than {self.budget:,} steps"
        if self.effective_horizon is None:
            return f"more than {low:.1f}: GORP finds no optimal policy within {self.budget:,} steps"
        found = f"k = {self.k}, m = {self.m}, {self.successes} of {self.runs} runs optimal"
        return f"{self.effective_horizon:.2f}, between {low:.2f} and {high:.2f} ({found})"


def gorp(
    table: Table, k: int, m: int, *, horizon: int | None = None, discount: float | None = None, seed: int = 0,
    run: int = 0,
) -> Run:  # fmt: skip
    """One complete run. It depends on the table, k, m, the seed and the number of the run only."""
    arena = prepare(table, horizon, discount, marked=False)
    (played,) = play(arena, k, m, seed, [Integer(0).parse("run", run)])
    return played


def success(
    table: Table, k: int, m: int, runs: int, *, horizon: int | None = None, discount: float | None = None,
    seed: int = 0, analytic: bool = False,
) -> Success:  # fmt: skip
    """How often GORP finds an optimal policy. Runs are those of `gorp`, stopped at the first sub-optimal action."""
    count = Integer(1).parse("runs", runs)
    return success_of(k, m, _player(table, horizon, discount, seed, analytic).outcomes(k, m, range(count)))


def gorp_horizon(
    table: Table,
    *,
    horizon: int | None = None,
    discount: float | None = None,
    runs: int = 100,
    budget: int = 10_000_000,
    seed: int = 0,
    analytic: bool = False,
    progress: Callable[[str], None] | None = None,
) -> GorpHorizon:
    """Searches k = 1, 2, … and for each k the smallest m, while a run is charged no more than the budget.

    A larger k is tried only with those m that make it cheaper than the best so far. m is found to within 1/32 of its
    value. The interval covers the sampling error of the runs.
    """
    if table.actions == 1:
        raise UsageError("the effective horizon is for tables of at least two actions.")
    count, limit = Integer(1).parse("runs", runs), Integer(1).parse("budget", budget)
    player = _player(table, horizon, discount, seed, analytic)
    search = _Search(player, count, limit, progress)
    found: Success | None = None
    k = 1
    while k <= player.steps and player.charge(k, 1) <= limit and player.most(k) > 0:
        better = _least(search, k, min(player.most(k), limit // player.charge(k, 1)))
        if better is not None:
            found, limit = better, player.charge(k, better.m) - 1
        k += 1
    interval, tried = _interval(player, search.tried, k), tuple(search.tried)
    if found is None:
        return GorpHorizon(None, None, None, interval, None, count, tried, None, budget)
    length, charged = player.length(found.k, found.m), player.charge(found.k, found.m)
    return GorpHorizon(length, found.k, found.m, interval, found.successes, count, tried, charged, budget)


@dataclass(frozen=True)
class _Player:
    """`outcomes(k, m, numbers)` are those of the runs with these numbers; with k, m may be up to `most(k)`."""

    actions: int
    steps: int
    most: Callable[[int], int]
    outcomes: Callable[[int, int, Sequence[int]], list[Outcome]]

    def charge(self, k: int, m: int) -> int:
        return charge(self.steps, self.actions, k, m)

    def length(self, k: int, m: int) -> float:
        return k + math.log(m, self.actions)


def _player(table: Table, horizon: int | None, discount: float | None, seed: int, analytic: bool) -> _Player:
    if analytic:
        prepared = gorp_analytic.prepare(table, horizon, discount)
        return _Player(
            prepared.actions, prepared.steps, lambda k: gorp_analytic.most(prepared, k),
            lambda k, m, numbers: list(gorp_analytic.play(prepared, k, m, seed, numbers)),
        )  # fmt: skip
    arena = prepare(table, horizon, discount)

    def outcomes(k: int, m: int, numbers: Sequence[int]) -> list[Outcome]:
        return [(run.optimal, run.simulated) for run in play(arena, k, m, seed, numbers)]

    return _Player(arena.actions, arena.steps, lambda k: gorp_runs.most(arena, k), outcomes)


@dataclass(frozen=True)
class _Search:
    player: _Player
    runs: int
    budget: int
    progress: Callable[[str], None] | None
    tried: list[Success] = field(default_factory=list)


def _least(search: _Search, k: int, most: int) -> Success | None:
    """The smallest m up to `most` that succeeds in half of the runs, by doubling and then bisection."""
    low, best = 0, None  # the largest m that failed; the smallest that succeeds so far
    while low < most:
        if best is None:
            m = min(max(1, 2 * low), most)
        elif best.m - low > max(1, RESOLUTION * best.m):
            m = (low + best.m) // 2
        else:
            whole = _completed(search, best)
            if whole.likely:
                _look_above(search, whole)
                return whole
            low, best = best.m, None  # the early stop was wrong
            continue
        found = _probe(search, k, m)
        if found.likely:
            best = found
        else:
            low = m
    return None


def _probe(search: _Search, k: int, m: int) -> Success:
    found = probe(lambda numbers: search.player.outcomes(k, m, numbers), k, m, search.runs, LOOKS)
    search.tried.append(found)
    if search.progress is not None:
        search.progress(str(found))
    return found


def _completed(search: _Search, found: Success) -> Success:
    """The probe with all of its runs."""
    return completed(found, search.player.outcomes(found.k, found.m, range(found.runs, search.runs)))


def _look_above(search: _Search, found: Success) -> None:
    """Doubles m until success is clear, so that the interval has an end."""
    m, most = found.m, min(search.player.most(found.k), search.budget // search.player.charge(found.k, 1))
    while m < most and not any(probe.k == found.k and probe.clear and probe.likely for probe in search.tried):
        m = min(2 * m, most)
        _probe(search, found.k, m)


def _interval(player: _Player, tried: Sequence[Success], beyond: int) -> tuple[float, float]:
    """Interval of the smallest k + log_A m over all k. Those from `beyond` on were not tried; they are at least k."""
    lows, highs = [float(beyond)] if beyond <= player.steps else [], [math.inf]
    for k in range(1, beyond):
        probes = sorted((probe for probe in tried if probe.k == k), key=lambda probe: probe.m)
        # Success need not grow with m: a failure above an m that may succeed says nothing of the smallest m.
        failing = itertools.takewhile(lambda probe: probe.clear and not probe.likely, probes)
        lows.append(player.length(k, max((probe.m for probe in failing), default=1)))
        highs.extend(player.length(k, probe.m) for probe in probes if probe.clear and probe.likely)
    return min(lows), min(highs)
