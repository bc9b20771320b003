"""Do the CT-graph's faces keep Gymnasium's contracts, and are its observations what they should be?"""

from __future__ import annotations

import copy
import json
import pickle
import warnings
from functools import partial
from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from scipy import ndimage

import mohs
from mohs import Task, UsageError
from mohs.engines.images.classes import class_pictures, turned
from mohs.envs.entries.ctgraph import CONFIGURATIONS as NAMED
from mohs.envs.render import canvas

CONFIGURATIONS: list[dict[str, Any]] = [
    {},
    {"depth": 3, "branching": 3, "wait_probability": 0.5, "reward": "gradient", "reward_noise": 0.1, "fail_r": -1.0},
    {"observation": "one_hot", "wait_ids": (0, 3)},
    {"observation": "image", "image_noise": 20, "image_rotation": 5},
    {"goal_every": 3, "num_observations": 64},
]


def ids(params: dict[str, Any]) -> str:
    return "-".join(params) or "plain"


@pytest.mark.parametrize("params", CONFIGURATIONS, ids=ids)
def test_the_environment_checker_is_content(params):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(mohs.make("ctgraph", **params).unwrapped)
        env = gymnasium.make("mohs/CTGraph-v0", **params)
        env.reset(seed=0)
        for _ in range(30):
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            if terminated or truncated:
                env.reset()


@pytest.mark.parametrize("name", NAMED)
def test_named_configurations_are_ids(name):
    task = Task.make(name)
    assert task.env == "ctgraph"
    assert task == Task.from_json(task.to_json())
    env = gymnasium.make(f"mohs/{name}-v0")
    assert env.unwrapped.source == task
    assert env.observation_space == mohs.make(name).observation_space
    changed = Task.make(name, goal=(1,) * task["depth"])
    assert changed["goal"] == (1,) * task["depth"]


def test_a_misspelt_configuration_is_answered_with_the_nearest():
    with pytest.raises(UsageError, match="CT-FO-B1"):
        mohs.make("CT-FO-B3")


@pytest.mark.parametrize("make", [mohs.make, partial(mohs.make_vec, num_envs=2)])
def test_an_unknown_option_of_reset_is_answered_with_the_nearest(make):
    env = make("ctgraph")
    with pytest.raises(UsageError, match=r"unknown option of reset 'gaol'\. Did you mean 'goal'"):
        env.reset(seed=0, options={"gaol": (1, 2)})
    env.reset(seed=0, options={"goal": (1, 2)})


def test_only_decisions_that_were_come_to_are_marked(monkeypatch):
    marked, legend = [], []
    monkeypatch.setattr(canvas.Canvas, "box", lambda self, a, b, fill, outline=None, *_, **__: marked.append(outline))
    monkeypatch.setattr(canvas.Canvas, "text", lambda self, at, words, *_: legend.append(words))
    env = mohs.make("ctgraph", depth=3, goal=(1, 1, 1), render_mode="rgb_array")
    env.reset(seed=0)
    counts = []
    for action in (0, 0, 1, 0, 2, 0):
        env.step(action)
        marked.clear()
        env.render()
        counts.append(marked.count(canvas.SKY))
    assert counts == [0, 1, 1, 2, 2, 3]  # after the steps into wait states as many as before
    assert {"agent", "home", "wait", "decide", "end", "goal"} <= set(legend)


def test_spaces():
    assert mohs.make("ctgraph", depth=3).observation_space == spaces.Discrete(32)
    assert mohs.make("ctgraph", depth=3, branching=4).action_space == spaces.Discrete(5)
    assert mohs.make("ctgraph", depth=2, num_observations=300).observation_space == spaces.Discrete(300)
    assert mohs.make("CT-SU-B1").observation_space == spaces.Discrete(5)
    assert mohs.make("CT-CO-B1").observation_space == spaces.Discrete(104)
    assert mohs.make("ctgraph", observation="one_hot").observation_space == spaces.Box(0, 1, (16,), np.uint8)
    large = mohs.make("ctgraph", observation="image", image_size=20)
    assert large.observation_space == spaces.Box(0, 255, (20, 20), np.uint8)


