"""Do the environments of the traffic signal keep Gymnasium's contracts, and can an agent train on them?"""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import mohs
from mohs import Cell, Segment, Task, UsageError
from mohs.agents.registry import agent, learner
from mohs.engines.traffic.layout import METRICS
from mohs.envs.render.frame import FOOT, HEAD, SIDE

ID = "traffic/intersection"
OTHER = {"lanes": 5, "left_lanes": 1, "right_lanes": 1, "observation": "movements", "inflow": 2000.0}


@pytest.mark.parametrize("params", [{}, OTHER], ids=["plain", "other"])
@pytest.mark.parametrize("mode", [None, "ansi", "rgb_array"])
def test_the_environment_checker_is_content(params: dict[str, Any], mode: str | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(mohs.make(ID, render_mode=mode, **params).unwrapped)
        env = gymnasium.make("mohs/Intersection-v0", **params)
        env.reset(seed=0)
        for _ in range(60):
            seen, _, terminated, truncated, info = env.step(env.action_space.sample())
            assert seen in env.observation_space
            assert not terminated
            assert not truncated
            assert info == {}


def test_spaces_follow_the_intersection() -> None:
    assert mohs.make(ID).action_space == gymnasium.spaces.Discrete(2)
    assert mohs.make(ID, left_lanes=1).action_space == gymnasium.spaces.Discrete(4)
    assert mohs.make(ID).observation_space.shape == (4 * 2 * 5,)
    assert mohs.make(ID, lanes=7, right_lanes=1).observation_space.shape == (4 * 5 * 5,)
    assert mohs.make(ID, lanes=7, observed_lanes=8).observation_space.shape == (4 * 8 * 5,)
    assert mohs.make(ID, observation="movements").observation_space.shape == (8 * 4,)


def test_metrics_come_with_the_end_of_an_episode() -> None:
    """The same of a single environment and of both kinds of vector."""
    alone: Any = mohs.make(ID, max_episode_steps=40)
    alone.reset(seed=6)
    ends = [alone.step(t // 2 % 2) for t in range(40)]
    assert [info for *_, info in ends[:-1]] == [{}] * 39
    metrics = ends[-1][-1]["metrics"]
    assert ends[-1][3]
    assert set(metrics) == set(METRICS)
    for mode in ("NextStep", "SameStep"):
        env = mohs.make_vec(ID, num_envs=2, max_episode_steps=40, autoreset_mode=mode)
        env.reset(seed=[6, 7])
        for t in range(40):
            *_, truncated, info = env.step(np.full(2, t // 2 % 2))
            assert truncated.all() == (t == 39)
        found = info["final_info"] if mode == "SameStep" else info
        assert found["_metrics"].all()
        assert {name: found["metrics"][name][0] for name in METRICS} == metrics
        *_, info = env.step(np.zeros(2, dtype=int))
        assert "metrics" not in info


def test_episodes_differ_and_seeds_repeat_them() -> None:
    env = mohs.make(ID, max_episode_steps=30)

    def course() -> list[float]:
        return [float(env.step(t // 2 % 2)[1]) for t in range(30)]

    env.reset(seed=3)
    first = course()
    env.reset()
    second = course()
    env.reset(seed=3)
    assert course() == first != second


@pytest.mark.parametrize("action", [2, -1, 0.5, None, "left"])
def test_a_wrong_action_is_an_error_and_nothing_moves(action: Any) -> None:
    env: Any = mohs.make(ID).unwrapped
    env.reset(seed=0)
    before = env.fleet.memory.copy()
    with pytest.raises(UsageError, match="the action is"):
        env.step(action)
    assert np.array_equal(before, env.fleet.memory)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_continues_as_the_original(copied: Any) -> None:
    env: Any = mohs.make(ID, render_mode="rgb_array")
    env.reset(seed=8)
    for _ in range(10):
        env.step(1)
    twin = copied(env)
    for action in (0, 1, 1, 0):
        one, two = env.step(action), twin.step(action)
        assert np.array_equal(one[0], two[0])
        assert one[1:] == two[1:]
        assert np.array_equal(env.render(), twin.render())
    assert np.array_equal(env.reset()[0], twin.reset()[0])


@pytest.mark.parametrize("params", [{}, OTHER, {"lanes": 8, "left_lanes": 2, "right_lanes": 2, "inflow": 6000.0}])
def test_pictures_follow_the_state(params: dict[str, Any]) -> None:
    env: Any = mohs.make(ID, render_mode="rgb_array", **params)
    env.reset(seed=0)
    before = env.render()
    assert before.shape == (HEAD + SIDE + FOOT, SIDE, 3)
    for action in range(env.action_space.n):
        env.step(action)
        after = env.render()
        assert not np.array_equal(before, after)
        before = after
    text: Any = mohs.make(ID, render_mode="ansi")
    text.reset(seed=0)
    text.step(1)
    assert text.render().startswith("step 1: phase 1, queues N ")


def test_unlike_intersections_train_in_one_pack() -> None:
    tasks = [Task.make(ID, inflow=inflow, observation="movements", max_episode_steps=60) for inflow in (300.0, 900.0)]
    ppo = agent("ppo", num_envs=2, n_steps=32, hidden=(8,), batch_size=32, n_epochs=2)
    pack = learner([Cell(ppo, 0, (Segment(task, 600),), (), 300) for task in tasks])
    pack.train(600)
    assert not pack.failed
    assert all(np.isfinite(points["train/return"][1]).all() for points in pack.curves())
