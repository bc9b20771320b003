"""Does an environment with dials injected keep Gymnasium's contracts, and refuse what it cannot do?"""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import ale_py
import gymnasium
import minigrid  # noqa: F401 – registers its environments
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from injected_envs import Scripted, made
from trajectories import agree, play

import mohs
from mohs import UsageError

gymnasium.register_envs(ale_py)
BREAKOUT = "ALE/Breakout-v5"

SAMPLE: list[tuple[str, dict[str, Any]]] = [
    ("CartPole-v1", {"delay": 3, "transition_noise": 0.2, "reward_noise": 1.0, "observation_noise": 0.1}),
    ("CartPole-v1", {"irrelevant_features": True, "sticky_actions": 0.2, "action_repeat": 2}),
    ("Pendulum-v1", {"transition_noise": 0.1, "reward_scale": 2.0, "irrelevant_features": True}),
    ("MountainCarContinuous-v0", {"transition_noise": 0.05, "term_state_reward": 1.0}),
    ("FrozenLake-v1", {"irrelevant_features": {"action_space_size": 3}, "reward_probability": 0.5, "delay": 2}),
    ("HalfCheetah-v5", {"time_unit": 0.4, "action_space_max": 2.0, "transition_noise": 0.01}),
    (BREAKOUT, {"image_transforms": "shift,rotate,scale,flip", "observation_noise": 3.0, "sticky_actions": 0.25}),
    ("MiniGrid-Empty-5x5-v0", {"delay": 2, "transition_noise": 0.2, "reward_clip": (0, 1)}),
]


def names(case: Any) -> str:
    return str(case).split("/")[-1] if isinstance(case, str) else "-".join(case)


@pytest.mark.parametrize(("name", "dials"), SAMPLE, ids=names)
def test_the_environment_checker_is_content(name: str, dials: dict[str, Any]) -> None:
    def complaints(env: gymnasium.Env[Any, Any]) -> set[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            check_env(env, skip_render_check=True)
        # It advises against wrappers and against actions beyond [-1, 1], which are what a dial may ask for.
        advice = ("different from the unwrapped", "we recommend")
        messages = {str(warning.message) for warning in caught}
        return {message for message in messages if not any(words in message for words in advice)}

    bare = complaints(gymnasium.make(name, disable_env_checker=True).unwrapped)
    assert complaints(made(name, **dials)) <= bare


@pytest.mark.parametrize(("name", "dials"), SAMPLE, ids=names)
def test_the_spec_makes_the_same_environment_again(name: str, dials: dict[str, Any]) -> None:
    env = made(name, **dials)
    assert env.spec is not None
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()), disable_env_checker=True)
    straight = gymnasium.make(env.spec, disable_env_checker=True)
    assert again.get_wrapper_attr("dials") == env.dials != {}
    expected = play(env, 60)
    assert agree(expected, play(again, 60))
    assert agree(expected, play(straight, 60))


def test_functions_are_recorded_by_name() -> None:
    env = made("CartPole-v1", reward_noise=offset)
    assert env.spec is not None
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert agree(play(env, 60), play(again, 60))
    local = made("CartPole-v1", reward_noise=lambda rng: 1.0)
    assert local.spec is not None
    assert agree(play(gymnasium.make(local.spec), 60), play(local, 60))


def offset(rng: np.random.Generator) -> float:
    return float(rng.normal())


@pytest.mark.parametrize("name", ["CartPole-v1", "Pendulum-v1", "FrozenLake-v1", "HalfCheetah-v5", BREAKOUT])
def test_nothing_on_changes_nothing(name: str) -> None:
    expected = play(gymnasium.make(name), 60)
    off: dict[str, Any] = {"delay": 0, "transition_noise": 0, "reward_scale": 1, "image_transforms": "", "time_unit": 1}
    for env in (made(name), made(name, **off)):
        assert env.dials == {}
        assert agree(play(env, 60), expected)


@pytest.mark.parametrize(
    "dials",
    [{"delay": 4, "reward_noise": 1.0, "transition_noise": 0.3, "sticky_actions": 0.2}, {"irrelevant_features": True}],
    ids=names,
)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_copies_go_on_in_the_same_stream(dials: dict[str, Any], copied: Any) -> None:
    env = mohs.inject(gymnasium.make("CartPole-v1").unwrapped, **dials)
    env.reset(seed=1)
    env.action_space.seed(0)
    for _ in range(5):
        env.step(env.action_space.sample())
    other = copied(env)
    for _ in range(5):
        action = env.action_space.sample()
        assert agree(env.step(action), other.step(action))
    assert agree(env.reset()[0], other.reset()[0])


def test_settings_of_a_simulator_survive_pickling() -> None:
    env = made("HalfCheetah-v5", time_unit=2, action_space_max=3)
    other = pickle.loads(pickle.dumps(env))
    assert other.unwrapped.frame_skip == 10
    assert other.unwrapped.model.actuator_ctrlrange.tolist() == [[-3.0, 3.0]] * 6
    assert agree(play(env, 60), play(other, 60))


def test_attributes_pass_through() -> None:
    bare = gymnasium.make("CartPole-v1", render_mode="rgb_array")
    env = mohs.inject(bare, delay=1)
    env.reset(seed=0)
    assert env.render().shape == bare.render().shape
    assert env.metadata == bare.metadata
    assert env.render_mode == "rgb_array"
    assert (env.observation_space, env.action_space) == (bare.observation_space, bare.action_space)
    env.close()


