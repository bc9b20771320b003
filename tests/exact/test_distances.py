"""Distances are those of the best of all policies, by linear algebra, and of graphs where nothing is left to chance."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import mixed_tables, reachable, transitions

from mohs import Table
from mohs.exact.measures.distances import diameter, distances, eccentricity
from mohs.tables.puzzles.tiles import boards

ONE = Table.from_arrays([[0, 0]], [[0.0, 1.0]], horizon=3)
BANDIT = Table.from_arrays([[-1, -1]], [[1.0, 0.0]], horizon=3)


def line(states, slip=0.0):
    """States in a row; the actions go left and right, and the other way with probability `slip`."""
    moves = np.zeros((states, 2, states))
    for state, action in itertools.product(range(states), range(2)):
        for way, chance in ((action, 1 - slip), (1 - action, slip)):
            moves[state, action, min(max(state + 2 * way - 1, 0), states - 1)] += chance
    return Table.from_arrays(moves, np.zeros((states, 2)), horizon=states).simplified()


def least_steps(table, goal):
    """The least expected number of steps to the goal, over every policy there is, by linear algebra."""
    best = np.full(table.states, math.inf)
    moves = transitions(table)
    for policy in itertools.product(range(table.actions), repeat=table.states):
        chain = moves[np.arange(table.states), list(policy)].copy()
        chain[goal] = 0.0
        # Who has a way out of every state that play may come to arrives in the end.
        ways = np.linalg.matrix_power((np.eye(table.states) + chain) > 0, table.states) > 0
        leads = ways[:, goal]
        sure = np.array([leads[ways[s]].all() for s in range(table.states)])
        inside = np.flatnonzero(sure & (np.arange(table.states) != goal))
        steps = np.linalg.solve(np.eye(len(inside)) - chain[np.ix_(inside, inside)], np.ones(len(inside)))
        best[inside] = np.minimum(best[inside], steps)
    best[goal] = 0.0
    return best


@settings(max_examples=50)
@given(mixed_tables())
def test_the_diameter_is_that_of_the_best_of_all_policies(table):
    states = reachable(table)
    steps = np.array([least_steps(table, goal)[states] for goal in states])
    found = diameter(table)
    assert found.kind == "diameter"
    assert found.steps == pytest.approx(steps.max(), rel=1e-8)
    assert found.finite == pytest.approx(steps[np.isfinite(steps)].max(), rel=1e-8)
    assert np.flatnonzero(distances(table) >= 0).tolist() == states


@settings(max_examples=40)
@given(st.integers(2, 30), st.integers(1, 3), st.integers(0, 1000))
def test_distances_are_those_of_networkx(states, actions, seed):
    networkx = pytest.importorskip("networkx")
    moves = np.random.default_rng(seed).integers(states, size=(states, actions))
    graph = networkx.DiGraph([(s, int(after)) for s in range(states) for after in moves[s]])
    table = Table.from_arrays(moves, np.zeros((states, actions)), horizon=5)
    every = dict(networkx.all_pairs_shortest_path_length(graph))
    assert distances(table).tolist() == [every[0].get(s, -1) for s in range(states)]
    assert eccentricity(table) == max(every[0].values())
    within = [every[s].get(goal, math.inf) for s in every[0] for goal in every[0]]
    assert diameter(table).steps == max(within)
    assert diameter(table).finite == max(d for d in within if d < math.inf)


def test_distances_by_hand():
    assert diameter(line(7)).steps == eccentricity(line(7)) == 6
    # Two states: a step succeeds with probability ¾. Three: from the middle on, it may be lost again.
    assert diameter(line(2, 0.25)).steps == pytest.approx(4 / 3)
    assert diameter(line(3, 0.25)).steps == pytest.approx(4 / 3 * (1 + 4 / 3))
    assert (diameter(ONE).steps, diameter(ONE).eccentricity) == (0, 0)
    # The end is one step away, and from there nothing is.
    assert (diameter(BANDIT).steps, diameter(BANDIT).finite) == (math.inf, 1)


def test_the_sliding_tiles():
    """31 moves from the solved board, in a table that goes on from there; too many states to compare them all."""
    succ = boards(3, 3).succ
    found = diameter(Table.from_arrays(succ, np.zeros(succ.shape)))
    assert (found.kind, found.steps, found.finite, found.eccentricity) == ("eccentricity", None, None, 31)
    succ = boards(2, 3).succ
    assert diameter(Table.from_arrays(succ, np.zeros(succ.shape))).steps == 21


def test_a_diameter_beyond_the_limit_is_left_out():
    for table in (line(7), line(7, 0.1)):
        assert diameter(table).kind == "diameter"
        assert diameter(table, limit=20).kind == "eccentricity"
        assert diameter(table, limit=20).eccentricity == 6
