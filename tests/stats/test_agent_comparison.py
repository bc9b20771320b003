"""Comparing two agents, and two studies."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import mannwhitneyu, rankdata, spearmanr

from mohs.core.errors import UsageError
from mohs.stats import estimate, paired_difference, probability_of_improvement, spearman
from mohs.stats.comparison import average_ranks, rank_correlation

FEW_LEVELS = st.integers(-3, 3).map(float)  # ties on purpose


def few_runs(points, n):
    return arrays(np.float64, (points, n), elements=FEW_LEVELS)


@given(few_runs(1, 6), few_runs(1, 4))
def test_improvement_at_one_point_is_mann_whitney(a, b):
    found = probability_of_improvement(a, b, resamples=20)
    assert np.isclose(found.value, mannwhitneyu(a[0], b[0]).statistic / (6 * 4))


@given(few_runs(3, 5), few_runs(3, 4))
def test_improvement_of_b_is_the_rest_and_points_count_alike(a, b):
    forward = probability_of_improvement(a, b, resamples=20).value
    assert np.isclose(forward + probability_of_improvement(b, a, resamples=20).value, 1)
    alone = [probability_of_improvement(a[i : i + 1], b[i : i + 1], resamples=20).value for i in range(3)]
    assert np.isclose(forward, np.mean(alone))


@given(few_runs(2, 5), few_runs(2, 5))
def test_improvement_depends_on_order_only_and_stays_in_its_interval(a, b):
    found = probability_of_improvement(a, b, resamples=200)
    assert found == probability_of_improvement(np.exp(a), np.exp(b), resamples=200)
    assert 0 <= found.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.high <= 1


def test_a_complete_separation_is_not_certainty():
    found = probability_of_improvement([[2.0] * 5], [[1.0] * 5])
    assert (found.value, found.high) == (1, 1)
    assert np.isclose(found.low**5, 0.025)
    mirrored = probability_of_improvement([[1.0] * 5], [[2.0] * 5])
    np.testing.assert_allclose([mirrored.low, mirrored.high], [0, 1 - found.low])


def test_missing_runs_are_left_out_of_a_comparison():
    a, b = np.array([[1.0, 2.0, 3.0, np.nan]]), np.array([[0.0, 2.5, 1.5, 4.0, np.nan]])
    assert probability_of_improvement(a, b) == probability_of_improvement(a[:, :3], b[:, :4])
    assert not probability_of_improvement(a[:, :2], b).known
    assert math.isnan(probability_of_improvement([[np.nan]], [[1.0]]).value)


@given(arrays(np.float64, (2, 8), elements=FEW_LEVELS))
def test_a_paired_difference_is_the_estimate_of_differences(pair):
    a, b = pair
    found, plain = paired_difference(a, b), estimate(a - b)
    assert (found.value, found.low, found.high, found.n) == (plain.value, plain.low, plain.high, 8)


def test_pairing_removes_what_seeds_share():
    rng = np.random.default_rng(0)
    shared = rng.normal(size=10)
    found = paired_difference(shared + 1, shared + 0.01 * rng.normal(size=10))
    assert 0.9 < found.low < found.high < 1.1


@given(arrays(np.float64, (4, 7), elements=FEW_LEVELS))
def test_ranks_are_average_ranks(values):
    np.testing.assert_array_equal(average_ranks(values), rankdata(values, axis=-1))


@pytest.mark.filterwarnings("ignore")
@given(arrays(np.float64, 6, elements=FEW_LEVELS), arrays(np.float64, 6, elements=FEW_LEVELS))
def test_rank_correlation_is_spearmans(a, b):
    np.testing.assert_allclose(rank_correlation(a, b), spearmanr(a, b).statistic, atol=1e-12)


def test_studies_are_correlated_over_their_doses():
    rng = np.random.default_rng(0)
    falling = np.linspace(1, 0, 5)[:, None]
    a, b = falling + 0.01 * rng.normal(size=(5, 8)), 30 * falling**2 + 0.1 * rng.normal(size=(5, 6))
    agreeing, opposed = spearman(a, b), spearman(a, -b)
    assert agreeing.value == pytest.approx(1)
    assert opposed.value == pytest.approx(-1)
    assert agreeing.n == 6
    assert agreeing.known
    noisy = spearman(a, b + 20 * rng.normal(size=b.shape))
    assert noisy.low < noisy.high


def test_no_verdict_on_agreement_without_variation_or_seeds():
    rng = np.random.default_rng(0)
    study = rng.normal(size=(5, 8))
    assert math.isnan(spearman(study, np.ones((5, 8))).value)
    few = spearman(study[:, :4], study)
    assert not few.known
    assert few.value == pytest.approx(spearmanr(study[:, :4].mean(axis=1), study.mean(axis=1)).statistic)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: probability_of_improvement([[1.0]], [[1.0], [2.0]]), "a and b"),
        (lambda: probability_of_improvement([1.0], [[1.0]]), "a must"),
        (lambda: probability_of_improvement([[1.0]], [[1.0]], level=2), "level"),
        (lambda: paired_difference([1.0], [1.0, 2.0]), "a and b"),
        (lambda: paired_difference([1.0], [1.0], "median"), "statistic"),
        (lambda: spearman([[1.0], [2.0]], [[1.0]]), "study_a and study_b"),
        (lambda: spearman([[1.0], [np.nan]], [[1.0], [2.0]]), "study_a and study_b"),
        (lambda: spearman([[1.0], [2.0]], [[1.0], [2.0]], resamples=0), "resamples"),
    ],
)
def test_errors_name_the_parameter(call, named):
    with pytest.raises(UsageError, match=named):
        call()


def test_paired_seeds_are_drawn_jointly() -> None:
    """A seed that is hard everywhere is one seed, not one for each point: the interval is wider for it."""
    rng = np.random.default_rng(0)
    ease = rng.normal(size=(1, 12))
    a, b = (np.repeat(ease, 9, axis=0) + 0.1 * rng.normal(size=(9, 12)) for _ in range(2))
    joint, apart = (probability_of_improvement(a, rng.permutation(b, axis=1), paired=p) for p in (True, False))
    assert joint.high - joint.low > 1.5 * (apart.high - apart.low)
    with pytest.raises(UsageError, match="same seeds"):
        probability_of_improvement(a, b[:, :5], paired=True)
