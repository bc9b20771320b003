"""Configurations of the CT-graph's authors, in both their forms, and what is wrong with others."""

from __future__ import annotations

import copy
import json

import pytest

import mohs
from mohs import Task, UsageError
from mohs.compat import ctgraph_task

NOW = {
    "general_seed": 3,
    "graph_shape": {"d": 2, "b": 2, "p": 0.5},
    "reward": {
        "high_r": 1.0, "fail_r": -0.5, "std_r": 0.1, "reward_distribution": "needle_in_haystack",
        "min_static_reward_episodes": -1, "max_static_reward_episodes": -1,
    },
    "observations": {"MDP_D": False, "MDP_W": False, "W_IDs": [2, 2], "D_IDs": [3, 3], "graph_ends": [4, 4]},
    "image_dataset": {"seed": 2, "1D": False, "nr_of_images": 40, "noise_on_read": 0.05, "rotation_on_read": 10},
}  # fmt: skip
BEFORE = {
    "general_seed": 3,
    "graph_shape": {"depth": 2, "branching_factor": 2, "wait_prob": 0.5},
    "reward": {
        "high_reward_value": 1.0, "crash_reward_value": -0.5, "stochastic_sampling": True, "reward_std": 0.1,
        "min_static_reward_episodes": 0, "max_static_reward_episodes": 0, "reward_distribution": "needle_in_haystack",
    },
    "observations": {
        "MDP_decision_s": False, "MDP_wait_s": False, "wait_states": [2, 2], "decision_states": [3, 3],
        "graph_ends": [4, 4],
    },
    "image_dataset": {
        "seed": 2, "1D": False, "nr_of_images": 40, "noise_on_images_on_read": 0, "small_rotation_on_read": 10,
    },
}  # fmt: skip
MEANT = Task.make(
    "ctgraph", seed=3, wait_probability=0.5, fail_r=-0.5, reward_noise=0.1, home_ids=(0, 0), fail_ids=(1, 1),
    wait_ids=(2, 2), decision_ids=(3, 3), end_ids=(4, 4), observation="image", image_set=2, image_rotation=10,
)  # fmt: skip


def changed(section, **keys):
    new = copy.deepcopy(NOW)
    new[section].update(keys)
    return new


def test_both_forms_of_a_configuration_are_one_task(tmp_path):
    assert ctgraph_task(NOW) == MEANT
    assert ctgraph_task(BEFORE) == MEANT
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(NOW))
    assert ctgraph_task(path) == ctgraph_task(str(path)) == MEANT
    env = mohs.make(ctgraph_task(NOW, goal=(2, 1)))
    assert env.reset(seed=0)[1]["goal"] == (2, 1)


def test_graphs_that_are_seen_as_they_are():
    seen = {"MDP_D": True, "MDP_W": True, "W_IDs": [2, 8], "D_IDs": [9, 11], "graph_ends": [12, 15]}
    task = ctgraph_task(changed("observations", **seen))
    assert all(task[f"{kind}_ids"] == "unique" for kind in ("home", "wait", "decision", "end", "fail"))
    half = ctgraph_task(changed("observations", MDP_D=True))
    assert (half["decision_ids"], half["wait_ids"], half["end_ids"]) == ("unique", (2, 2), (4, 4))


def test_vectors_gradients_and_goals_that_change():
    task = ctgraph_task(changed("image_dataset", **{"1D": True}))
    assert task["observation"] == "one_hot"
    task = ctgraph_task(
        changed("reward", reward_distribution="linear", min_static_reward_episodes=10, max_static_reward_episodes=20)
    )
    assert task["reward"] == "linear"
    assert task["goal_every"] == (10, 19)


@pytest.mark.parametrize(
    ("first", "paid"), [((1, 2, 1), 2.0), ((2, 2, 1), 1.0), ((1, 1, 1), 4 / 3), ((1, 2, 2), 5 / 3)]
)
def test_linear_rewards_are_those_of_the_authors_code(first, paid):
    """Weights 3, 2, 1 of matching decisions, over their sum; equation 10 would pay 6/7 for the first mismatch."""
    linear = changed("reward", reward_distribution="linear", std_r=0.0, high_r=2.0)
    linear["graph_shape"].update(d=3, p=0.0)
    env = mohs.make(ctgraph_task(linear, goal=(1, 2, 1)))
    env.reset(seed=0)
    for action in (0, 0, *(a for decision in first for a in (decision, 0))):
        _, reward, terminated, _, _ = env.step(action)
    assert terminated
    assert reward == pytest.approx(paid)


def test_linear_rewards_of_wide_graphs_may_be_negative():
    """The code takes off the distance of the decisions, not whether they differ: of three branches, up to 2."""
    table = mohs.table(Task.make("ctgraph", branching=3, depth=2, goal=(1, 1), reward="linear"))
    assert (table.reward.min(), table.reward.max()) == (-1.0, 1.0)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (changed("graph_shape", depht=3), "depht"),
        (changed("graph_shape", p=1.0), "wait_probability"),
        (changed("graph_shape", b=1), "b is 1"),
        (changed("reward", reward_distribution="needle"), "reward_distribution"),
        (changed("reward", min_static_reward_episodes=9, max_static_reward_episodes=9), "must be below"),
        (changed("observations", W_IDs=[1, 2]), "reserved for home and fail"),
        (changed("observations", W_IDs=[5, 3]), "must not be above"),
        (changed("observations", W_IDs=[2, 3]), "must not overlap"),
        (changed("observations", graph_ends=[4, 40]), "there are 40 images"),
        (changed("graph_shape", depth=3), "graph_shape has d and depth, which are one value"),
        (changed("reward", reward_std=0.5), "reward has std_r and reward_std"),
        ([1], r"the configuration is \[1\], but must be a mapping, or the path of a json file"),
        ({**NOW, "graph": {}}, "graph_shape"),
        ({**NOW, "graph_shape": 3}, "must be an object"),
        ({"graph_shape": {"d": 2}}, "lacks b, p"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(wrong, says):
    with pytest.raises(UsageError, match=says):
        ctgraph_task(wrong)


def test_files_that_are_none(tmp_path):
    path = tmp_path / "graph.json"
    with pytest.raises(UsageError, match="cannot be read"):
        ctgraph_task(path)
    path.write_text("{")
    with pytest.raises(UsageError, match="is not JSON"):
        ctgraph_task(path)
    path.write_text("[]")
    with pytest.raises(UsageError, match="JSON object"):
        ctgraph_task(path)
