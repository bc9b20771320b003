"""DDPG: right, the same in any pack, and it explores with the noise that it was told to."""

from __future__ import annotations

import numpy as np
import pytest
from continuous_packs import (
    cell,
    check_best_action,
    check_divergence_stays,
    check_packs_and_pauses,
    check_values,
    pendulum_returns,
    vanilla_returns,
)

from mohs import Task, UsageError
from mohs.agents.deep.exploration import Noise
from mohs.agents.registry import agent, learner

WANDERING = {"action_noise": "ornstein_uhlenbeck", "action_noise_sigma": 0.3, "action_noise_dt": 0.5}


@pytest.mark.parametrize("params", [{}, {**WANDERING, "mode": "sample", "n_step": 3, "activation": "tanh"}])
def test_a_cell_does_not_depend_on_its_pack_nor_on_pauses(params):
    check_packs_and_pauses("ddpg", **params)


@pytest.mark.slow
def test_images_are_seen_too():
    images = Task.make("toy/continuous", image_representations=True, image_width=40, image_height=40)
    check_packs_and_pauses("ddpg", task=images, batch_size=4, buffer_size=50, filters=((8, 8, 4), (8, 4, 2)))


def test_divergence_of_one_cell_does_not_touch_the_others():
    check_divergence_stays("ddpg")


def test_values_of_probes():
    check_values("ddpg")


def test_the_best_action_of_a_probe():
    check_best_action("ddpg")


@pytest.mark.slow
def test_vanilla_is_learnt():
    before, after = vanilla_returns("ddpg", 2500)
    assert np.median(before["return"]) < 0
    assert np.median(after["return"]) > 3.5


@pytest.mark.slow
def test_pendulum_is_learnt():
    assert np.median(pendulum_returns("ddpg", 8000)) > -250


def test_an_ornstein_uhlenbeck_process_has_its_variance_and_memory():
    """x' = x - θ x dt + σ √dt n is stationary with variance σ² dt / (1 - (1 - θ dt)²)."""
    noise = Noise.ornstein_uhlenbeck(0.3, 0.15, 0.5)
    normals = np.random.default_rng(0).normal(size=(400, 4000)).astype(np.float32)
    state, seen = np.zeros(4000, dtype=np.float32), []
    for row in normals:
        state = noise.following(state, row)
        seen.append(state)
    kept = 1 - 0.15 * 0.5
    assert np.var(seen[-1]) == pytest.approx(0.3**2 * 0.5 / (1 - kept**2), rel=0.1)
    assert np.corrcoef(seen[-2], seen[-1])[0, 1] == pytest.approx(kept, abs=0.01)
    assert np.array_equal(Noise.white(0.3).following(state, normals[0]), np.float32(0.3) * normals[0])


def test_actions_are_random_until_learning_starts_and_bounded_always():
    pack = learner([cell("ddpg", 0, learning_starts=100, action_noise_sigma=1.0)])
    pack.train(160)
    actions = pack._algorithm._replay._actions[0, :160]
    assert np.abs(actions).max() <= 1
    assert (np.abs(actions) == 1).any()
    quiet = learner([cell("ddpg", 0, learning_starts=100, action_noise_sigma=0.0)])
    quiet.train(160)
    actions = quiet._algorithm._replay._actions[0, :160]
    assert np.std(actions[:100]) == pytest.approx(1 / np.sqrt(3), abs=0.1)


def test_only_bounded_continuous_actions_are_played():
    with pytest.raises(UsageError, match="ddpg plays continuous actions between bounds"):
        learner([cell("ddpg", 0, task=Task.make("toy/discrete"))])
    with pytest.raises(UsageError, match="noise"):
        agent("ddpg", action_noise="pink")


@pytest.mark.parametrize("preset", ["mdp_playground", "stable_baselines3"])
@pytest.mark.parametrize("name", ["ddpg", "td3", "sac"])
def test_presets_are_agents(name, preset):
    assert agent(name, preset=preset).name == name
