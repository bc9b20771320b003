"""The distribution of returns is that of a plain recursion and of play itself; its moments need no distribution."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import BRIDGE, MDPS, tables

import mohs
from mohs import Table, Task, UsageError
from mohs.exact.lookahead.qvi import p_opt
from mohs.exact.values import distribution as module
from mohs.exact.values.distribution import backward_moments, distribution, moments, unit
from mohs.exact.values.solve import plan, returns, values
from mohs.tables.transforms import action_noise

TASKS = [
    Task.make("toy/discrete"),
    Task.make("toy/discrete", transition_noise=0.1, delay=2, sequence_length=2),
    Task.make("toy/discrete", reward_shift=-0.1, term_state_reward=1, sequence_length=3, reward_every_n_steps=False),
]


@st.composite
def stochastic_tables(draw):
    """Some with noise, some with several starts, some with rewards in quarters."""
    table = draw(tables())
    if draw(st.booleans()):
        table = action_noise(table, 0.3)
    if draw(st.booleans()):
        table = replace(table, initial=np.full(table.states, 1 / table.states))
    return replace(table, reward=table.reward * draw(st.sampled_from([1.0, 0.25, 0.1])))


def recursion(table, policy, discount=1.0):
    """{return: probability}, rounded to nine digits, with a dictionary for every state."""
    rows = range(table.states * table.actions)
    indptr = np.arange(len(rows) + 1) if table.deterministic else table.indptr
    chance = np.ones(len(table.succ)) if table.deterministic else table.prob
    later = [{0.0: 1.0}] * table.states
    for t in reversed(range(table.horizon)):
        now = []
        for s in range(table.states):
            found = defaultdict(float)
            if table.terminal[s]:
                found[0.0] = 1.0
            for a in range(0 if table.terminal[s] else table.actions):
                row = s * table.actions + a
                for e in range(indptr[row], indptr[row + 1]):
                    for gain, p in later[table.succ[e]].items():
                        weight = policy[t, s, a] * chance[e] * p
                        found[round(table.reward[e] + discount * gain, 9) + 0.0] += weight
            now.append(found)
        later = now
    total = Counter()
    for s, p in enumerate(table.initial):
        for gain, q in later[s].items():
            total[gain] += p * q
    return {gain: p for gain, p in sorted(total.items()) if p > 0}


def uniform(table):
    return np.full((table.horizon, table.states, table.actions), 1 / table.actions)


def central(expected, order):
    gains, chances = np.array(list(expected)), np.array(list(expected.values()))
    return chances @ (gains - chances @ gains) ** order


@settings(max_examples=60)
@given(stochastic_tables())
def test_it_is_the_plain_recursion(table):
    found, expected = distribution(table), recursion(table, uniform(table))
    assert found.values == pytest.approx(list(expected), abs=1e-8)
    assert found.probabilities == pytest.approx(list(expected.values()), abs=1e-12)


@settings(max_examples=40)
@given(tables())
def test_every_sequence_of_actions_counts_once(table):
    counted = Counter()
    for actions in itertools.product(range(table.actions), repeat=table.horizon):
        state, gain = int(np.argmax(table.initial)), 0.0
        for action in actions:
            if table.terminal[state]:
                break
            gain += table.reward[state * table.actions + action]
            state = table.succ[state * table.actions + action]
        counted[gain] += 1
    found = distribution(table)
    assert dict(zip(found.values, found.probabilities, strict=True)) == pytest.approx(
        {gain: n / table.actions**table.horizon for gain, n in counted.items()}
    )
    assert found.probabilities[-1] == pytest.approx(p_opt(table))  # the largest return is the optimum


@settings(max_examples=40)
@given(stochastic_tables(), st.integers(0, 1000))
def test_any_policy(table, seed):
    policy = np.random.default_rng(seed).dirichlet(np.ones(table.actions), (table.horizon, table.states))
    policy[:, ::2] = np.eye(table.actions)[0]  # some actions are never taken
    found, expected = distribution(table, policy=policy), recursion(table, policy)
    assert found.values == pytest.approx(list(expected), abs=1e-8)
    assert found.probabilities == pytest.approx(list(expected.values()), abs=1e-12)
    assert moments(table, policy=policy).mean == pytest.approx(found.moments.mean, abs=1e-10)
    assert moments(table, policy=policy).fourth_central == pytest.approx(found.moments.fourth_central, abs=1e-9)


@settings(max_examples=60)
@given(stochastic_tables(), st.sampled_from([1.0, 0.9, 0.5]))
def test_moments_with_a_discount(table, discount):
    found, expected = moments(table, discount=discount), recursion(table, uniform(table), discount)
    assert found.mean == pytest.approx(returns(table, discount=discount).random, abs=1e-12)
    assert found.variance == pytest.approx(central(expected, 2), abs=1e-6)
    assert found.third_central == pytest.approx(central(expected, 3), abs=1e-6)
    assert found.fourth_central == pytest.approx(central(expected, 4), abs=1e-6)


@pytest.mark.parametrize("task", TASKS, ids=str)
@pytest.mark.parametrize("policy", ["mean", "best", "worst"])
def test_both_agree_with_the_value(task, policy):
    table = mohs.table(task)
    whole, parts = distribution(table, policy=policy).moments, moments(table, policy=policy)
    assert distribution(table, policy=policy).probabilities.sum() == pytest.approx(1, abs=1e-12)
    assert whole.mean == pytest.approx(table.initial @ values(table, policy), rel=1e-12)
    assert parts.mean == pytest.approx(whole.mean, rel=1e-12)
    assert parts.variance == pytest.approx(whole.variance, rel=1e-9, abs=1e-12)
    assert parts.third_central == pytest.approx(whole.third_central, rel=1e-9, abs=1e-9)
    assert parts.fourth_central == pytest.approx(whole.fourth_central, rel=1e-9, abs=1e-9)
    assert parts.third_absolute is None
    assert abs(whole.third_central) <= whole.third_absolute <= whole.third_absolute_bound * (1 + 1e-12) + 1e-30


def test_the_best_policy_is_the_plan():
    table = mohs.table(TASKS[1])
    best, planned = distribution(table, policy="best"), distribution(table, policy=plan(table).actions)
    assert np.array_equal(best.values, planned.values)
    assert np.array_equal(best.probabilities, planned.probabilities)


def test_monte_carlo():
    """Ten thousand episodes played step by step."""
    table, episodes = mohs.table(TASKS[1]), 10_000
    rng = np.random.default_rng(1)
    sums = np.concatenate([[0.0], np.cumsum(table.prob)])
    state, gain = rng.choice(table.states, episodes, p=table.initial), np.zeros(episodes)
    for _ in range(20):
        row = state * table.actions + rng.integers(table.actions, size=episodes)
        before, after = sums[table.indptr[row]], sums[table.indptr[row + 1]]
        entry = np.searchsorted(sums, before + rng.random(episodes) * (after - before), side="right") - 1
        live = ~table.terminal[state]
        gain[live] += table.reward[entry[live]]
        state[live] = table.succ[entry[live]]
    found = distribution(table, horizon=20)
    for value, p in zip(found.values, found.probabilities, strict=True):
        assert np.mean(gain == value) == pytest.approx(p, abs=5 * np.sqrt(p / episodes) + 1e-12)


def test_a_toss_before_each_of_two_steps():
    table = Table.from_arrays([[0, 0]], [[0.0, 1.0]], horizon=2)
    found = distribution(table)
    assert found.values.tolist() == [0, 1, 2]
    assert found.probabilities.tolist() == [0.25, 0.5, 0.25]
    assert (found.moments.variance, found.moments.third_absolute) == (0.5, 0.5)
    assert [after[0].tolist() for after in backward_moments(table)] == [
        [0, 0, 0, 0],
        [0.5, 0.25, 0, 0.0625],
        [1, 0.5, 0, 0.5],
    ]


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=8), st.sampled_from([1.0, 0.1, 1 / 3, 2.5, np.pi]))
def test_the_unit_is_the_largest_that_divides(numbers, size):
    found = unit(np.array(numbers) * size)
    divisor = np.gcd.reduce(numbers)
    assert found == pytest.approx(1.0 if divisor == 0 else divisor * size, rel=1e-9)


def test_rewards_without_a_unit():
    assert unit([1.0, np.sqrt(2)]) is None
    assert unit(np.random.default_rng(0).normal(size=50)) is None
    table = Table.from_arrays([[0, 0]], [[1.0, np.sqrt(2)]], horizon=2)
    with pytest.raises(UsageError, match="not whole multiples of one unit"):
        distribution(table)
    assert moments(table).mean == pytest.approx(1 + np.sqrt(2))


def test_too_many_returns(monkeypatch):
    monkeypatch.setattr(module, "MAX_CELLS", 100)
    table = Table.from_arrays([[0, 0]], [[1.0, 60.0]], horizon=2)
    assert len(distribution(table, horizon=1).values) == 2
    with pytest.raises(UsageError, match="more than 100 states × returns"):
        distribution(table)


@pytest.mark.skipif(not BRIDGE.is_dir(), reason="the BRIDGE files are not there (MOHS_BRIDGE_DIR names their folder)")
@pytest.mark.parametrize("name", MDPS)
def test_bridge(name):
    """In both, random play is optimal or earns nothing."""
    horizon, guess = MDPS[name]
    table = Table.load(BRIDGE / f"{name}.npz", horizon=horizon)
    found = distribution(table)
    assert found.values.tolist() == [0, returns(table).optimal]
    assert found.probabilities[1] == pytest.approx(guess, rel=1e-5)
