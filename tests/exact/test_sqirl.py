"""SQIRL on tables does what its algorithm says, and finds optimal policies where it should."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import tables

from mohs import Table, UsageError
from mohs.core.seeding import hashes
from mohs.exact.lookahead import sqirl_kernels as kernels
from mohs.exact.lookahead.sqirl import _episodes, _fit, sqirl, sqirl_horizon, sqirl_success
from mohs.exact.values.solve import returns, values
from mohs.stats.counts import clopper_pearson
from mohs.tables.transforms import action_noise


@st.composite
def cases(draw):
    """A table, some of them noisy and with several starts, and a random policy with gaps."""
    table = draw(tables())
    if draw(st.booleans()):
        table = action_noise(table, 0.3)
    live = ~table.terminal
    if draw(st.booleans()):
        table = replace(table, initial=live / live.sum())
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    policy = rng.integers(-1, table.actions, size=(table.horizon, table.states)).astype(np.int32)
    return table, policy


def chain(length, width=3):
    """Action 0 goes on to the reward at the end, all others back to the start."""
    moves = [[s + 1 if s + 1 < length else -1] + [0] * (width - 1) for s in range(length)]
    rewards = np.zeros((length, width))
    rewards[-1, 0] = 1.0
    return Table.from_arrays(moves, rewards, horizon=length)


def collect(table, policy, t, k, m, discount=1.0, key=0):
    """The episodes of a step of the search: states, actions, rewards and returns from the last of them on."""
    starts = np.flatnonzero(table.initial)
    episodes = _episodes(k, m)
    steps = kernels.collect(
        *table.arrays, starts, np.cumsum(table.initial[starts]), policy, t, min(k, len(policy) - t), discount,
        hashes(key, (1,))[0], *episodes,
    )  # fmt: skip
    return episodes, steps


def plain(episodes, depth, discount):
    """Fitted Q-iteration with dictionaries: {(state, action): mean} of the step under search."""
    states, taken, rewards, tails = (part.tolist() for part in episodes)
    later = {}
    for level in reversed(range(depth)):
        targets = defaultdict(list)
        for e in range(len(tails)):
            if states[e][level] < 0:
                continue
            target = tails[e]
            if level < depth - 1:
                follow = [q for (s, _), q in later.items() if s == states[e][level + 1]]
                target = rewards[e][level] + discount * max(follow, default=0.0)
            targets[states[e][level], taken[e][level]].append(target)
        later = {pair: np.mean(found) for pair, found in targets.items()}
    return later


@settings(max_examples=60)
@given(cases(), st.integers(0, 4), st.integers(1, 3), st.sampled_from([1, 7, 60]), st.sampled_from([1.0, 0.8]))
def test_the_plain_algorithm_on_the_same_episodes(case, t, k, m, discount):
    table, policy = case
    t, k = min(t, table.horizon - 1), min(k, table.horizon)
    depth = min(k, table.horizon - t)
    episodes, _ = collect(table, policy, t, k, m, discount)
    expected = plain(episodes, depth, discount)
    fit = _fit(table, m)
    size = kernels.regress(table.actions, depth, discount, *episodes, *fit)
    sums, counts = fit[0], fit[1]
    rows = np.flatnonzero(counts)
    assert {divmod(int(row), table.actions): sums[row] / counts[row] for row in rows} == pytest.approx(expected)
    chosen = np.full(table.states, kernels.UNSEEN, dtype=np.int32)
    kernels.decide(table.actions, size, np.uint64(5), *fit, chosen)
    for state in range(table.states):
        tried = {a: q for (s, a), q in expected.items() if s == state}
        assert (chosen[state] == kernels.UNSEEN) == (not tried)
        assert not tried or tried[chosen[state]] == pytest.approx(max(tried.values()))
    assert not sums.any()
    assert not counts.any()
    assert not fit[4].any()


@settings(max_examples=40)
@given(cases(), st.integers(0, 4), st.sampled_from([1.0, 0.8]))
def test_episodes_are_those_of_the_table(case, t, discount):
    """Every recorded step is in the table, and the returns are those of what was recorded to the end."""
    table, policy = case
    t = min(t, table.horizon - 1)
    depth = table.horizon - t
    (states, taken, rewards, tails), steps = collect(table, policy, t, depth, 200, discount)
    (_, _, _, first), _ = collect(table, policy, t, 1, 200, discount)  # the same episodes, seen for one step
    indptr = np.arange(len(table.succ) + 1) if table.deterministic else table.indptr
    total = np.zeros(200)
    for e, j in np.argwhere(states >= 0):
        row = states[e, j] * table.actions + taken[e, j]
        leads = [
            (table.reward[i], table.succ[i]) for i in range(indptr[row], indptr[row + 1])
            if table.prob is None or table.prob[i] > 0
        ]  # fmt: skip
        after = states[e, j + 1] if j + 1 < depth else None
        assert any(r == rewards[e, j] and (after in (None, n) or (after < 0 and table.terminal[n])) for r, n in leads)
        total[e] += discount**j * rewards[e, j]
    assert first == pytest.approx(total)
    assert tails == pytest.approx(np.where(states[:, -1] >= 0, rewards[:, -1], 0.0))
    assert (states >= 0).sum() <= steps <= 200 * table.horizon


def test_episodes_follow_the_policy_and_are_random_from_the_step_on():
    """Action a leads to state a, so that a state tells the action before it."""
    table = Table.from_arrays([[0, 1, 2]] * 3, [[0.0, 1.0, 2.0]] * 3, horizon=5)
    table = replace(table, initial=np.array([0.2, 0.8, 0.0]))
    policy = np.array([[2, 2, 2], [1, 1, 0], [0, 0, kernels.UNSEEN], [0, 1, 2], [0, 0, 0]], dtype=np.int32)
    m, third = 40_000, np.full(3, 1 / 3)
    expected = {0: [0.2, 0.8, 0], 1: [0, 0, 1], 2: [1, 0, 0], 3: [1, 0, 0], 4: [1, 0, 0]}
    for t, first in expected.items():
        (states, taken, _, tails), steps = collect(table, policy, t, 2, m, key=t)
        assert steps == 5 * m
        assert np.bincount(states[:, 0], minlength=3) / m == pytest.approx(first, abs=0.015)
        assert np.bincount(taken[:, 0], minlength=3) / m == pytest.approx(third, abs=0.015)
        if t < 4:
            assert np.array_equal(states[:, 1], taken[:, 0])
            assert np.bincount(3 * taken[:, 0] + taken[:, 1]) / m == pytest.approx(np.full(9, 1 / 9), abs=0.01)
            assert tails.mean() == pytest.approx(4 - t, abs=0.05)  # one for each random step from t + 1 on
    policy[0] = kernels.UNSEEN
    (states, _, _, _), _ = collect(table, policy, 1, 1, m)
    assert np.bincount(states[:, 0], minlength=3) / m == pytest.approx(third, abs=0.015)


def exact_q(table, k, discount):
    """Qᵏ at the first step."""
    indptr = np.arange(len(table.succ) + 1) if table.deterministic else table.indptr
    prob = np.ones(len(table.succ)) if table.deterministic else table.prob
    row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    later = values(table, "mean", horizon=table.horizon - k, discount=discount)
    q = np.zeros((table.states, table.actions))
    for _ in range(k):
        q = np.bincount(row, prob * (table.reward + discount * later[table.succ]), len(indptr) - 1)
        q = np.where(table.terminal[:, None], 0.0, q.reshape(table.states, table.actions))
        later = q.max(axis=1)
    return q


@settings(max_examples=25)
@given(cases(), st.integers(1, 3), st.sampled_from([1.0, 0.8]))
def test_estimates_converge(case, k, discount):
    table, policy = case
    k, m = min(k, table.horizon), 60_000
    episodes, _ = collect(table, policy, 0, k, m, discount)
    fit = _fit(table, m)
    kernels.regress(table.actions, k, discount, *episodes, *fit)
    found, often = fit[0].reshape(-1, table.actions), fit[1].reshape(-1, table.actions) > 2000
    assert often.any()
    means = np.divide(found, fit[1].reshape(-1, table.actions), where=often, out=np.zeros_like(found))
    # A return's deviation is at most 1.5 for each step, and the largest of noisy values is a little too large.
    assert means[often] == pytest.approx(exact_q(table, k, discount)[often], abs=0.5)
    assert np.abs(means - exact_q(table, k, discount))[often].mean() < 0.1


@settings(max_examples=60)
@given(cases())
def test_a_policy_is_evaluated_exactly(case):
    table, policy = case
    chances = np.where(
        policy[:, :, None] == kernels.UNSEEN, 1 / table.actions, np.eye(table.actions)[np.maximum(policy, 0)]
    )
    found = kernels.policy_value(
        *table.arrays, table.initial, policy, np.zeros(table.states), np.zeros(table.states)
    )  # fmt: skip
    assert found == pytest.approx(table.initial @ values(table, chances), abs=1e-12)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_chains_are_solved(k):
    table = chain(5)
    found = sqirl_success(table, k, 3000, 20)
    assert (found.successes, found.runs) == (20, 20)
    assert found.interval == clopper_pearson(20, 20)
    run = sqirl(table, k, 3000)
    assert run.optimal
    assert run.value == pytest.approx(1.0)
    assert run.charged == 25 * 3000
    assert run.simulated <= run.charged
    assert [run.policy[t, t] for t in range(5)] == [0] * 5


def test_few_episodes_fail_and_leave_states_to_chance():
    table = chain(6)
    run = sqirl(table, 1, 1)
    assert not run.optimal
    assert np.all((run.policy != kernels.UNSEEN).sum(axis=1) <= 1)  # one episode visits one state at each step
    assert 0 <= run.value < 1


def test_a_run_is_a_function_of_its_number():
    table = action_noise(chain(4), 0.2)
    again = [sqirl(table, 2, 30, seed=3, run=n) for n in (0, 1, 2, 1)]
    assert np.array_equal(again[1].policy, again[3].policy)
    assert not np.array_equal(again[0].policy, again[1].policy)
    assert sqirl_success(table, 2, 30, 3, seed=3).successes == sum(run.optimal for run in again[:3])
    assert sqirl_success(table, 2, 30, 3, seed=3).simulated == sum(run.simulated for run in again[:3])


def test_frozen_lake():
    """Slippery: the policy must be right in every state that the ice leads to."""
    table = Table.from_gymnasium("FrozenLake-v1")
    exact = returns(table, horizon=20, discount=1.0)
    few, many = sqirl(table, 20, 300, horizon=20), sqirl(table, 20, 60_000, horizon=20)
    assert few.value < 0.8 * exact.optimal
    assert 0.97 * exact.optimal < many.value <= exact.optimal * (1 + 1e-12)


def test_the_fewest_episodes():
    table = chain(5)
    found = sqirl_horizon(table, runs=40, most=3)
    assert found.k is not None
    assert (found.episodes, found.sample_complexity) == (5 * found.m, 25 * found.m)
    assert found.interval[0] <= 0.5 <= found.interval[1] or found.interval[0] > 0.5
    best = [probe for probe in found.tried if (probe.k, probe.m) == (found.k, found.m)]
    assert len(best) == 1
    assert best[0].likely
    assert all(probe.m >= found.m for probe in found.tried if probe.likely)
    assert sqirl_success(table, found.k, 8 * found.m, 40).successes > 30
    assert {probe.k for probe in found.tried} == {1, 2, 3}


def test_a_budget_that_is_too_small():
    found = sqirl_horizon(chain(9), runs=10, budget=81 * 3, most=2)
    assert (found.k, found.m, found.episodes, found.sample_complexity, found.interval) == (None,) * 5
    assert {(probe.k, probe.m) for probe in found.tried} == {(k, m) for k in (1, 2) for m in (1, 2, 3)}


def test_a_discount_while_learning():
    """With a discount of 0 nothing but the next reward is seen: the bait is taken, and that is judged without."""
    table = Table.from_arrays([[1, 2], [-1, -1], [-1, -1]], [[1.0, 0.0], [0.0, 0.0], [5.0, 5.0]], horizon=2)
    assert sqirl(table, 1, 50).value == 5
    assert sqirl(table, 1, 50, discount=0.0).value == 1
    assert not sqirl(table, 1, 50, discount=0.0).optimal


def test_what_cannot_be():
    table = chain(3)
    with pytest.raises(UsageError, match="k is 4"):
        sqirl(table, 4, 1)
    with pytest.raises(UsageError, match="m is 0"):
        sqirl(table, 1, 0)
    with pytest.raises(UsageError, match="kept at once"):
        sqirl(table, 3, 2**25)
    with pytest.raises(UsageError, match="at least one step"):
        sqirl(table, 1, 1, horizon=0)
