"""The reference collection is played as its tables say, and its scores stay between the worst and the best policy."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.reference_collection.play import QLearning, TablePlay
from benchmarks.reference_collection.tasks import known_tasks
from benchmarks.reference_collection.train import _score

from mohs import Table
from mohs.exact.values.solve import returns


def windy(horizon: int) -> Table:
    """Three states in a row: action 1 leads on with probability 0.8, the last step pays 1 and ends."""
    move = np.zeros((4, 2, 4))
    for state in range(3):
        move[state, 0, 0] = 1.0
        move[state, 1, [state + 1, state]] = 0.8, 0.2
    move[3, :, 3] = 1.0
    pay = np.zeros((4, 2, 4))
    pay[2, 1, 3] = 1.0
    return Table.from_arrays(move, pay, terminal=[3], initial=[0.5, 0.5, 0.0, 0.0], horizon=horizon)


def test_play_follows_the_table() -> None:
    """Random play earns what the table says, within four standard errors."""
    table, rng = windy(6), np.random.default_rng(0)
    env = TablePlay(table)
    env.reset(seed=0)
    earned = np.zeros(4000)
    for episode in range(len(earned)):
        env.reset()
        for _ in range(6):
            _, reward, ended, _, _ = env.step(rng.integers(2))
            earned[episode] += reward
            if ended:
                break
    error = earned.std() / np.sqrt(len(earned))
    assert abs(earned.mean() - returns(table).random) < 4 * error


def test_q_learning_finds_the_way() -> None:
    env = TablePlay(windy(20))
    env.reset(seed=0)
    agent = QLearning(env, 0)
    agent.train(env, 4000)
    assert [agent.act(env._seen[state], None, True)[0] for state in range(3)] == [1, 1, 1]


def test_scores_end_at_the_worst_and_the_best_policy() -> None:
    ends = {"optimal": 10.0, "random": 2.0, "worst": 0.0}
    found = _score(np.array([2.0, 10.0, 11.5]), ends)
    assert found["n"] == 3
    assert (found["low"], found["high"]) == (-0.25, 1.0)
    assert found["value"] == pytest.approx(np.mean([0, 1, 9.5 / 8]), abs=1e-3)


def test_every_task_is_there_once() -> None:
    found = known_tasks()
    assert len({known.name for known in found}) == len(found) >= 150
