"""Words on the command line become tasks, or one clear sentence."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import mohs
from mohs import Table, Task, UsageError
from mohs.protocols.card.targets import read_targets, resolve


def test_parameters_belong_to_the_task_before_them():
    words = ["toy/discrete", "delay=2", "seed=3", "FrozenLake-v1", "is_slippery=False", "map_name=4x4"]
    expected = [("toy/discrete", {"delay": 2, "seed": 3}), ("FrozenLake-v1", {"is_slippery": False, "map_name": "4x4"})]
    assert read_targets(words) == expected
    assert read_targets([" ".join(words[:3]), " ".join(words[3:])]) == expected


def test_a_named_configuration_is_called_by_its_name():
    assert resolve("CT-SU-B1", {"goal": [1, 2], "seed": 3}).name == "CT-SU-B1 goal=[1,2] seed=3"
    assert resolve("CT-FO-B1").name == "CT-FO-B1 seed=0"
    assert resolve("CT-SU-B1", {"wait_ids": "unique"}).name == 'CT-SU-B1 wait_ids="unique" seed=0'
    assert resolve("ctgraph", {"depth": 3}).name == "ctgraph depth=3 seed=0"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["delay=2"], "no task comes before it"),
        ([""], "name a task"),
        (["toy/discrete", "delay=2", "delay=3"], "delay is given twice"),
    ],
)
def test_words_that_name_no_task(words, message):
    with pytest.raises(UsageError, match=message):
        read_targets(words)


def test_a_path_may_hold_blanks_and_equals_signs(tmp_path):
    path = tmp_path / "my table=1.npz"
    mohs.table("toy/discrete").save(path)
    assert read_targets([str(path)]) == [(str(path), {})]
    assert resolve(str(path)).table.states == mohs.table("toy/discrete").states


def test_every_kind_of_target():
    task = Task.make("toy/discrete", delay=1)
    table = mohs.table(task)
    for what, params in ((task, {}), ("toy/discrete", {"delay": 1}), (task.environment.gym_id, {"delay": 1})):
        found = resolve(what, params).table
        assert np.array_equal(found.succ, table.succ)
        assert np.array_equal(found.reward, table.reward)
    assert resolve(table).table is table
    assert resolve("FrozenLake-v1").table.horizon == 100
    cart = resolve(gymnasium.make("CartPole-v1"))
    assert cart.table is None
    assert "--explore" in cart.reason
    assert "--explore" not in resolve("Pendulum-v1").reason  # a continuous action has no list of states either


def test_a_toy_without_a_table_is_played():
    target = resolve("toy/continuous", {"delay": 1})
    assert target.table is None
    assert target.env is not None
    assert "no table" in target.reason
    assert mohs.card("toy/continuous", max_episode_steps=20).to_json()["rollouts"] is not None


def test_a_gymnasium_environment_takes_its_own_parameters_only():
    assert resolve("FrozenLake-v1", {"is_slippery": False}).table.deterministic
    with pytest.raises(UsageError, match=r"unknown parameter of FrozenLake-v1 .slippery.. Did you mean .is_slippery."):
        resolve("FrozenLake-v1", {"slippery": True})


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("toy/discrte", "unknown environment 'toy/discrte'. Did you mean 'toy/discrete'"),
        ("CartPoll-v1", "Did you mean 'CartPole-v1'"),
        ("nothing.npz", "nothing.npz cannot be read"),
    ],
)
def test_what_is_not_there(what, message):
    with pytest.raises(UsageError, match=message):
        resolve(what)


def test_a_file_takes_no_parameters(tmp_path):
    path = tmp_path / "x.npz"
    Table.from_arrays([[0, 1], [1, 1]], [[0.0, 1.0], [0.0, 0.0]], horizon=2).save(path)
    with pytest.raises(UsageError, match=r"it takes no parameters \(delay\)"):
        resolve(str(path), {"delay": 2})
