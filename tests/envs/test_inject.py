"""Does an environment with dials injected keep Gymnasium's contracts, and is each dial what its page says?"""

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
from gymnasium.wrappers import Autoreset, NormalizeObservation, TimeLimit
from injected_envs import OBSERVATION, STATE, Scripted, as_normal, bits, nth, stream

import mohs
from mohs import UsageError
from mohs.engines.images.moves import Settings
from mohs.engines.images.warp import transform

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


def made(name: str, **dials: Any) -> mohs.envs.inject.Inject:
    return mohs.inject(gymnasium.make(name, disable_env_checker=True), **dials)


def trajectory(env: gymnasium.Env[Any, Any], steps: int = 60, seed: int = 3) -> list[Any]:
    """Everything that is seen under actions drawn beforehand."""
    space = env.action_space
    space.seed(seed)
    seen: list[Any] = [env.reset(seed=seed)[0]]
    for _ in range(steps):
        observation, reward, terminated, truncated, _ = env.step(space.sample())
        seen.append((observation, float(reward), terminated, truncated))
        if terminated or truncated:
            seen.append(env.reset()[0])
    return seen


def same(one: Any, two: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same(one[name], two[name]) for name in one)
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(same(a, b) for a, b in zip(one, two, strict=True))
    return bool(np.array_equal(one, two))


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
    expected = trajectory(env)
    assert same(expected, trajectory(again))
    assert same(expected, trajectory(straight))


def test_functions_are_recorded_by_name() -> None:
    env = made("CartPole-v1", reward_noise=offset)
    assert env.spec is not None
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert same(trajectory(env), trajectory(again))
    local = made("CartPole-v1", reward_noise=lambda rng: 1.0)
    assert local.spec is not None
    assert same(trajectory(gymnasium.make(local.spec)), trajectory(local))


def offset(rng: np.random.Generator) -> float:
    return float(rng.normal())


@pytest.mark.parametrize("name", ["CartPole-v1", "Pendulum-v1", "FrozenLake-v1", "HalfCheetah-v5", BREAKOUT])
def test_nothing_on_changes_nothing(name: str) -> None:
    expected = trajectory(gymnasium.make(name))
    off: dict[str, Any] = {"delay": 0, "transition_noise": 0, "reward_scale": 1, "image_transforms": "", "time_unit": 1}
    for env in (made(name), made(name, **off)):
        assert env.dials == {}
        assert same(trajectory(env), expected)


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
        assert same(env.step(action), other.step(action))
    assert same(env.reset()[0], other.reset()[0])


def test_settings_of_a_simulator_survive_pickling() -> None:
    env = made("HalfCheetah-v5", time_unit=2, action_space_max=3)
    other = pickle.loads(pickle.dumps(env))
    assert other.unwrapped.frame_skip == 10
    assert other.unwrapped.model.actuator_ctrlrange.tolist() == [[-3.0, 3.0]] * 6
    assert same(trajectory(env), trajectory(other))


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
        assert same(refused.step(np.array([1, t % 3])), plain.step(np.array([1, t % 3])))


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
    assert same(trajectory(made(name, **alone), 5), trajectory(gymnasium.make(name), 5))
    assert made(name, **alone, **with_it).dials == {**alone, **with_it}


# Observations.


def test_noise_on_observations_is_normal_and_drawn_by_address() -> None:
    bare = Scripted([[(0.0, False, False)] * 200])
    env = mohs.inject(bare, observation_noise=0.5)
    assert not env.observation_space.is_bounded("both")
    key, seen = stream(4), [env.reset(seed=4)[0]]
    seen += [env.step(0)[0] for _ in range(200)]
    for t, observation in enumerate(seen):
        base = bits(key, 0, t, OBSERVATION)
        expected = [t % 4 + 0.5 * as_normal(nth(base, k)) for k in range(3)]
        assert observation.dtype == np.float32
        assert observation == pytest.approx(expected, abs=1e-5)


