"""A table refuses arrays that are not an MDP, each with its own sentence."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import mohs
from mohs import Table, UsageError


def int32(*values):
    return np.array(values, dtype=np.int32)


# Two states and one action; each state leads to the other, and pays its number.
GOOD = Table(1, int32(1, 0), np.array([0.0, 1.0]), np.array([False, False]), np.array([1.0, 0.0]), int32(0, 1), 5)
STOCHASTIC = {"indptr": np.array([0, 2, 3]), "succ": int32(0, 1, 0), "reward": np.zeros(3)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"actions": 0}, "at least one state and one action"),
        ({"actions": 1.5}, "actions is 1.5"),
        ({"terminal": np.zeros(0, dtype=np.bool_)}, "at least one state and one action"),
        ({"terminal": np.zeros((2, 1), dtype=np.bool_)}, "terminal has shape \\(2, 1\\)"),
        ({"terminal": int32(0, 0)}, "terminal must be an array of bool"),
        ({"terminal": np.ones(2, dtype=np.bool_)}, "every start state is terminal"),
        ({"terminal": np.array([True, False])}, "every start state is terminal"),
        ({"succ": int32(1, 2)}, "succ must name states from 0 to 1, but names 2"),
        ({"succ": int32(1, -1)}, "succ must name states from 0 to 1, but names -1"),
        ({"succ": int32(1)}, "succ has shape \\(1,\\), but must have \\(2,\\)"),
        ({"succ": int32()}, "succ has shape \\(0,\\)"),
        ({"succ": np.array([1.0, 0.0])}, "succ must be an array of int32, not float64"),
        ({"succ": np.array([1, 0])}, "succ must be an array of int32, not int64"),
        ({"succ": [1, 0]}, "succ must be an array of int32, not list"),
        ({"reward": np.array([0.0, np.nan])}, "reward must hold finite"),
        ({"reward": np.array([0.0, -np.inf])}, "reward must hold finite"),
        ({"reward": np.zeros((2, 1))}, "reward has shape \\(2, 1\\)"),
        ({"reward": int32(0, 1)}, "reward must be an array of float64"),
        ({"initial": np.array([0.5, 0.4])}, "sum to 1, but sums to 0.9"),
        ({"initial": np.array([1.5, -0.5])}, "initial must be probabilities ≥ 0"),
        ({"initial": np.array([1.0, np.nan])}, "initial must be probabilities"),
        ({"initial": np.array([1.0])}, "initial has shape"),
        ({"initial": int32(1, 0)}, "initial must be an array of float64"),
        ({"observation": int32(0)}, "observation has shape"),
        ({"observation": np.zeros(2)}, "observation must be an array of int32"),
        ({"horizon": 0}, "horizon is 0, but must be"),
        ({"horizon": -3}, "horizon is -3"),
        ({"horizon": "long"}, "horizon is 'long'"),
        ({"discount": 1.5}, "discount is 1.5"),
        ({"discount": -0.5}, "discount is -0.5"),
        ({"discount": np.nan}, "discount is nan"),
        ({"action_names": ("left", "right")}, "2 action_names were given for 1 actions"),
        ({"indptr": np.array([0, 1, 2])}, "both"),
        ({"prob": np.ones(2)}, "both"),
        (STOCHASTIC | {"prob": np.array([0.5, 0.4, 1.0])}, "action 0 in state 0 they sum to 0.9"),
        (STOCHASTIC | {"prob": np.array([0.5, 0.5, 0.0])}, "action 0 in state 1 they sum to 0"),
        (STOCHASTIC | {"prob": np.array([1.5, -0.5, 1.0])}, "≥ 0 and sum to 1 .* holds 1.5"),
        (STOCHASTIC | {"prob": np.array([-0.5, 1.0, 1.0])}, "≥ 0 and sum to 1 .* holds -0.5"),
        (STOCHASTIC | {"prob": np.array([np.nan, 1.0, 1.0])}, "holds nan"),
        (STOCHASTIC | {"prob": np.array([0.5, 0.5, np.inf]), "terminal": np.array([False, True])}, "holds inf"),
        (STOCHASTIC | {"prob": np.ones(2)}, "prob has shape"),
        (STOCHASTIC | {"prob": np.ones(3, dtype=np.float32)}, "prob must be an array of float64, not float32"),
        (STOCHASTIC | {"prob": np.ones(3), "indptr": np.array([0, 2])}, "3 non-decreasing offsets"),
        (STOCHASTIC | {"prob": np.ones(3), "indptr": np.array([1, 2, 3])}, "3 non-decreasing offsets from 0"),
        (STOCHASTIC | {"prob": np.ones(3), "indptr": np.array([0, 3, 2])}, "3 non-decreasing offsets"),
        (STOCHASTIC | {"prob": np.ones(3), "indptr": np.zeros(0, dtype=np.int64)}, "3 non-decreasing offsets"),
        (STOCHASTIC | {"prob": np.ones(3), "indptr": np.array([0.0, 2.0, 3.0])}, "indptr must be an array of int64"),
    ],
)
def test_bad_tables(change, message):
    with pytest.raises(UsageError, match=message):
        dataclasses.replace(GOOD, **change)


def test_good_tables_next_to_bad_ones():
    """The same changes, made right, are accepted: it is the mistake that is refused."""
    for change in (
        STOCHASTIC | {"prob": np.array([0.5, 0.5, 1.0])},
        {"initial": np.array([0.5, 0.5]), "terminal": np.array([True, False])},
        {"horizon": None, "discount": 0.0},
        {"action_names": ("go",)},
    ):
        assert dataclasses.replace(GOOD, **change).states == 2


def test_whole_numbers_are_kept_as_such():
    table = dataclasses.replace(mohs.table("toy/discrete"), horizon=np.int64(7), discount=1)
    assert (type(table.horizon), type(table.discount), type(table.actions)) == (int, float, int)
