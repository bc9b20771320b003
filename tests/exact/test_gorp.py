"""GORP succeeds as often as its definition says, and a run is a function of its seed."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from gorp_reference import SURPRISE, Chance, corridor, random_table, surprising
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from small_tables import tables

import mohs
from mohs import Table, UsageError
from mohs.exact.lookahead import gorp_kernels as kernels
from mohs.exact.lookahead import gorp_runs
from mohs.exact.lookahead.gorp import gorp, gorp_horizon, success
from mohs.exact.values.solve import returns


@settings(max_examples=40)
@given(tables(), st.integers(1, 2), st.integers(1, 2), st.sampled_from([1.0, 0.5]), st.integers(0, 1000))
def test_success_is_as_likely_as_enumeration_says(table, k, m, gamma, seed):
    table = replace(table, horizon=min(table.horizon, 4))
    k = min(k, table.horizon)
    found = success(table, k, m, 2000, discount=gamma, seed=seed)
    assert not surprising(found.successes, 2000, Chance(table, k, m, gamma).value)


@pytest.mark.parametrize(("steps", "k", "m"), [(3, 1, 1), (3, 1, 20), (4, 2, 12)])
def test_many_and_long_episodes_are_as_likely_too(steps, k, m):
    """More episodes than lanes, and more steps than one draw yields."""
    table = corridor(steps)
    assert m * 2**k > kernels.LANES or m < 20
    chance = Chance(table, k, m).value
    assert 0.01 < chance < 0.9999
    assert not surprising(success(table, k, m, 4000).successes, 4000, chance)


def test_each_run_draws_its_start():
    """From the first start any action will do, from the second one of two, and the third is the end."""
    table = Table.from_arrays([[3, 3], [3, 3], [2, 2], [-1, -1]], [[1.0, 1.0], [1.0, 0.0], [0, 0], [0, 0]], horizon=1)
    over = np.array([False, False, True, False, True])[: table.states]
    table = replace(
        table, initial=np.array([0.5, 0.25, 0.25, 0.0, 0.0])[: table.states], terminal=table.terminal | over
    )
    found = {run.value for run in (gorp(table, 1, 1, run=i) for i in range(50))}
    assert found == {0.0, 1.0}
    assert success(table, 1, 1, 200).successes == 200
    assert all(len(gorp(table, 1, 1, run=i).actions) == 1 for i in range(20))


@settings(max_examples=30)
@given(tables(), st.integers(1, 3), st.integers(1, 3), st.integers(0, 1000))
def test_success_counts_whole_runs(table, k, m, seed):
    """Runs that end with their first losing action succeed as they would have."""
    k = min(k, table.horizon)
    runs = [gorp(table, k, m, seed=seed, run=i) for i in range(10)]
    assert success(table, k, m, 10, seed=seed).successes == sum(run.optimal for run in runs)
    best = returns(table).optimal
    for run in runs:
        state, gain = int(np.argmax(table.initial)), 0.0
        for action in run.actions:
            if not table.terminal[state]:
                gain += table.reward[state * table.actions + action]
                state = table.succ[state * table.actions + action]
        assert len(run.actions) == table.horizon
        assert run.value == pytest.approx(gain)
        assert run.optimal == (abs(gain - best) < 1e-4)
        assert run.charged == table.horizon**2 * table.actions**k * m


def test_more_actions_than_a_byte_has_bits():
    table = random_table()
    found = success(table, 1, 2, 60)
    assert found.successes == sum(gorp(table, 1, 2, run=i).optimal for i in range(60))
    assert 0 < found.successes < 60


def test_without_room_for_the_optimal_actions_runs_are_whole(monkeypatch):
    table = random_table(actions=3)
    before = success(table, 1, 2, 60)
    monkeypatch.setattr(gorp_runs, "MAX_MARKS", 0)
    after = success(table, 1, 2, 60)
    assert (after.successes, after.interval) == (before.successes, before.interval)
    assert after.simulated > before.simulated


def test_rewards_that_need_all_digits_change_nothing():
    whole, tenths = random_table(actions=3), random_table(actions=3, scale=0.1)
    for run in range(20):
        assert gorp(whole, 2, 3, run=run).actions == gorp(tenths, 2, 3, run=run).actions


@pytest.mark.parametrize(("k", "m"), [(1, 1), (1, 7), (2, 3), (3, 1)])
def test_what_is_simulated_where_no_episode_ends(k, m):
    """Each sequence is followed once, and each of its episodes goes on to the horizon; the prefix is not replayed."""
    table = random_table(actions=3)
    expected = 0
    for t in range(table.horizon):
        depth = min(k, table.horizon - t)
        expected += 3**depth * (depth + m * (table.horizon - t - depth))
    assert gorp(table, k, m).simulated == expected


def test_an_episode_that_ends_is_not_played_on():
    ending = Table.from_arrays([[-1, -1]], [[1.0, 0.0]], horizon=50)
    run = gorp(ending, 1, 100)
    assert run.simulated == 2
    assert (run.value, run.optimal, len(run.actions)) == (1.0, True, 50)


def test_all_that_is_equal_is_chosen_equally_often():
    equal = Table.from_arrays([[0] * 5], [[1.0] * 5], horizon=4)
    actions = np.array([gorp(equal, 2, 3, discount=0.99, run=i).actions for i in range(1000)])
    for column in actions.T:
        assert chisquare(np.bincount(column, minlength=5)).pvalue > SURPRISE


def test_the_noise_of_summation_makes_no_order():
    """.1 + .2 − .3 is not −.3 + .1 + .2, but the two ways pay the same."""
    moves = [[1, 3], [2, 2], [5, 5], [4, 4], [5, 5], [5, 5]]
    rewards = [[0.1, -0.3], [0.2, 0.2], [-0.3, -0.3], [0.1, 0.1], [0.2, 0.2], [0.0, 0.0]]
    assert 0.1 + 0.2 - 0.3 != -0.3 + 0.1 + 0.2
    table = Table.from_arrays(moves, rewards, horizon=3)
    first = sum(gorp(table, 1, 1, run=i).actions[0] for i in range(400))
    assert not surprising(first, 400, 0.5)


def test_rewards_far_ahead_are_seen_however_small_they_have_become():
    """After 300 steps at a discount of .9 a reward of 1 is worth 1e-14, and still the reason for the first step."""
    moves = [[1, 300], *([s + 1, s + 1] for s in range(1, 300)), [300, 300]]
    rewards = np.zeros((301, 2))
    rewards[299] = 1.0
    table = Table.from_arrays(moves, rewards, horizon=300)
    assert {gorp(table, 1, 1, discount=0.9, run=i).actions[0] for i in range(20)} == {0}


def test_a_run_is_a_function_of_its_seed_and_number():
    table = random_table(actions=3)
    run = gorp(table, 1, 2, seed=5, run=7)
    assert run == gorp(table, 1, 2, seed=5, run=7)
    others = [gorp(table, 1, 2, seed=5, run=i).actions for i in range(7)]
    others += [gorp(table, 1, 2, seed=i, run=7).actions for i in range(5)]
    assert len({run.actions, *others}) > 6


def test_the_number_of_lanes_changes_nothing(monkeypatch):
    table = random_table(actions=3)
    table = replace(table, terminal=np.arange(table.states) % 9 == 1)
    before = [gorp(table, 2, 20, discount=0.9, run=i) for i in range(20)]
    monkeypatch.setattr(kernels, "LANES", 5)
    assert before == [gorp(table, 2, 20, discount=0.9, run=i) for i in range(20)]


@pytest.mark.parametrize("actions", [2, 3, 7, 16, 17, 300])
def test_random_actions_are_uniform_and_independent(actions):
    """A state is the last action: a reward of the action itself tells its mean, one for a repetition the pairs'."""
    lanes_count, steps = 4000, 24
    entries = np.zeros(actions * actions, dtype=kernels.LARGE_ENTRY)
    entries["first"] = np.tile(np.arange(actions) * actions, actions)
    same = np.eye(actions).ravel()
    for rewards, mean, variance in (
        (np.tile(np.arange(actions), actions), (actions - 1) / 2, (actions**2 - 1) / 12),
        (np.tile(np.arange(actions) ** 2, actions), None, None),
        (same, 1 / actions, (1 - 1 / actions) / actions),
    ):
        entries["reward"] = rewards
        mean = rewards[:actions].mean() if mean is None else mean
        variance = rewards[:actions].var() if variance is None else variance
        for t in range(1 if rewards is same else 0, steps):
            lanes = np.zeros(lanes_count, dtype=kernels.LANE)
            lanes["key"] = np.random.default_rng(actions).integers(2**63, size=lanes_count)
            q, sizes = np.zeros(1), np.zeros(1)
            weights = (np.arange(steps) == t).astype(float)
            taken = kernels.walk(entries, actions, lanes, lanes_count, steps, weights, 0, lanes_count, q, sizes)
            assert taken == lanes_count * steps
            assert abs(q[0] - mean) < 5.5 * math.sqrt(variance / lanes_count)


def test_what_it_is_not_for():
    table = corridor(2, 4)
    for call in (partial(gorp, k=1, m=1), partial(success, k=1, m=1, runs=5), gorp_horizon):
        with pytest.raises(UsageError, match="deterministic"):
            call(mohs.table("toy/discrete", transition_noise=0.1))
        with pytest.raises(UsageError, match="at least one step"):
            call(table, horizon=0)
        with pytest.raises(UsageError, match="horizon is needed"):
            call(replace(table, horizon=None))
    with pytest.raises(UsageError, match=r"k is 5, but must be an integer in \[1, 4\]"):
        gorp(table, 5, 1)
    with pytest.raises(UsageError, match="m is 0"):
        gorp(table, 1, 0)
    with pytest.raises(UsageError, match="runs is 0"):
        success(table, 1, 1, 0)
    with pytest.raises(UsageError, match="sequences of 30"):
        gorp(replace(table, horizon=40), 30, 1)