def test_noise_on_bytes_is_rounded_and_cut_off() -> None:
    bare = Scripted([[(0.0, False, False)] * 50], seen=spaces.Box(0, 255, (40, 40), np.uint8))
    env = mohs.inject(bare, observation_noise=4.0)
    env.reset(seed=0)
    for t in range(1, 50):
        image = env.step(0)[0]
        base = bits(stream(0), 0, t, OBSERVATION)
        noise = np.array([as_normal(nth(base, k)) for k in range(40)])
        assert image.dtype == np.uint8
        assert image[0].tolist() == np.clip(np.rint(t % 4 + 4.0 * noise), 0, 255).tolist()


def test_images_are_transformed_by_address_and_then_made_noisy() -> None:
    bare, env = gymnasium.make(BREAKOUT), made(BREAKOUT, image_transforms="shift,flip", image_sh_quant=4)
    noisy = made(BREAKOUT, image_transforms="shift,flip", image_sh_quant=4, observation_noise=2.0)
    for one in (bare, env, noisy):
        one.reset(seed=1)
    differences = 0
    for t in range(1, 12):
        plain, moved, last = (one.step(t % 4)[0] for one in (bare, env, noisy))
        expected = transform(plain[None], Settings("shift,flip", sh_quant=4), stream(1), 0, t)[0]
        assert np.array_equal(moved, expected)
        differences += not np.array_equal(moved, plain)
        noise = last.astype(float) - moved
        assert noise[(moved > 20) & (moved < 230)].std() == pytest.approx(2.0, rel=0.05)
    assert differences > 5


# The simulator's state.


def test_noise_goes_into_the_state_of_a_simulator() -> None:
    """Pendulum: the next state is that of the dynamics from the noisy one."""
    env, bare = made("Pendulum-v1", transition_noise=0.05), gymnasium.make("Pendulum-v1")
    env.reset(seed=2)
    bare.reset(seed=2)
    simulator: Any = bare.unwrapped
    for t in range(1, 20):
        action = np.array([0.7], np.float32)
        base = bits(stream(2), 0, t, STATE)
        plain, earned, *_ = bare.step(action)
        observation, reward, *_ = env.step(action)
        assert reward == pytest.approx(earned, rel=1e-9)
        angle, speed = simulator.state + 0.05 * np.array([as_normal(nth(base, k)) for k in range(2)])
        simulator.state = np.array([angle, np.clip(speed, -8, 8)])
        assert observation == pytest.approx([np.cos(angle), np.sin(angle), simulator.state[1]], abs=1e-6)
        assert not np.array_equal(observation, plain)


@pytest.mark.parametrize("name", ["HalfCheetah-v5", "Ant-v5", "Humanoid-v5", "Reacher-v5"])
def test_noise_goes_into_every_degree_of_freedom_of_mujoco(name: str) -> None:
    """The same as setting the state by hand; free joints are turned, so that their quaternions stay of length 1."""
    import mujoco

    env, bare = made(name, transition_noise=0.02), gymnasium.make(name)
    env.reset(seed=5)
    bare.reset(seed=5)
    simulator: Any = bare.unwrapped
    rng = np.random.default_rng(0)
    for t in range(1, 6):
        action = rng.uniform(-0.3, 0.3, env.action_space.shape).astype(np.float32)
        observation = env.step(action)[0]
        bare.step(action)
        base = bits(stream(5), 0, t, STATE)
        nv = simulator.model.nv
        noise = 0.02 * np.array([as_normal(nth(base, k)) for k in range(2 * nv)])
        position = simulator.data.qpos.copy()
        if simulator.model.nq == nv:
            position += noise[:nv]
        else:
            mujoco.mj_integratePos(simulator.model, position, noise[:nv], 1.0)
            assert np.linalg.norm(position[3:7]) == pytest.approx(1.0, abs=1e-9)
        simulator.set_state(position, simulator.data.qvel + noise[nv:])
        mujoco.mj_rnePostConstraint(simulator.model, simulator.data)  # as after a step; set_state leaves it out
        assert observation == pytest.approx(simulator._get_obs(), abs=1e-7)


