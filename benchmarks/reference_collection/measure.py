"""How hard is a task of the collection? The indicators of its card, without the rows that they do not need.

Large tables of the challenge have p_opt, min_k and GORP's steps in the catalogue; these are not computed again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.reference_collection.tasks import Known, keep, table_path
from mohs.core.errors import UsageError
from mohs.exact.lookahead import qvi
from mohs.exact.lookahead.gorp import gorp_horizon
from mohs.exact.lookahead.qvi import TIES
from mohs.exact.measures.occupancy import covering_length
from mohs.exact.measures.table_measures import gaps, observability, reward_sparsity, value_norm
from mohs.exact.values import solve
from mohs.protocols.card.card import BUDGET, RUNS
from mohs.protocols.card.indicators import indicator_values
from mohs.protocols.card.record import Card, Length
from mohs.tables.challenge.catalogue import CatalogueEntry, catalogue_entry
from mohs.tables.table import Table

DIGITS = 8
FEW_EPISODES, MANY_EPISODES = 10, 100  # of an evaluation; many where returns vary for reasons other than the policy


def measured(known: Known) -> dict[str, Any]:
    """The indicators of a task and the returns that scores are normalised by. Keeps the table where agents play it."""
    table = replace(known.table(), horizon=known.horizon, discount=1.0)
    if known.task is None and not table_path(known.name).is_file():
        keep(known.name, table)
    returns = solve.returns(table, horizon=known.horizon, discount=1.0)
    unit = min(1.0, returns.optimal - returns.worst) or 1.0  # as in a card
    scaled = replace(table, reward=table.reward / unit)
    entry = catalogue_entry(known.name) if known.group == "challenge" else None
    card = Card(
        name=known.name,
        exact=True,
        horizon=known.horizon,
        gamma=1.0,
        actions=table.actions,
        states=table.states,
        optimal_return=returns.optimal,
        random_return=returns.random,
        worst_return=returns.worst,
        p_opt=qvi.p_opt(scaled) if entry is None or entry.p_opt is None else entry.p_opt,
        min_k=qvi.min_k(scaled) if entry is None or entry.min_k is None else entry.min_k,
        covering_length=covering_length(scaled),
        measures={
            "paying_steps": reward_sparsity(scaled).paying_steps,
            "smallest_gap": gaps(scaled).smallest * unit,
            "value_norm": value_norm(scaled) * unit,
            "most_alike": float(observability(scaled).most_alike),
        },
    )
    card = _with_gorp(card, scaled, entry)
    values = {key: _rounded(value) for key, value in indicator_values(card).items()}
    ends = {"optimal": returns.optimal, "random": returns.random, "worst": returns.worst}
    return {
        "values": values,
        "returns": {key: _rounded(value) for key, value in ends.items()},
        "episodes": MANY_EPISODES if _varies(table) else FEW_EPISODES,
    }


def _varies(table: Table) -> bool:
    """Whether the best policy earns different returns in different episodes, by its start or by chance on the way."""
    best = solve.values(table, "best")[table.initial > 0]
    return not table.deterministic or bool(np.ptp(best) > TIES)


def _with_gorp(card: Card, table: Table, entry: CatalogueEntry | None) -> Card:
    if entry is not None and entry.gorp_steps is not None:
        per_episode = entry.horizon**2
        return replace(card, effective_horizon={"gorp": Length(0.0, 0, entry.gorp_steps // per_episode)})
    if entry is not None:
        return replace(card, gorp_failed_within=BUDGET)
    try:
        played = gorp_horizon(table, runs=RUNS, budget=BUDGET)
    except UsageError:  # of a stochastic table, as in a card
        return card
    if played.effective_horizon is None:
        return replace(card, gorp_failed_within=BUDGET)
    return replace(card, effective_horizon={"gorp": Length(played.effective_horizon, played.k, played.m)})


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")
