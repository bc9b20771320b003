"""Occupancies are the frequencies of play, by brute force over all episodes; so many episodes do cover the table."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import BRIDGE, MDPS, episodes, mixed_tables, transitions

from mohs import Table, UsageError
from mohs.exact.measures.occupancy import (
    covering_length,
    expected_visits,
    least_occupancies,
    occupancies,
    tight_covering_length,
)
from mohs.exact.values.solve import plan, values

# Three states in a row: one action goes on, the other ends the episode.
CORRIDOR = Table.from_arrays([[1, -1], [2, -1], [-1, -1]], np.zeros((3, 2)), horizon=3)


def frequencies(table):
    """[T, S, A] by brute force: how likely random play takes each action in each state at each step."""
    found = np.zeros((table.horizon, table.states, table.actions))
    for chance, steps in episodes(table):
        for t, (state, action, _, _) in enumerate(steps):
            found[t, state, action] += chance
    return found


def taken(table):
    """The probability, by brute force, that an episode takes each state-action pair that it can take."""
    found = {}
    for chance, steps in episodes(table):
        for pair in {(state, action) for state, action, _, _ in steps}:
            found[pair] = found.get(pair, 0.0) + chance
    return found


@settings(max_examples=60)
@given(mixed_tables())
def test_occupancies_are_the_frequencies_of_random_play(table):
    expected = frequencies(table)
    found = np.array([now.copy() for now in occupancies(table)])
    assert found.shape == (table.horizon, table.states)
    assert found.sum(axis=1) == pytest.approx(np.ones(table.horizon))
    assert found[:, ~table.terminal] == pytest.approx(expected.sum(axis=2)[:, ~table.terminal], abs=1e-12)
    assert expected_visits(table) == pytest.approx(expected.sum(axis=0), abs=1e-12)


@settings(max_examples=60)
@given(mixed_tables(), st.data())
def test_the_states_of_a_policy_are_powers_of_its_matrix(table, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    shape = (table.horizon, table.states) if data.draw(st.booleans()) else (table.states,)
    policy = rng.dirichlet(np.ones(table.actions), size=shape)
    if data.draw(st.booleans()):
        policy = rng.integers(table.actions, size=shape)
    chances = policy if policy.dtype.kind == "f" else np.eye(table.actions)[policy]
    now, moves = table.initial, transitions(table)
    for t, found in enumerate(occupancies(table, policy)):
        assert found == pytest.approx(now, abs=1e-12)
        now = np.einsum("s,sa,saz->z", now, chances if chances.ndim == 2 else chances[t], moves)


@settings(max_examples=60)
@given(mixed_tables(), st.sampled_from(["best", "mean", "worst"]))
def test_visits_times_rewards_are_the_value(table, policy):
    """The forward pass and the backward one agree."""
    reward = np.zeros((table.states, table.actions))
    for entry in range(len(table.succ)):
        row = entry if table.deterministic else np.searchsorted(table.indptr, entry, side="right") - 1
        reward[divmod(row, table.actions)] += table.reward[entry] * (1 if table.deterministic else table.prob[entry])
    assert (expected_visits(table, policy) * reward).sum() == pytest.approx(
        table.initial @ values(table, policy), abs=1e-9
    )


def test_rules_are_plans():
    table = Table.from_arrays([[1, 0], [1, 0]], [[0.0, 1.0], [3.0, 0.0]], horizon=5)
    assert np.array_equal(expected_visits(table, "best"), expected_visits(table, plan(table).actions))
    assert expected_visits(table, "best").tolist() == [[1, 0], [4, 0]]
    assert expected_visits(table, "worst").tolist() == [[3, 0], [0, 2]]
    assert expected_visits(table, "best", horizon=1).tolist() == [[0, 1], [0, 0]]


@settings(max_examples=60)
@given(mixed_tables())
def test_the_least_occupancies_are_their_definition(table):
    every = frequencies(table)
    for size, found in (
        (every.sum(axis=2), ("state", "sum_state")),
        (every.reshape(table.horizon, -1), ("state_action", "sum_state_action")),
    ):
        seen = size.max(axis=0) > 0
        least, least_sum = (getattr(least_occupancies(table), name) for name in found)
        assert least == pytest.approx(size.max(axis=0)[seen].min())
        assert least_sum == pytest.approx(size.sum(axis=0)[seen].min())


def test_a_corridor_by_hand():
    found = least_occupancies(CORRIDOR)
    assert (found.state, found.state_action, found.sum_state, found.sum_state_action) == (1 / 4, 1 / 8, 1 / 4, 1 / 8)
    assert covering_length(CORRIDOR) == pytest.approx(8 * math.log(2 * 3 * 2))
    assert covering_length(CORRIDOR, horizon=2) == pytest.approx(4 * math.log(2 * 2 * 2))

    def missed(n):
        return sum(2 * (1 - 0.5**k) ** n for k in (1, 2, 3))

    assert missed(tight_covering_length(CORRIDOR)) <= 0.5 < missed(tight_covering_length(CORRIDOR) - 1)


@pytest.mark.skipif(not BRIDGE.is_dir(), reason="the BRIDGE files are not there (MOHS_BRIDGE_DIR names their folder)")
@pytest.mark.parametrize("name", MDPS)
def test_bridge(name):
    table = Table.load(BRIDGE / f"{name}.npz", horizon=MDPS[name][0])
    expected = json.loads((BRIDGE / f"{name}.consolidated_analyzed.json").read_text())["min_occupancy_results"]
    found = least_occupancies(table)
    for ours in ("state", "state_action", "sum_state", "sum_state_action"):
        assert getattr(found, ours) == pytest.approx(expected[f"min_{ours}_occupancy"], rel=1e-6)
    pairs = np.count_nonzero(~table.terminal) * table.actions
    length = math.log(2 * pairs) / expected["min_state_action_occupancy"]
    assert covering_length(table) == pytest.approx(length, rel=1e-6)
    assert tight_covering_length(table) <= length


@settings(max_examples=60)
@given(mixed_tables())
def test_the_tight_covering_length_is_its_definition(table):
    chances = np.array(list(taken(table).values()))
    n = tight_covering_length(table)
    assert ((1 - chances) ** n).sum() <= 0.5 + 1e-9
    assert n == 1 or ((1 - chances) ** (n - 1)).sum() > 0.5 - 1e-9
    assert n <= math.ceil(covering_length(table))


@pytest.mark.parametrize("length", [covering_length, tight_covering_length])
@pytest.mark.parametrize("name", ["corridor", "noisy", "loop"])
def test_so_many_episodes_see_every_pair_half_of_the_time(name, length):
    """Monte Carlo: the share of runs in which none is missed is at least one half."""
    noisy = np.full((3, 2, 3), 0.1) + 0.7 * np.eye(3)[[[1, 0], [2, 0], [2, 1]]]
    table = {
        "corridor": CORRIDOR,
        "noisy": Table.from_arrays(noisy, np.zeros((3, 2)), initial=[0.5, 0.5, 0.0], horizon=4),
        "loop": Table.from_arrays([[1, 0], [0, 2], [0, -1]], np.zeros((3, 2)), horizon=6),
    }[name]
    runs, rng = 2000, np.random.default_rng(1)
    batch = (runs, math.ceil(length(table)))
    upto = transitions(table).cumsum(axis=2)
    seen = np.zeros((runs, table.states, table.actions), dtype=bool)
    state = rng.choice(table.states, p=table.initial, size=batch)
    for _ in range(table.horizon):
        action = rng.integers(table.actions, size=batch)
        seen[np.arange(runs)[:, None], state, action] = True
        state = (rng.random(batch)[..., None] > upto[state, action]).sum(axis=2)
    possible = np.zeros((table.states, table.actions), dtype=bool)
    for pair in taken(table):
        possible[pair] = True
    share = (seen | ~possible).all(axis=(1, 2)).mean()
    assert share >= 0.5 - 4 * math.sqrt(0.25 / runs)
    assert share < 1  # the number is not vacuous


def test_states_out_of_reach_do_not_count():
    wider = Table.from_arrays([[1, -1], [2, -1], [-1, -1], [4, 4], [0, 3]], np.zeros((5, 2)), horizon=3)
    for measure in (least_occupancies, covering_length, tight_covering_length):
        assert measure(wider) == measure(CORRIDOR)


def test_what_is_too_unlikely_for_a_float_is_not_taken_for_impossible():
    count = 400
    moves = np.full((count, 8), -1)
    moves[:-1, 0] = np.arange(1, count)
    table = Table.from_arrays(moves, np.zeros((count, 8)), horizon=count)
    assert least_occupancies(table).state == 0
    assert covering_length(table) == math.inf
    assert covering_length(table, horizon=100) == pytest.approx(8**100 * math.log(2 * 800), rel=1e-9)
    assert tight_covering_length(table, horizon=100) == pytest.approx(8**100 * math.log(2 * 8), rel=0.05)


def test_what_it_is_not_for():
    endless = replace(CORRIDOR, horizon=None)
    for measure in (least_occupancies, covering_length, tight_covering_length, expected_visits):
        with pytest.raises(UsageError, match="horizon is needed"):
            measure(endless)
    with pytest.raises(UsageError, match="has no steps"):
        least_occupancies(CORRIDOR, horizon=0)
    with pytest.raises(UsageError, match="Did you mean 'best'"):
        expected_visits(CORRIDOR, "bset")
    with pytest.raises(UsageError, match="looser bound for any size"):
        tight_covering_length(CORRIDOR, limit=10)