def test_noise_on_the_action_where_asked_or_where_no_state_can_be_set() -> None:
    bare = Scripted([[(0.0, False, False)] * 5], spaces.Box(-1, 1, (2,)))
    env = mohs.inject(bare, transition_noise=0.3)
    env.reset(seed=0)
    env.step(np.zeros(2, np.float32))
    assert (bare.taken[0] != 0).all()
    on_state = made("Pendulum-v1", transition_noise=0.3)
    on_action = made("Pendulum-v1", transition_noise=0.3, transition_noise_on="action")
    assert not same(trajectory(on_state), trajectory(on_action))


def test_state_noise_must_be_below_what_alters_observations() -> None:
    wrapped = NormalizeObservation(gymnasium.make("Pendulum-v1"))
    with pytest.raises(UsageError, match="NormalizeObservation"):
        mohs.inject(wrapped, transition_noise=0.1)
    mohs.inject(wrapped, transition_noise=0.1, transition_noise_on="action")
    noisy = made("Pendulum-v1", observation_noise=0.1)
    with pytest.raises(UsageError, match="Inject"):
        mohs.inject(noisy, transition_noise=0.1)
    mohs.inject(made("Pendulum-v1", delay=2), transition_noise=0.1)


# MuJoCo's settings.


def test_a_wider_action_range_reaches_the_simulator() -> None:
    env = made("HalfCheetah-v5", action_space_max=4.0)
    assert env.action_space == spaces.Box(-4.0, 4.0, (6,), np.float32)
    free: Any = gymnasium.make("HalfCheetah-v5").unwrapped
    free.model.actuator_ctrllimited[:] = 0  # no cutting off at all
    limited = gymnasium.make("HalfCheetah-v5")
    for one in (env, free, limited):
        one.reset(seed=0)
    action = np.full(6, 3.5, np.float32)
    seen = [one.step(action)[0] for one in (env, free, limited)]
    assert np.array_equal(seen[0], seen[1])
    assert not np.array_equal(seen[0], seen[2])


def test_a_narrower_action_range_is_kept() -> None:
    env, bare = made("HalfCheetah-v5", action_space_max=0.25), gymnasium.make("HalfCheetah-v5")
    for one in (env, bare):
        one.reset(seed=0)
    outside, edge = np.full(6, 1.0, np.float32), np.full(6, 0.25, np.float32)
    assert same(env.step(outside)[:2], bare.step(edge)[:2])
    stacked = mohs.inject(mohs.inject(gymnasium.make("HalfCheetah-v5"), action_space_max=2.0), action_space_max=3.0)
    assert stacked.action_space == spaces.Box(-6.0, 6.0, (6,), np.float32)


def test_a_time_unit_is_so_many_frames_and_keeps_real_time() -> None:
    env, bare = made("HalfCheetah-v5", time_unit=0.2), gymnasium.make("HalfCheetah-v5")
    assert env.unwrapped.frame_skip == 1
    assert env.metadata["render_fps"] == 100
    for one in (env, bare):
        one.reset(seed=0)
    action = np.full(6, 0.1, np.float32)
    parts = [env.step(action) for _ in range(5)]
    whole = bare.step(action)
    assert parts[-1][0] == pytest.approx(whole[0], abs=1e-9)
    assert sum(part[1] for part in parts) == pytest.approx(whole[1], rel=1e-6)  # (section 4.3: of the same scale)
    steps = 5
    while not env.step(action)[3]:
        steps += 1
    assert steps + 1 == 5000


@pytest.mark.parametrize(("name", "weight"), [("Reacher-v5", 0.5), ("Pusher-v5", 0.4), ("Hopper-v5", 1.0)])
def test_rewards_are_weighted_where_they_are_taken_once_per_step(name: str, weight: float) -> None:
    unit = {"Reacher-v5": 0.5, "Pusher-v5": 0.4, "Hopper-v5": 0.5}[name]
    env, bare = made(name, time_unit=unit), gymnasium.make(name)
    frames = bare.unwrapped.frame_skip  # type: ignore[attr-defined]
    bare.unwrapped.frame_skip = round(frames * unit)  # type: ignore[attr-defined]
    for one in (env, bare):
        one.reset(seed=0)
    action = np.full(env.action_space.shape or (), 0.1, np.float32)
    for _ in range(3):
        assert env.step(action)[1] == pytest.approx(weight * float(bare.step(action)[1]), rel=1e-12)


