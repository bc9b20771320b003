"""The effective horizon by running GORP: its interval holds the exact one, and it keeps the bounds."""

from __future__ import annotations

import json
import math

import pytest
from gorp_reference import Chance, corridor
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import BRIDGE, MDPS, tables

from mohs import Table, UsageError
from mohs.exact.bounds.simple import simple_bound
from mohs.exact.lookahead.gorp import gorp_horizon, success


def exact_horizon(table, most=16):
    """The least k + log_A m with an exact probability of at least ½."""
    lengths = []
    for k in range(1, table.horizon + 1):
        for m in range(1, most):
            if Chance(table, k, m).value >= 0.5:
                lengths.append(k + math.log(m, table.actions))
                break
        if lengths and k + 1 >= min(lengths):
            break
    return min(lengths)


@pytest.mark.parametrize(("steps", "horizon", "width"), [(2, 5, 2), (3, 6, 2), (2, 5, 3), (2, 4, 3)])
def test_the_interval_holds_the_exact_horizon(steps, horizon, width):
    table = corridor(steps, horizon, width)
    exact = exact_horizon(table)
    for seed in range(5):
        found = gorp_horizon(table, runs=200, seed=seed)
        low, high = found.interval
        assert low - 1e-9 <= exact <= high + 1e-9
        assert low <= found.effective_horizon <= high


@settings(max_examples=40)
@given(tables())
def test_the_horizon_keeps_the_simple_bound(table):
    bound = simple_bound(table)
    found = gorp_horizon(table, runs=40, budget=table.horizon**2 * table.actions**bound.k * bound.m)
    assert found.effective_horizon is not None
    assert found.interval[0] <= bound.effective_horizon + 1e-9
    assert found.effective_horizon <= max(bound.effective_horizon, found.interval[1]) + 1e-9


@settings(max_examples=30)
@given(tables(), st.sampled_from([1.0, 0.99]))
def test_a_horizon_is_what_its_probes_say(table, gamma):
    lines = []
    found = gorp_horizon(table, runs=30, budget=5000, discount=gamma, progress=lines.append)
    steps, width = table.horizon, table.actions
    assert len(lines) == len(found.tried)
    assert all(steps**2 * width**probe.k * probe.m <= 5000 for probe in found.tried)
    assert all(probe.runs in (4, 8, 15, 30) for probe in found.tried)
    assert all(probe.clear for probe in found.tried if probe.runs < 30)
    if found.effective_horizon is None:
        assert all(not probe.likely for probe in found.tried)
        return
    assert found.charged == steps**2 * width**found.k * found.m <= 5000
    assert found.effective_horizon == found.k + math.log(found.m, width)
    again = success(table, found.k, found.m, 30, discount=gamma)
    assert (again.successes, again.likely) == (found.successes, True)
    cheaper = [p for p in found.tried if p.likely and p.runs == 30 and width**p.k * p.m < width**found.k * found.m]
    assert not cheaper


def test_nothing_within_the_budget_is_said_with_a_lower_bound():
    found = gorp_horizon(corridor(7, 12), budget=2000)
    assert (found.effective_horizon, found.k, found.m, found.charged) == (None, None, None, None)
    assert found.interval[1] == math.inf
    assert 1 < found.interval[0] <= math.log2(2000 / 12**2)
    assert "no optimal policy within 2,000 steps" in str(found)
    assert gorp_horizon(corridor(7, 12), budget=10).tried == ()


@pytest.mark.skipif(not BRIDGE.is_dir(), reason="the BRIDGE files are not there (MOHS_BRIDGE_DIR names their folder)")
@pytest.mark.parametrize("name", MDPS)
def test_bridge(name):
    """Below the bounds that the authors computed: the tighter one on GORP and the simple one."""
    table = Table.load(BRIDGE / f"{name}.npz", horizon=MDPS[name][0])
    tight = json.loads((BRIDGE / f"{name}.consolidated_gorp_bounds.json").read_text())["effective_horizon"]
    simple = json.loads((BRIDGE / f"{name}.consolidated_analyzed.json").read_text())["effective_horizon"]
    found = gorp_horizon(table)
    assert 1 <= found.effective_horizon <= tight <= simple
    assert found.interval[1] <= tight
    m = round(table.actions ** (tight - 1))
    assert success(table, 1, m, 20).interval[0] > 0.5


def test_one_action_has_no_effective_horizon():
    with pytest.raises(UsageError, match="at least two actions"):
        gorp_horizon(Table.from_arrays([[0]], [[0.0]], horizon=2))


def test_the_interval_holds_the_estimate_where_success_falls_with_m():
    """Looking one step ahead, more episodes only make the wrong action surer."""
    table = Table.from_arrays([[1, 0], [1, -1]], [[-1.0, -2.0], [-1.0, -5.0]], horizon=5)
    for seed in range(20):
        found = gorp_horizon(table, seed=seed, budget=100_000)
        assert found.effective_horizon is not None
        assert found.interval[0] <= found.effective_horizon <= found.interval[1]
