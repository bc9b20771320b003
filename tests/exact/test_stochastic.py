"""The stochastic effective horizon is its definition."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import BRIDGE, MDPS, tables

import mohs
from mohs import Table, UsageError
from mohs.exact.bounds.stochastic import stochastic_horizon
from mohs.exact.lookahead.qvi import min_k, solvable
from mohs.exact.values.solve import returns
from mohs.tables.transforms import action_noise, sticky_actions


def entries(table, state, action):
    """(probability, reward, next state) of an action."""
    row = state * table.actions + action
    if table.deterministic:
        return [(1.0, table.reward[row], table.succ[row])]
    span = range(table.indptr[row], table.indptr[row + 1])
    return [(table.prob[e], table.reward[e], table.succ[e]) for e in span]


def reference(table, k, gamma):
    """The smallest gap of Qᵏ with lists, over the pairs of step and state that any play comes to."""
    states, width = range(table.states), range(table.actions)

    def q_of(after):
        def value(s, a):
            return sum(p * (r + gamma * after[n]) for p, r, n in entries(table, s, a))

        return [[0.0 if table.terminal[s] else value(s, a) for a in width] for s in states]

    rand, q = [0.0] * table.states, []
    for _ in range(table.horizon):
        q.insert(0, q_of(rand))
        rand = [sum(row) / table.actions for row in q[0]]
    for _ in range(k - 1):
        later = [[max(row) for row in q[t]] for t in range(1, table.horizon)] + [[0.0] * table.states]
        q = [q_of(later[t]) for t in range(table.horizon)]
    reached, gap = {int(s) for s in np.flatnonzero(table.initial)}, math.inf
    for t in range(table.horizon):
        live = [s for s in reached if not table.terminal[s]]
        for s in live:
            largest = max(q[t][s])
            others = [value for value in q[t][s] if value < largest - 1e-9]
            gap = min(gap, largest - max(others)) if others else gap
        reached = {n for s in live for a in width for p, _, n in entries(table, s, a) if p > 0}
    return gap


def spread(table, gamma):
    """How far apart two returns can be, by following every action and outcome."""

    def reach(s, t, choose):
        if t == table.horizon or table.terminal[s]:
            return 0.0
        outcomes = [entry for a in range(table.actions) for entry in entries(table, s, a) if entry[0] > 0]
        return choose(r + gamma * reach(n, t + 1, choose) for _, r, n in outcomes)

    starts = np.flatnonzero(table.initial)
    return max(reach(s, 0, max) for s in starts) - min(reach(s, 0, min) for s in starts)


@st.composite
def cases(draw):
    table = draw(tables())
    if draw(st.booleans()):
        table = draw(st.sampled_from([action_noise, sticky_actions]))(table, 0.25)
    return table, draw(st.sampled_from([1.0, 0.9]))


@settings(max_examples=80)
@given(cases())
def test_it_is_its_definition(case):
    table, gamma = case
    found = stochastic_horizon(table, discount=gamma)
    width = spread(table, gamma)
    for k, gap in enumerate(found.gaps, start=1):
        assert gap == pytest.approx(min(1.0, reference(table, k, gamma) / width) if width > 0 else 1.0)
    works = solvable(table, discount=gamma)
    assert found.solvable == tuple(works[: len(found.solvable)])
    gaps = [min(1.0, reference(table, k, gamma) / width) if width > 0 else 1.0 for k in range(1, table.horizon + 1)]
    lengths = [
        k + math.log(1 / gap**2, table.actions) if works[k - 1] else math.inf for k, gap in enumerate(gaps, start=1)
    ]
    if min(lengths) == math.inf:
        assert (found.effective_horizon, found.k, found.gap) == (None, None, None)
    else:
        assert found.effective_horizon == pytest.approx(min(lengths))
        assert found.effective_horizon == pytest.approx(found.k + math.log(1 / found.gap**2, table.actions))
        assert works[found.k - 1]
        assert found.effective_horizon >= min_k(table, discount=gamma)


@settings(max_examples=40)
@given(tables(), st.sampled_from([0.01, 3.0, 100.0]), st.booleans())
def test_scale_and_unreachable_states_do_not_matter(table, factor, apart):
    """The unreachable state has a gap that is smaller than all others."""
    found = stochastic_horizon(table, tolerance=1e-9)
    scaled = replace(table, reward=table.reward * factor)
    if apart:
        rows = table.actions
        scaled = Table(
            table.actions,
            np.concatenate([scaled.succ, np.full(rows, table.states, dtype=np.int32)]),
            np.concatenate([scaled.reward, np.linspace(0, 1e-6, rows)]),
            np.append(table.terminal, False),
            np.append(table.initial, 0.0),
            np.append(table.observation, table.states).astype(np.int32),
            horizon=table.horizon,
        )
    again = stochastic_horizon(scaled, tolerance=1e-9)
    assert again.k == found.k
    assert again.gaps == pytest.approx(found.gaps, rel=1e-6)


def test_a_gap_by_hand():
    """One step; actions pay 0, 3 and 4 of 4: the best is told from the next by a quarter of the range."""
    found = stochastic_horizon(Table.from_arrays([[0, 0, 0]], [[0.0, 3.0, 4.0]], horizon=1))
    assert (found.k, found.gap) == (1, 0.25)
    assert found.effective_horizon == pytest.approx(1 + math.log(16, 3))


def test_all_actions_equal():
    found = stochastic_horizon(Table.from_arrays([[0, 0]], [[1.0, 1.0]], horizon=5))
    assert (found.effective_horizon, found.k, found.gap) == (1.0, 1, 1.0)


def test_the_vanilla_toy():
    """Each step of a hundred earns 1 of 100 with one action, nothing with the others."""
    found = stochastic_horizon(mohs.table("toy/discrete"))
    assert (found.k, found.gap) == (1, pytest.approx(0.01))


@pytest.mark.skipif(not BRIDGE.is_dir(), reason="the BRIDGE files are not there (MOHS_BRIDGE_DIR names their folder)")
@pytest.mark.parametrize("name", MDPS)
def test_bridge(name):
    """The authors' gaps are over fewer states and between fewer actions, so they are no smaller."""
    table = Table.load(BRIDGE / f"{name}.npz", horizon=MDPS[name][0])
    theirs = json.loads((BRIDGE / f"{name}.consolidated_analyzed.json").read_text())["effective_horizon_results"][
        "gaps"
    ]
    exact, found = returns(table), stochastic_horizon(table)
    assert found.solvable[0]
    assert len(found.gaps) >= 4
    for ours, gap in zip(found.gaps, theirs, strict=False):
        assert gap is None or ours * (exact.optimal - exact.worst) <= gap * (1 + 1e-6)
    sticky = stochastic_horizon(sticky_actions(table, 0.25))
    assert sticky.solvable[0]  # as their files say of sticky actions
    assert sticky.effective_horizon > found.effective_horizon


def test_what_it_is_not_for():
    with pytest.raises(UsageError, match="at least two actions"):
        stochastic_horizon(Table.from_arrays([[0]], [[0.0]], horizon=2))
    with pytest.raises(UsageError, match="horizon is needed"):
        stochastic_horizon(Table.from_arrays([[0, 0]], [[0.0, 1.0]]))


def test_the_nearer_two_coins_the_longer_the_horizon():
    """Landing in state 1 pays 1; the gap is that of the two coins, of returns that reach from 0 to 3."""
    for p, gap in ((0.9, 0.4 / 3), (0.6, 0.1 / 3), (0.55, 0.05 / 3)):
        chances = np.array([[[1 - p, p], [0.5, 0.5]]] * 2)
        pays = np.array([[[0.0, 1.0]] * 2] * 2)
        found = stochastic_horizon(Table.from_arrays(chances, pays, horizon=3))
        assert found.gap == pytest.approx(gap)
        assert found.effective_horizon == pytest.approx(1 + math.log2(1 / gap**2))
