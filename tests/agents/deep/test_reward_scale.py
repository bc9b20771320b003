"""The running scale of rewards: that of stable-baselines3, one for each cell, kept over interruptions."""

from __future__ import annotations

import numpy as np
import pytest

from mohs.agents.deep.buffers.rewards import RewardScale
from mohs.agents.stage import Step

CELLS, COPIES, STEPS = 3, 4, 60


def steps(seed=0):
    """Rewards of very different sizes, rare ones among them; some episodes end, some are cut off."""
    rng = np.random.default_rng(seed)
    n, none = CELLS * COPIES, np.empty(0)
    size = np.repeat([0.01, 1.0, 1000.0], COPIES)
    for _ in range(STEPS):
        reward = size * rng.normal(1, 2, n) * (rng.random(n) < 0.3)
        yield Step(none, none, reward, none, rng.random(n) < 0.1, rng.random(n) < 0.1, none)


def test_rewards_are_those_of_the_definition():
    """All returns so far at once, beside a mean of 0 and a variance of 1 with a weight of 1e-4."""
    scale, returns, seen = RewardScale(CELLS, COPIES, 0.9), np.zeros((CELLS, COPIES)), []
    for step in steps():
        reward, over = step.reward.reshape(CELLS, COPIES), (step.terminated | step.truncated).reshape(CELLS, COPIES)
        returns = 0.9 * returns + reward
        seen.append(returns)
        known = np.concatenate(seen, 1)
        total = known.shape[1] + 1e-4
        mean = known.sum(1) / total
        variance = (((known - mean[:, None]) ** 2).sum(1) + 1e-4 * (1 + mean**2)) / total
        expected = np.clip(reward / np.sqrt(variance + 1e-8)[:, None], -10, 10)
        np.testing.assert_allclose(scale(step).reward.reshape(CELLS, COPIES), expected, rtol=1e-9)
        returns = np.where(over, 0.0, returns)


def test_rewards_are_those_of_stable_baselines3():
    common = pytest.importorskip("stable_baselines3.common.running_mean_std")
    scale, moments, returns = RewardScale(CELLS, COPIES, 0.9), common.RunningMeanStd(shape=()), np.zeros(COPIES)
    for step in steps():
        reward, over = step.reward[:COPIES], (step.terminated | step.truncated)[:COPIES]
        returns = returns * 0.9 + reward
        moments.update(returns)
        expected = np.clip(reward / np.sqrt(moments.var + 1e-8), -10, 10)
        np.testing.assert_allclose(scale(step).reward[:COPIES], expected, rtol=1e-9)
        returns[over] = 0


def test_a_cell_is_scaled_alone_as_in_a_pack_and_after_an_interruption():
    together = RewardScale(CELLS, COPIES, 0.99)
    alone = RewardScale(1, COPIES, 0.99)
    mine = slice(COPIES, 2 * COPIES)
    for t, step in enumerate(steps()):
        if t == STEPS // 2:
            other = RewardScale(1, COPIES, 0.99)
            other.load(0, alone.save(0))
            alone = other
        of_cell = step._replace(
            reward=step.reward[mine], terminated=step.terminated[mine], truncated=step.truncated[mine]
        )
        np.testing.assert_array_equal(together(step).reward[mine], alone(of_cell).reward)


def test_the_step_itself_keeps_its_rewards():
    (first, *_) = steps()
    before = first.reward.copy()
    RewardScale(CELLS, COPIES, 0.99)(first)
    np.testing.assert_array_equal(first.reward, before)


def test_new_environments_begin_new_returns():
    scale, (first, second, *_) = RewardScale(CELLS, COPIES, 1.0), steps()
    never = np.zeros(CELLS * COPIES, dtype=bool)
    scale(first._replace(terminated=never, truncated=never))
    scale.enter()
    scale(second._replace(terminated=never, truncated=never))
    np.testing.assert_array_equal(scale.save(1)[0], second.reward[COPIES : 2 * COPIES])
