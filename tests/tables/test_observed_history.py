"""A table seen through the last observations: as a dictionary of histories makes it, and as policies on them earn."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import entries, tables

import mohs
from mohs import Table, UsageError
from mohs.exact.values.memoryless import best_memoryless
from mohs.exact.values.solve import returns
from mohs.tables.transforms import observed_history


@st.composite
def aliased(draw):
    """Small tables in which some states look alike."""
    table = draw(tables())
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    looks = rng.integers(draw(st.integers(1, table.states)), size=table.states)
    return replace(table, observation=(5 + 2 * looks).astype(np.int32), several=(), horizon=4)


def histories(table: Table, length: int) -> dict[tuple[int, tuple[int, ...]], list[list[tuple]]]:
    """By state and latest observations, for each action: what it leads to, with probability and reward."""
    queue = [(int(s), (int(table.observation[s]),)) for s in np.flatnonzero(table.initial)]
    found: dict = {}
    for state, seen in queue:
        if (state, seen) in found:
            continue
        found[state, seen] = rows = []
        for action in range(0 if table.terminal[state] else table.actions):
            row = []
            for after, chance, pay in entries(table, state, action):
                pair = int(after), (*seen, int(table.observation[after]))[-length:]
                row.append((pair, float(chance), float(pay)))
                queue.append(pair)
            rows.append(row)
    return found


def best_on_histories(table: Table, length: int) -> float:
    """Brute force over the deterministic policies on histories, played on the table itself."""
    nodes = histories(table, length)
    seen = sorted({history for state, history in nodes if not table.terminal[state]})
    best = -np.inf
    for choice in itertools.product(range(table.actions), repeat=len(seen)):
        act, total = dict(zip(seen, choice, strict=True)), 0.0
        starts = np.flatnonzero(table.initial)
        mass = {(int(s), (int(table.observation[s]),)): float(table.initial[s]) for s in starts}
        for t in range(table.horizon):
            then: dict = {}
            for (state, history), chance in mass.items():
                if table.terminal[state]:
                    continue
                for pair, p, pay in nodes[state, history][act[history]]:
                    total += chance * p * pay * table.discount**t
                    then[pair] = then.get(pair, 0.0) + chance * p
            mass = then
        best = max(best, total)
    return best


@given(aliased(), st.integers(2, 3))
def test_it_has_the_states_and_observations_of_the_dictionary(table, length):
    made, nodes = observed_history(table, length), histories(table, length)
    assert made.states == len(nodes)
    assert len(np.unique(made.observation)) == len({history for _, history in nodes})
    assert made.terminal.sum() == sum(table.terminal[state] for state, _ in nodes)
    assert made.initial.sum() == pytest.approx(1)


@given(aliased(), st.integers(1, 3))
def test_who_sees_everything_earns_the_same(table, length):
    before, after = returns(table), returns(observed_history(table, length))
    assert (after.optimal, after.random, after.worst) == pytest.approx((before.optimal, before.random, before.worst))


@settings(max_examples=60)
@given(aliased(), st.integers(1, 3))
def test_the_best_memoryless_policy_on_it_is_the_best_on_histories(table, length):
    acting = {history for state, history in histories(table, length) if not table.terminal[state]}
    if table.actions ** len(acting) > 3000:
        return
    found = best_memoryless(observed_history(table, length), randomised=False)
    assert found.value == pytest.approx(best_on_histories(table, length), abs=1e-9)


@given(aliased())
def test_longer_histories_earn_no_less(table):
    values = [best_memoryless(observed_history(table, n), randomised=False).value for n in (1, 2, 3)]
    assert values[0] <= values[1] + 1e-9
    assert values[1] <= values[2] + 1e-9


def test_a_history_of_one_is_the_table_itself():
    table = mohs.table("toy/grid", grid_shape=(3, 3))
    assert observed_history(table, 1) is table


def test_too_many_histories_are_refused():
    table = mohs.table("toy/discrete", sequence_length=2)
    with pytest.raises(UsageError, match="more than 50 states"):
        observed_history(table, 2, limit=50)
    with pytest.raises(UsageError, match="too long to number"):
        observed_history(table, 100)
    with pytest.raises(UsageError, match="length"):
        observed_history(table, 0)
