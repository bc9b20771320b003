"""Are the references of the continuous toy what they say they are?"""

from __future__ import annotations

import numpy as np
import pytest

from mohs import Task, UsageError
from mohs.engines.continuous.references import random_returns, return_score

ID = "toy/continuous"


def test_the_random_policy_of_one_step() -> None:
    """A random walk of one step of order 1 in one dimension, without walls: E|x| − E|x + a| has a closed form."""
    task = Task.make(ID, state_space_dim=1, start_point=[0.5], make_denser=True, max_episode_steps=1)
    returns = random_returns(task, 40_000)
    # |0.5 + a| for a uniform in [−1, 1]: the mean over [−0.5, 1.5] is (0.125 + 1.125) / 2.
    assert returns.mean() == pytest.approx(0.5 - 0.625, abs=4 * returns.std() / 200)
    assert np.array_equal(returns, random_returns(task, 40_000))


def test_a_random_walk_scores_nothing_and_the_optimum_one() -> None:
    score = return_score(Task.make(ID, make_denser=True))
    assert score.low is not None
    assert score.high is not None
    assert score.low.value < 1 < 7 < score.high.value
    assert "16,384 episodes ±" in score.low.source
    assert score.high.source == "optimal policy, exact, noise-free"
    assert score.normalise(score.high.value) == 1


def test_noise_leaves_the_references() -> None:
    task = Task.make(ID, make_denser=True, delay=2)
    assert return_score(task.replace(transition_noise=0.5, reward_noise=2.0)) == return_score(task)


def test_bounds_and_means_say_so() -> None:
    bound = return_score(Task.make(ID, make_denser=True, terminal_states=[(5, 5)])).high
    assert bound is not None
    assert "an upper bound of it, since terminal regions may be in the way" in bound.source
    mean = return_score(Task.make(ID, reward_shift=-0.01)).high
    assert mean is not None
    assert "over 131,072 starts ±" in mean.source
    with pytest.raises(UsageError, match="reward_scale"):
        return_score(Task.make(ID, reward_scale=-1.0))


def test_the_entry_names_the_score() -> None:
    task = Task.make(ID)
    assert task.environment.realisation("score")(task) == return_score(task)


def test_long_episodes_are_played_less_often() -> None:
    low = return_score(Task.make(ID, max_episode_steps=4096, make_denser=True, state_space_max=1.0)).low
    assert low is not None
    assert "2,048 episodes" in low.source


def test_episodes_too_long_to_play_are_refused() -> None:
    with pytest.raises(UsageError, match="max_episode_steps must be at most 32,768"):
        return_score(Task.make("toy/continuous", max_episode_steps=40_000))
