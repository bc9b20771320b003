"""States are merged if, and only if, no sequence of actions can tell them apart."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from random_tables import assert_same, entries, tables

from mohs import Table, UsageError
from mohs.exact.values.solve import returns
from mohs.tables.merging import merged


def shown(table, state, actions):
    """All that is seen and earned."""
    found = [int(table.observation[state]), bool(table.terminal[state])]
    for action in actions:
        if table.terminal[state]:
            break
        ((state, _, pay),) = entries(table, state, action)
        found += [pay, int(table.observation[state]), bool(table.terminal[state])]
    return tuple(found)


@given(tables(stochastic=False))
def test_states_are_classes_of_what_can_be_shown(table):
    """Sequences as long as there are states tell all states apart that can be (Moore 1956)."""
    plays = list(itertools.product(range(table.actions), repeat=table.states - 1))
    behaviours = [tuple(shown(table, state, play) for play in plays) for state in range(table.states)]
    small = merged(table)
    assert small.states == len(set(behaviours))
    first = list(dict.fromkeys(behaviours))
    for state, behaviour in enumerate(first):
        assert tuple(shown(small, state, play) for play in plays) == behaviour
        chance = sum(p for p, b in zip(table.initial, behaviours, strict=True) if b == behaviour)
        assert small.initial[state] == pytest.approx(chance)
    assert returns(small).optimal == pytest.approx(returns(table).optimal)
    assert_same(merged(small), small)


def test_a_ring_collapses_unless_one_of_its_states_differs():
    ring, same, blind = np.roll(np.arange(50), -1)[:, None], np.zeros((50, 1)), np.zeros(50, dtype=np.int32)
    table = Table.from_arrays(ring, same)
    assert merged(table).states == 50
    assert merged(replace(table, observation=blind)).states == 1
    paying = Table.from_arrays(ring, np.eye(50)[:, :1])
    assert merged(replace(paying, observation=blind)).states == 50


def test_deterministic_tables_only():
    with pytest.raises(UsageError, match="deterministic tables only"):
        merged(Table.from_arrays([[[0.5, 0.5]], [[1, 0]]], [[0.0], [0.0]]))
