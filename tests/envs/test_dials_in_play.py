"""Does each dial change exactly what it names in a trajectory, and nothing at its off-value?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mohs

STEPS = 60


def trajectory(count: int = 64, **params: Any) -> dict[str, np.ndarray]:
    """Of a fleet under one sequence of actions: states, rewards and ends."""
    env = mohs.make_vec("toy/discrete", num_envs=count, seed=3, **params)
    observations, _ = env.reset(seed=11)
    actions = np.random.default_rng(0).integers(8, size=(STEPS, count))
    states, gains, ends = [observations], [], []
    for action in actions:
        two = len(env.action_space.shape) == 2
        observations, reward, terminated, truncated, _ = env.step(
            np.stack([action, action[::-1] % 2], axis=1) if two else action
        )
        states.append(observations[:, 0] if two else observations)
        gains.append(reward)
        ends.append(terminated | truncated)
    states[0] = states[0][:, 0] if states[0].ndim == 2 else states[0]
    return {"states": np.array(states), "rewards": np.array(gains), "ends": np.array(ends)}


BASE = {"sequence_length": 2, "reward_density": 0.5}


# Each pair takes different paths through the law and must give the same trajectory: a dial as good as off, or a dial
# that has nothing to act on.
SAME = {
    "transition_noise": ({"transition_noise": 1e-300}, {}),
    "reward_noise": ({"reward_noise": 1e-300}, {}),
    "delay": ({"delay": 5, "reward_shift": 1.0, "terminal_states": [0], "rewardable_sequences": {(0, 0): 1.0}},
              {"reward_shift": 1.0, "terminal_states": [0], "rewardable_sequences": {(0, 0): 1.0}}),
    "delay_at_end": ({"delay_at_end": "terminated"}, {}),
    "reward_every_n_steps": ({"sequence_length": 1, "reward_every_n_steps": False}, {"sequence_length": 1}),
    "make_denser": ({"sequence_length": 1, "make_denser": True}, {"sequence_length": 1}),
    "reward_dist": ({"reward_dist": (1.0, 1.0)}, {}),
    "term_state_reward": ({"terminal_state_density": 0.0, "term_state_reward": 9.0}, {"terminal_state_density": 0.0}),
    "reward_scale": ({"reward_scale": 1.0, "reward_shift": 0.0}, {}),
    "irrelevant_features": ({"irrelevant_features": True, "action_space_size": (8, 2)}, {}),
    "max_episode_steps": ({"max_episode_steps": 10_000}, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_off_is_a_no_op(name: str) -> None:
    one, two = (trajectory(**{**({} if "rewardable_sequences" in p else BASE), **p}) for p in SAME[name])
    for part in one:
        assert np.allclose(one[part], two[part], rtol=0, atol=1e-200), part


@pytest.mark.parametrize(
    "dial",
    [
        {"delay": 3}, {"delay_at_end": "terminated"}, {"reward_noise": 1.0}, {"reward_scale": -2.0},
        {"reward_shift": 1.5}, {"term_state_reward": -4.0}, {"make_denser": True}, {"reward_every_n_steps": False},
        {"reward_density": 0.9}, {"reward_dist": (0.5, 2.0)}, {"sequence_length": 3}, {"irrelevant_features": True},
    ],
    ids=lambda dial: next(iter(dial)),
)  # fmt: skip
def test_dials_of_reward_leave_states_and_ends(dial: dict[str, Any]) -> None:
    one, two = trajectory(**BASE), trajectory(**{**BASE, **dial})
    assert np.array_equal(one["states"], two["states"])
    assert np.array_equal(one["ends"], two["ends"])
    changes = set(dial) - {"delay_at_end", "irrelevant_features"}
    assert np.array_equal(one["rewards"], two["rewards"]) != bool(changes)


def test_what_each_dial_of_reward_does() -> None:
    plain = trajectory(**BASE)
    earned, ends = plain["rewards"], plain["ends"]
    begun = np.vstack([np.zeros_like(ends[:1]), ends[:-1]])  # steps in which a new episode began
    assert np.array_equal(trajectory(**BASE, reward_scale=2.0)["rewards"], 2 * earned)
    assert np.array_equal(trajectory(**BASE, reward_shift=1.5)["rewards"], np.where(begun, 0.0, earned + 1.5))
    assert np.array_equal(trajectory(**BASE, term_state_reward=-4.0)["rewards"], earned - 4.0 * ends)
    noise = trajectory(**BASE, reward_noise=0.5)["rewards"] - earned
    assert noise[~begun].std() == pytest.approx(0.5, rel=0.1)
    assert np.array_equal(noise[begun], np.zeros(begun.sum()))
    doubled = trajectory(**BASE, reward_noise=1.0)["rewards"] - earned
    assert doubled == pytest.approx(2 * noise, abs=1e-12)

    whole = {**BASE, "terminal_state_density": 0.0}
    late = trajectory(**whole, delay=4)["rewards"]
    assert np.array_equal(late[4:], trajectory(**whole)["rewards"][:-4])
    assert not late[:4].any()


def test_noise_goes_to_the_other_states_of_the_next_set() -> None:
    params: dict[str, Any] = {"diameter": 2, "terminal_state_density": 0.0, "max_episode_steps": 1000}
    env = mohs.make_vec("toy/discrete", num_envs=2000, transition_noise=0.3, **params)
    quiet = mohs.make_vec("toy/discrete", num_envs=2000, **params)
    before, _ = env.reset(seed=1)
    assert np.array_equal(before, quiet.reset(seed=1)[0])
    rng = np.random.default_rng(0)
    from mohs.tables.toys.toy import toy

    succ = toy(mohs.Task.make("toy/discrete", **params)).succ
    assert succ is not None
    hits = total = 0
    offsets = np.zeros(8)
    for _ in range(50):
        actions = rng.integers(8, size=2000)
        after, *_ = env.step(actions)
        meant = succ[before, actions]
        assert np.array_equal(after // 8, meant // 8)
        hits += int((after == meant).sum())
        total += len(after)
        offsets += np.bincount((after - meant) % 8, minlength=8)
        before = after
    assert hits / total == pytest.approx(0.7, abs=0.01)
    assert offsets[1:] / total == pytest.approx(np.full(7, 0.3 / 7), abs=0.004)


def test_a_single_environment_is_a_fleet_of_one() -> None:
    params: dict[str, Any] = {**BASE, "delay": 3, "transition_noise": 0.2, "reward_noise": 1.0, "max_episode_steps": 12}
    together = trajectory(count=5, **params)
    actions = np.random.default_rng(0).integers(8, size=(STEPS, 5))
    for i in range(5):
        env = mohs.make("toy/discrete", seed=3, **params)
        state, _ = env.reset(seed=11 + i)
        over = False
        for k in range(STEPS):
            assert state == together["states"][k, i]
            if over:
                state, _ = env.reset()
                reward, over = 0.0, False
            else:
                state, reward, terminated, truncated, _ = env.step(actions[k, i])
                over = terminated or truncated
            assert reward == together["rewards"][k, i]
            assert over == together["ends"][k, i]
