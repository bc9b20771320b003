"""Is an MDP hard enough for the challenge, and what is true of it? The filter of section 3, on complete tables.

An MDP is dropped if the agent cannot win it, or if random guessing or GORP finds an optimal policy in fewer than ten
million steps. GORP is charged as in the paper, for every k that the budget allows, with bisection on m.
"""

from __future__ import annotations

import math
from dataclasses import replace

from mohs.exact.lookahead import qvi
from mohs.exact.lookahead.gorp import LONG, GorpHorizon, gorp_horizon
from mohs.exact.lookahead.gorp_runs import charge
from mohs.exact.values import solve
from mohs.tables.challenge.build import build
from mohs.tables.challenge.cache import checksum, packed
from mohs.tables.challenge.catalogue import CatalogueEntry, Status
from mohs.tables.challenge.grid import Candidate, Kind
from mohs.tables.numbering import TooManyError
from mohs.tables.table import Table

BUDGET = 10_000_000  # steps
RUNS = 40  # of GORP with one k and m
MORE_RUNS = 100  # where they are not played
FEW = 300_000  # states up to which GORP is asked also where guessing is enough
WIN = 1.0


def examine(candidate: Candidate) -> CatalogueEntry:
    """What the filter says of a candidate. Of large ones that are guessed no more is found out."""
    found = CatalogueEntry(
        candidate.id, candidate.source, candidate.kind, candidate.title, Status.TOO_LARGE, 0, candidate.horizon
    )
    try:
        mdp = build(candidate)
    except TooManyError:
        return found
    table = mdp.table
    facts, entries = packed(candidate.id, mdp)
    best = float(table.initial @ solve.values(table, "best"))
    found = replace(
        found, status=Status.NO_WIN, states=table.states, actions=table.actions, board="{}x{}".format(*mdp.shape),
        optimal_return=_rounded(best),
        checksum=checksum(facts, entries, mdp.cells),
    )  # fmt: skip
    if candidate.kind == Kind.GAME and best < WIN - qvi.TIES:
        return found
    chance = qvi.p_opt(table)
    guess = candidate.horizon * math.log(2) / chance if chance > 0 else math.inf
    found = replace(found, status=Status.GUESSED, p_opt=chance, guess_steps=guess)
    if guess < BUDGET and table.states > FEW:
        return found
    found = _with(replace(found, random_return=_random(table)), gorp_horizon(table, runs=RUNS, budget=BUDGET))
    if found.gorp_steps is not None:
        return found if guess < BUDGET else replace(found, status=Status.GORP)
    return found if guess < BUDGET else replace(found, status=Status.CHALLENGE)


def measure(found: CatalogueEntry, table: Table) -> CatalogueEntry:
    """What more there is to know of an MDP that is left: min_k, and its effective horizon up to 8.

    Most of these runs of GORP would take billions of steps or more, so their choices are computed analytically.
    """
    budget = charge(found.horizon, table.actions, LONG, 1)
    played = gorp_horizon(table, runs=MORE_RUNS, budget=budget, analytic=True)
    return _with(replace(found, min_k=qvi.min_k(table)), played)


def shaped_alike(found: CatalogueEntry, candidate: Candidate) -> CatalogueEntry:
    """What is known of a shaped game from the plain one that was dropped.

    Shaping moves neither a win nor the chance of guessing it. A game that is cut off keeps what the agent is ahead, so
    where it cannot win the optimum is another one.
    """
    best = None if found.status == Status.NO_WIN else found.optimal_return
    return replace(found, id=candidate.id, title=candidate.title, optimal_return=best, checksum=None)


def _with(found: CatalogueEntry, played: GorpHorizon) -> CatalogueEntry:
    """What GORP adds to it."""
    return replace(
        found,
        gorp_budget=played.budget,
        gorp_steps=played.charged,
        effective_horizon=None if played.effective_horizon is None else _rounded(played.effective_horizon),
        effective_horizon_low=_rounded(played.interval[0]),
    )


def _random(table: Table) -> float:
    return _rounded(float(table.initial @ solve.values(table, "mean")))


def _rounded(value: float) -> float:
    return round(value, 6)
