"""Do the grid's faces keep Gymnasium's contracts, and does each dial turn only what it names?"""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import mohs
from mohs import Task, TaskSet, UsageError

CONFIGURATIONS: list[dict[str, Any]] = [
    {},
    {"grid_shape": (5,), "delay": 2, "max_episode_steps": 9},
    {"grid_shape": (3, 2, 4), "make_denser": True, "transition_noise": 0.2, "terminal_states": [(0, 0, 0)]},
    {"grid_shape": (4, 3), "irrelevant_features": True, "transition_noise": 0.3, "reward_noise": 1.0},
]


def ids(params: dict[str, Any]) -> str:
    return "-".join(params) or "vanilla"


@pytest.mark.parametrize("params", CONFIGURATIONS, ids=ids)
def test_the_environment_checker_is_content(params: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(mohs.make("toy/grid", **params).unwrapped)
        env = gymnasium.make("mohs/Grid-v0", **{k: v for k, v in params.items() if k != "max_episode_steps"})
        env.reset(seed=0)
        for _ in range(30):
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            if terminated or truncated:
                env.reset()


def test_spaces() -> None:
    env = mohs.make("toy/grid", grid_shape=(5, 3, 2))
    assert env.observation_space == spaces.MultiDiscrete([5, 3, 2])
    assert env.action_space == spaces.Discrete(6)
    both = mohs.make("toy/grid", grid_shape=(5, 3), irrelevant_features=True)
    assert both.observation_space == spaces.MultiDiscrete([5, 3, 5, 3])
    assert both.action_space == spaces.MultiDiscrete([4, 4])


def test_a_walk_in_plain_words() -> None:
    env = mohs.make("toy/grid", grid_shape=(3, 2), start_point=(0, 0), make_denser=True)
    cell, _ = env.reset(seed=0)
    walked, earned = [cell.tolist()], []
    for action in (0, 1, 3, 3, 0, 1, 1):  # left (off the grid), right, up, up (off the grid), left, right, right
        cell, reward, terminated, _, _ = env.step(action)
        walked.append(cell.tolist())
        earned.append(reward)
    assert walked == [[0, 0], [0, 0], [1, 0], [1, 1], [1, 1], [0, 1], [1, 1], [2, 1]]
    assert earned == [0, 1, 1, 0, -1, 1, 1]
    assert terminated


def taken(env: Any, seed: int, count: int) -> list[tuple[Any, ...]]:
    """A trajectory under actions that do not depend on it."""
    rng = np.random.default_rng(seed)
    observations, _ = env.reset(seed=seed)
    found = [(observations.copy(),)]
    for _ in range(count):
        space = env.single_action_space
        actions = rng.integers(space.n if space.shape == () else space.nvec, size=env.action_space.shape)
        found.append(tuple(np.array(part) for part in env.step(actions)[:4]))
    env.close()
    return found


def agree(one: list[tuple[Any, ...]], two: list[tuple[Any, ...]]) -> bool:
    return all(np.array_equal(a, b) for x, y in zip(one, two, strict=True) for a, b in zip(x, y, strict=True))


@pytest.mark.parametrize("params", CONFIGURATIONS, ids=ids)
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=["next", "same"])
def test_native_and_sync_vectors_agree_exactly(params: dict[str, Any], mode: AutoresetMode) -> None:
    sync = SyncVectorEnv([lambda: mohs.make("toy/grid", **params)] * 4, autoreset_mode=mode)
    native = mohs.make_vec("toy/grid", num_envs=4, autoreset_mode=mode.value, **params)
    assert native.single_observation_space == sync.single_observation_space
    assert native.action_space == sync.action_space
    assert agree(taken(native, 9, 200), taken(sync, 9, 200))


def test_same_step_reports_the_final_cell_as_gymnasium_does() -> None:
    params = {"grid_shape": (3, 2), "delay": 1, "max_episode_steps": 6}
    sync = SyncVectorEnv([lambda: mohs.make("toy/grid", **params)] * 5, autoreset_mode=AutoresetMode.SAME_STEP)
    native = mohs.make_vec("toy/grid", num_envs=5, autoreset_mode="SameStep", history=True, **params)
    sync.reset(seed=3)
    native.reset(seed=3)
    rng, ended = np.random.default_rng(0), 0
    for _ in range(40):
        actions = rng.integers(4, size=5)
        one, two = sync.step(actions)[4], native.step(actions)[4]
        assert ("final_obs" in one) == ("final_obs" in two)
        assert np.array_equal(one["history"], two["history"])
        if "final_obs" in one:
            over = one["_final_obs"]
            assert np.array_equal(over, two["_final_obs"])
            assert [a.tolist() for a in one["final_obs"][over]] == [b.tolist() for b in two["final_obs"][over]]
            assert np.array_equal(one["final_info"]["history"][over], two["final_info"]["history"][over])
            ended += int(over.sum())
    assert ended > 10


