"""Both costs together, gains and synergies."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind, ttest_rel

from mohs.core.errors import UsageError
from mohs.stats.lcd import ellipse, gain, joint, reward_cost, synergy, view_cost

MEANS = {1.0: 0.5, 0.75: 0.45, 0.5: 0.4, 0.25: 0.3}


def study(seed, n=5, spread=0.03):
    rng = np.random.default_rng(seed)
    areas = {p: mean + spread * rng.standard_normal(n) for p, mean in MEANS.items()}
    return (areas[1.0], 0.3 + spread * rng.standard_normal(n)), areas


@given(st.integers(0, 10_000), st.integers(3, 12))
def test_the_centre_is_both_costs(seed, n):
    view, areas = study(seed, n)
    centre, covariance = joint(view, areas)
    assert centre == pytest.approx([view_cost(*view).value, reward_cost(areas).value])
    assert covariance == pytest.approx(covariance.T)
    assert np.linalg.eigvalsh(covariance).min() >= 0


def test_the_covariance_is_that_of_repeated_studies():
    """Also off the diagonal: lucky runs of the shared reference make both costs larger."""
    found = [joint(*study(seed, n=40)) for seed in range(800)]
    observed = np.cov(np.array([centre for centre, _ in found]).T)
    expected = np.mean([covariance for _, covariance in found], axis=0)
    assert expected == pytest.approx(observed, rel=0.2)
    assert expected[0, 1] / math.sqrt(expected[0, 0] * expected[1, 1]) > 0.2


def test_the_covariance_agrees_with_the_interval_of_many_seeds():
    view, areas = study(0, n=400)
    _, covariance = joint(view, areas)
    for cost, variance in zip((view_cost(*view), reward_cost(areas)), np.diag(covariance), strict=True):
        assert (cost.high - cost.low) / 2 / 1.966 == pytest.approx(math.sqrt(variance), rel=0.02)


def test_seeds_with_a_missing_run_are_left_out_of_both():
    view, areas = study(1, n=6)
    view[1][2] = areas[0.5][4] = np.nan
    kept = [0, 1, 3, 5]
    expected = joint((view[0][kept], view[1][kept]), {p: x[kept] for p, x in areas.items()})
    for found, each in zip(joint(view, areas), expected, strict=True):
        assert found == pytest.approx(each)
    few = joint((view[0][:3], view[1][:3]), {p: x[:3] for p, x in areas.items()})
    assert np.isnan(few[0]).all()
    assert np.isnan(ellipse(*few)).all()
    with pytest.raises(UsageError, match="same seeds"):
        joint(view, {p: x[:3] for p, x in areas.items()})


@given(st.integers(0, 10_000), st.sampled_from([0.5, 0.95]), st.sampled_from([None, 4, 1000]))
def test_the_border_is_equally_far_in_standard_errors(seed, level, n):
    centre, covariance = joint(*study(seed))
    points = ellipse(centre, covariance, level, points=32, n=n)
    apart = points - centre
    distance = np.einsum("ij,jk,ik->i", apart, np.linalg.inv(covariance), apart)
    assert distance == pytest.approx(np.full(32, distance[0]))
    assert points[0] == pytest.approx(points[-1])
    if n is None:
        assert distance[0] == pytest.approx(-2 * math.log(1 - level))
    if n == 1000:
        assert distance[0] == pytest.approx(-2 * math.log(1 - level), rel=0.01)
    if n == 4:
        assert distance[0] > -2 * math.log(1 - level)


def test_an_ellipse_needs_3_seeds():
    assert np.isnan(ellipse([0, 0], np.eye(2), n=2)).all()
    assert np.isfinite(ellipse([0, 0], np.eye(2), n=3)).all()
    assert ellipse([0.3, 0.1], np.zeros((2, 2))) == pytest.approx(np.tile([0.3, 0.1], (64, 1)))


def test_synergy_is_the_gain_of_both_less_the_gain_of_each():
    base, view, algorithm, both = [0.1, 0.2], [0.3, 0.5], [0.2, 0.3], [0.8, 0.9]
    means = [np.mean(x) for x in (base, view, algorithm, both)]
    expected = (means[3] - means[0]) - ((means[2] - means[0]) + (means[1] - means[0]))
    assert synergy(base, view, algorithm, both).value == pytest.approx(expected)
    assert math.isnan(synergy(base, view, algorithm, both).low)


@given(st.integers(0, 10_000), st.integers(3, 8), st.integers(3, 8))
def test_synergy_with_two_constant_groups_is_welchs_difference(seed, n, m):
    rng = np.random.default_rng(seed)
    both, view = 0.6 + 0.1 * rng.standard_normal(n), 0.4 + 0.02 * rng.standard_normal(m)
    found = synergy([0.1] * 3, view, [0.2] * 3, np.append(both, np.nan))
    expected = ttest_ind(both, view, equal_var=False).confidence_interval(0.95)
    assert (found.low + 0.1, found.high + 0.1) == pytest.approx((expected.low, expected.high))
    assert found.n == 3


def test_gains_are_paired_by_seed():
    rng = np.random.default_rng(0)
    ease = rng.standard_normal(30)
    plain, helped = 0.3 + 0.1 * ease, 0.4 + 0.1 * ease + 0.01 * rng.standard_normal(30)
    found, student = gain(plain, helped), ttest_rel(helped, plain).confidence_interval(0.95)
    assert found.value == pytest.approx(np.mean(helped - plain))
    assert found.low <= student.low + 1e-12 < student.high - 1e-12 <= found.high
    assert found.high - found.low < 0.02
