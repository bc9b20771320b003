"""Do injected dials do to actions and rewards what a plain reference, followed step by step, does?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st
from injected_envs import (
    REWARD,
    STICKY,
    WITHHELD,
    Scripted,
    as_normal,
    as_uniform,
    bits,
    component_bits,
    stream,
)

import mohs

REWARDS = st.sampled_from([0.0, 1.0, -2.0, 0.5, 3.25])


@st.composite
def scripts(draw: st.DrawFn) -> list[list[tuple[float, bool, bool]]]:
    """Episodes of (reward, terminated, truncated) that end in one way or both."""
    episodes = []
    for _ in range(draw(st.integers(1, 4))):
        rewards = draw(st.lists(REWARDS, min_size=1, max_size=9))
        end = draw(st.sampled_from([(True, False), (False, True), (True, True)]))
        ends = [(False, False)] * (len(rewards) - 1) + [end]
        episodes.append([(reward, *ending) for reward, ending in zip(rewards, ends, strict=True)])
    return episodes


REWARD_DIALS = st.fixed_dictionaries(
    {},
    optional={
        "delay": st.integers(0, 7),
        "delay_at_end": st.sampled_from(["drop", "terminated", "always"]),
        "reward_noise": st.sampled_from([0.0, 0.5]),
        "reward_probability": st.sampled_from([1.0, 0.25, 0.5]),
        "reward_scale": st.sampled_from([1.0, -2.0, 0.5]),
        "reward_shift": st.sampled_from([0.0, 1.5]),
        "term_state_reward": st.sampled_from([0.0, -3.0]),
        "reward_clip": st.sampled_from([None, (-1.0, 1.0), (0.0, 100.0)]),
    },
)


def reference(episode: int, script: list[tuple[float, bool, bool]], key: int, dials: dict[str, Any]) -> list[float]:
    """The rewards of one episode by the law as it is documented."""
    delay, at_end = dials.get("delay", 0), dials.get("delay_at_end", "always")
    earned, paid = [], []
    for t, (reward, terminated, truncated) in enumerate(script, start=1):
        p = dials.get("reward_probability", 1.0)
        if p < 1:
            reward = reward / p if as_uniform(bits(key, episode, t, WITHHELD)) < p else 0.0
        earned.append(reward)
        out = earned[t - 1 - delay] if t > delay else 0.0
        if (terminated and at_end != "drop") or (truncated and at_end == "always"):
            out += sum(earned[max(t - delay, 0) :])
        out += dials.get("reward_noise", 0.0) * as_normal(bits(key, episode, t, REWARD))
        scale = dials.get("reward_scale", 1.0)
        out = out * scale + dials.get("reward_shift", 0.0)
        if terminated:
            out += dials.get("term_state_reward", 0.0) * scale
        low, high = dials.get("reward_clip") or (-math.inf, math.inf)
        paid.append(min(max(out, low), high))
    return paid


def play(env: Any, script: list[list[tuple[float, bool, bool]]], seed: int = 5) -> list[list[float]]:
    """The rewards of every episode of the script, twice over."""
    paid: list[list[float]] = []
    for number in range(2 * len(script)):
        env.reset(seed=seed if number == 0 else None)
        rewards = []
        for _ in script[number % len(script)]:
            _, reward, terminated, truncated, _ = env.step(env.action_space.sample())
            rewards.append(float(reward))
        assert terminated or truncated
        paid.append(rewards)
    return paid


@given(scripts(), REWARD_DIALS)
def test_rewards_follow_the_reference(script: Any, dials: dict[str, Any]) -> None:
    paid = play(mohs.inject(Scripted(script), **dials), script)
    key = stream(5)
    for number, rewards in enumerate(paid):
        expected = reference(number, script[number % len(script)], key, dials)
        assert rewards == pytest.approx(expected, abs=1e-12), dials


@given(scripts(), st.integers(1, 12))
def test_at_every_end_all_was_handed_out(script: Any, delay: int) -> None:
    late, plain = (play(mohs.inject(Scripted(script), delay=d), script) for d in (delay, 0))
    assert [sum(rewards) for rewards in late] == pytest.approx([sum(rewards) for rewards in plain])
    dropped = play(mohs.inject(Scripted(script), delay=delay, delay_at_end="drop"), script)
    assert [sum(r) for r in dropped] == pytest.approx([sum(r[: max(len(r) - delay, 0)]) for r in plain])


def test_an_episode_that_is_broken_off_pays_nothing_in_the_next() -> None:
    env = mohs.inject(Scripted([[(1.0, False, False)] * 9]), delay=3)
    env.reset(seed=0)
    assert [env.step(0)[1] for _ in range(5)] == [0, 0, 0, 1, 1]
    env.reset()
    assert [env.step(0)[1] for _ in range(5)] == [0, 0, 0, 1, 1]


def test_withheld_rewards_keep_their_mean() -> None:
    length = 40_000
    env = mohs.inject(Scripted([[(2.0, False, False)] * length]), reward_probability=0.25)
    env.reset(seed=1)
    rewards = np.array([env.step(0)[1] for _ in range(length)])
    assert set(rewards) == {0.0, 8.0}
    assert rewards.mean() == pytest.approx(2.0, abs=4 * rewards.std() / length**0.5)


def test_noise_given_as_a_function_is_drawn_for_each_step() -> None:
    script = [[(1.0, False, False)] * 6 + [(1.0, True, False)]]
    once, again, other = (play(mohs.inject(Scripted(script), reward_noise=coin), script, seed) for seed in (3, 3, 4))
    assert once == again != other
    assert {reward for episode in once for reward in episode} == {11.0, 1.0}
    assert once[0] != once[1]


def coin(rng: np.random.Generator) -> float:
    return 10.0 * float(rng.integers(2))


SPACES = {
    "discrete": spaces.Discrete(5, start=-2),
    "multi discrete": spaces.MultiDiscrete([3, 1, 4], start=[0, 7, -1]),
    "binary": spaces.MultiBinary(3),
    "grid": spaces.MultiDiscrete([[3, 4], [2, 5]]),
    "box": spaces.Box(np.array([-1.0, -2.0]), np.array([1.0, 0.5]), dtype=np.float64),
}


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize(("sticky", "noise"), [(0.0, 0.4), (0.3, 0.0), (0.3, 0.4), (1.0, 1.0)])
def test_actions_follow_the_reference(space: str, sticky: float, noise: float) -> None:
    length, episodes = 50, 3
    actions = SPACES[space]
    actions.seed(0)
    bare = Scripted([[(0.0, False, False)] * length], actions)
    env = mohs.inject(bare, sticky_actions=sticky, transition_noise=noise)
    assert env.action_space == actions
    key = stream(2)
    for episode in range(episodes):
        env.reset(seed=2 if episode == 0 else None)
        before: np.ndarray[Any, Any] | None = None
        for t in range(1, length + 1):
            action = actions.sample()
            env.step(action)
            assert actions.contains(bare.taken[-1])
            meant = np.ravel(action)
            if before is not None and as_uniform(bits(key, episode, t, STICKY)) < sticky:
                meant = before
            before = meant
            expected = [
                disturbed(actions, k, value, noise, component_bits(key, episode, t, k)) for k, value in enumerate(meant)
            ]
            assert np.ravel(bare.taken[-1]) == pytest.approx(expected, abs=1e-12)


def disturbed(space: Any, k: int, value: Any, noise: float, x: int) -> Any:
    if noise == 0:
        return value
    if isinstance(space, spaces.Box):
        return min(max(value + noise * as_normal(x), space.low[k]), space.high[k])
    if isinstance(space, spaces.Discrete):
        first, number = int(space.start), int(space.n)
    elif isinstance(space, spaces.MultiBinary):
        first, number = 0, 2
    else:
        first, number = int(space.start.ravel()[k]), int(space.nvec.ravel()[k])
    u = as_uniform(x)
    others = [action for action in range(first, first + number) if action != value]
    return others[int(u / noise * len(others))] if u < noise and others else value


def test_noise_takes_each_other_action_equally_often() -> None:
    length = 30_000
    bare = Scripted([[(0.0, False, False)] * length])
    env = mohs.inject(bare, transition_noise=0.6)
    env.reset(seed=0)
    for _ in range(length):
        env.step(1)
    shares = np.bincount(np.array(bare.taken) + 2, minlength=5) / length
    assert shares == pytest.approx([0.15, 0.15, 0.15, 0.4, 0.15], abs=0.01)


def test_an_injection_has_a_stream_of_its_own() -> None:
    """Switching one source of chance on leaves the others as they were; stacked injections share no draws."""
    script = [[(0.0, False, False)] * 200]

    def trace(*layers: dict[str, Any]) -> tuple[list[int], list[float]]:
        bare = Scripted(script)
        env: Any = bare
        for dials in layers:
            env = mohs.inject(env, **dials)
        env.reset(seed=9)
        rewards = [env.step(0)[1] for _ in range(200)]
        return bare.taken, rewards

    taken, noise = trace({"transition_noise": 0.3, "reward_noise": 1.0})
    assert trace({"transition_noise": 0.3})[0] == taken
    assert trace({"reward_noise": 1.0})[1] == noise
    assert trace({"reward_noise": 1.0}, {"transition_noise": 0.0})[1] == noise
    both = np.array(trace({"reward_noise": 1.0}, {"reward_noise": 1.0})[1])
    assert not np.any(both == 2 * np.array(noise))
    assert np.corrcoef(both - noise, noise)[0, 1] == pytest.approx(0, abs=0.25)


def test_stacked_injections_act_from_the_inside_out_on_rewards() -> None:
    script = [[(1.0, False, False), (3.0, True, False)]]
    shifted = play(mohs.inject(mohs.inject(Scripted(script), reward_shift=1.0), reward_scale=10.0), script)
    scaled = play(mohs.inject(mohs.inject(Scripted(script), reward_scale=10.0), reward_shift=1.0), script)
    once = play(mohs.inject(Scripted(script), reward_scale=10.0, reward_shift=1.0), script)
    assert shifted[0] == [20.0, 40.0]
    assert scaled[0] == once[0] == [11.0, 31.0]


def test_repeated_actions_add_up_and_stop_at_the_end() -> None:
    bare = Scripted([[(float(k), k == 7, False) for k in range(1, 8)]])
    env = mohs.inject(bare, action_repeat=3)
    env.reset(seed=0)
    assert [env.step(k)[1:3] for k in (0, 1, 2)] == [(6.0, False), (15.0, False), (7.0, True)]
    assert bare.taken == [0, 0, 0, 1, 1, 1, 2]


def test_what_is_no_number_stays_none() -> None:
    env = mohs.inject(Scripted([[(math.nan, True, False)]]), reward_scale=2.0, reward_clip=(-1, 1))
    env.reset(seed=0)
    assert math.isnan(env.step(0)[1])
