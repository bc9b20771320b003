"""The simple bound is its formula, and gives its authors' numbers."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from small_tables import BRIDGE, MDPS, tables

import mohs
from mohs import Table, UsageError
from mohs.exact.bounds.simple import simple_bound
from mohs.exact.lookahead.qvi import TIES


def reference(table, k):
    """m_k with whole arrays [steps, states, actions]."""
    steps, states, width = table.horizon, table.states, table.actions
    succ, pay = table.succ.reshape(states, width), table.reward.reshape(states, width)

    def backwards(rule):
        q, v = np.zeros((steps + 1, states, width)), np.zeros((steps + 1, states))
        for t in reversed(range(steps)):
            q[t] = np.where(table.terminal[:, None], 0, pay + v[t + 1][succ])
            v[t] = rule(q[t], axis=1)
        return q, v

    (q_star, v_star), (q_k, _), (q_worst, _) = backwards(np.max), backwards(np.mean), backwards(np.min)
    optimal = q_star >= v_star[:, :, None] - TIES
    spread = (q_k - q_worst) * (q_star - q_worst)
    for _ in range(k - 1):
        for array, gain in ((q_k, pay), (spread, np.zeros_like(pay))):
            later = array.max(axis=2)
            for t in range(steps):
                array[t] = np.where(table.terminal[:, None], 0, gain + later[t + 1][succ])
    reached = {int(s) for s in np.flatnonzero(table.initial)}
    m = 1.0
    for t in range(steps):
        following = set()
        for s in reached:
            if table.terminal[s]:
                continue
            good, q = optimal[t, s], q_k[t, s]
            bad = q[~good].max() if not good.all() else -math.inf
            if not good.all():
                gap = q[good].max() - bad
                factor = math.log(2 * steps * width**k)
                m = max(m, math.ceil(16 * spread[t, s].max() / gap**2 * factor) if gap > 1e-9 else math.inf)
            following |= {int(succ[s, a]) for a in range(width) if q[a] > bad + 1e-9}
        reached = following
    return m


@settings(max_examples=80)
@given(tables())
def test_the_bound_is_its_formula(table):
    found = simple_bound(table)
    assert found.ms == tuple(reference(table, k) for k in range(1, len(found.ms) + 1))
    lengths = [k + math.log(m, table.actions) for k, m in enumerate(found.ms, start=1)]
    assert found.effective_horizon == min(lengths)
    assert found.k + math.log(found.m, table.actions) == found.effective_horizon


@pytest.mark.skipif(not BRIDGE.is_dir(), reason="the BRIDGE files are not there (MOHS_BRIDGE_DIR names their folder)")
@pytest.mark.parametrize("name", MDPS)
def test_bridge(name):
    table = Table.load(BRIDGE / f"{name}.npz", horizon=MDPS[name][0])
    expected = json.loads((BRIDGE / f"{name}.consolidated_analyzed.json").read_text())["effective_horizon_results"]
    found = simple_bound(table)
    assert list(found.ms) == expected["ms"]
    assert found.effective_horizon == pytest.approx(expected["effective_horizon"])


def test_where_the_discount_forbids_the_optimum():
    table = Table.from_arrays([[-1, 1], [2, 2], [-1, -1]], [[1.0, 0.0], [0.0, 0.0], [1.05, 1.05]], horizon=3)
    found = simple_bound(table, discount=0.9)
    assert (found.effective_horizon, found.k, found.m) == (math.inf, None, None)
    assert simple_bound(table).effective_horizon < 3


def test_what_it_is_not_for():
    with pytest.raises(UsageError, match="deterministic"):
        simple_bound(mohs.table("toy/discrete", transition_noise=0.1))
    with pytest.raises(UsageError, match="2 to 63 actions"):
        simple_bound(Table.from_arrays([[0]], [[0.0]], horizon=2))