def test_a_time_limit_above_is_left_alone() -> None:
    env = TimeLimit(mohs.inject(gymnasium.make("Hopper-v5").unwrapped, time_unit=0.5), 7)
    env.reset(seed=0)
    assert [env.step(np.zeros(3, np.float32))[3] for _ in range(7)] == [False] * 6 + [True]


# The irrelevant part.


def test_a_discrete_toy_is_appended_to_discrete_spaces() -> None:
    env = made("FrozenLake-v1", irrelevant_features={"action_space_size": 3, "diameter": 2})
    bare = gymnasium.make("FrozenLake-v1")
    assert env.observation_space == spaces.MultiDiscrete([16, 6])
    assert env.action_space == spaces.MultiDiscrete([4, 3])
    observation, _ = env.reset(seed=1)
    state, _ = bare.reset(seed=1)
    rng = np.random.default_rng(0)
    succ: dict[tuple[int, int], int] = {}
    for _ in range(300):
        assert observation[0] == state
        before, action = int(observation[1]), rng.integers([4, 3])
        observation, reward, terminated, truncated, _ = env.step(action)
        state, plain, *over, _ = bare.step(int(action[0]))
        assert (reward, terminated, truncated) == (plain, *over)
        assert succ.setdefault((before, int(action[1])), int(observation[1])) == observation[1]  # dynamics of its own
        if terminated or truncated:
            (observation, _), (state, _) = env.reset(), bare.reset()
    assert len(succ) == 18


def test_a_discrete_toy_is_one_hot_beside_numbers() -> None:
    env = made("CartPole-v1", irrelevant_features={"action_space_size": 4})
    assert env.action_space == spaces.MultiDiscrete([2, 4])
    assert env.observation_space.shape == (8,)
    seen = [entry[0] if isinstance(entry, tuple) else entry for entry in trajectory(env)]
    toys = np.array(seen)[:, 4:]
    assert (toys.sum(axis=1) == 1).all()
    assert len(np.unique(toys, axis=0)) == 4


def test_a_continuous_toy_is_appended_to_continuous_spaces() -> None:
    env = made("Pendulum-v1", irrelevant_features={"state_space_dim": 3})
    bare = gymnasium.make("Pendulum-v1")
    assert env.observation_space.shape == (6,)
    assert env.action_space.shape == (4,)
    observation, _ = env.reset(seed=1)
    assert np.array_equal(observation[:3], bare.reset(seed=1)[0])
    action = np.array([0.5, 0.2, -0.1, 0.0], np.float32)
    after, reward, *_ = env.step(action)
    plain, earned, *_ = bare.step(action[:1])
    assert np.array_equal(after[:3], plain)
    assert reward == earned
    assert after[3:] == pytest.approx(observation[3:] + action[1:], abs=1e-5)


def test_toys_that_end_begin_anew_and_end_nothing() -> None:
    env = made("CartPole-v1", irrelevant_features={"terminal_states": [0, 1, 2], "action_space_size": 4})
    seen = [entry[0] if isinstance(entry, tuple) else entry for entry in trajectory(env, 200)]
    assert (np.array(seen)[:, 4:] == [0, 0, 0, 1]).all()  # the one state that is not terminal, again and again


def test_below_an_autoreset_episodes_are_told_apart() -> None:
    """A step after the end begins the next episode: it earns nothing, and no reward passes from one to the other."""
    script = [[(1.0, False, False), (1.0, True, False)], [(5.0, False, False), (5.0, True, False)]]
    env = mohs.inject(Autoreset(Scripted(script)), delay=1, reward_shift=0.5, delay_at_end="drop")
    env.reset(seed=0)
    assert [env.step(0)[1] for _ in range(6)] == [0.5, 1.5, 0.0, 0.5, 5.5, 0.0]
