"""Tables from arrays and files are the MDPs they came from, and what is none is refused."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from random_tables import assert_same, entries, tables

import mohs
from mohs import Table, UsageError
from mohs.exact.values.solve import returns
from mohs.tables.loaders import save_bridge

BRIDGE = Path(os.environ.get("MOHS_BRIDGE_DIR", Path(__file__).parents[3] / "shared" / "oracles" / "bridge"))
NAMES = ["MiniGrid-KeyCorridorS3R1-v0", "maze_easy_l0_30_fs1"]
needs_bridge = pytest.mark.skipif(
    not BRIDGE.is_dir(), reason="the BRIDGE files are not there (MOHS_BRIDGE_DIR names their folder)"
)

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


@needs_bridge
@pytest.mark.parametrize("name", NAMES)
def test_bridge_files_come_back(name, tmp_path):
    table = Table.load(BRIDGE / f"{name}.npz", horizon=30)
    save_bridge(table, tmp_path / "copy.npz")
    assert_same(Table.load(tmp_path / "copy.npz", horizon=30), table)
    with np.load(BRIDGE / f"{name}.npz") as theirs, np.load(tmp_path / "copy.npz") as ours:
        assert set(ours.files) == {"transitions", "rewards"}
        for field in ours.files:
            assert ours[field].dtype == theirs[field].dtype
            assert np.array_equal(ours[field], theirs[field])


@given(table=tables(stochastic=False, starts=1))
def test_a_bridge_file_is_the_same_mdp(tmp_path_factory, table):
    """Whatever is done, the same rewards are earned until the same end."""
    path = tmp_path_factory.mktemp("bridge") / "table.npz"
    save_bridge(table, path)
    again = Table.load(path, horizon=table.horizon)
    assert again.initial[0] == 1
    for actions in itertools.product(range(table.actions), repeat=table.horizon):
        assert played(again, actions) == played(table, actions)


def played(table, actions):
    state, rewards = int(np.argmax(table.initial)), []
    for action in actions:
        if table.terminal[state]:
            break
        ((state, _, pay),) = entries(table, state, action)
        rewards.append(pay)
    return rewards


def test_the_start_comes_first_in_a_bridge_file(tmp_path):
    table = Table.from_arrays([[1, 2], [0, 2], [2, 2]], [[1.0, 2.0], [3.0, 4.0], [9.0, 9.0]], terminal=[2], initial=1)
    save_bridge(table, tmp_path / "table.npz")
    with np.load(tmp_path / "table.npz") as file:
        assert file["transitions"].tolist() == [[1, -1], [0, -1]]
        assert file["rewards"].tolist() == [[3.0, 4.0], [1.0, 2.0]]


def test_certain_probabilities_fit_a_bridge_file(tmp_path):
    save_bridge(Table.from_arrays(np.eye(2)[[[1], [0]]], [[1.0], [2.0]]), tmp_path / "table.npz")
    assert Table.load(tmp_path / "table.npz").deterministic


def test_pictures_in_a_bridge_file_are_passed_over(tmp_path):
    moves, rewards = np.array([[0, -1]]), np.array([[1.0, 2.0]], dtype=np.float32)
    screens = np.zeros((1, 2, 2, 3), dtype=np.uint8)
    np.savez(tmp_path / "table.npz", transitions=moves, rewards=rewards, screens=screens, screen_mapping=np.zeros(1))
    assert_same(Table.load(tmp_path / "table.npz"), Table.from_arrays(moves, rewards))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (Table.from_arrays([[[0.5, 0.5]], [[1, 0]]], [[0.0], [0.0]]), "this one is stochastic"),
        (Table.from_arrays([[0], [1]], [[0.0], [0.0]], initial=[0.5, 0.5]), "this one has 2"),
        (Table.from_arrays([[0]], [[1e60]]), "too large"),
    ],
)
def test_what_does_not_fit_a_bridge_file(table, message, tmp_path):
    with pytest.raises(UsageError, match=message):
        save_bridge(table, tmp_path / "table.npz")
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    for write in (Table.save, save_bridge):
        with pytest.raises(UsageError, match="cannot be written"):
            write(Table.from_arrays(*CHAIN), tmp_path / "file" / "table.npz")


@pytest.mark.parametrize(
    ("transitions", "rewards", "options", "message"),
    [
        ([[0, 2]], [[0.0, 0.0]], {}, "whole numbers from -1"),
        ([[0, -2]], [[0.0, 0.0]], {}, "whole numbers from -1"),
        ([[0.5]], [[0.0]], {}, "whole numbers from -1"),
        ([[True]], [[0.0]], {}, "transitions must be an array of numbers, not of bool"),
        ([["a"]], [[0.0]], {}, "transitions must be an array of numbers"),
        ([[0, 1], [0]], [[0.0]], {}, "transitions must be an array of numbers"),
        ([0, 1], [0.0, 1.0], {}, "must have \\[S, A\\]"),
        ([[[1.0, 0.0]]], [[0.0]], {}, "transitions have shape \\(1, 1, 2\\)"),
        ([], [], {}, "transitions have shape \\(0,\\)"),
        ([[]], [[]], {}, "transitions have shape \\(1, 0\\)"),
        ([[0, 0]], [[0.0]], {}, "does not fit"),
        ([[0]], [[[0.0]]], {}, "does not fit"),
        ([[0]], [["a"]], {}, "rewards must be an array of numbers"),
        ([[0]], [[None]], {}, "rewards must be an array of numbers"),
        ([[0]], [[np.nan]], {}, "reward must hold finite"),
        ([[0]], [[np.inf]], {}, "reward must hold finite"),
        ([[[0.5]]], [[0.0]], {}, "sum to 1 .* action 0 in state 0 they sum to 0.5"),
        ([[[np.nan]]], [[0.0]], {}, "sum to 1 .* holds nan"),
        ([[[2.0, -1.0]], [[0.0, 1.0]]], [[0.0], [0.0]], {}, "≥ 0 and sum to 1 .* holds 2"),
        ([[[-0.5, 1.0]], [[0.0, 1.0]]], [[0.0], [0.0]], {}, "≥ 0 and sum to 1 .* holds -0.5"),
        ([[0]], [[0.0]], {"terminal": [1]}, "terminal names state 1"),
        ([[0]], [[0.0]], {"terminal": [-1]}, "terminal\\[0\\] is -1"),
        ([[0]], [[0.0]], {"terminal": [True]}, "terminal is"),
        ([[0]], [[0.0]], {"terminal": 0}, "terminal is 0"),
        ([[0]], [[0.0]], {"terminal": [0]}, "every start state is terminal"),
        ([[0]], [[0.0]], {"initial": 3}, "initial is 3"),
        ([[0]], [[0.0]], {"initial": -1}, "initial is -1"),
        ([[0]], [[0.0]], {"initial": [0.5, 0.5]}, "initial has shape"),
        ([[0], [1]], [[0.0], [0.0]], {"initial": [0.5, 0.4]}, "sum to 1, but sums to 0.9"),
        ([[0], [1]], [[0.0], [0.0]], {"initial": [1.5, -0.5]}, "initial must be probabilities"),
        ([[0], [1]], [[0.0], [0.0]], {"initial": [np.nan, 1.0]}, "initial must be probabilities"),
        ([[0]], [[0.0]], {"initial": ["a"]}, "initial is"),
        ([[0]], [[0.0]], {"action_names": ["a", "b"]}, "2 action_names"),
        ([[0]], [[0.0]], {"horizon": 0}, "horizon is 0"),
        ([[0]], [[0.0]], {"horizon": 1.5}, "horizon is 1.5"),
        ([[0]], [[0.0]], {"discount": 1.1}, "discount is 1.1"),
        ([[0]], [[0.0]], {"discount": -0.1}, "discount is -0.1"),
    ],
)
def test_bad_arrays(transitions, rewards, options, message):
    with pytest.raises(UsageError, match=message):
        Table.from_arrays(transitions, rewards, **options)


def test_a_terminal_state_may_lead_nowhere():
    """What follows an end does not matter, so its probabilities need not be any."""
    table = Table.from_arrays([[[0.5, 0.5]], [[0.0, 0.0]]], [[1.0], [9.0]], terminal=[1], horizon=3)
    assert returns(table).optimal == 1 + 0.5 + 0.25


def test_files_that_are_no_tables(tmp_path):
    (tmp_path / "text.npz").write_text("not a table")
    np.savez(tmp_path / "other.npz", a=1)
    np.savez(tmp_path / "part.npz", format=1, actions=2)
    cases = {"text": "cannot be read", "other": "is not a table", "part": "not a whole table", "none": "cannot be read"}
    for name, message in cases.items():
        with pytest.raises(UsageError, match=message):
            Table.load(tmp_path / f"{name}.npz")


def test_damaged_files(tmp_path):
    np.save(tmp_path / "array.npy", np.zeros(3))
    (tmp_path / "empty.npz").write_bytes(b"")
    np.savez(tmp_path / "word.npz", format="one")
    for name, message in (
        ("array.npy", "not an npz file"),
        ("empty.npz", "not an npz file"),
        ("word.npz", "not a table"),
    ):
        with pytest.raises(UsageError, match=message):
            Table.load(tmp_path / name)
    table = Table.from_arrays([[0]], [[1.0]], horizon=2)
    table.save(tmp_path / "good.npz")
    with np.load(tmp_path / "good.npz") as file:
        fields = dict(file)
    np.savez(tmp_path / "bad.npz", **{**fields, "horizon": np.array([1, 2])})
    with pytest.raises(UsageError, match="horizon must be a single number"):
        Table.load(tmp_path / "bad.npz")
