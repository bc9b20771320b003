"""Are MDP Playground's two wrappers what `mohs.inject` does, under their names and keys?"""

from __future__ import annotations

import copy
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

import mohs
from mohs import UsageError
from mohs.compat import GymEnvWrapper, get_mujoco_wrapper

DIALS: dict[str, Any] = {
    "delay": 2, "transition_noise": 0.2, "reward_noise": 0.5, "reward_scale": 2.0, "reward_shift": -1.0,
    "term_state_reward": -3.0,
}  # fmt: skip


class Camera(gymnasium.Env[Any, Any]):
    """Shows random images without a black pixel."""

    observation_space = gymnasium.spaces.Box(0, 255, (12, 16, 3), np.uint8)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, Any]:
        super().reset(seed=seed)
        return self._shot(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Any]:
        return self._shot(), 0.0, False, False, {}

    def _shot(self) -> Any:
        self.image = self.np_random.integers(1, 256, size=(12, 16, 3), dtype=np.uint8)
        return self.image


def trajectory(env: gymnasium.Env[Any, Any], count: int = 60) -> list[Any]:
    rng, found = np.random.default_rng(0), []
    for _ in range(count):
        action = (
            rng.integers(2) if isinstance(env.action_space, gymnasium.spaces.Discrete) else env.action_space.sample()
        )
        state, reward, terminated, truncated, _ = env.step(action)
        found.append((state.tolist(), reward, terminated))
        if terminated or truncated:
            found.append(env.reset()[0].tolist())
    return found


def test_the_dials_are_injected() -> None:
    extra = {"state_space_type": "discrete", "action_space_type": "discrete", "log_filename": "/nowhere",
             "dummy_seed": 1, "action_loss_weight": 0.0, "AtariEnv": {}}  # fmt: skip
    wrapped = GymEnvWrapper(gymnasium.make("CartPole-v1"), **DIALS, **extra)
    plain = mohs.inject(gymnasium.make("CartPole-v1"), **DIALS)
    wrapped.reset(seed=3)
    plain.reset(seed=3)
    assert wrapped.env.dials == plain.dials  # type: ignore[attr-defined]
    found = trajectory(wrapped)
    assert found == trajectory(plain)
    assert any(step[2] for step in found if len(step) == 3)  # ends are reached, where MDP Playground's wrapper raises


def test_the_seed_is_enough() -> None:
    one, two, other = (
        GymEnvWrapper(gymnasium.make("CartPole-v1"), **DIALS, seed=seed, state_space_type="discrete")
        for seed in (1, 1, 2)
    )
    for env in (one, two, other):
        env.reset()
    first = trajectory(one)
    assert first == trajectory(two) != trajectory(other)
    assert one.action_space.sample() == two.action_space.sample()


def test_noise_of_the_situation() -> None:
    seen: list[tuple[Any, Any]] = []

    def noise(state: Any, action: Any, rng: np.random.Generator) -> float:
        seen.append((state.copy(), action))
        return 10.0 * action

    env = GymEnvWrapper(gymnasium.make("CartPole-v1"), reward_noise=noise, seed=0)
    before = env.curr_state
    other = copy.deepcopy(env)
    assert env.step(1)[1] == 11.0
    assert other.step(0)[1] == 1.0
    assert env.step(0)[1] == 1.0
    assert np.array_equal(seen[0][0], before)
    older = GymEnvWrapper(gymnasium.make("CartPole-v1"), reward_noise=lambda rng: 0.25, seed=0)
    assert older.step(1)[1] == 1.25


@pytest.mark.parametrize("quantum", [1, 2])
def test_padded_images_are_moved_whole(quantum: int) -> None:
    camera = Camera()
    env = GymEnvWrapper(camera, image_transforms="shift", image_padding=4, image_sh_quant=quantum, seed=0)
    assert env.observation_space.shape == (20, 24, 3)
    places = set()
    for _ in range(300):
        seen = env.step(0)[0]
        rows, columns = np.flatnonzero(seen.any(axis=(1, 2))), np.flatnonzero(seen.any(axis=(0, 2)))
        top, left = int(rows[0]), int(columns[0])
        assert np.array_equal(seen[top : top + 12, left : left + 16], camera.image)
        assert (seen > 0).sum() == camera.image.size
        places.add((top, left))
    possible = range(0, 9, quantum)
    assert {top for top, _ in places} == {left for _, left in places} == set(possible)


def test_padding_without_moves_and_moves_without_padding() -> None:
    camera = Camera()
    still = GymEnvWrapper(camera, image_transforms="none", seed=0).step(0)[0]
    assert still.shape == (52, 56, 3)
    assert np.array_equal(still[20:-20, 20:-20], camera.image)
    flipped = GymEnvWrapper(camera, image_transforms="flip", image_padding=0, seed=1)
    shown = [flipped.step(0)[0] for _ in range(40)]
    assert {s.shape for s in shown} == {(12, 16, 3)}
    one, two = (GymEnvWrapper(Camera(), image_transforms="shift,rotate,scale,flip", seed=5) for _ in range(2))
    assert trajectory(one, 10) == trajectory(two, 10)
    assert one.reset()[0].tolist() == two.reset()[0].tolist()


def test_scales_from_high_to_low_are_refused() -> None:
    with pytest.raises(UsageError, match=r"must be \(low, high\)"):
        GymEnvWrapper(Camera(), image_transforms="scale", image_scale_range=(2, 1))


