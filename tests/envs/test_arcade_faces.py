"""Do the environments of the arcade keep Gymnasium's contracts?"""

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
from mohs import Task, TaskSet, UsageError
from mohs.core.dials import DIALS
from mohs.engines.arcade.layout import GAMES
from mohs.envs.render.frame import FOOT, HEAD, SIDE

VIEWS: list[dict[str, Any]] = [
    {}, {"texture": 1.0, "clutter": 0.2, "themes": 4}, {"view": "semantic"},
    {"view": "figure_ground", "view_encoding": "scalar"},
]  # fmt: skip


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("params", VIEWS, ids=["pixels", "hard", "semantic", "figure_ground"])
def test_the_environment_checker_is_content(game: str, params: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for mode in (None, "ansi", "rgb_array") if game == "maze" else (None,):
            check_env(mohs.make(f"arcade/{game}", render_mode=mode, **params).unwrapped)
        env = gymnasium.make(f"mohs/Arcade{game.capitalize()}-v0", **params)
        seen, info = env.reset(seed=0)
        for _ in range(130):
            assert seen in env.observation_space
            assert 0 <= info["level"] < 2**30
            seen, _, terminated, truncated, info = env.step(env.action_space.sample())
            if terminated or truncated:
                seen, info = env.reset()


def test_spaces_depend_on_the_view_alone() -> None:
    plain = mohs.make("arcade/dig")
    assert plain.observation_space == spaces.Box(0, 255, (24, 24, 3), np.uint8)
    assert plain.action_space == spaces.Discrete(5)
    assert mohs.make("arcade/dig", view="semantic").observation_space == spaces.Box(0, 1, (5, 24, 24), np.uint8)
    of = plain.unwrapped.source.environment.realisation("spaces")  # type: ignore[attr-defined]
    dials = {
        "texture": 0.5, "clutter": 0.5, "themes": 3, "theme_shift": True, "shared_colours": True, "quota": 2,
        "pay_every": 0, "deadly": True, "reward_probability": 0.5, "num_levels": 9, "view_encoding": "scalar",
    }  # fmt: skip
    assert of(Task.make("arcade/dig", **dials)) == of(Task.make("arcade/dig"))
    assert len({of(Task.make("arcade/dig", view=view)) for view in ("pixels", "semantic", "figure_ground")}) == 3


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_vector_does_what_single_environments_do(mode: str) -> None:
    tasks = [
        Task.make("arcade/collect", texture=texture, deadly=deadly) for texture in (0, 1) for deadly in (False, True)
    ]
    fleet = mohs.make_vec("arcade/collect", tasks=tasks, autoreset_mode=mode, history=True)
    alone = [mohs.make(task) for task in tasks]
    seen, info = fleet.reset(seed=5)
    firsts = [env.reset(seed=5 + i) for i, env in enumerate(alone)]
    np.testing.assert_array_equal(seen, [first for first, _ in firsts])
    assert info["level"].tolist() == [told["level"] for _, told in firsts]
    over = np.zeros(4, dtype=bool)
    rng = np.random.default_rng(0)
    for _ in range(150):
        actions = rng.integers(5, size=4)
        seen, rewards, terminated, truncated, info = fleet.step(actions)
        for i, env in enumerate(alone):
            if over[i]:
                one, told = env.reset()
                over[i] = False
            else:
                one, reward, ended, cut, told = env.step(actions[i])
                assert (rewards[i], terminated[i], truncated[i]) == (reward, ended, cut)
                over[i] = ended or cut
            if over[i] and mode == "SameStep":
                np.testing.assert_array_equal(info["final_obs"][i], one)
                assert info["final_info"]["level"][i] == told["level"]
                one, told = env.reset()
                over[i] = False
            np.testing.assert_array_equal(seen[i], one)
            assert info["level"][i] == told["level"]


@pytest.mark.parametrize("game", GAMES)
def test_a_copy_continues_alike(game: str) -> None:
    env = mohs.make(f"arcade/{game}", themes=3, clutter=0.1)
    env.reset(seed=3)
    env.step(1)
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for action in (2, 4, 3, 1, 0):
        seen, reward, *_ = env.step(action)
        for other in others:
            one, paid, *_ = other.step(action)
            np.testing.assert_array_equal(one, seen)
            assert paid == reward


def test_a_set_of_tasks_is_drawn_from() -> None:
    tasks = TaskSet.make([Task.make("arcade/maze", num_levels=1, start_level=level) for level in (3, 9)])
    env = mohs.make(tasks)
    assert {env.reset(seed=seed)[1]["level"] for seed in range(20)} == {3, 9}


@pytest.mark.parametrize("make", [mohs.make, partial(mohs.make_vec, num_envs=2)])
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"texture": 2}, "texture"),
        ({"themes": 0}, "themes"),
        ({"view": "smell"}, "view"),
        ({"shaping": 1.0}, "shaping"),
        ({"reward_probability": 0}, "reward_probability"),
        ({"start_level": 2**31}, "start_level"),
    ],
)
def test_what_is_not_allowed_is_named(make: Any, params: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make("arcade/collect", **params)


def test_actions_are_checked() -> None:
    env = mohs.make("arcade/avoid")
    env.reset(seed=0)
    with pytest.raises(UsageError, match="from 0 to 4"):
        env.step(5)


def test_noise_is_switched_off_and_nothing_else() -> None:
    task = Task.make("arcade/cross", reward_probability=0.25, shaping=0.5, pay_every=0, texture=0.5)
    assert task.noise_free() == Task.make("arcade/cross", pay_every=0, texture=0.5)
    assert "arcade" in DIALS["reward_probability"].applies


def test_pictures_and_text_show_the_game() -> None:
    for game in GAMES:
        env = mohs.make(f"arcade/{game}", render_mode="rgb_array")
        env.reset(seed=0)
        assert env.render().shape == (HEAD + SIDE + FOOT, 2 * SIDE, 3)  # type: ignore[union-attr]
    env = mohs.make("arcade/maze", render_mode="ansi")
    env.reset(seed=0)
    text = str(env.render())
    assert text.startswith("step 0 of level ")
    assert text.count("key") == text.count("door") == text.count("treasure") == 2


@pytest.mark.parametrize("params", [{"pay_every": 0}, {"quota": 3}])
def test_the_last_step_pays_what_was_held_whatever_the_time_limit(params: dict[str, Any]) -> None:
    env = mohs.make("arcade/avoid", max_episode_steps=20, **params)
    vector = mohs.make_vec("arcade/avoid", num_envs=1, max_episode_steps=20, **params)
    env.reset(seed=3)
    vector.reset(seed=[3])
    alone = [float(env.step(1)[1]) for _ in range(20)]
    assert alone == [float(vector.step(np.array([1]))[1][0]) for _ in range(20)]
    assert alone[-1] != 0
    tasks = [mohs.Task.make("arcade/avoid", max_episode_steps=20, **params)]
    drawn = mohs.make(mohs.TaskSet.make(tasks))
    drawn.reset(seed=3)
    assert [float(drawn.step(1)[1]) for _ in range(20)][-1] != 0
