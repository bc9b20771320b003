"""Proportions, median times and sequential tests: exact values, invariants, and coverage of the intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from mohs.stats.counts import clopper_pearson, median_time, share
from mohs.stats.sequential import is_clear, until_clear

TIMES = st.lists(st.one_of(st.floats(1, 1e7), st.just(math.inf)), min_size=1, max_size=40)


@pytest.mark.parametrize(("successes", "runs", "level"), [(0, 7, 0.95), (7, 7, 0.95), (3, 10, 0.9), (50, 100, 0.9875)])
def test_intervals_are_clopper_and_pearson_s(successes, runs, level):
    exact = binomtest(successes, runs).proportion_ci(level, method="exact")
    assert clopper_pearson(successes, runs, level) == pytest.approx((exact.low, exact.high))


@pytest.mark.parametrize("probability", [0.1, 0.45, 0.9])
def test_a_sequential_test_stops_once_one_half_is_excluded(probability):
    rng = np.random.default_rng(0)
    for _ in range(50):
        drawn: list[range] = []

        def trials(numbers, drawn=drawn):
            drawn.append(numbers)
            return (rng.random(len(numbers)) < probability).tolist()

        successes, n, interval = until_clear(trials, 100, 4)
        assert [number for numbers in drawn for number in numbers] == list(range(n))
        assert n in (13, 25, 50, 100)
        assert n == 100 or is_clear(interval)
        assert interval == clopper_pearson(successes, n, 1 - 0.05 / 4)


def test_a_share_and_its_interval():
    e = share(8, 43)
    assert (e.value, e.n, e.statistic) == (8 / 43, 43, "share")
    assert e.low < e.value < e.high
    assert (share(0, 10).low, share(10, 10).high) == (0, 1)
    assert math.isnan(share(0, 0).value)
    assert not share(0, 0).known


@given(TIMES)
def test_half_of_all_runs_arrive_within_the_median(times):
    e = median_time(times)
    arrived = [time for time in times if time <= e.value]
    earlier = [time for time in times if time < e.value]
    assert 2 * len(arrived) >= len(times) > 2 * len(earlier)
    assert math.isinf(e.value) == (2 * sum(map(math.isfinite, times)) < len(times))
    assert math.isnan(e.low) or e.low <= e.value <= e.high


@given(TIMES, st.integers(0, 5))
def test_missing_runs_do_not_count(times, missing):
    assert repr(median_time([*times, *[math.nan] * missing])) == repr(median_time(times))
    assert median_time([math.nan] * (missing + 1)).n == 0


@pytest.mark.parametrize("n", [3, 5, 6, 10, 21])
def test_the_interval_covers_the_median(n):
    runs = np.random.default_rng(n).exponential(size=(4000, n))
    found = [median_time(run) for run in runs]
    if n < 6:
        assert all(math.isnan(e.low) for e in found)
        return
    covered = np.mean([e.low <= math.log(2) <= e.high for e in found])
    assert covered > 0.945
