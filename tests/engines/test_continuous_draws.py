"""Are starts and noises of the continuous toy drawn as they should be, each from an address of its own?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import mohs

STEPS = 60


def trajectory(count: int = 64, dims: int = 2, **params: Any) -> dict[str, np.ndarray]:
    """Of a fleet under one sequence of actions in its first two dimensions: states, rewards and ends."""
    env = mohs.make_vec("toy/continuous", num_envs=count, history=True, **params)
    _, info = env.reset(seed=11)
    rng = np.random.default_rng(0)
    actions = rng.uniform(-1, 1, size=(STEPS, count, 2))
    actions = np.concatenate([actions, rng.uniform(-1, 1, size=(STEPS, count, dims - 2))], axis=2)
    states, gains, ends = [info["derivatives"]], [], []
    for action in actions.astype(np.float32):
        _, reward, terminated, truncated, info = env.step(action)
        states.append(info["derivatives"])
        gains.append(reward)
        ends.append(terminated | truncated)
    return {"states": np.array(states), "rewards": np.array(gains), "ends": np.array(ends)}


BASE: dict[str, Any] = {"make_denser": True, "target_radius": 3.0, "terminal_states": [(5, 5)], "term_state_edge": 4.0}


@pytest.mark.parametrize(
    "dial",
    [
        {"delay": 3}, {"delay_at_end": "drop"}, {"reward_noise": 1.0}, {"reward_scale": -2.0}, {"reward_shift": 1.5},
        {"term_state_reward": -4.0}, {"make_denser": False}, {"action_loss_weight": 0.5},
        {"irrelevant_dimensions": 2, "dims": 4},
    ],
    ids=lambda dial: next(iter(dial)),
)  # fmt: skip
def test_dials_of_reward_and_sight_leave_states_and_ends(dial: dict[str, Any]) -> None:
    one, two = trajectory(**BASE), trajectory(**{**BASE, **dial})
    assert one["ends"].sum() > 20
    assert np.array_equal(one["states"], two["states"][..., :2])
    assert np.array_equal(one["ends"], two["ends"])
    changes = set(dial) - {"delay_at_end", "irrelevant_dimensions", "dims"}
    assert np.array_equal(one["rewards"], two["rewards"]) != bool(changes)


# Each pair takes different paths through the law and must give the same trajectory.
SAME: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "transition_noise": ({"transition_noise": 1e-300}, {}),
    "reward_noise": ({"reward_noise": 1e-300}, {}),
    "action_loss_weight": ({"action_loss_weight": 1e-300}, {}),
    "relevant_indices": ({"relevant_indices": (0, 1)}, {}),
    "inertia": ({"inertia": (1.0, 1.0)}, {}),
    "inertia and time": ({"inertia": 0.5, "time_unit": 0.5}, {}),
    "terminal states out of reach": ({"terminal_states": [(5, 5), (99, 99)]}, {}),
    "max_episode_steps": ({"max_episode_steps": 10_000}, {}),
}


@pytest.mark.parametrize("name", SAME)
def test_off_is_a_no_op(name: str) -> None:
    one, two = (trajectory(**{**BASE, **params}) for params in SAME[name])
    for part in one:
        assert np.allclose(one[part], two[part], rtol=0, atol=1e-200), part


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


def test_noise_stays_in_the_state() -> None:
    """Without actions the position is a random walk, whose variance grows with the steps."""
    env = mohs.make_vec(
        "toy/continuous", num_envs=4000, transition_noise=0.1, start_point=(0, 0), target_point=(9, 9), history=True
    )
    env.reset(seed=3)
    steps = []
    before = np.zeros((4000, 2))
    for _ in range(25):
        _, _, _, _, info = env.step(np.zeros((4000, 2), dtype=np.float32))
        here = info["derivatives"][:, 0]
        steps.append(here - before)
        before = here
    drawn = np.array(steps) / 0.1
    assert before.std() == pytest.approx(0.1 * 5, rel=0.03)
    assert stats.kstest(drawn.ravel(), "norm").pvalue > 1e-3
    flat = drawn.reshape(25, -1)
    assert abs(np.corrcoef(flat[:-1].ravel(), flat[1:].ravel())[0, 1]) < 4 / np.sqrt(flat.size)  # over time
    assert abs(np.corrcoef(drawn[..., 0].ravel(), drawn[..., 1].ravel())[0, 1]) < 4 / np.sqrt(flat.size)


def test_noise_goes_into_the_position_only_and_scales() -> None:
    one, two = (
        trajectory(transition_dynamics_order=2, transition_noise=level, state_space_max=1e6, target_point=(9e5, 9e5))
        for level in (0.5, 1.0)
    )
    quiet = trajectory(transition_dynamics_order=2, state_space_max=1e6, target_point=(9e5, 9e5))
    assert np.array_equal(one["states"][:, :, 1], quiet["states"][:, :, 1])  # velocities
    assert np.array_equal(one["states"][0], quiet["states"][0])  # starts
    pushed = one["states"][1:, :, 0] - quiet["states"][1:, :, 0]
    assert pushed[0].std() == pytest.approx(0.5, rel=0.2)
    doubled = two["states"][1:, :, 0] - quiet["states"][1:, :, 0]
    assert doubled == pytest.approx(2 * pushed, abs=1e-6)


def test_starts_are_uniform_where_it_is_not_terminal() -> None:
    count = 20_000
    plain = mohs.make_vec("toy/continuous", num_envs=count)
    starts, _ = plain.reset(seed=0)
    for d in range(2):
        assert stats.kstest(starts[:, d], stats.uniform(-10, 20).cdf).pvalue > 1e-3
    assert abs(np.corrcoef(starts.T)[0, 1]) < 4 / np.sqrt(count)

    env = mohs.make_vec(
        "toy/continuous", num_envs=count, target_radius=4.0, terminal_states=[(5, 5), (-8, -8)], term_state_edge=6.0
    )
    kept, _ = env.reset(seed=0)
    inside = [(np.abs(kept - centre) <= 3).all(axis=1) for centre in ((5, 5), (-8, -8))]
    assert not np.any([np.linalg.norm(kept, axis=1) < 4, *inside])
    same = (kept == starts).all(axis=1)  # what was not terminal at the first draw stays where it was
    cubes = 36 + 25  # one sticks out of the space; neither touches the ball
    assert same.mean() == pytest.approx(1 - (16 * np.pi + cubes) / 400, abs=4 * np.sqrt(0.25 / count))
    drawn_again = kept[~same]
    cells = np.histogram2d(*drawn_again.T, bins=2, range=[[-10, 10]] * 2)[0].ravel()
    free = 100 - np.array([4 * np.pi + 25, 4 * np.pi, 4 * np.pi, 4 * np.pi + 36])
    assert stats.chisquare(cells, free / free.sum() * cells.sum()).pvalue > 1e-3


def test_episodes_and_streams_differ() -> None:
    env = mohs.make_vec("toy/continuous", num_envs=3)
    first, _ = env.reset(seed=0)
    second, _ = env.reset()
    again, _ = env.reset(seed=0)
    assert np.array_equal(first, again)
    assert len(np.unique(np.vstack([first, second]), axis=0)) == 6
