"""The table of a toy and its engine are the same MDP, and its values are those of brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mohs
from mohs import Task, UsageError
from mohs.exact.values.solve import returns


@st.composite
def tasks(draw, noise=True):
    """Small tasks over all dials that a table has."""
    params = {
        "action_space_size": draw(st.integers(2, 4)),
        "diameter": draw(st.integers(1, 2)),
        "delay": draw(st.integers(0, 3)),
        "delay_at_end": draw(st.sampled_from(["drop", "terminated"])),
        "sequence_length": draw(st.integers(1, 3)),
        "reward_density": draw(st.sampled_from([0.4, 0.7, 1.0])),
        "reward_every_n_steps": draw(st.booleans()),
        "make_denser": draw(st.booleans()),
        "terminal_state_density": draw(st.sampled_from([0.0, 0.34, 0.5])),
        "reward_scale": draw(st.sampled_from([1.0, -2.0])),
        "reward_shift": draw(st.sampled_from([0.0, 0.25])),
        "term_state_reward": draw(st.sampled_from([0.0, -1.0])),
        "max_episode_steps": draw(st.integers(1, 6)),
        "transition_noise": draw(st.sampled_from([0.0, 0.3])) if noise else 0.0,
    }
    if draw(st.booleans()):
        params["reward_dist"] = (-1.0, 2.0)
    try:
        task = Task.make("toy/discrete", seed=draw(st.integers(0, 50)), **params)
        mohs.table(task)
    except UsageError:  # too few states for the sequences: make one that always exists
        kept = {k: v for k, v in params.items() if k not in ("sequence_length", "reward_density")}
        task = Task.make("toy/discrete", seed=draw(st.integers(0, 50)), **kept, reward_density=1.0)
    return task


LAWS = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def successors(table, state, action):
    row = state * table.actions + action
    if table.deterministic:
        return {int(table.observation[table.succ[row]]): (int(table.succ[row]), float(table.reward[row]), 1.0)}
    entries = range(table.indptr[row], table.indptr[row + 1])
    return {
        int(table.observation[table.succ[e]]): (int(table.succ[e]), float(table.reward[e]), float(table.prob[e]))
        for e in entries
    }


@LAWS
@given(tasks(), st.integers(0, 1000))
def test_every_step_of_the_engine_is_in_the_table(task, seed):
    table = mohs.table(task)
    env = mohs.make(task)
    rng = np.random.default_rng(seed)
    for episode in range(5):
        observation, _ = env.reset(seed=seed if episode == 0 else None)
        (state,) = np.flatnonzero((table.initial > 0) & (table.observation == observation))
        over = False
        while not over:
            action = int(rng.integers(table.actions))
            observation, reward, terminated, truncated, _ = env.step(action)
            state, expected, _ = successors(table, state, action)[observation]
            assert reward == pytest.approx(expected, abs=1e-12)
            assert terminated == table.terminal[state]
            over = terminated or truncated


@LAWS
@given(tasks(noise=False))
def test_exact_returns_are_those_of_all_action_sequences(task):
    """Brute force in the environment: from every start, every sequence of actions up to a short horizon."""
    horizon = min(task["max_episode_steps"], 4 if task["action_space_size"] > 3 else 5)
    task = task.replace(max_episode_steps=horizon)
    table = mohs.table(task)
    best = mean = worst = 0.0
    for start in np.flatnonzero(table.initial):
        count = int(table.observation.max()) + 1
        states = task["action_space_size"] * task["diameter"]
        env = mohs.make(task, init_state_dist=np.eye(max(states, count))[table.observation[start]][:states])
        gains = [play(env, actions) for actions in itertools.product(range(table.actions), repeat=horizon)]
        best += table.initial[start] * max(gains)
        worst += table.initial[start] * min(gains)
        mean += table.initial[start] * float(np.mean(gains))
    exact = returns(table)
    assert (exact.optimal, exact.random, exact.worst) == pytest.approx((best, mean, worst), abs=1e-9)


def play(env, actions):
    env.reset(seed=0)
    total = 0.0
    for action in actions:
        _, reward, terminated, _, _ = env.step(action)
        total += reward
        if terminated:
            break
    return total


@pytest.mark.parametrize("params", [{"transition_noise": 0.3}, {"transition_noise": 0.5, "diameter": 2, "delay": 1}])
def test_transition_frequencies_are_the_tables_probabilities(params):
    task = Task.make("toy/discrete", action_space_size=4, reward_density=0.5, terminal_state_density=0.25, **params)
    table = mohs.table(task)
    envs = mohs.make_vec(task, num_envs=4000)
    observations, _ = envs.reset(seed=1)
    starts = np.full(16, -1)
    first = np.flatnonzero(table.initial)
    starts[table.observation[first]] = first
    states = starts[observations]
    counts: dict[tuple[int, int], np.ndarray] = {}
    rng = np.random.default_rng(0)
    over = np.zeros(4000, dtype=bool)
    for _ in range(60):
        actions = rng.integers(table.actions, size=4000)
        observations, _, terminated, truncated, _ = envs.step(actions)
        for i in range(4000):
            if over[i]:
                states[i] = starts[observations[i]]
                continue
            found = successors(table, int(states[i]), int(actions[i]))
            key = (int(states[i]), int(actions[i]))
            tally = counts.setdefault(key, np.zeros(16))
            tally[observations[i]] += 1
            states[i] = found[int(observations[i])][0]
        over = terminated | truncated
    statistic, freedom = 0.0, 0
    for (state, action), tally in counts.items():
        found = successors(table, state, action)
        expected = np.array([found[o][2] if o in found else 0.0 for o in range(16)]) * tally.sum()
        if tally.sum() < 200:
            continue
        used = expected > 0
        statistic += float(((tally - expected)[used] ** 2 / expected[used]).sum())
        freedom += int(used.sum()) - 1
    assert freedom > 10
    assert abs(statistic - freedom) < 4 * np.sqrt(2 * freedom)


@pytest.mark.parametrize(("noise", "value"), [(0.02, 74.8), (0.05, 50.7), (0.1, 29.8)])
def test_the_optimum_under_transition_noise(noise, value):
    assert returns(mohs.table("toy/discrete", transition_noise=noise)).optimal == pytest.approx(value, abs=0.05)


@pytest.mark.parametrize(("n", "delay"), [(1, 0), (2, 0), (3, 4), (4, 8)])
def test_the_optimum_with_the_gate(n, delay):
    """⌊(T − d)/n⌋ where an unbroken chain of sequences exists, as it does in the default toy."""
    table = mohs.table("toy/discrete", sequence_length=n, delay=delay)
    assert returns(table).optimal == pytest.approx((100 - delay) // n)


def test_irrelevant_features_are_lumped_away():
    plain = mohs.table("toy/discrete", delay=2)
    lumped = mohs.table("toy/discrete", delay=2, irrelevant_features=True)
    assert np.array_equal(plain.succ, lumped.succ)
    assert np.array_equal(plain.reward, lumped.reward)


def test_a_shorter_horizon_stands_for_delay_only_without_noise_into_terminals():
    for n in (1, 2):
        task = Task.make("toy/discrete", sequence_length=n, reward_every_n_steps=False)
        short = returns(mohs.table(task), horizon=97).optimal
        assert returns(mohs.table(task, delay=3)).optimal == pytest.approx(short)
    noisy = Task.make("toy/discrete", transition_noise=0.1)
    assert returns(mohs.table(noisy, delay=3)).optimal < returns(mohs.table(noisy), horizon=97).optimal - 0.5


def test_noise_on_custom_dynamics_leads_to_connected_states_only():
    """A ring of five states with steps left, right and, from state 0, in place; state 4 leads to state 0 only."""
    ring = [[4, 1, 0], [0, 2, 2], [1, 3, 3], [2, 4, 4], [0, 0, 0]]
    parts = {"transition_function": ring, "reward_function": np.zeros((5, 3)), "terminal_states": []}
    table = mohs.table(Task.make("toy/discrete", transition_noise=0.4, **parts))
    for state, action in itertools.product(range(5), range(3)):
        before = int(table.observation[state])
        found = {to: p for to, (_, _, p) in successors(table, state, action).items()}
        others = set(ring[before]) - {ring[before][action]}
        expected = {ring[before][action]: 0.6 if others else 1.0} | dict.fromkeys(others, 0.4 / max(len(others), 1))
        assert found == pytest.approx(expected)
    with pytest.raises(UsageError, match="every state leads to one state only"):
        mohs.table(Task.make("toy/discrete", transition_noise=0.1, **{**parts, "transition_function": [[1] * 3] * 5}))


def test_custom_stochastic_dynamics_with_noise():
    rng = np.random.default_rng(3)
    probs = rng.dirichlet(np.ones(4), size=(4, 2))
    rewards = rng.random((4, 2))
    parts = {"transition_function": probs, "reward_function": rewards, "terminal_states": [3]}
    task = Task.make("toy/discrete", transition_noise=0.2, **parts)
    table = mohs.table(task)
    for state, action in itertools.product(range(table.states), range(2)):
        before = int(table.observation[state])
        if table.terminal[state]:
            continue
        found = successors(table, state, action)
        for after in range(4):
            p = probs[before, action, after]
            assert found[after][2] == pytest.approx(0.8 * p + 0.2 / 3 * (1 - p))
