"""Shares and medians of times: their laws, and that their intervals cover what they claim."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mohs.stats.counts import median_time, share

TIMES = st.lists(st.one_of(st.floats(1, 1e7), st.just(math.inf)), min_size=1, max_size=40)


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
