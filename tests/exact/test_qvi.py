"""k-QVI-solvability and guessing, against definitions spelt out in Python and the authors' own values."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import BRIDGE, MDPS, tables

import mohs
from mohs import Table, UsageError
from mohs.exact.lookahead import qvi
from mohs.exact.lookahead.qvi import TIES, epw, greedy, min_k, p_opt, random_guess_bound, solvable
from mohs.exact.values.solve import returns
from mohs.tables.transforms import sticky_actions

EXPECTED = {"random": lambda row: sum(row) / len(row), "nothing": lambda row: 0.0, "optimum": max}


def reference(table, k, gamma, base):
    """Definition 2.1 with lists: the least return among the greedy policies of Qᵏ, and the optimum, from each start."""
    horizon, states, width = table.horizon, table.states, table.actions

    def q_values(after, discount):
        q = [
            [table.reward[s * width + a] + discount * after[table.succ[s * width + a]] for a in range(width)]
            for s in range(states)
        ]
        return [[0.0] * width if table.terminal[s] else q[s] for s in range(states)]

    rand, q_k = [0.0] * states, []
    for _ in range(horizon):
        q_k.insert(0, q_values(rand, gamma))
        rand = [EXPECTED[base](row) for row in q_k[0]]
    for _ in range(k - 1):
        later = [[max(row) for row in q_k[t]] for t in range(1, horizon)] + [[0.0] * states]
        q_k = [q_values(later[t], gamma) for t in range(horizon)]

    def play(s, t, allowed, choose):
        if t == horizon or table.terminal[s]:
            return 0.0
        rows = [s * width + a for a in range(width) if allowed(t, s, a)]
        return choose(table.reward[row] + play(table.succ[row], t + 1, allowed, choose) for row in rows)

    starts = np.flatnonzero(table.initial)
    worst = [play(s, 0, lambda t, s, a: q_k[t][s][a] >= max(q_k[t][s]) - 1e-9, min) for s in starts]
    best = [play(s, 0, lambda t, s, a: True, max) for s in starts]
    return np.array(worst), np.array(best)


@settings(max_examples=60)
@given(tables(), st.sampled_from([1.0, 0.9]), st.sampled_from(list(EXPECTED)))
def test_greedy_returns_and_solvability_are_their_definition(table, gamma, base):
    found = greedy(table, discount=gamma, base=base)
    for k in range(1, table.horizon + 1):
        worst, best = reference(table, k, gamma, base)
        assert found.returns[k - 1] == pytest.approx(table.initial[table.initial > 0] @ worst)
        assert found.optimal[k - 1] == np.all(worst >= best - TIES)


@settings(max_examples=60)
@given(tables())
def test_without_discount_looking_to_the_horizon_is_enough(table):
    k = min_k(table)
    assert k is not None
    assert 1 <= k <= table.horizon
    assert solvable(table)[k - 1]
    assert not solvable(table)[: k - 1].any()


@settings(max_examples=60)
@given(tables())
def test_p_opt_counts_the_optimal_action_sequences(table):
    exact = returns(table).optimal
    hits = 0
    for actions in itertools.product(range(table.actions), repeat=table.horizon):
        state, gain = int(np.argmax(table.initial)), 0.0
        for action in actions:
            if table.terminal[state]:
                break
            gain += table.reward[state * table.actions + action]
            state = table.succ[state * table.actions + action]
        hits += abs(gain - exact) < TIES
    assert p_opt(table) == pytest.approx(hits / table.actions**table.horizon)


def test_a_discount_may_forbid_the_optimum():
    # 1 at once and the end, or 1.05 two steps later.
    table = Table.from_arrays([[-1, 1], [2, 2], [-1, -1]], [[1.0, 0.0], [0.0, 0.0], [1.05, 1.05]], horizon=3)
    assert qvi.discount_is_harmless(table, 0.99)
    assert not qvi.discount_is_harmless(table, 0.9)
    assert min_k(table, discount=0.99) == 1
    assert min_k(table, discount=0.9) is None


def test_the_vanilla_toy_is_solved_by_looking_one_step_ahead():
    table = mohs.table("toy/discrete")
    assert min_k(table) == 1
    # One of eight actions is optimal in every one of a hundred steps.
    assert math.log(p_opt(table)) == pytest.approx(-100 * math.log(8), rel=1e-9)
    assert random_guess_bound(table) > 1e90


def test_a_task_that_needs_two_steps():
    """A detour: the bait pays 1 at once, the way to 10 pays nothing at first, and random play rarely stays on it."""
    moves = [[1, 2], [1, 1], [3, 1], [3, 1], [1, 1]]
    rewards = [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.2, 0.0], [0.0, 0.0]]
    table = Table.from_arrays(moves, rewards, horizon=3)
    assert returns(table).optimal == 1.2
    assert min_k(table) == 3


@pytest.mark.skipif(not BRIDGE.is_dir(), reason="the BRIDGE files are not there (MOHS_BRIDGE_DIR names their folder)")
@pytest.mark.parametrize("name", MDPS)
def test_bridge(name):
    horizon, guess = MDPS[name]
    table = Table.load(BRIDGE / f"{name}.npz", horizon=horizon)
    expected = json.loads((BRIDGE / f"{name}.consolidated_analyzed.json").read_text())
    assert min_k(table) == expected["min_k"]
    assert epw(table) == expected["epw"]
    assert p_opt(table) == pytest.approx(guess, rel=1e-5)


@pytest.mark.skipif(not BRIDGE.is_dir(), reason="the BRIDGE files are not there (MOHS_BRIDGE_DIR names their folder)")
@pytest.mark.parametrize("name", MDPS)
def test_bridge_with_sticky_actions(name):
    table = sticky_actions(Table.load(BRIDGE / f"{name}.npz", horizon=MDPS[name][0]), 0.25)
    expected = json.loads((BRIDGE / f"{name}.consolidated_analyzed_sticky_0.25.json").read_text())
    assert min_k(table) == expected["min_k"]
    assert epw(table) == expected["epw"]
    assert greedy(table, 5).returns == pytest.approx(expected["greedy_returns"], rel=1e-6)


def test_what_does_not_fit_in_memory_is_refused(monkeypatch):
    monkeypatch.setattr(qvi, "MAX_BYTES", 34 * 5 * 2)
    moves = [[1, 2], [1, 1], [3, 1], [3, 1], [1, 1]]
    table = Table.from_arrays(moves, [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.2, 0.0], [0.0, 0.0]], horizon=3)
    with pytest.raises(UsageError, match="3 steps ahead in 5 states needs too much memory: up to 2"):
        min_k(table)


def test_a_horizon_is_needed():
    table = Table.from_arrays([[0]], [[0.0]])
    for call in (min_k, p_opt, solvable, random_guess_bound):
        with pytest.raises(UsageError, match="horizon is needed"):
            call(table)
