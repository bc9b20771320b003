"""Do the tabular agents learn on the grid as on the discrete toy?"""

from __future__ import annotations

import numpy as np
import pytest

import mohs
from mohs import Cell, Probe, Segment, Task
from mohs.agents.registry import agent, learner
from mohs.exact.values.solve import returns


def trained(name, steps, seeds=4, **params):
    task = Task.make("toy/grid", grid_shape=(4, 4), **params)
    cells = [
        Cell(agent(name), seed, (Segment(task, steps),), (Probe("eval", task, (steps,), 20),)) for seed in range(seeds)
    ]
    made = learner(cells)
    made.train(steps)
    return task, made.evaluate(0)["return"]


@pytest.mark.parametrize("name", ["q_learning", "double_q_learning", "sarsa"])
@pytest.mark.parametrize(
    "params", [{}, {"make_denser": True}, {"irrelevant_features": True}], ids=["sparse", "dense", "two"]
)
def test_they_reach_the_target(name, params):
    task, found = trained(name, 40_000, reward_shift=-0.1, **params)
    best = returns(mohs.table(task)).optimal
    starts = 20 * len(found)
    spread = 0.9 * 1.7 / np.sqrt(starts)  # of the mean over starts: a step costs at most 0.9, distances vary by 1.7
    assert found.mean() > best - 0.1 - 4 * spread
    assert found.mean() > returns(mohs.table(task)).random + 0.5


def test_a_random_agent_earns_what_the_table_says():
    task, found = trained("random", 200, seeds=200, make_denser=True, transition_noise=0.2, max_episode_steps=8)
    assert found.mean() == pytest.approx(returns(mohs.table(task)).random, abs=5 * found.std() / np.sqrt(200))
    assert found.std() > 0.1
