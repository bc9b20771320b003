"""The compiled searches come to the weights and the curves of a plain transcription of the papers' formulas."""

from __future__ import annotations

import numpy as np
import pytest
from plain_search import searched

from mohs import Cell, Segment, Task
from mohs.agents.registry import agent, learner

STEPS, WINDOW = 900, 50
TASKS = {
    "numbers": Task.make("control/cartpole", length=0.7, max_episode_steps=30),
    "states": Task.make("toy/discrete", max_episode_steps=9, transition_noise=0.1),
    "several": Task.make("toy/discrete", max_episode_steps=9, irrelevant_features=True),
    "continuous": Task.make("toy/continuous", make_denser=True, max_episode_steps=11, transition_noise=0.05),
}
AGENTS = {
    "ars": {"n_delta": 4, "n_top": 3, "learning_rate": 0.1, "delta_std": 0.3},
    "cem": {"population_size": 9, "noise_generations": 3},
    "hill_climbing": {"noise_factor": 3.0},
}


def check(made, task):
    cell = Cell(made, 5, (Segment(task, STEPS),), window=WINDOW)
    pack = learner([cell])
    pack.train(STEPS)
    mean, episodes = searched(cell)
    np.testing.assert_allclose(pack.search.mean[0], mean, rtol=1e-9, atol=1e-12)
    assert np.any(mean != 0)
    in_window = [[r for step, r, _ in episodes if (step - 1) // WINDOW == w] for w in range(STEPS // WINDOW)]
    expected = [np.mean(found) if found else np.nan for found in in_window]
    np.testing.assert_allclose(pack.curves()[0]["train/return"][1], expected, rtol=1e-12)


@pytest.mark.parametrize("kind", TASKS)
@pytest.mark.parametrize("name", AGENTS)
def test_linear_policies(name, kind):
    check(agent(name, **AGENTS[name]), TASKS[kind])


@pytest.mark.parametrize("kind", ["numbers", "continuous"])
@pytest.mark.parametrize("name", AGENTS)
def test_networks(name, kind):
    check(agent(name, **AGENTS[name], policy="mlp", hidden=[5, 3]), TASKS[kind])


@pytest.mark.parametrize(
    "changed",
    [
        {"normalize_observations": False, "with_bias": True},
        {"n_eval_episodes": 2, "alive_bonus_offset": -0.5},
        {"policy": "mlp", "hidden": [4], "activation": "relu"},
    ],
)
def test_settings(changed):
    check(agent("ars", **AGENTS["ars"], **changed), TASKS["numbers"])
    check(agent("cem", **AGENTS["cem"], **{"normalize_observations": True, **changed}), TASKS["continuous"])


def test_clipped_actions():
    check(agent("cem", squash_output=False), TASKS["continuous"])
