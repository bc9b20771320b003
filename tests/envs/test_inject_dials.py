"""Is each injected dial what its page says? Observations, the simulator's state, MuJoCo, the irrelevant part."""

from __future__ import annotations

from typing import Any

import ale_py
import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.wrappers import Autoreset, NormalizeObservation, TimeLimit
from injected_envs import OBSERVATION, STATE, Scripted, as_normal, bits, made, nth, stream
from trajectories import agree, play

import mohs
from mohs import UsageError
from mohs.engines.images.moves import Settings
from mohs.engines.images.warp import transform

gymnasium.register_envs(ale_py)
BREAKOUT = "ALE/Breakout-v5"


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
    assert not agree(play(on_state, 60), play(on_action, 60))


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
    assert agree(env.step(outside)[:2], bare.step(edge)[:2])
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
    seen = [entry[0] for entry in play(env, 60)]
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
    seen = [entry[0] for entry in play(env, 200)]
    assert (np.array(seen)[:, 4:] == [0, 0, 0, 1]).all()  # the one state that is not terminal, again and again


def test_below_an_autoreset_episodes_are_told_apart() -> None:
    """A step after the end begins the next episode: it earns nothing, and no reward passes from one to the other."""
    script = [[(1.0, False, False), (1.0, True, False)], [(5.0, False, False), (5.0, True, False)]]
    env = mohs.inject(Autoreset(Scripted(script)), delay=1, reward_shift=0.5, delay_at_end="drop")
    env.reset(seed=0)
    assert [env.step(0)[1] for _ in range(6)] == [0.5, 1.5, 0.0, 0.5, 5.5, 0.0]
