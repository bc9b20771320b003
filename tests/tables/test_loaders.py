"""Tables from arrays, files and Gymnasium are the MDPs they came from; transforms do what they say."""

from __future__ import annotations

import json
import os
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import mohs
from mohs import Table, UsageError
from mohs.exact.solve import returns
from mohs.tables.transforms import action_noise, entries, sticky_actions

BRIDGE = Path(os.environ.get("MOHS_BRIDGE_DIR", Path(__file__).parents[3] / "shared" / "oracles" / "bridge"))
MDPS = {"MiniGrid-KeyCorridorS3R1-v0": 100, "maze_easy_l0_30_fs1": 30}

# Two states; action 0 stays and pays the state's number, action 1 moves on; moving on from state 1 ends.
CHAIN = [[0, 1], [1, -1]], [[0.0, 0.0], [1.0, 5.0]]


def test_a_chain_by_hand():
    table = Table.from_arrays(*CHAIN, horizon=4)
    assert (table.states, table.deterministic) == (3, True)
    exact = returns(table)
    # Best: move, stay twice, leave: 0 + 1 + 1 + 5. Worst: never move.
    assert (exact.optimal, exact.worst) == (7.0, 0.0)
    assert returns(table, horizon=1).random == 0.0


def test_probabilities_and_certain_moves_agree():
    moves, pay = np.array([[1, 2], [2, 0], [0, 1]]), np.arange(6.0).reshape(3, 2)
    plain = Table.from_arrays(moves, pay, terminal=[2], initial=[0.5, 0.5, 0], horizon=5)
    spread = Table.from_arrays(np.eye(3)[moves], pay, terminal=[2], initial=[0.5, 0.5, 0], horizon=5)
    each = Table.from_arrays(np.eye(3)[moves], np.repeat(pay[..., None], 3, 2), terminal=[2], initial=[0.5, 0.5, 0],
                             horizon=5)  # fmt: skip
    assert returns(plain) == returns(spread) == returns(each)
    assert returns(spread.simplified()) == returns(plain)


@pytest.mark.parametrize("params", [{"delay": 2}, {"transition_noise": 0.1}])
def test_a_file_gives_the_same_table_back(params, tmp_path):
    table = mohs.table("toy/discrete", **params)
    table.save(tmp_path / "toy.npz")
    again = Table.load(tmp_path / "toy.npz")
    assert repr(again) == repr(table)
    assert returns(again) == returns(table)
    for one, other in zip(again.arrays, table.arrays, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize(("name", "horizon"), [("FrozenLake-v1", 100), ("CliffWalking-v1", 30), ("Taxi-v4", 200)])
def test_gymnasium_environments_step_as_their_tables_say(name, horizon):
    env = gymnasium.make(name)
    table = Table.from_gymnasium(env)
    rng = np.random.default_rng(0)
    for episode in range(20):
        observation, _ = env.reset(seed=episode)
        (state,) = np.flatnonzero((table.initial > 0) & (table.observation == observation))
        for _ in range(horizon):
            action = int(rng.integers(table.actions))
            observation, reward, terminated, truncated, _ = env.step(action)
            found = {int(table.observation[s]): (s, r) for s, _, r in entries(table, int(state), action)}
            state, expected = found[int(observation)]
            assert reward == expected
            assert terminated == table.terminal[state]
            if terminated or truncated:
                break


def test_cliff_walking_takes_thirteen_steps():
    assert returns(Table.from_gymnasium("CliffWalking-v1"), horizon=50).optimal == -13


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


@pytest.mark.skipif(not BRIDGE.is_dir(), reason="the BRIDGE files are not there (MOHS_BRIDGE_DIR names their folder)")
@pytest.mark.parametrize("name", MDPS)
def test_bridge_tables_with_sticky_actions(name):
    table = Table.load(BRIDGE / f"{name}.npz", horizon=MDPS[name])
    expected = json.loads((BRIDGE / f"{name}.consolidated_analyzed_sticky_0.25.json").read_text())
    sticky = sticky_actions(table, 0.25)
    exact = returns(sticky)
    assert exact.optimal == pytest.approx(expected["optimal_return"], abs=1e-9)
    assert exact.random == pytest.approx(expected["random_return"], abs=1e-9)
    assert exact.worst == pytest.approx(expected["worst_return"], abs=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Table.from_arrays([[0, 2]], [[0.0, 0.0]]), "whole numbers from -1"),
        (lambda: Table.from_arrays([[0.5]], [[0.0]]), "whole numbers from -1"),
        (lambda: Table.from_arrays([0, 1], [0.0, 1.0]), "must have \\[S, A\\]"),
        (lambda: Table.from_arrays([[0, 0]], [[0.0]]), "does not fit"),
        (lambda: Table.from_arrays([[0]], [[np.nan]]), "finite"),
        (lambda: Table.from_arrays([[[0.5]]], [[0.0]]), "sum to 1"),
        (lambda: Table.from_arrays([[0]], [[0.0]], terminal=[1]), "terminal names state 1"),
        (lambda: Table.from_arrays([[0]], [[0.0]], initial=3), "initial is 3"),
        (lambda: Table.from_arrays([[0]], [[0.0]], initial=[0.5, 0.5]), "initial has shape"),
        (lambda: Table.from_arrays([[0]], [[0.0]], action_names=["a", "b"]), "2 action_names"),
        (lambda: Table.load("nothing.npz"), "cannot be read"),
        (lambda: Table.from_gymnasium("CartPole-v1"), "exposes no dynamics"),
        (lambda: Table.from_gymnasium("CartPoll-v1"), "cannot be made"),
        (lambda: sticky_actions(Table.from_arrays(*CHAIN), 1.5), "probability is 1.5"),
        (lambda: action_noise(Table.from_arrays([[0]], [[0.0]]), 0.1), "two actions"),
    ],
)
def test_bad_tables(call, message):
    with pytest.raises(UsageError, match=message):
        call()


def test_files_that_are_no_tables(tmp_path):
    (tmp_path / "text.npz").write_text("not a table")
    np.savez(tmp_path / "other.npz", a=1)
    np.savez(tmp_path / "part.npz", format=1, actions=2)
    for name, message in (("text", "cannot be read"), ("other", "is not a table"), ("part", "not a whole table")):
        with pytest.raises(UsageError, match=message):
            Table.load(tmp_path / f"{name}.npz")
