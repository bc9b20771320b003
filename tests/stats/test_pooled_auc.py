"""The pooled average of a training curve: unbiased where the plain one is not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mohs.stats import auc, pooled_auc


def windows(rng: np.random.Generator, steps: int, width: int, stop: float, limit: int) -> np.ndarray:
    """The mean length of the episodes that end in each window. Every step ends an episode with chance `stop`."""
    lengths = np.minimum(rng.geometric(stop, size=steps), limit)
    ends = np.cumsum(lengths)
    at = ((ends - 1) // width)[ends <= steps]
    counts = np.bincount(at, minlength=steps // width).astype(float)
    sums = np.bincount(at, weights=lengths[: len(at)], minlength=steps // width)
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)


@pytest.mark.parametrize("width", [100, 150, 200, 400])
@pytest.mark.parametrize("stop", [0.2, 0.05, 0.025, 0.0125, 0.005])
def test_it_is_nearly_unbiased_where_episodes_vary_in_length(width, stop):
    """Every step pays 1 and an episode has at most 100 steps."""
    rng, truth = np.random.default_rng(0), (1 - (1 - stop) ** 100) / stop
    runs = [windows(rng, 20_000, width, stop, 100) for _ in range(100)]
    pooled = np.array([pooled_auc(run, run, width) for run in runs])
    error = 3 * pooled.std(ddof=1) / math.sqrt(len(runs))
    assert abs(pooled.mean() - truth) < 0.02 * truth + error
    plain = np.mean([auc(run) for run in runs])  # windows with few episodes have long ones
    assert plain - truth > max(0.01 * truth, 2 * abs(pooled.mean() - truth) - error)


def test_it_is_unbiased_in_windows_of_several_episodes():
    """As in a diagnosis of toy/discrete with its usual budget: windows of 200 steps, at most 100 an episode."""
    rng, truth = np.random.default_rng(1), (1 - 0.975**100) / 0.025
    runs = [windows(rng, 20_000, 200, 0.025, 100) for _ in range(1000)]
    assert np.mean([pooled_auc(run, run, 200) for run in runs]) == pytest.approx(truth, rel=0.008)
    assert np.mean([auc(run) for run in runs]) > 1.08 * truth


def test_equal_lengths_make_it_the_plain_average():
    curve = np.random.default_rng(0).normal(size=100)
    for width in (25, 100):
        assert pooled_auc(curve, np.full(100, 25.0), width) == pytest.approx(float(auc(curve)))


def test_each_block_counts_alike():
    """Episodes get longer in training: the time-average is not the average over episodes."""
    returns, lengths = np.repeat([0.0, 10.0], 10), np.repeat([1.0, 100.0], 10)
    assert pooled_auc(returns, lengths, 200) == pytest.approx(5)
    assert pooled_auc(returns, lengths, 200, blocks=1) == pytest.approx(10 * 0.01 / 1.01)


def test_windows_without_an_episode_are_left_out():
    returns, lengths = np.array([1.0, np.nan, 3.0]), np.array([10.0, np.nan, 10.0])
    assert pooled_auc(returns, lengths, 10, blocks=1) == pytest.approx((1 + 2 * 3) / 3)  # the last took two windows
    assert math.isnan(pooled_auc(np.full(3, np.nan), np.full(3, np.nan), 10))
