"""Numbers beyond 64 bits, floats that are none, and sizes that nothing could hold are refused in a sentence."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mohs
from mohs import UsageError
from mohs.runs.execution import Execution

TOO_LARGE = [10**400, 10**19, 2**63]
NONE = [math.nan, math.inf, -math.inf]


@pytest.mark.parametrize(
    "value", [*TOO_LARGE, *NONE], ids=lambda v: str(v) if isinstance(v, float) else f"{len(bin(v))} bits"
)
def test_no_parameter_takes_them(value: Any) -> None:
    for name in ("delay", "sequence_length", "max_episode_steps", "state_space_size", "action_space_size"):
        with pytest.raises(UsageError, match="must be"):
            mohs.Task.make("toy/discrete", **{name: value})
    task = mohs.Task.make("toy/discrete")
    for make in (
        lambda: mohs.Segment(task, value),
        lambda: mohs.Task.make("toy/discrete", seed=value),
        lambda: mohs.Table.from_arrays([[0]], [[0.0]], horizon=value),
        lambda: mohs.Table.from_arrays([[0]], [[0.0]], terminal=[value]),
        lambda: mohs.diagnose("random", budget=value),
        lambda: mohs.diagnose("random", seeds=value),
        lambda: mohs.make_vec("toy/discrete", num_envs=value),
        lambda: mohs.ctgraph.num_states(2, value),
    ):
        with pytest.raises(UsageError):
            make()


@pytest.mark.parametrize("value", [10**400, *NONE, 5e-324])
def test_coefficients_are_numbers_that_keep_their_digits(value: Any) -> None:
    with pytest.raises(UsageError, match="must be a finite number"):
        mohs.Task.make("toy/discrete", reward_scale=value)


def test_sizes_beyond_memory_are_refused_at_once() -> None:
    for make in (
        lambda: mohs.make("ctgraph", depth=10**9),
        lambda: mohs.make("ctgraph", goal_every=10**18),
        lambda: mohs.ctgraph.num_ends(2, 10**9),
        lambda: mohs.make_vec("CartPole-v1", num_envs=100_000),
    ):
        with pytest.raises(UsageError):
            make()


def test_integers_of_numpy_are_integers() -> None:
    made = Execution(workers=np.int64(0), pack_size=np.int64(5))
    made.check()
    assert (type(made.workers), type(made.pack_size)) == (int, int)


def test_a_dose_is_given_once() -> None:
    with pytest.raises(UsageError, match="delay has the dose 1 twice"):
        mohs.diagnose("random", doses={"delay": [1, 1]}, workers=0)


@pytest.mark.parametrize(
    ("name", "value"), [("horizon", math.nan), ("actions", math.inf), ("discount", math.nan), ("succ", math.nan)]
)
def test_a_table_of_numbers_that_are_none_is_refused(tmp_path: Path, name: str, value: float) -> None:
    mohs.Table.from_arrays([[0]], [[0.0]], horizon=5).save(tmp_path / "whole.npz")
    with np.load(tmp_path / "whole.npz") as whole:
        np.savez(tmp_path / "table.npz", **{**whole, name: np.array(value if name != "succ" else [value])})
    with pytest.raises(UsageError):
        mohs.Table.load(tmp_path / "table.npz")


def test_a_title_is_a_text(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('title = 3\nsteps = 300\nblocks = ["a"]\n[tasks.a]\nenv = "toy/discrete"\n')
    with pytest.raises(UsageError, match="title is 3, but must be a text"):
        mohs.lifelong("random", str(tmp_path / "mine.toml"), workers=0)