@pytest.mark.parametrize(
    ("name", "dials", "words"),
    [
        ("CartPole-v1", {"dely": 1}, "Did you mean 'delay'"),
        ("CartPole-v1", {"sequence_length": 2}, "sequence_length is a dial of the discrete toy"),
        ("CartPole-v1", {"delay": -1}, "delay"),
        ("CartPole-v1", {"transition_noise": 1.5}, "a probability"),
        ("CartPole-v1", {"transition_noise_on": "state"}, "a simulator whose state can be set"),
        ("CartPole-v1", {"time_unit": 2}, "MujocoEnv"),
        ("CartPole-v1", {"image_transforms": "shift"}, "images as observations"),
        ("CartPole-v1", {"reward_clip": (1, 0)}, "first end"),
        (
            BREAKOUT,
            {"image_transforms": "scale", "image_scale_range": (2, 1)},
            r"is \(2, 1\), but must be \(low, high\)",
        ),
        (BREAKOUT, {"image_scale_range": (2, 1)}, r"must be \(low, high\)"),
        ("FrozenLake-v1", {"observation_noise": 1.0}, "a Box of floats or uint8"),
        ("MiniGrid-Empty-5x5-v0", {"observation_noise": 1.0}, "a Box of floats or uint8"),
        ("MiniGrid-Empty-5x5-v0", {"irrelevant_features": True}, "one dimension"),
        (BREAKOUT, {"irrelevant_features": True}, "one dimension"),
        ("CartPole-v1", {"irrelevant_features": {"sequense_length": 2}}, "sequence_length"),
        ("HalfCheetah-v5", {"time_unit": 0.5}, r"nearest: 0.4 \(2 frames\) and 0.6 \(3 frames\)"),
        ("HalfCheetah-v5", {"time_unit": 0.1}, r"nearest: 0.2 \(1 frames\)"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_in_a_sentence(name: str, dials: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        made(name, **dials)
    assert str(caught.value).count("\n") == 0


def test_actions_outside_the_space_are_refused() -> None:
    env = made("CartPole-v1", transition_noise=0.5)
    env.reset(seed=0)
    for wrong in (2, -1, 0.5, "left"):
        with pytest.raises(UsageError, match="action"):
            env.step(wrong)
    many = mohs.inject(Scripted([[(0.0, False, False)]], spaces.MultiDiscrete([2, 2])), transition_noise=0.5)
    many.reset(seed=0)
    for wrong in ([0, 2], [0], [0.5, 1.0]):
        with pytest.raises(UsageError, match="action"):
            many.step(np.array(wrong))


def test_a_refused_action_moves_nothing() -> None:
    script = [[(0.0, False, False)] * 20]
    dials: dict[str, Any] = {"irrelevant_features": {"action_space_size": 4}, "transition_noise": 0.2}
    refused, plain = (mohs.inject(Scripted(script, spaces.Discrete(2)), **dials) for _ in range(2))
    for env in (refused, plain):
        env.reset(seed=0)
    for t in range(20):
        with pytest.raises(UsageError, match="action"):
            refused.step(np.array([2, t % 4]))
        assert agree(refused.step(np.array([1, t % 3])), plain.step(np.array([1, t % 3])))


@pytest.mark.parametrize("dials", [{"sticky_actions": 0.5}, {"transition_noise": 0.5}], ids=names)
def test_truth_values_are_binary_actions(dials: dict[str, Any]) -> None:
    one, two = (Scripted([[(0.0, False, False)] * 20], spaces.MultiBinary(3)) for _ in range(2))
    truths, numbers = mohs.inject(one, **dials), mohs.inject(two, **dials)
    for env in (truths, numbers):
        env.reset(seed=0)
    for chosen in np.random.default_rng(0).random((20, 3)) < 0.5:
        truths.step(chosen)
        numbers.step(chosen.astype(np.int8))
    assert np.array_equal(one.taken, two.taken)
    assert len(np.unique(one.taken, axis=0)) > 3
    many = mohs.inject(Scripted([[(0.0, False, False)]], spaces.MultiDiscrete([2, 2])), **dials)
    many.reset(seed=0)
    with pytest.raises(UsageError, match="action"):
        many.step(np.array([True, False]))


@pytest.mark.parametrize("dials", [{"reward_shift": 0.5}, {"action_repeat": 2, "reward_shift": 0.5}], ids=names)
def test_an_array_of_one_number_is_a_reward(dials: dict[str, Any]) -> None:
    def paid(reward: Any) -> list[Any]:
        env = mohs.inject(Scripted([[(reward, False, False)] * 6]), **dials)
        env.reset(seed=0)
        return [env.step(0)[1] for _ in range(3)]

    expected = 1.5 * dials.get("action_repeat", 1) + 0.5
    assert paid(np.array([1.5])) == paid(np.array(1.5)) == paid(1.5) == [expected] * 3
    for wrong in (np.array([1.0, 2.0]), None):
        with pytest.raises(UsageError, match="must be one number"):
            paid(wrong)


@pytest.mark.parametrize(
    ("name", "alone", "with_it"),
    [
        ("CartPole-v1", {"delay_at_end": "drop"}, {"delay": 2}),
        ("Pendulum-v1", {"transition_noise_on": "action"}, {"transition_noise": 0.1}),
        (BREAKOUT, {"image_sh_quant": 4}, {"image_transforms": "shift"}),
        (BREAKOUT, {"image_ro_quant": 90}, {"image_transforms": "shift"}),
        (BREAKOUT, {"image_scale_range": (1, 2)}, {"image_transforms": "shift"}),
    ],
    ids=str,
)
def test_how_a_dial_acts_is_on_only_with_it(name: str, alone: dict[str, Any], with_it: dict[str, Any]) -> None:
    assert made(name, **alone).dials == {}
    assert agree(play(made(name, **alone), 5), play(gymnasium.make(name), 5))
    assert made(name, **alone, **with_it).dials == {**alone, **with_it}
