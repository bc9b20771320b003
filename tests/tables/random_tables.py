"""Random small tables of every kind, and plain ways to walk through one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from mohs import Table


@st.composite
def tables(draw, stochastic=None, starts=None):
    """Tables with ends, several starts and states that look alike; deterministic, stochastic or either."""
    states, actions = draw(st.integers(2, 6)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    moves = rng.integers(states, size=(states, actions))
    if draw(st.booleans()) if stochastic is None else stochastic:
        moves = rng.dirichlet(np.ones(states), size=(states, actions)) * (rng.random((states, actions, states)) < 0.5)
        moves[..., 0] += moves.sum(axis=2) == 0
        moves /= moves.sum(axis=2, keepdims=True)
    rewards = rng.integers(-1, 2, size=(states, actions)).astype(float)
    count = draw(st.integers(1, states - 1)) if starts is None else starts
    initial = np.append(rng.dirichlet(np.ones(count)) if count > 1 else 1.0, np.zeros(states - count))
    ends = [s for s in range(1, states) if draw(st.booleans())]
    table = Table.from_arrays(moves, rewards, terminal=ends, initial=initial, horizon=draw(st.integers(1, 6)))
    return replace(table, observation=rng.integers(draw(st.sampled_from([2, 100])), size=states).astype(np.int32))


def entries(table, state, action):
    """Where an action leads: (state, probability, reward)."""
    row = state * table.actions + action
    if table.deterministic:
        return [(int(table.succ[row]), 1.0, float(table.reward[row]))]
    found = slice(int(table.indptr[row]), int(table.indptr[row + 1]))
    return list(zip(table.succ[found].tolist(), table.prob[found].tolist(), table.reward[found].tolist(), strict=True))


def assert_same(one, other):
    """The same MDP, with the same numbers for states, to the last bit."""
    for a, b in zip(one.arrays, other.arrays, strict=True):
        assert np.array_equal(a, b)
    assert np.array_equal(one.initial, other.initial)
    assert np.array_equal(one.observation, other.observation)
    assert (one.horizon, one.discount) == (other.horizon, other.discount)


def restricted(table):
    """The deterministic table of the states that can be reached, in breadth-first order, with one end for each look."""
    order = [int(s) for s in np.flatnonzero(table.initial)]
    for state in order:
        for action in range(table.actions) if not table.terminal[state] else ():
            ((after, _, _),) = entries(table, state, action)
            if after not in order:
                order.append(after)
    number = {state: i for i, state in enumerate(order)}
    succ, reward = [], []
    for state in order:
        for action in range(table.actions):
            ((after, _, pay),) = entries(table, state, action)
            over = table.terminal[state]
            succ.append(number[state if over else after])
            reward.append(0.0 if over else pay)
    return replace(
        table,
        succ=np.array(succ, dtype=np.int32),
        reward=np.array(reward),
        terminal=table.terminal[order],
        initial=table.initial[order],
        observation=table.observation[order],
    )
