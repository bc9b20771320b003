"""Does an instance of a vector with dials injected do what it does alone, in every kind of vector environment?"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from injected_envs import REWARD, Scripted, as_normal, bits, stream

import mohs
from mohs import UsageError

COUNT, STEPS = 5, 70
MODES = {"next": AutoresetMode.NEXT_STEP, "same": AutoresetMode.SAME_STEP}
REWARDS = {"delay": 3, "reward_noise": 0.5, "reward_probability": 0.5, "reward_shift": 1.0, "term_state_reward": -2.0}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "rewards": ("CartPole-v1", {**REWARDS, "reward_clip": (-1.5, 9.0)}),
    "dropped": ("CartPole-v1", {"delay": 3, "delay_at_end": "drop"}),
    "actions": ("CartPole-v1", {"transition_noise": 0.3, "sticky_actions": 0.3}),
    "observations": ("CartPole-v1", {"observation_noise": 0.1, **REWARDS}),
    "irrelevant": ("CartPole-v1", {"irrelevant_features": {"terminal_state_density": 0.25}, "transition_noise": 0.3}),
    "continuous": ("Pendulum-v1", {"transition_noise": 0.3, "transition_noise_on": "action", "sticky_actions": 0.2}),
    "continuous irrelevant": ("Pendulum-v1", {"irrelevant_features": True, "delay": 2}),
    "discrete": ("FrozenLake-v1", {"irrelevant_features": True, "transition_noise": 0.2, "delay": 1}),
    "function": ("CartPole-v1", {"reward_noise": "injected_noise:coin"}),
}


def limited(name: str) -> gymnasium.Env[Any, Any]:
    return gymnasium.make(name, max_episode_steps=30, disable_env_checker=True)


def injected(name: str, dials: dict[str, Any]) -> gymnasium.Env[Any, Any]:
    return mohs.inject(limited(name), **dials)


def steps_of(env: VectorEnv[Any, Any, Any], steps: int = STEPS) -> list[Any]:
    """All that a vector environment shows under actions drawn beforehand; final observations too."""
    env.action_space.seed(4)
    shown: list[Any] = [env.reset(seed=9)[0].copy()]
    for _ in range(steps):
        *parts, info = env.step(env.action_space.sample())
        over = info.get("_final_obs", np.zeros(env.num_envs, dtype=bool))
        finals = [np.asarray(info["final_obs"][i]) for i in np.flatnonzero(over)]
        shown.append([*(np.array(part) for part in parts), over, *finals])
    env.close()
    return shown


def agree(one: Any, two: Any) -> bool:
    if isinstance(one, list):
        return len(one) == len(two) and all(agree(a, b) for a, b in zip(one, two, strict=True))
    return bool(np.array_equal(one, two))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES)
def test_injected_before_and_after_vectorising_is_the_same(case: str, mode: str) -> None:
    name, dials = CASES[case]
    before = SyncVectorEnv([partial(injected, name, dials)] * COUNT, autoreset_mode=MODES[mode])
    after = mohs.inject_vec(SyncVectorEnv([partial(limited, name)] * COUNT, autoreset_mode=MODES[mode]), **dials)
    assert after.single_observation_space == before.single_observation_space
    assert after.action_space == before.action_space
    one, two = steps_of(before), steps_of(after)
    ends = sum(int((part[2] | part[3]).sum()) for part in one[1:])
    assert ends > COUNT
    assert agree(one, two)


@pytest.mark.parametrize("mode", MODES)
def test_processes_are_the_same_too(mode: str) -> None:
    dials = {**CASES["rewards"][1], **CASES["actions"][1], "observation_noise": 0.1}
    make: Callable[[], Any] = partial(limited, "CartPole-v1")
    apart = AsyncVectorEnv([make] * 2, context="spawn", autoreset_mode=MODES[mode])
    here = SyncVectorEnv([make] * 2, autoreset_mode=MODES[mode])
    assert agree(steps_of(mohs.inject_vec(apart, **dials), 40), steps_of(mohs.inject_vec(here, **dials), 40))


@pytest.mark.parametrize("mode", MODES)
def test_native_fleets_are_the_same_too(mode: str) -> None:
    dials = {**CASES["rewards"][1], **CASES["actions"][1]}
    native = mohs.make_vec("toy/discrete", num_envs=COUNT, max_episode_steps=9, autoreset_mode=MODES[mode].value)
    toys = [lambda: mohs.make("toy/discrete", max_episode_steps=9)] * COUNT
    sync = SyncVectorEnv([lambda: mohs.inject(toys[0](), **dials)] * COUNT, autoreset_mode=MODES[mode])
    assert agree(steps_of(mohs.inject_vec(native, **dials)), steps_of(sync))


def test_gymnasiums_native_cartpole_obeys_the_law() -> None:
    """It has one stream for all instances, so it is followed by hand."""
    native = partial(gymnasium.make_vec, "CartPole-v1", num_envs=64, vectorization_mode="vector_entry_point")
    plain, env = native(), mohs.inject_vec(native(), reward_noise=0.5, delay=2)
    plain.reset(seed=3)
    env.reset(seed=3)
    rng = np.random.default_rng(0)
    episode, t, pending = np.zeros(64, int), np.zeros(64, int), [[0.0, 0.0] for _ in range(64)]
    over = np.zeros(64, bool)
    ends = 0
    for _ in range(60):
        actions = rng.integers(2, size=64)
        seen, earned, *ended, _ = plain.step(actions)
        observed, paid, *endings, _ = env.step(actions)
        assert np.array_equal(observed, seen)
        assert np.array_equal(endings, ended)
        for i in range(64):
            if over[i]:
                episode[i], t[i], pending[i] = episode[i] + 1, 0, [0.0, 0.0]
                assert paid[i] == 0.0
                continue
            t[i] += 1
            pending[i].append(float(earned[i]))
            out = pending[i].pop(0)
            if ended[0][i] or ended[1][i]:
                out += sum(pending[i])
            noise = 0.5 * as_normal(bits(stream(3 + i), int(episode[i]), int(t[i]), REWARD))
            assert paid[i] == pytest.approx(out + noise, abs=1e-12)
        over = ended[0] | ended[1]
        ends += int(over.sum())
    assert ends > 64


def test_chosen_resets_and_disabled_autoresets() -> None:
    script = [[(1.0, False, False)] * 3 + [(1.0, True, False)]]
    envs = SyncVectorEnv([lambda: Scripted(script)] * 2, autoreset_mode=AutoresetMode.DISABLED)
    env = mohs.inject_vec(envs, delay=2)
    env.reset(seed=0)
    paid = [env.step(np.array([0, 0]))[1].tolist() for _ in range(2)]
    env.reset(options={"reset_mask": np.array([True, False])})
    paid += [env.step(np.array([0, 0]))[1].tolist() for _ in range(2)]
    assert paid == [[0, 0], [0, 0], [0, 1], [0, 3]]
    env.reset(options={"reset_mask": np.array([False, True])})
    assert env.step(np.array([0, 0]))[1].tolist() == [1, 0]


def test_seeds_go_to_instances_one_by_one() -> None:
    script = [[(0.0, False, False)] * 50]

    def rewards(*seeds: Any) -> np.ndarray[Any, Any]:
        env = mohs.inject_vec(SyncVectorEnv([lambda: Scripted(script)] * 3), reward_noise=1.0)
        for seed in seeds:
            env.reset(seed=seed)
        return np.array([env.step(np.zeros(3, int))[1] for _ in range(5)])

    plain = rewards(7)
    assert np.array_equal(plain, rewards([7, 8, 9]))
    assert np.array_equal(plain[:, ::-1], rewards([9, 8, 7]))
    assert np.array_equal(rewards(7, None), rewards([7, 8, 9], [None] * 3))
    mixed = rewards(7, [None, 8, None])
    assert np.array_equal(mixed[:, 1], plain[:, 1])
    assert np.array_equal(mixed[:, 0], rewards(7, None)[:, 0])
    assert not np.array_equal(rewards(None), rewards(None))


def test_stacked_injections_share_no_draws() -> None:
    script = [[(0.0, False, False)] * 50]
    dials = {"reward_noise": 1.0}

    def rewards(inside: bool, layers: int) -> np.ndarray[Any, Any]:
        single = (lambda: mohs.inject(Scripted(script), **dials)) if inside else (lambda: Scripted(script))
        env: Any = SyncVectorEnv([single] * 2)
        for _ in range(layers):
            env = mohs.inject_vec(env, **dials)
        env.reset(seed=0)
        return np.array([env.step(np.zeros(2, int))[1] for _ in range(20)])

    assert np.array_equal(rewards(True, 0), rewards(False, 1))
    assert rewards(True, 1) == pytest.approx(rewards(False, 2))
    assert not np.any(rewards(True, 1) == 2 * rewards(False, 1))


def test_nothing_on_changes_nothing() -> None:
    make = partial(SyncVectorEnv, [partial(limited, "CartPole-v1")] * 3)
    env = mohs.inject_vec(make(), delay=0, reward_scale=1.0)
    assert env.dials == {}
    assert agree(steps_of(env), steps_of(make()))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_copies_go_on_in_the_same_streams(copied: Any) -> None:
    env = mohs.inject_vec(mohs.make_vec("toy/discrete", num_envs=4), delay=3, reward_noise=1.0, transition_noise=0.3)
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(8, size=(20, 4))
    for action in actions[:10]:
        env.step(action)
    other = copied(env)
    for action in actions[10:]:
        assert agree(list(env.step(action)[:4]), list(other.step(action)[:4]))


@pytest.mark.parametrize(
    ("name", "dials", "words"),
    [
        ("Pendulum-v1", {"transition_noise": 0.1}, "before the environments are vectorised"),
        ("Pendulum-v1", {"transition_noise_on": "state"}, "before the environments are vectorised"),
        ("CartPole-v1", {"action_repeat": 2}, "before the environments are vectorised"),
        ("CartPole-v1", {"time_unit": 2.0}, "time_unit.*before it is vectorised"),
        ("CartPole-v1", {"image_transforms": "flip"}, "images as observations"),
        ("CartPole-v1", {"transition_noise": 1.5}, "a probability"),
    ],
    ids=str,
)
def test_what_needs_the_simulator_is_refused(name: str, dials: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        mohs.inject_vec(SyncVectorEnv([partial(limited, name)] * 2), **dials)


def test_refused_actions_move_no_toy() -> None:
    dials: dict[str, Any] = {"irrelevant_features": {"action_space_size": 4}, "transition_noise": 0.2}
    made = partial(Scripted, [[(0.0, False, False)] * 20], spaces.Discrete(2))
    refused, plain = (mohs.inject_vec(SyncVectorEnv([made] * 3), **dials) for _ in range(2))
    for env in (refused, plain):
        env.reset(seed=0)
    for t in range(20):
        with pytest.raises(UsageError, match="action"):
            refused.step(np.array([[1, t % 4], [2, 0], [0, 0]]))
        actions = np.array([[1, t % 3]] * 3)
        assert np.array_equal(refused.step(actions)[0], plain.step(actions)[0])


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(UsageError, match="inject_vec"):
        mohs.inject(SyncVectorEnv([partial(limited, "CartPole-v1")]), delay=1)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="see inject"):
        mohs.inject_vec(limited("CartPole-v1"), delay=1)  # type: ignore[arg-type]
    env = mohs.inject_vec(SyncVectorEnv([partial(limited, "CartPole-v1")] * 2), transition_noise=0.1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.array([0, 1]))
    env.reset(seed=0)
    for wrong in (np.array([0, 2]), np.array([0.0, 1.0]), np.array([0])):
        with pytest.raises(UsageError, match="action"):
            env.step(wrong)


def test_images_are_transformed_in_vectors_too() -> None:
    shown = spaces.Box(0, 255, (12, 10, 3), np.uint8)
    script = [[(0.0, False, False)] * 4 + [(0.0, True, False)]]
    dials = {"image_transforms": "shift,scale,rotate,flip", "observation_noise": 5.0}

    def single(**dials: Any) -> gymnasium.Env[Any, Any]:
        env = Scripted(script, seen=shown)
        return mohs.inject(env, **dials) if dials else env

    for mode in MODES.values():
        before = SyncVectorEnv([partial(single, **dials)] * 3, autoreset_mode=mode)
        after = mohs.inject_vec(SyncVectorEnv([single] * 3, autoreset_mode=mode), **dials)
        assert agree(steps_of(before, 12), steps_of(after, 12))
