"""Does greedy play over random play find an optimal policy, and what is the effective horizon by that measure?

GORP (Laidlaw et al. 2023, Algorithm 1) fixes one action after another: it tries every sequence of the next k actions
in m episodes that go on at random, and fixes the first action of the sequence with the largest mean return. It is
charged T² · A^k · m steps. Its effective horizon is the least k + log_A m with which it finds an optimal policy with
probability ½. Returns may be discounted while it searches; what it found is judged without.

A run plays all of these steps, or draws each of its choices from the law that they have (`by_law`, see `gorp_law`):
where returns are told by where an episode ends, that takes milliseconds for trillions of steps.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.exact.lookahead import gorp_law, gorp_runs
from mohs.exact.lookahead.gorp_runs import Run, charge, play, prepare
from mohs.exact.lookahead.trials import Outcome, Success, completed, probe, success_of
from mohs.tables.table import Table

LONG = 8  # the effective horizon by which the authors tell benchmarks apart
LOOKS = 4  # at the runs of a probe, which are doubled from look to look
RESOLUTION = 1 / 32  # of m: a hundred runs cannot tell nearer ones apart


@dataclass(frozen=True)
class GorpHorizon:
    """The least k + log_A m that succeeds in half of the runs; None where nothing within the budget does.

    The interval reaches from the largest m up to which success is significantly rarer than in half of the runs to the
    smallest at which it is significantly more frequent, over all k; its confidence is that of a single probe. `tried`
    are the probes; one that was clear ended early.
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
    """One whole run. It is a function of the table, k, m, the seed and the number of the run alone."""
    arena = prepare(table, horizon, discount, marked=False)
    (played,) = play(arena, k, m, seed, [Integer(0).parse("run", run)])
    return played


def success(
    table: Table, k: int, m: int, runs: int, *, horizon: int | None = None, discount: float | None = None,
    seed: int = 0, by_law: bool = False,
) -> Success:  # fmt: skip
    """How often GORP finds an optimal policy. Runs that are played are those of `gorp`; a loss ends each."""
    count = Integer(1).parse("runs", runs)
    return success_of(k, m, _player(table, horizon, discount, seed, by_law).outcomes(k, m, range(count)))


def gorp_horizon(
    table: Table,
    *,
    horizon: int | None = None,
    discount: float | None = None,
    runs: int = 100,
    budget: int = 10_000_000,
    seed: int = 0,
    by_law: bool = False,
    progress: Callable[[str], None] | None = None,
) -> GorpHorizon:
    """Searches k = 1, 2, … and for each the least m, as far as a run is charged no more than the budget.

    A larger k is tried only with such m that make it cheaper than the best so far. m is found to within one part in
    32; what the number of runs leaves open is in the interval.
    """
    if table.actions == 1:
        raise UsageError("the effective horizon is for tables of at least two actions.")
    count, limit = Integer(1).parse("runs", runs), Integer(1).parse("budget", budget)
    player = _player(table, horizon, discount, seed, by_law)
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


def _player(table: Table, horizon: int | None, discount: float | None, seed: int, by_law: bool) -> _Player:
    if by_law:
        laws = gorp_law.prepare(table, horizon, discount)
        return _Player(
            laws.actions, laws.steps, lambda k: gorp_law.most(laws, k),
            lambda k, m, numbers: list(gorp_law.play(laws, k, m, seed, numbers)),
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
    """The least m up to `most` that succeeds in half of the runs: doubled until one does, then bisected."""
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
            low, best = best.m, None  # it had looked clear at first
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
    """Of the least k + log_A m over all k; those from `beyond` on were not tried, and are at least as long as k."""
    lows, highs = [float(beyond)] if beyond <= player.steps else [], [math.inf]
    for k in range(1, beyond):
        probes = sorted((probe for probe in tried if probe.k == k), key=lambda probe: probe.m)
        # Success need not grow with m: what fails above an m that may do says nothing of the least one.
        failing = itertools.takewhile(lambda probe: probe.clear and not probe.likely, probes)
        lows.append(player.length(k, max((probe.m for probe in failing), default=1)))
        highs.extend(player.length(k, probe.m) for probe in probes if probe.clear and probe.likely)
    return min(lows), min(highs)