@pytest.mark.parametrize("params", CONFIGURATIONS, ids=ids)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_goes_on_as_the_original(params: dict[str, Any], copied: Any) -> None:
    env = mohs.make("toy/grid", **params)
    env.reset(seed=8)
    env.action_space.seed(0)
    env.step(env.action_space.sample())
    twin = copied(env)
    for _ in range(20):
        action = env.action_space.sample()
        one, two = env.step(action), twin.step(action)
        assert np.array_equal(one[0], two[0])
        assert one[1:4] == two[1:4]
        if one[2] or one[3]:
            assert np.array_equal(env.reset()[0], twin.reset()[0])


def test_a_specification_makes_the_same_environment_again() -> None:
    env = mohs.make("toy/grid", grid_shape=(4, 4), terminal_states=[(1, 2)], delay=2)
    assert env.spec is not None
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.unwrapped.source == env.unwrapped.source  # type: ignore[attr-defined]


def test_observations_are_snapshots() -> None:
    env = mohs.make("toy/grid", start_point=(3, 3))
    cell, info = env.reset(seed=0)
    cell[:], info["history"][:] = 77, 77
    assert env.step(1)[0].tolist() == [4, 3]
    assert env.reset()[0].tolist() == [3, 3]


def test_instances_may_play_different_tasks_of_one_shape() -> None:
    plain = Task.make("toy/grid", grid_shape=(4, 6))
    tasks = [plain, plain.replace(make_denser=True), plain.replace(transition_noise=0.5)]
    mixed = taken(mohs.make_vec("toy/grid", tasks=tasks), 2, 60)
    for i, task in enumerate(tasks):
        alone = taken(mohs.make_vec("toy/grid", tasks=[task] * 3), 2, 60)
        assert all(np.array_equal(a[i], b[i]) for x, y in zip(mixed, alone, strict=True) for a, b in zip(x, y))  # noqa: B905
    assert mohs.make_vec("toy/grid", tasks=[TaskSet.make(tasks), plain]).num_envs == 2
    with pytest.raises(UsageError, match="same shape"):
        mohs.make_vec("toy/grid", tasks=[plain, Task.make("toy/grid", grid_shape=(6, 4))])
    with pytest.raises(UsageError, match="fleet of toy/discrete"):
        mohs.make_vec("toy/discrete", tasks=[plain])
    with pytest.raises(UsageError, match="one environment"):
        mohs.make_vec("toy/grid", tasks=[plain, Task.make("toy/discrete")])


def trajectory(**params: Any) -> dict[str, np.ndarray]:
    base = {"grid_shape": (4, 4), "terminal_states": [(0, 0)], "make_denser": True}
    env = mohs.make_vec("toy/grid", num_envs=32, **{**base, **params})
    observations, _ = env.reset(seed=11)
    seen, gains, ends = [observations[:, :2]], [], []
    for action in np.random.default_rng(0).integers(4, size=(60, 32)):
        both = np.stack([action, action[::-1]], axis=1) if len(env.action_space.shape) == 2 else action
        observations, reward, terminated, truncated, _ = env.step(both)
        seen.append(observations[:, :2])
        gains.append(reward)
        ends.append(terminated | truncated)
    return {"cells": np.array(seen), "rewards": np.array(gains), "ends": np.array(ends)}


@pytest.mark.parametrize(
    "dial",
    [
        {"delay": 3}, {"delay": 3, "delay_at_end": "drop"}, {"reward_noise": 1.0}, {"reward_scale": -2.0},
        {"reward_shift": 1.5}, {"term_state_reward": -4.0}, {"make_denser": False},
    ],
    ids="-".join,
)  # fmt: skip
def test_dials_of_reward_leave_cells_and_ends(dial: dict[str, Any]) -> None:
    one, two = trajectory(), trajectory(**dial)
    assert np.array_equal(one["cells"], two["cells"])
    assert np.array_equal(one["ends"], two["ends"])
    assert not np.array_equal(one["rewards"], two["rewards"])


@pytest.mark.parametrize("dial", [{"transition_noise": 1e-300}, {"irrelevant_features": True}], ids="-".join)
def test_what_is_as_good_as_off_or_irrelevant_changes_nothing(dial: dict[str, Any]) -> None:
    one, two = trajectory(), trajectory(**dial)
    assert all(np.array_equal(one[part], two[part]) for part in one)


def test_noise_is_the_same_with_a_second_grid() -> None:
    one, two = trajectory(transition_noise=0.4), trajectory(transition_noise=0.4, irrelevant_features=True)
    assert all(np.array_equal(one[part], two[part]) for part in one)
    assert not np.array_equal(one["cells"], trajectory()["cells"])


def test_a_map_in_letters() -> None:
    env = mohs.make("toy/grid", grid_shape=(4, 2), terminal_states=[(1, 1)], start_point=(0, 0), render_mode="ansi")
    env.reset(seed=0)
    env.step(1)
    assert env.render() == "step 1: cell (1, 0), target (3, 1)\n. x . T\n. A . ."
    line = mohs.make("toy/grid", grid_shape=(3,), start_point=(1,), render_mode="ansi")
    line.reset(seed=0)
    assert str(line.render()).splitlines()[1] == ". A T"
