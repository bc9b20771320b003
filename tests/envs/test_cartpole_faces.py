"""Do the environments of the pole on a cart keep Gymnasium's contracts?"""

from __future__ import annotations

import copy
import pickle
import warnings
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env

import mohs
from mohs import Task, UsageError
from mohs.envs.render.frame import FOOT, HEAD, SIDE

ID = "control/cartpole"
LARGEST = np.finfo(np.float32).max
CONFIGURATIONS: list[dict[str, Any]] = [{}, {"gravity": 20.0, "length": 2, "theta_threshold": 40, "x_threshold": 1}]


@pytest.mark.parametrize("params", CONFIGURATIONS, ids=["plain", "other"])
@pytest.mark.parametrize("mode", [None, "ansi", "rgb_array"])
def test_the_environment_checker_is_content(params: dict[str, Any], mode: str | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(mohs.make(ID, render_mode=mode, **params).unwrapped)
        env = gymnasium.make("mohs/CartPole-v0", **params)
        env.reset(seed=0)
        for _ in range(60):
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            if terminated or truncated:
                env.reset()


def test_spaces_are_those_of_gymnasium_with_finite_bounds() -> None:
    env, theirs = mohs.make(ID), gymnasium.make("CartPole-v1")
    high = np.nan_to_num(theirs.observation_space.high)  # type: ignore[attr-defined]
    assert env.observation_space == spaces.Box(-high, high, dtype=np.float32)
    assert env.observation_space.sample() in env.observation_space
    assert env.action_space == theirs.action_space
    assert env.spec is not None
    assert theirs.spec is not None
    assert env.spec.max_episode_steps == theirs.spec.max_episode_steps == 500


def test_the_space_of_a_fleet_holds_every_instance() -> None:
    tasks = [Task.make(ID, x_threshold=x, theta_threshold=theta) for x, theta in ((1, 30), (3, 10))]
    env = mohs.make_vec(ID, tasks=tasks)
    space = env.single_observation_space
    assert isinstance(space, spaces.Box)
    np.testing.assert_allclose(space.high, [6, LARGEST, np.pi / 3, LARGEST], rtol=1e-6)
    seen, _ = env.reset(seed=0)
    for _ in range(200):
        assert seen in env.observation_space
        seen = env.step(env.action_space.sample())[0]


def test_an_episode_starts_where_it_is_told_to() -> None:
    state = (0.1, -0.2, 0.05, 0.3)
    env = mohs.make(ID)
    seen, _ = env.reset(seed=0, options={"state": state})
    np.testing.assert_array_equal(seen, np.float32(state))
    assert not np.array_equal(env.reset()[0], seen)
    vector = mohs.make_vec(ID, num_envs=3)
    seen, _ = vector.reset(seed=0, options={"state": state})
    np.testing.assert_array_equal(seen, np.float32([state] * 3))
    mask = np.array([False, True, False])
    seen, _ = vector.reset(options={"state": np.zeros(4), "reset_mask": mask})
    np.testing.assert_array_equal(seen, np.float32([state, np.zeros(4), state]))


@pytest.mark.parametrize("make", [mohs.make, partial(mohs.make_vec, num_envs=2)])
def test_a_wrong_option_of_reset_is_an_error(make: Any) -> None:
    env = make(ID)
    with pytest.raises(UsageError, match="unknown option of reset 'stat'"):
        env.reset(seed=0, options={"stat": np.zeros(4)})
    for wrong in ((0, 0, 0), (0, 0, 0, np.nan), "upright"):
        with pytest.raises(UsageError, match="the state must be x, x_dot, theta, theta_dot"):
            env.reset(seed=0, options={"state": wrong})


@pytest.mark.parametrize("action", [2, -1, 0.5, None, "left"])
def test_a_wrong_action_is_an_error_and_nothing_moves(action: Any) -> None:
    env = mohs.make(ID).unwrapped
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset(seed=0)
    before = env.fleet.memory.copy()  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="the action is"):
        env.step(action)
    assert np.array_equal(before, env.fleet.memory)  # type: ignore[attr-defined]


def test_a_wrong_action_of_a_vector_environment_names_the_instance() -> None:
    env = mohs.make_vec(ID, num_envs=3)
    env.reset(seed=0)
    with pytest.raises(UsageError, match="the action of environment 1 is 2, outside Discrete"):
        env.step(np.array([0, 2, 1]))
    with pytest.raises(UsageError, match="integers of shape"):
        env.step(np.zeros(3))


def test_next_and_same_step_play_the_same_episodes() -> None:
    """The action is a function of the step of the episode, so that both modes choose alike."""
    found: list[list[list[Any]]] = []
    for mode in ("NextStep", "SameStep"):
        env = mohs.make_vec(ID, num_envs=5, autoreset_mode=mode, max_episode_steps=25)
        env.reset(seed=2)
        steps: list[list[Any]] = [[] for _ in range(5)]
        for _ in range(150):
            t, waiting = env.fleet.instances["t"].copy(), env.fleet.instances["over"] == 1  # type: ignore[attr-defined]
            seen, rewards, terminated, truncated, info = env.step((t * t // 3 + t) % 2)
            over = terminated | truncated
            for i in np.flatnonzero(~waiting):
                last = info["final_obs"][i] if mode == "SameStep" and over[i] else seen[i]
                steps[i].append((last.tolist(), rewards[i], terminated[i], truncated[i]))
        found.append(steps)
    for a, b in zip(*found, strict=True):
        shared = min(len(a), len(b))
        assert shared > 100
        assert a[:shared] == b[:shared]
        assert any(step[2] or step[3] for step in a[:shared])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_continues_as_the_original(copied: Any) -> None:
    env: Any = mohs.make(ID, render_mode="rgb_array")
    env.reset(seed=8)
    env.step(1)
    twin = copied(env)
    for action in (0, 1, 1, 0):
        one, two = env.step(action), twin.step(action)
        assert np.array_equal(one[0], two[0])
        assert one[1:] == two[1:]
        assert np.array_equal(env.render(), twin.render())
    assert np.array_equal(env.reset()[0], twin.reset()[0])


def test_pictures_follow_the_pole() -> None:
    env: Any = mohs.make(ID, render_mode="rgb_array")
    env.reset(seed=0)
    before = env.render()
    assert before.shape == (HEAD + SIDE + FOOT, SIDE, 3)
    env.step(1)
    assert not np.array_equal(before, env.render())
    text: Any = mohs.make(ID, render_mode="ansi")
    text.reset(seed=0, options={"state": (0.5, 0, -0.25, 0)})
    assert text.render() == "step 0: x 0.5, x_dot 0, theta -0.25, theta_dot 0"


@pytest.mark.parametrize(
    ("params", "words"),
    [({"masspole": 0}, "masspole"), ({"theta_threshold": 200}, "theta_threshold"), ({"mass_pole": 1}, "masspole")],
)
def test_wrong_parameters_are_named(params: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Task.make(ID, **params)