def test_one_hot_vectors_stand_for_the_numbers():
    plain, hot = (mohs.make_vec("CT-CO-B1", num_envs=50, observation=seen) for seen in ("integer", "one_hot"))
    a, b = (env.reset(seed=0)[0] for env in (plain, hot))
    for _ in range(12):
        np.testing.assert_array_equal(b.argmax(1), a)
        assert (b.sum(1) == 1).all()
        a, b = (env.step(np.zeros(50, dtype=np.int64))[0] for env in (plain, hot))


def test_a_deep_graph_is_made_at_once_and_takes_no_memory():
    env = mohs.make("ctgraph", depth=16)
    assert env.observation_space == spaces.Discrete(262144)
    env.reset(seed=0)
    assert env.unwrapped.fleet.memory.nbytes < 1000


def test_copies_go_on_alike():
    env = mohs.make("ctgraph", depth=3, wait_probability=0.5, observation="image", image_noise=9, image_rotation=7)
    env.reset(seed=3)
    env.step(0)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        twin = copy.deepcopy(env)
        for action in (0, 0, 1, 0, 0):
            one, two = twin.step(action), other.step(action)
            np.testing.assert_array_equal(one[0], two[0])
            assert one[1:] == two[1:]
            if one[2]:
                break


def test_every_state_has_a_picture_of_its_own_that_does_not_depend_on_depth():
    deep = class_pictures(0, np.zeros(600, dtype=np.int64), 0.0, 12, 255)
    assert len(np.unique(deep.reshape(600, -1), axis=0)) == 600
    shallow = class_pictures(0, np.zeros(20, dtype=np.int64), 0.0, 12, 255)
    np.testing.assert_array_equal(shallow, deep[:20])
    other = class_pictures(1, np.zeros(20, dtype=np.int64), 0.0, 12, 255)
    assert (other != shallow).any(axis=(1, 2)).all()


def test_pictures_are_enlarged_blueprints_turned_by_three_angles():
    pictures = class_pictures(0, np.zeros(300, dtype=np.int64), 0.0, 12, 200)
    fields = pictures.reshape(300, 4, 3, 4, 3)
    straight = (fields == fields[:, :, :1, :, :1]).all(axis=(1, 2, 3, 4))
    assert 60 < straight.sum() < 140
    assert set(np.unique(pictures[straight])) == {0, 100, 200}


@pytest.mark.parametrize("degrees", [5, -13, 30, 60])
def test_turning_is_that_of_scipy(degrees):
    pictures = class_pictures(2, np.zeros(4, dtype=np.int64), 0.0, 15, 255)
    found = turned(pictures, np.arange(4), np.full(4, degrees))
    for mine, picture in zip(found, pictures, strict=True):
        other = ndimage.rotate(picture.astype(float), -degrees, reshape=False, order=1, mode="grid-constant")
        np.testing.assert_allclose(mine, other, atol=0.51)


def test_pictures_from_an_atlas_are_those_turned_one_by_one(monkeypatch):
    tasks = [Task.make("ctgraph", observation="image", image_rotation=r, image_noise=9) for r in (3, 8)]

    def played():
        envs = mohs.make_vec(tasks[0], tasks=[tasks[i % 2] for i in range(16)])
        seen = [envs.reset(seed=1)[0]]
        seen += [envs.step(np.full(16, t % 3))[0] for t in range(6)]
        return np.array(seen)

    with_atlas = played()
    monkeypatch.setattr("mohs.envs.views.classes.LARGEST_ATLAS", 0)
    np.testing.assert_array_equal(played(), with_atlas)