def test_a_toy_beside_the_environment() -> None:
    """As in MDP Playground's experiment on irrelevant dimensions; its numbers take the environment's type."""
    config = {
        "state_space_type": "continuous", "irr_state_space_dim": 3, "seed": 0,
        "irrelevant_features": {
            "state_space_type": "continuous", "state_space_max": 5, "action_space_max": 1, "action_loss_weight": 0.0,
            "time_unit": 1.0, "transition_dynamics_order": 1, "reward_function": "move_to_a_point",
            "dtype": np.float64,
        },
    }  # fmt: skip
    env = GymEnvWrapper(gymnasium.make("Pendulum-v1"), **config)
    assert env.observation_space.shape == (6,)
    assert env.action_space.shape == (4,)
    before = env.curr_state
    action = np.array([0.5, 1.0, -0.5, 0.25], dtype=np.float32)
    after, *_ = env.step(action)
    assert after[3:] == pytest.approx(np.clip(before[3:] + action[1:], -5, 5), abs=1e-5)
    alone = gymnasium.make("Pendulum-v1")
    alone.reset(seed=0)
    assert np.allclose(alone.step(action[:1])[0], after[:3])
    words = {"state_space_type": "discrete", "action_space_size": 5}
    lake = GymEnvWrapper(
        gymnasium.make("FrozenLake-v1"), state_space_type="discrete", irrelevant_features=words, seed=0
    )
    assert lake.observation_space == gymnasium.spaces.MultiDiscrete([16, 5])
    assert lake.action_space == gymnasium.spaces.MultiDiscrete([4, 5])


def test_atari_is_preprocessed() -> None:
    ale_py = pytest.importorskip("ale_py")
    gymnasium.register_envs(ale_py)

    def game() -> gymnasium.Env[Any, Any]:
        return gymnasium.make("ALE/Breakout-v5", frameskip=1, repeat_action_probability=0.0)

    config = {"atari_preprocessing": True, "grayscale_obs": True, "image_width": 42, "state_space_type": "discrete"}
    env = GymEnvWrapper(game(), **config, seed=0)
    plain = gymnasium.wrappers.AtariPreprocessing(game(), noop_max=1, frame_skip=4, screen_size=42, grayscale_obs=True)
    plain.reset(seed=0)
    for action in (1, 2, 3, 0):
        assert np.array_equal(env.step(action)[0], plain.step(action)[0])
    assert GymEnvWrapper(game(), **{**config, "grayscale_obs": False}).observation_space.shape == (42, 42, 3)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"dely": 1}, "Did you mean 'delay'"),
        ({"state_space_type": "continuous"}, "has discrete actions"),
        ({"wrap_deepmind_ray": True}, "atari/<Game>"),
        ({"frame_skip": 2}, "frame_skip needs atari_preprocessing"),
        ({"image_padding": 2}, "image_padding needs image_transforms"),
        ({"image_transforms": "shift"}, "need images"),
        ({"time_unit": 0.5}, "get_mujoco_wrapper"),
        ({"action_loss_weight": 0.5}, "takes 0 only"),
        ({"transition_noise": lambda state, action, rng: 0.0}, "transition_noise must be a number"),
        ({"irrelevant_features": {"state_space_type": "discrete", "dealy": 1}}, "Did you mean 'delay'"),
        ({"delay": -1}, "delay is -1"),
    ],
)
def test_what_cannot_be_is_said(config: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        GymEnvWrapper(gymnasium.make("CartPole-v1"), **config)


def test_mujoco_environments_from_their_class() -> None:
    pytest.importorskip("mujoco")
    from gymnasium.envs.mujoco.half_cheetah_v5 import HalfCheetahEnv

    config = {
        "time_unit": 0.4, "action_space_max": 0.5, "MujocoEnv": {"forward_reward_weight": 2.0}, "reward_noise": 0.1,
        "state_space_type": "continuous", "seed": 0, "dummy_eval": True,
    }  # fmt: skip
    env = get_mujoco_wrapper(HalfCheetahEnv)(**config)
    bare: Any = env.unwrapped
    assert isinstance(bare, HalfCheetahEnv)
    assert bare.frame_skip == 2
    assert bare._forward_reward_weight == 2.0
    assert np.array_equal(env.action_space.high, np.full(6, 0.5, dtype=np.float32))  # type: ignore[attr-defined]
    again = GymEnvWrapper(get_mujoco_wrapper(HalfCheetahEnv)(**config), **config)  # as the runner puts them together
    assert again.env.dials == {"reward_noise": 0.1}  # type: ignore[attr-defined]
    env.reset(seed=4)
    again.reset(seed=4)
    action = np.full(6, 0.5, dtype=np.float32)
    one, two = env.step(action), again.step(action)
    assert np.array_equal(one[0], two[0])
    assert one[1] != two[1]
    with pytest.raises(UsageError, match="Did you mean 'time_unit'"):
        get_mujoco_wrapper(HalfCheetahEnv)(time_units=0.5)


def test_the_specification_makes_it_again() -> None:
    config = {**DIALS, "state_space_type": "discrete", "seed": 3}
    env = GymEnvWrapper(gymnasium.make("CartPole-v1"), **config)
    assert env.spec is not None
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    env.reset(seed=1)
    again.reset(seed=1)
    assert trajectory(again) == trajectory(env)
    assert GymEnvWrapper(Camera(), delay=1).spec is None


def test_wrapped_environments_keep_gymnasiums_contract() -> None:
    for env in (
        GymEnvWrapper(gymnasium.make("FrozenLake-v1"), **DIALS, seed=0),
        GymEnvWrapper(Camera(), image_transforms="shift", seed=0),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", message=".*is different from the unwrapped version")
            check_env(env, skip_render_check=True)
