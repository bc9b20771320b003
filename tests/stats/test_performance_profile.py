"""The share of runs above each threshold."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binom, binomtest

from mohs.core.errors import UsageError
from mohs.stats import performance_profile

SCORES = st.integers(-5, 5).map(float)


@given(arrays(np.float64, st.integers(1, 30), elements=SCORES))
def test_profiles_count_and_fall(scores):
    thresholds = np.arange(-6.0, 7.0)
    profile = performance_profile(scores, thresholds)
    assert profile.share == tuple((scores > threshold).mean() for threshold in thresholds)
    for column in (profile.share, profile.low, profile.high):
        assert (np.diff(column) <= 1e-12).all()
    assert (profile.share[0], profile.high[0], profile.share[-1], profile.low[-1]) == (1, 1, 0, 0)


@given(st.integers(1, 40), st.data())
def test_the_interval_is_the_exact_binomial(n, data):
    above = data.draw(st.integers(0, n))
    profile = performance_profile([1.0] * above + [0.0] * (n - above), [0.5])
    exact = binomtest(above, n).proportion_ci(0.95, "exact")
    np.testing.assert_allclose([profile.low[0], profile.high[0]], [exact.low, exact.high], atol=1e-9)


@pytest.mark.parametrize("n", [3, 10, 30])
def test_the_interval_never_covers_less_than_it_claims(n):
    counts = [performance_profile([1.0] * above + [0.0] * (n - above), [0.5]) for above in range(n + 1)]
    for truth in np.linspace(0.01, 0.99, 50):
        inside = [profile.low[0] <= truth <= profile.high[0] for profile in counts]
        assert binom.pmf(np.arange(n + 1), n, truth)[inside].sum() >= 0.95 - 1e-9


def test_missing_runs_are_left_out():
    profile = performance_profile([[1.0, np.nan], [0.0, 2.0]], [0.5])
    assert profile.n == 3
    assert profile.share == (2 / 3,)
    empty = performance_profile([np.nan], [0.5])
    assert empty.n == 0
    assert math.isnan(empty.share[0])


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: performance_profile([1.0], []), "thresholds"),
        (lambda: performance_profile([1.0], [np.nan]), "thresholds"),
        (lambda: performance_profile([], [0.5]), "scores"),
        (lambda: performance_profile([1.0], [0.5], level=1.5), "level"),
    ],
)
def test_errors_name_the_parameter(call, named):
    with pytest.raises(UsageError, match=named):
        call()