def test_noise_brightens_pixels_evenly_and_anew_at_every_step():
    many = 400
    task = Task.make("ctgraph", observation="image", image_noise=9)
    env = mohs.make_vec(task, num_envs=many)
    first, _ = env.reset(seed=0)
    bare = mohs.make_vec(task.replace(image_noise=0), num_envs=1).reset(seed=0)[0][0]
    darker = np.rint(bare.astype(float) / 255 * 246)
    noise = first.astype(float) - darker
    assert noise.min() >= -1
    assert noise.max() <= 10
    means = noise.mean(axis=0)
    assert np.abs(means - 4.5).max() < 1.2
    env.step(np.zeros(many, dtype=np.int64))
    shares = np.bincount(np.rint(first[:, darker == 0]).astype(int).ravel(), minlength=10) / (darker == 0).sum() / many
    np.testing.assert_allclose(shares, 0.1, atol=0.01)


def test_similar_classes_share_fields_with_their_kind():
    kinds = np.repeat([0, 1], 50)

    def alike(similarity):
        pictures = class_pictures(0, kinds, similarity, 4, 255)
        return np.mean([np.mean(a == b) for a, b in pairwise(pictures[:50])])

    assert alike(0.9) > alike(0.5) > alike(0.0)


def test_images_of_ones_own(tmp_path):
    path = tmp_path / "digits.npy"
    images = np.random.default_rng(0).integers(0, 256, (16, 12, 12), dtype=np.uint8)
    np.save(path, images)
    env = mohs.make("ctgraph", observation="image", images=str(path))
    seen, info = env.reset(seed=0)
    np.testing.assert_array_equal(seen, images[info["state"]])
    larger = mohs.make("ctgraph", observation="image", images=str(path), image_size=24)
    assert larger.reset(seed=0)[0].shape == (24, 24)
    task = Task.make("ctgraph", observation="image", images=images)
    assert Task.from_json(json.loads(json.dumps(task.to_json()))) == task
    np.testing.assert_array_equal(mohs.make(task).reset(seed=0)[0], seen)
    with pytest.raises(UsageError, match=r"images is an array of float64 of shape \(16, 12, 12\), but must be uint8"):
        Task.make("ctgraph", observation="image", images=images / 255)
    with pytest.raises(UsageError, match="images has 3 images, but 16"):
        mohs.make("ctgraph", observation="image", images=images[:3])
    with pytest.raises(UsageError, match="cannot be read as uint8"):
        mohs.make("ctgraph", observation="image", images="array:16x12x12:abc")
    with pytest.raises(UsageError, match='images is set, which needs observation="image"'):
        Task.make("ctgraph", images=images)
    np.save(path, images[:3])
    with pytest.raises(UsageError, match="has 3 images, but 16"):
        mohs.make("ctgraph", observation="image", images=str(path))
    with pytest.raises(UsageError, match="cannot be read"):
        mohs.make("ctgraph", observation="image", images=str(tmp_path / "none.npy"))


def test_fleets_of_different_graphs_show_each_its_own_pictures():
    tasks = [Task.make("ctgraph", observation="image", image_set=s, depth=d) for s, d in ((0, 2), (1, 3))]
    env = mohs.make_vec("ctgraph", tasks=[tasks[0], tasks[1], tasks[0]])
    seen, _ = env.reset(seed=0)
    np.testing.assert_array_equal(seen[0], seen[2])
    for task, one in zip(tasks, seen[:2], strict=True):
        np.testing.assert_array_equal(mohs.make(task).reset(seed=0)[0], one)
    with pytest.raises(UsageError, match="same spaces"):
        mohs.make_vec("ctgraph", tasks=[Task.make("ctgraph", depth=2), Task.make("ctgraph", depth=3)])


def test_the_tree_is_drawn_with_the_way_taken():
    env = mohs.make("ctgraph", depth=3, render_mode="rgb_array")
    env.reset(seed=0)
    first = env.render()
    env.step(0)
    second = env.render()
    assert first.shape == second.shape == (498, 400, 3)
    assert (first != second).any()
    text = mohs.make("ctgraph", render_mode="ansi")
    text.reset(seed=0)
    assert "home" in text.render()
    deep = mohs.make("ctgraph", depth=12, render_mode="rgb_array")
    deep.reset(seed=0)
    assert deep.render().shape == (498, 400, 3)
