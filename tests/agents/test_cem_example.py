"""The example that plays any environment learns a well-known one and the continuous toy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mohs import Cell, Probe, Segment, Task
from mohs.agents.registry import agent, learner
from mohs.engines.continuous.references import return_score

CEM = str(Path(__file__).parents[2] / "examples" / "cem.py") + ":make_agent"


def trained(task, seed, steps):
    of = learner([Cell(agent(CEM), seed, (Segment(task, steps),), (Probe("eval", task, (steps,), 10),), 1000)])
    of.train(steps)
    return of.evaluate(0)["return"][0]


def test_it_learns_to_balance_a_pole():
    returns = [trained(Task.make("CartPole-v1"), seed, 20_000) for seed in range(5)]
    assert np.median(returns) > 400
    assert sum(value > 150 for value in returns) >= 4


def test_it_learns_to_reach_a_point():
    task = Task.make("toy/continuous", make_denser=True, target_radius=0.5)
    score = return_score(task)
    returns = [score.normalise(trained(task, seed, 20_000)) for seed in range(3)]
    assert min(returns) > 0.5


def test_it_says_which_actions_it_does_not_take():
    with pytest.raises(ValueError, match="MultiDiscrete"):
        trained(Task.make("toy/discrete", irrelevant_features=True), 0, 100)
