"""Value iteration agrees with linear algebra, and plans attain the values they promise."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_tables import stochastic_tables, tables

import mohs
from mohs import Cell, Probe, Segment, Task, UsageError
from mohs.agents.registry import agent, learner
from mohs.exact.references import return_score
from mohs.exact.values.solve import backward, discounted, optimal_actions, plan, q_values, returns, values

TASKS = [
    Task.make("toy/discrete"),
    Task.make("toy/discrete", transition_noise=0.1, delay=2, sequence_length=2),
    Task.make("toy/discrete", reward_shift=-0.1, term_state_reward=1, sequence_length=3, reward_every_n_steps=False),
    Task.make("toy/discrete", make_denser=True, sequence_length=3, delay=1, diameter=2, action_space_size=4),
]


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_the_random_policy_by_linear_algebra(task):
    table = mohs.table(task)
    p, r = matrices(table)
    endless = np.linalg.solve(np.eye(table.states) - 0.9 * p, r)
    assert discounted(table, 0.9).random == pytest.approx(table.initial @ endless, abs=1e-7)
    finite = np.zeros(table.states)
    for _ in range(7):
        finite = r + p @ finite
    assert values(table, "mean", horizon=7) == pytest.approx(finite, abs=1e-12)


def matrices(table):
    """Transition matrix and expected reward of the uniform policy."""
    p, r = np.zeros((table.states, table.states)), np.zeros(table.states)
    indptr = np.arange(len(table.succ) + 1) if table.deterministic else table.indptr
    prob = np.ones(len(table.succ)) if table.deterministic else table.prob
    for state in np.flatnonzero(~table.terminal):
        for row in range(state * table.actions, (state + 1) * table.actions):
            for e in range(indptr[row], indptr[row + 1]):
                p[state, table.succ[e]] += prob[e] / table.actions
                r[state] += prob[e] * table.reward[e] / table.actions
    return p, r


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_worst_random_and_best_are_in_order(task):
    exact = returns(mohs.table(task))
    assert exact.worst <= exact.random <= exact.optimal
    assert plan(mohs.table(task)).value == exact.optimal


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_the_optimal_policy_earns_its_value_in_the_environment(task):
    """Monte Carlo: the oracle follows its plan in the environment itself."""
    episodes = 4000
    cell = Cell(agent("optimal"), 0, (Segment(task, 0),), (Probe("eval", task, (0,), episodes),))
    mean = float(learner([cell]).evaluate(0)["return"][0])
    exact = returns(mohs.table(task)).optimal
    assert mean == pytest.approx(exact, abs=4 * 50 / np.sqrt(episodes) if task["transition_noise"] else 0.15)


def test_discounting_within_a_horizon():
    table = mohs.table("toy/discrete")
    assert returns(table, horizon=3, discount=0.5).optimal == pytest.approx(1 + 0.5 + 0.25)


def test_an_endless_task_needs_a_discount():
    with pytest.raises(UsageError, match="discount must be below 1"):
        discounted(mohs.table("toy/discrete"), 1.0)
    with pytest.raises(UsageError, match="discount is 2"):
        returns(mohs.table("toy/discrete"), discount=2)


def test_references_are_those_of_the_noise_free_task():
    noisy = Task.make("toy/discrete", transition_noise=0.1, reward_noise=5)
    score = return_score(noisy)
    assert (score.low.value, score.high.value) == pytest.approx((0.5, 100.0))
    assert score.normalise(100.0) == pytest.approx(1)


def follow(table, chosen, discount):
    """The value of every state by action probabilities [T, S, A], with whole matrices."""
    found = np.zeros(table.states)
    for now in reversed(chosen):
        q = np.array(
            [[by_hand(table, s, a, found, discount) for a in range(table.actions)] for s in range(table.states)]
        )
        found = (now * q).sum(axis=1)
    return found


def by_hand(table, state, action, after, discount):
    row = state * table.actions + action
    if table.terminal[state]:
        return 0.0
    if table.deterministic:
        return table.reward[row] + discount * after[table.succ[row]]
    entries = slice(table.indptr[row], table.indptr[row + 1])
    return float(table.prob[entries] @ (table.reward[entries] + discount * after[table.succ[entries]]))


@settings(max_examples=60)
@given(st.one_of(tables(), stochastic_tables()), st.sampled_from([1.0, 0.9]), st.integers(0, 1000))
def test_any_policy_by_hand(table, discount, seed):
    rng = np.random.default_rng(seed)
    shape = (table.horizon, table.states, table.actions)
    changing = rng.dirichlet(np.ones(table.actions), size=shape[:2])
    assert values(table, changing, discount=discount) == pytest.approx(follow(table, changing, discount))
    steady = changing[0]
    expected = follow(table, np.broadcast_to(steady, shape), discount)
    assert values(table, steady, discount=discount) == pytest.approx(expected)
    uniform = np.full(shape[1:], 1 / table.actions)
    assert values(table, uniform, discount=discount) == pytest.approx(values(table, "mean", discount=discount))
    actions = rng.integers(table.actions, size=shape[:2])
    assert values(table, actions, discount=discount) == pytest.approx(
        follow(table, np.eye(table.actions)[actions], discount)
    )


@settings(max_examples=60)
@given(st.one_of(tables(), stochastic_tables()), st.sampled_from([1.0, 0.9]), st.integers(0, 1000))
def test_action_values_are_a_step_and_what_follows(table, discount, seed):
    changing = np.random.default_rng(seed).dirichlet(np.ones(table.actions), size=(table.horizon, table.states))
    for policy in ("best", "mean", "worst", changing):
        rest = policy if isinstance(policy, str) else policy[1:]
        after = values(table, rest, horizon=table.horizon - 1, discount=discount)
        q = q_values(table, policy, discount=discount)
        for s, a in itertools.product(range(table.states), range(table.actions)):
            assert q[s, a] == pytest.approx(by_hand(table, s, a, after, discount))
    best = optimal_actions(table, 1e-9, discount=discount)
    assert best.any(axis=1).all()
    assert np.where(best, q_values(table, discount=discount), -np.inf).max(axis=1) == pytest.approx(
        values(table, discount=discount)
    )


@settings(max_examples=20)
@given(st.one_of(tables(), stochastic_tables()))
def test_the_best_and_the_worst_of_all_policies(table):
    """Brute force over every deterministic policy of two steps."""
    assume(table.actions**table.states <= 30)
    decisions = [np.array(c) for c in itertools.product(range(table.actions), repeat=table.states)]
    found = [values(table, np.array(pair), horizon=2) for pair in itertools.product(decisions, repeat=2)]
    assert np.max(found, axis=0) == pytest.approx(values(table, horizon=2))
    assert np.min(found, axis=0) == pytest.approx(values(table, "worst", horizon=2))


@settings(max_examples=60)
@given(st.one_of(tables(), stochastic_tables()), st.sampled_from([1.0, 0.9]))
def test_worst_random_best_in_every_state_and_action(table, discount):
    worst, mean, best = (q_values(table, rule, discount=discount) for rule in ("worst", "mean", "best"))
    assert np.all(worst <= mean + 1e-9)
    assert np.all(mean <= best + 1e-9)


def test_values_step_by_step():
    table = mohs.table("toy/discrete", delay=1)
    for left, found in enumerate(backward(table, "mean", horizon=5)):
        assert np.array_equal(found, values(table, "mean", horizon=left))


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("greedy", "unknown policy 'greedy'"),
        (np.zeros(3, dtype=int), r"shape \(3, 8\)"),
        (np.full(9, 8), "actions from 0 to 7"),
        (np.full((9, 8), 0.2), "sum to 1"),
        (np.full((9, 8), np.nan), "sum to 1"),
    ],
)
def test_what_is_no_policy(policy, message):
    with pytest.raises(UsageError, match=message):
        values(mohs.table("toy/discrete"), policy)


@pytest.mark.parametrize(("delay", "noisy"), [(1, False), (3, False), (2, True)])
def test_a_delay_is_a_shorter_horizon_unless_there_is_noise(delay, noisy):
    """Without noise and shift a delay only cuts off the last rewards; with noise an end may come before they do."""
    dials = {"transition_noise": 0.2} if noisy else {}
    delayed = returns(mohs.table("toy/discrete", delay=delay, **dials), horizon=20).optimal
    shorter = returns(mohs.table("toy/discrete", **dials), horizon=20 - delay).optimal
    assert (delayed == pytest.approx(shorter, abs=1e-9)) is not noisy
