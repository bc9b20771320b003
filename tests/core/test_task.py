"""Tasks, task sets, cells, scores and families are values: frozen, hashable, JSON both ways, named by content."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

import mohs
from mohs import Agent, Cell, Family, Point, Probe, Reference, Score, Segment, Task, TaskSet, UsageError


def some_reward(state, action):
    return float(state == action)


TASKS = [
    Task.make("toy/discrete"),
    Task.make("toy/discrete", seed=3, delay=4, reward_noise=1),
    Task.make("toy/discrete", action_space_size=[4, 3], irrelevant_features=True, reward_density=0.5),
    Task.make("toy/discrete", rewardable_sequences={(1, 2): 1.0, (0, 1): -0.5}),
    Task.make("toy/discrete", transition_function=np.zeros((3, 2), dtype=int), terminal_states=[2], reward_density=1),
    Task.make("toy/discrete", reward_function=some_reward),
]


def values():
    task = TASKS[1]
    segment = Segment(task, 1000)
    probe = Probe("eval", TaskSet.make(TASKS[:2], [1, 3]), (0, 500, 1000))
    yield from TASKS
    yield TaskSet.make(TASKS[:2])
    yield Cell(Agent.make("q_learning", learning_rate=0.5), 7, (segment, segment), (probe,), 100)
    yield Cell(Agent.make("random"), 0, (segment,), (Probe("eval", task, range(100, 1000, 300)),), 100)
    yield Score("return", "reward", True, Reference(0.5, "random"), Reference(100.0, "optimum"))
    yield Score("length", "steps", False)
    yield Family.grid("toy/discrete", delay=[0, 1], sequence_length=[1, 2, 3], reward_scale=2).weighted(range(6))


@pytest.mark.parametrize("value", list(values()), ids=lambda v: type(v).__name__)
def test_json_goes_both_ways_and_keeps_the_key(value):
    text = json.dumps(value.to_json())
    again = type(value).from_json(text)
    assert again == value
    assert hash(again) == hash(value)
    assert again.key == value.key
    assert len(value.key) == 32


def test_a_task_keeps_only_what_differs_from_the_defaults():
    assert Task.make("toy/discrete", delay=0, reward_scale=1, transition_noise=0.0) == Task.make("toy/discrete")
    assert Task.make("toy/discrete", state_space_size=8) == Task.make("toy/discrete")
    assert Task.make("toy/discrete", reward_scale=2).key == Task.make("toy/discrete", reward_scale=np.float32(2)).key


def test_keys_are_the_same_on_every_machine():
    text = '{"env":"toy/discrete","params":{"delay":4},"seed":1}'
    assert Task.make("toy/discrete", delay=4, seed=1).key == hashlib.sha256(text.encode()).hexdigest()[:32]


def test_different_tasks_have_different_keys():
    assert len({task.key for task in TASKS}) == len(TASKS)


def test_values_cannot_be_changed():
    with pytest.raises(AttributeError):
        TASKS[0].seed = 3
    with pytest.raises(AttributeError):
        Segment(TASKS[0], 3).steps = 4


def test_noise_free_switches_off_noise_only():
    noisy = Task.make("toy/discrete", seed=5, delay=2, transition_noise=0.1, reward_noise=3)
    assert noisy.noise_free() == Task.make("toy/discrete", seed=5, delay=2)


def test_a_function_is_stored_by_name_with_a_hash_of_its_source():
    stored = TASKS[-1].to_json()["params"]["reward_function"]
    assert stored["function"].endswith("test_task:some_reward")
    assert Task.from_json(TASKS[-1].to_json())["reward_function"](3, 3) == 1.0


def test_a_function_whose_source_has_changed_is_refused():
    data = TASKS[-1].to_json()
    data["params"]["reward_function"]["source"] = "0" * 16
    with pytest.raises(UsageError, match="has changed"):
        mohs.table(Task.from_json(data))


def test_a_lambda_works_here_but_is_not_stored():
    task = Task.make("toy/discrete", reward_function=lambda s, a: 1.0)
    assert mohs.table(task).reward.max() == 1.0
    with pytest.raises(UsageError, match="cannot be imported again"):
        task.to_json()


def test_task_set_weights_are_normalised():
    assert TaskSet.make(TASKS[:2], [1, 3]).weights == (0.25, 0.75)


def test_grid_is_the_product_and_sweep_goes_one_axis_at_a_time():
    grid = Family.grid("toy/discrete", delay=[0, 1, 2], sequence_length=[1, 2])
    assert len(grid) == 6
    assert grid.axes == ("delay", "sequence_length")
    assert {p.task for p in Family.grid("toy/discrete", delay=[0, 1, 2]).product(sequence_length=[1, 2])} == {
        p.task for p in grid
    }
    sweep = Family.sweep("toy/discrete", delay=[0, 1, 2], sequence_length=[1, 2])
    assert [p.name for p in sweep] == ["vanilla", "delay=1", "delay=2", "sequence_length=2"]


def test_a_tuple_is_a_value_and_a_list_an_axis():
    family = Family.grid("toy/discrete", reward_dist=(0, 1), sequence_length=[2, 3])
    assert len(family) == 2
    assert all(p.task["reward_dist"] == (0.0, 1.0) for p in family)


def test_a_point_is_found_by_position_and_by_name():
    family = Family.grid("toy/discrete", delay=[0, 1, 2])
    assert family["delay=1"] is family[1]
    with pytest.raises(UsageError, match="Did you mean 'delay=1'"):
        family["delay=11"]


def test_points_may_share_a_task_and_differ_in_the_agent():
    family = Family.grid("toy/discrete", delay=[0, 1], **{"agent.gamma": [0.9, 0.99], "agent.batch_size": 64})
    assert family.axes == ("delay", "agent.gamma", "agent.batch_size")
    assert (len(family), len({p.task for p in family})) == (4, 2)
    assert family["delay=1 agent.gamma=0.9"].hyperparameters == {"gamma": 0.9, "batch_size": 64}
    assert Family.from_json(family.to_json()) == family
    wider = Family.grid("toy/discrete", delay=[0, 1]).product(**{"agent.gamma": [0.9, 0.99]})
    assert [p.hyperparameters["gamma"] for p in wider] == [0.9, 0.99] * 2
    sweep = Family.sweep("toy/discrete", delay=[0, 1], **{"agent.gamma": [0.9]})
    assert [p.name for p in sweep] == ["vanilla", "delay=1", "agent.gamma=0.9"]


def test_weights_and_features_are_arrays_over_the_points():
    points = (
        Point("a", TASKS[0], weight=3, stratum="easy", features=(("size", 8.0),)),
        Point("b", TASKS[1], weight=1, features=(("gap", 0.5),)),
    )
    family = Family((), points)
    assert family.weights.tolist() == [0.75, 0.25]
    np.testing.assert_equal(family.features, {"size": np.array([8.0, np.nan]), "gap": np.array([np.nan, 0.5])})
    with pytest.raises(UsageError, match="all 0"):
        _ = family.weighted([0, 0]).weights


def test_a_family_is_a_data_frame_with_a_row_for_each_point():
    family = Family.sweep("toy/discrete", delay=[1], sequence_length=[2]).weighted([2, 1, 1])
    frame = family.frame()
    assert list(frame) == ["name", "delay", "sequence_length", "stratum", "weight", "env", "params"]
    assert frame["weight"].tolist() == [0.5, 0.25, 0.25]
    assert frame["params"].tolist() == [dict(p.task.params) for p in family]
    with pytest.raises(UsageError, match="two columns named 'weight'"):
        Family((), (Point("a", TASKS[0], features=(("weight", 1.0),)),)).frame()


def test_explicit_points_and_weights():
    family = Family.explicit({"easy": TASKS[0], "hard": TASKS[1]}, weights=[1, 0.5])
    assert [p.weight for p in family] == [1.0, 0.5]
    assert family.task_set().weights == (2 / 3, 1 / 3)


def test_normalising():
    score = Score("return", "reward", True, Reference(10.0, "random"), Reference(20.0, "optimum"))
    assert score.normalise(15.0) == 0.5
    with pytest.raises(UsageError, match="no references"):
        Score("return", "reward").normalise(1.0)
    with pytest.raises(UsageError, match="cannot be normalised"):
        Score("return", "reward", True, Reference(1.0, "random"), Reference(1.0, "optimum")).normalise(1.0)


class Ring:
    """A parameter may be a method of an object, which is not what its name leads to."""

    def __init__(self, reward):
        self.value = reward

    def reward(self, state, action):
        return self.value


def test_methods_of_two_objects_are_two_tasks():
    one, two = (Task.make("toy/discrete", reward_function=Ring(value).reward) for value in (1.0, 2.0))
    assert one != two
    assert (mohs.table(one).reward.max(), mohs.table(two).reward.max()) == (1.0, 2.0)
    with pytest.raises(UsageError, match="cannot be imported again"):
        one.to_json()


def test_a_seed_beside_a_task_replaces_its_own():
    task = Task.make("toy/discrete")
    assert mohs.make(task, seed=5).unwrapped.source.seed == 5
    assert not np.array_equal(mohs.table(task, seed=5).succ, mohs.table(task).succ)


def test_a_family_is_a_sequence_of_points_and_a_fleet():
    family = Family.grid("toy/discrete", delay=range(3))
    assert family[1].task["delay"] == 1
    assert mohs.make_vec("toy/discrete", tasks=family).num_envs == 3
