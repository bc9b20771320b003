"""Do the environments of all control problems keep Gymnasium's contracts, and can agents train on them?"""

from __future__ import annotations

import copy
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import mohs
from mohs import Cell, Probe, Segment, Task, UsageError
from mohs.agents.registry import agent, learner
from mohs.envs.render.frame import FOOT, HEAD, SIDE

# Of each environment its twin in Gymnasium, its Gymnasium id, and other parameters.
CONTROL: dict[str, tuple[str | None, str, dict[str, Any]]] = {
    "control/pendulum": ("Pendulum-v1", "mohs/Pendulum-v0", {"m": 3.0, "l": 10.0, "reward": "upright_time"}),
    "control/mountain_car": ("MountainCar-v0", "mohs/MountainCar-v0", {"force": 0.01, "goal_position": 0.1}),
    "control/mountain_car_continuous": (
        "MountainCarContinuous-v0", "mohs/MountainCarContinuous-v0", {"power": 0.01, "max_speed": 0.2},
    ),
    "control/acrobot": ("Acrobot-v1", "mohs/Acrobot-v0", {"link_length_1": 2.0, "torque_noise_max": 0.5}),
    "control/quad": (None, "mohs/Quad-v0", {"u": 0.0, "l": 6.0, "course": "random", "reward": "distance"}),
}  # fmt: skip
NAMES = list(CONTROL)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("mode", [None, "ansi", "rgb_array"])
def test_the_environment_checker_is_content(name: str, plain: bool, mode: str | None) -> None:
    _, gym_id, other = CONTROL[name]
    params = {} if plain else other
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Gymnasium's own Pendulum is warned of, too: its torques are not in [−1, 1].
        warnings.filterwarnings("ignore", message=".*we recommend using a symmetric and normalized space.*")
        check_env(mohs.make(name, render_mode=mode, **params).unwrapped)
        env = gymnasium.make(gym_id, **params)
        env.reset(seed=0)
        for _ in range(60):
            seen, _, terminated, truncated, _ = env.step(env.action_space.sample())
            assert seen in env.observation_space
            if terminated or truncated:
                env.reset()


@pytest.mark.parametrize("name", [name for name in NAMES if CONTROL[name][0]])
def test_spaces_and_limits_are_those_of_gymnasium(name: str) -> None:
    env, theirs = mohs.make(name), gymnasium.make(str(CONTROL[name][0]))
    assert env.observation_space == theirs.observation_space
    assert env.action_space == theirs.action_space
    assert env.spec is not None
    assert theirs.spec is not None
    assert env.spec.max_episode_steps == theirs.spec.max_episode_steps


@pytest.mark.parametrize("name", NAMES)
def test_an_episode_starts_where_it_is_told_to(name: str) -> None:
    env: Any = mohs.make(name)
    fields = env.unwrapped.fleet.state_fields
    state = np.linspace(0.01, 0.04, len(fields))
    first, _ = env.reset(seed=0, options={"state": state})
    np.testing.assert_allclose([env.unwrapped.fleet.instances[f][0] for f in fields], state, rtol=1e-6)
    assert not np.array_equal(env.reset()[0], first)
    vector = mohs.make_vec(name, num_envs=3)
    seen, _ = vector.reset(seed=0, options={"state": state})
    np.testing.assert_array_equal(seen, [first] * 3)
    with pytest.raises(UsageError, match=f"the state must be {', '.join(fields)}"):
        env.reset(options={"state": [np.nan] * len(fields)})
    with pytest.raises(UsageError, match="unknown option of reset"):
        env.reset(options={"low": 0})


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_action_is_an_error_and_nothing_moves(name: str) -> None:
    env: Any = mohs.make(name).unwrapped
    env.reset(seed=0)
    before = env.fleet.memory.copy()
    high = getattr(env.action_space, "high", None)
    wrong: list[Any] = [3, -1, None, "left"] if high is None else [high * 1.01, [np.nan], [0.0, 0.0], None]
    for action in wrong:
        with pytest.raises(UsageError, match="the action is"):
            env.step(action)
    assert np.array_equal(before, env.fleet.memory)


@pytest.mark.parametrize("name", NAMES)
def test_pictures_follow_the_state(name: str) -> None:
    env: Any = mohs.make(name, render_mode="rgb_array")
    env.reset(seed=0)
    env.action_space.seed(0)
    before = env.render()
    assert before.shape == (HEAD + SIDE + FOOT, SIDE, 3)
    action = env.action_space.sample()
    twin = copy.deepcopy(env)
    env.step(action)
    assert not np.array_equal(before, env.render())
    twin.step(action)
    assert np.array_equal(env.render(), twin.render())
    text: Any = mohs.make(name, render_mode="ansi")
    text.reset(seed=0)
    assert all(field in text.render() for field in text.unwrapped.fleet.state_fields)


def test_a_pack_of_unlike_pendulums_trains_and_is_evaluated_by_the_time_of_the_swing_up() -> None:
    contexts = ({"m": 0.4, "l": 0.5}, {"m": 1.5, "l": 4.0}, {"m": 3.0, "l": 10.0})
    tasks = [Task.make("control/pendulum", **context, max_episode_steps=50) for context in contexts]
    ppo = agent("ppo", num_envs=2, n_steps=32, hidden=(8,), batch_size=32, n_epochs=2)
    cells = [
        Cell(ppo, 0, (Segment(t, 400),), (Probe("time", t.replace(reward="upright_time"), (400,), 4),), 200)
        for t in tasks
    ]
    pack = learner(cells)
    pack.train(400)
    assert not pack.failed
    times = -np.asarray(pack.evaluate(0)["return"])
    assert ((times >= 0) & (times <= 50)).all()
    np.testing.assert_array_equal(times * 4, np.round(times * 4))  # means of four whole numbers
    assert all(np.isfinite(points["train/return"][1]).all() for points in pack.curves())
