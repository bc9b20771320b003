"""Value iteration agrees with linear algebra, and plans attain the values they promise."""

from __future__ import annotations

import numpy as np
import pytest

import mohs
from mohs import Cell, Probe, Segment, Task, UsageError
from mohs.exact.references import return_score
from mohs.exact.solve import discounted, plan, returns, values
from mohs.runs.learners import agent, learner

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
