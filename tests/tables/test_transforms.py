"""Transforms do what they say: as plain loops do, as simulation does, and as BRIDGE's files count."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_tables import assert_same, entries, tables

from mohs import Table, UsageError
from mohs.exact.values.solve import returns
from mohs.tables.loaders import save_bridge
from mohs.tables.puzzles.tiles import tiles
from mohs.tables.transforms import action_noise, sticky_actions, sticky_pairs

BRIDGE = Path(os.environ.get("MOHS_BRIDGE_DIR", Path(__file__).parents[3] / "shared" / "oracles" / "bridge"))
MDPS = {"MiniGrid-KeyCorridorS3R1-v0": (100, 967), "maze_easy_l0_30_fs1": (30, 1_229)}
with_bridge = pytest.mark.skipif(
    not BRIDGE.is_dir(), reason="the BRIDGE files are not there (MOHS_BRIDGE_DIR names their folder)"
)

# Two states; action 0 stays and pays the state's number, action 1 moves on; moving on from state 1 ends.
CHAIN = [[0, 1], [1, -1]], [[0.0, 0.0], [1.0, 5.0]]
CHANCES = st.sampled_from([0.0, 0.1, 0.25, 0.7, 1.0])


def plain_sticky(table, p):
    """Sticky actions with a dictionary of pairs."""
    none = table.actions
    starts = np.flatnonzero(table.initial)
    order = {(int(s), none): i for i, s in enumerate(starts)}
    rows = []
    queue = list(order)
    for state, last in queue:
        for action in range(table.actions):
            row = []
            mixture = {action: 1.0} if last == none else {action: 1 - p}
            if last != none:
                mixture[last] = mixture.get(last, 0.0) + p
            for taken, weight in mixture.items():
                for after, chance, pay in entries(table, state, taken) if weight and not table.terminal[state] else ():
                    if (after, taken) not in order:
                        order[after, taken] = len(order)
                        queue.append((after, taken))
                    row.append((order[after, taken], weight * chance, pay))
            rows.append(row)
    initial = np.append(table.initial[starts], np.zeros(len(order) - len(starts)))
    return rebuilt(table, [state for state, _ in order], initial, rows)


def plain_noise(table, p):
    rows = []
    for state in range(table.states):
        for action in range(table.actions):
            row = []
            for taken in range(table.actions) if not table.terminal[state] else ():
                weight = 1 - p if taken == action else p / (table.actions - 1)
                row += [(s, weight * c, r) for s, c, r in entries(table, state, taken) if weight > 0]
            rows.append(row)
    return rebuilt(table, list(range(table.states)), table.initial, rows)


def rebuilt(table, base, initial, rows):
    flat = [entry for row in rows for entry in row]
    return Table(
        table.actions,
        np.array([s for s, _, _ in flat], dtype=np.int32),
        np.array([r for _, _, r in flat], dtype=np.float64),
        table.terminal[base],
        initial,
        table.observation[base],
        table.horizon,
        indptr=np.cumsum([0, *map(len, rows)]),
        prob=np.array([c for _, c, _ in flat], dtype=np.float64),
    ).simplified()


@given(tables(), CHANCES)
def test_sticky_actions_are_those_of_plain_loops(table, p):
    assert_same(sticky_actions(table, p), plain_sticky(table, p))


@given(tables(), CHANCES)
def test_action_noise_is_that_of_plain_loops(table, p):
    if table.actions == 1:
        p = 0.0
    assert_same(action_noise(table, p), plain_noise(table, p))


@pytest.mark.parametrize("probability", [0.0, 0.25, 1.0])
def test_sticky_actions_against_simulation(probability):
    table = Table.from_arrays(*CHAIN, horizon=4)
    sticky = sticky_actions(table, probability)
    rng = np.random.default_rng(1)
    gains = []
    for _ in range(4000):
        state, last, gain = 0, None, 0.0
        for _ in range(4):
            action = int(rng.integers(2))
            taken = last if last is not None and rng.random() < probability else action
            gain += CHAIN[1][state][taken]
            state, last = CHAIN[0][state][taken], taken
            if state < 0:
                break
        gains.append(gain)
    assert returns(sticky).random == pytest.approx(np.mean(gains), abs=4 * np.std(gains) / 60)


def test_noise_on_actions():
    table = Table.from_arrays(*CHAIN, horizon=4)
    assert returns(action_noise(table, 0.0)) == returns(table)
    assert returns(action_noise(table, 0.5)).optimal == pytest.approx(returns(table).random)
    swapped = action_noise(table, 1.0)
    assert returns(swapped).optimal == returns(table).optimal


def test_a_large_table():
    """One pair for each board and each move that leads there, and one for the start; sixteen entries for each board."""
    table = tiles()
    sticky, noisy = sticky_actions(table, 0.25), action_noise(table, 0.25)
    live = np.flatnonzero(~table.terminal)
    arrivals = table.succ.reshape(-1, 4)[live] * 4 + np.arange(4)
    assert sticky.states == len(np.unique(arrivals)) + 1
    assert (len(noisy.succ), noisy.states) == (16 * len(live), table.states)


@with_bridge
@pytest.mark.parametrize("name", MDPS)
def test_bridge_tables_with_sticky_actions(name):
    horizon, states = MDPS[name]
    table = Table.load(BRIDGE / f"{name}.npz", horizon=horizon)
    expected = json.loads((BRIDGE / f"{name}.consolidated_analyzed_sticky_0.25.json").read_text())
    exact = returns(sticky_actions(table, 0.25))
    assert exact.optimal == pytest.approx(expected["optimal_return"], abs=1e-9)
    assert exact.random == pytest.approx(expected["random_return"], abs=1e-9)
    assert exact.worst == pytest.approx(expected["worst_return"], abs=1e-9)
    assert sticky_pairs(table, horizon) == expected["num_states"] == states


def test_sticky_pairs_by_hand():
    """(0, 0); then (1, 1) too; then (1, 0) and the end by action 1; then the end by action 0, as every one stays."""
    table = Table.from_arrays(*CHAIN)
    assert [sticky_pairs(table, horizon) for horizon in (1, 2, 3, 4, 9)] == [1, 2, 4, 5, 5]


@given(tables(), st.integers(1, 6))
def test_sticky_pairs_are_counted_step_by_step(table, horizon):
    def moved(pair):
        state, _ = pair
        for action in range(table.actions):
            if state == "end":
                yield "end", action
            else:
                for after, chance, _ in entries(table, state, action):
                    if chance > 0:
                        yield ("end" if table.terminal[after] else after), action

    now = {("end" if table.terminal[s] else int(s), 0) for s in np.flatnonzero(table.initial)}
    seen = set(now)
    for _ in range(horizon - 1):
        now = {after for pair in now for after in moved(pair)}
        seen |= now
    assert sticky_pairs(table, horizon) == len(seen)


@given(table=tables(stochastic=False, starts=1), horizon=st.integers(1, 6))
def test_sticky_pairs_are_those_of_the_bridge_file(tmp_path_factory, table, horizon):
    path = tmp_path_factory.mktemp("bridge") / "table.npz"
    save_bridge(table, path)
    assert sticky_pairs(Table.load(path), horizon) == sticky_pairs(table, horizon)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda table: sticky_actions(table, 1.5), "probability is 1.5"),
        (lambda table: sticky_actions(table, float("nan")), "probability is nan"),
        (lambda table: action_noise(table, -0.1), "probability is -0.1"),
        (lambda table: action_noise(Table.from_arrays([[0]], [[0.0]]), 0.1), "two actions"),
        (lambda table: sticky_pairs(table, 0), "horizon is 0"),
    ],
)
def test_what_they_are_not_for(call, message):
    with pytest.raises(UsageError, match=message):
        call(Table.from_arrays(*CHAIN))
