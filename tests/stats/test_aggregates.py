"""Aggregates over many tasks, by the definitions of rliable: scipy's trimmed mean, and the mean shortfall."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import trim_mean

from mohs.core.errors import UsageError
from mohs.stats import estimate, interquartile_mean, joint_profile, optimality_gap

SCORES = st.floats(-2, 2, allow_nan=False)


@given(arrays(np.float64, (3, 4), elements=SCORES))
def test_the_interquartile_mean_is_rliables_where_a_quarter_is_whole(scores):
    found = interquartile_mean(scores, resamples=50)
    assert found.value == pytest.approx(trim_mean(scores, 0.25, axis=None), abs=1e-12)
    assert found.low - 1e-9 <= found.value <= found.high + 1e-9


@given(arrays(np.float64, (1, 7), elements=SCORES))
def test_runs_on_the_border_count_by_their_fraction(scores):
    assert interquartile_mean(scores, resamples=2).value == pytest.approx(estimate(scores[0], "iqm").value, abs=1e-12)


@given(arrays(np.float64, (3, 5), elements=SCORES))
def test_the_optimality_gap_is_rliables(scores):
    found = optimality_gap(scores)
    shortfall = [max(1 - x, 0) for x in scores.ravel()]
    assert found.value == pytest.approx(np.mean(shortfall), abs=1e-12)
    assert found.low >= 0


def test_a_hard_seed_counts_once():
    """What seeds do to all points at once widens the intervals; independent runs do not."""
    rng = np.random.default_rng(0)
    shared, apart = np.repeat(rng.normal(size=(1, 10)), 8, axis=0), rng.normal(size=(8, 10))
    for aggregate in (interquartile_mean, optimality_gap):
        together, alone = aggregate(shared), aggregate(apart)
        assert together.high - together.low > 1.5 * (alone.high - alone.low)


@given(arrays(np.float64, (2, 6), elements=st.integers(-2, 2).map(float)))
def test_a_joint_profile_counts_runs_and_stays_a_share(scores):
    thresholds = np.arange(-3.0, 4.0)
    profile = joint_profile(scores, thresholds)
    np.testing.assert_allclose(profile.share, [(scores > t).mean() for t in thresholds])
    assert profile.n == 6
    assert all(0 <= low <= share + 1e-9 for low, share in zip(profile.low, profile.share, strict=True))
    assert all(share - 1e-9 <= high <= 1 for high, share in zip(profile.high, profile.share, strict=True))


@pytest.mark.parametrize("call", [interquartile_mean, optimality_gap, lambda x: joint_profile(x, [0.5])])
def test_missing_runs_are_refused(call):
    with pytest.raises(UsageError, match="scores"):
        call([[1.0, np.nan, 2.0]])


def test_two_runs_have_no_interval():
    assert not interquartile_mean([[1.0, 2.0]]).known
    assert not optimality_gap([[1.0, 2.0]]).known
