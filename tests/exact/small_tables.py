"""Tables to test with: random small ones, and two of the BRIDGE data set where its files are there."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from mohs import Table

BRIDGE = Path(os.environ.get("MOHS_BRIDGE_DIR", Path(__file__).parents[3] / "shared" / "oracles" / "bridge"))
MDPS = {"MiniGrid-KeyCorridorS3R1-v0": (100, 0.00323571), "maze_easy_l0_30_fs1": (30, 0.609554)}


@st.composite
def tables(draw):
    """Small deterministic tables with whole rewards, some of them with ends."""
    states, actions = draw(st.integers(2, 5)), draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    moves = rng.integers(-1 if draw(st.booleans()) else 0, states, size=(states, actions))
    rewards = rng.integers(-1, 3, size=(states, actions)).astype(float)
    return Table.from_arrays(moves, rewards, horizon=draw(st.integers(1, 5)))


@st.composite
def stochastic_tables(draw):
    """Small tables with random transitions and whole rewards."""
    states, actions = draw(st.integers(2, 4)), draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    chances = rng.dirichlet(np.full(states, 0.6), size=(states, actions))
    rewards = rng.integers(-1, 3, size=(states, actions, states)).astype(float)
    ends = [states - 1] if draw(st.booleans()) else []
    return Table.from_arrays(chances, rewards, terminal=ends, horizon=draw(st.integers(1, 4)))


@st.composite
def mixed_tables(draw):
    """Every kind of small table: with or without chance, ends, several starts and states out of reach.

    Some entries are impossible, and some differ in their reward alone.
    """
    states, actions = draw(st.integers(2, 5)), draw(st.integers(1, 2))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    width = draw(st.integers(1, 3))
    prob = rng.integers(0, 4, size=(states * actions, width)).astype(float)
    prob[:, 0] += prob.sum(axis=1) == 0
    starts = draw(st.integers(1, states - 1))
    ends = rng.random(states) < draw(st.sampled_from([0.0, 0.4]))
    ends[0] = False
    return Table(
        actions=actions,
        succ=rng.integers(states, size=prob.size).astype(np.int32),
        reward=rng.integers(-1, 2, size=prob.size).astype(float),
        terminal=ends,
        initial=np.append(rng.dirichlet(np.ones(starts)), np.zeros(states - starts)),
        observation=np.arange(states, dtype=np.int32),
        horizon=draw(st.integers(1, 4)),
        indptr=np.arange(states * actions + 1) * width,
        prob=(prob / prob.sum(axis=1, keepdims=True)).ravel(),
    ).simplified()


def outcomes(table, state, action):
    """What an action may lead to: (state, probability, reward)."""
    row = state * table.actions + action
    entries = range(row, row + 1) if table.deterministic else range(table.indptr[row], table.indptr[row + 1])
    prob = np.ones(len(table.succ)) if table.deterministic else table.prob
    return [(int(table.succ[e]), float(prob[e]), float(table.reward[e])) for e in entries if prob[e] > 0]


def episodes(table):
    """Every episode that random play may have: its probability and its steps (state, action, reward, next state)."""
    going = [(float(p), int(s), ()) for s, p in enumerate(table.initial) if p > 0]
    for _ in range(table.horizon):
        going = [
            (chance * p / table.actions, after, (*steps, (state, action, pay, after)))
            for chance, state, steps in going
            if not table.terminal[state]
            for action in range(table.actions)
            for after, p, pay in outcomes(table, state, action)
        ] + [episode for episode in going if table.terminal[episode[1]]]
    return [(chance, steps) for chance, _, steps in going]


def transitions(table):
    """[S, A, S]: the probability of each next state; a terminal state is never left."""
    found = np.zeros((table.states, table.actions, table.states))
    for state in range(table.states):
        for action in range(table.actions):
            for after, p, _ in [(state, 1.0, 0.0)] if table.terminal[state] else outcomes(table, state, action):
                found[state, action, after] += p
    return found


def reachable(table):
    """By brute force: all states that play can come to in any number of steps."""
    found = {int(s) for s in np.flatnonzero(table.initial)}
    for _ in range(table.states):
        found |= {
            after
            for state in found
            if not table.terminal[state]
            for action in range(table.actions)
            for after, _, _ in outcomes(table, state, action)
        }
    return sorted(found)
