"""The searches solve what they are known to solve."""

from __future__ import annotations

import numpy as np
import pytest

from mohs import Cell, Probe, Segment, Task
from mohs.agents.registry import agent, learner


def evaluated(made, task, steps, seeds):
    probe = Probe("eval", task, (steps,), 10)
    pack = learner([Cell(made, seed, (Segment(task, steps),), (probe,), steps) for seed in range(seeds)])
    pack.train(steps)
    return pack.evaluate(0)["return"]


@pytest.mark.parametrize(
    ("name", "settings", "share"),
    [
        ("ars", {}, 0.9),
        ("cem", {}, 0.8),
        ("hill_climbing", {}, 0.5),
        ("cem", {"policy": "mlp", "hidden": [8]}, 0.5),
    ],
)
def test_cartpole_is_solved(name, settings, share):
    """475 of 500 is the threshold at which Gymnasium counts the task as solved."""
    returns = evaluated(agent(name, **settings), Task.make("control/cartpole"), 40_000, 20)
    assert np.mean(returns >= 475) >= share


@pytest.mark.parametrize("name", ["ars", "cem", "hill_climbing"])
def test_states_and_continuous_actions_are_learnt(name):
    for task in (Task.make("toy/discrete"), Task.make("toy/continuous", make_denser=True)):
        before, after = (evaluated(agent(name), task, steps, 10).mean() for steps in (1, 20_000))
        assert after > before + 2


def test_a_better_candidate_needs_more_than_luck():
    """Noise on rewards misleads a search that scores candidates by one episode; the mean of many is less misled."""
    task = Task.make("toy/continuous", make_denser=True, reward_noise=2.0, max_episode_steps=20)
    once, often = (evaluated(agent("hill_climbing", n_eval_episodes=n), task, 20_000, 60).mean() for n in (1, 20))
    assert often > once
