"""The monotone fit, the dose that halves the score, and the damage."""

import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mohs.core.errors import UsageError
from mohs.stats import breaking_dose, damage, monotone_fit

SCORES = st.floats(-2, 2).map(lambda score: round(score, 3))
DOSES = (0.0, 1.0, 2.0, 4.0, 8.0)
FALLING = np.array([1.0, 0.9, 0.7, 0.3, 0.1])  # halves at 3


def pool_adjacent_violators(values, weights):
    """The non-increasing fit, block by block: merge neighbours while the later one is higher."""
    blocks = []
    for value, weight in zip(values, weights, strict=True):
        blocks.append([value, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] < blocks[-1][0]:
            (value_b, weight_b, size_b), (value_a, weight_a, size_a) = blocks.pop(), blocks.pop()
            total = weight_a + weight_b
            blocks.append([(value_a * weight_a + value_b * weight_b) / total, total, size_a + size_b])
    return np.concatenate([np.full(size, value) for value, _, size in blocks])


def runs(means, n=10, spread=0.02, seed=0):
    rng = np.random.default_rng(seed)
    return np.asarray(means)[:, None] + spread * rng.standard_normal((len(means), n))


@given(st.data(), st.integers(1, 12))
def test_the_fit_is_pool_adjacent_violators(data, size):
    values = data.draw(arrays(np.float64, (3, size), elements=SCORES))
    weights = data.draw(arrays(np.float64, (3, size), elements=st.integers(1, 9).map(float)))
    expected = [pool_adjacent_violators(*row) for row in zip(values, weights, strict=True)]
    np.testing.assert_allclose(monotone_fit(values, weights=weights), expected, atol=1e-9)


@given(arrays(np.float64, st.integers(1, 12), elements=SCORES))
def test_the_fit_falls_keeps_the_mean_and_is_its_own_fit(values):
    fit = monotone_fit(values)
    assert (np.diff(fit) <= 1e-9).all()
    assert np.isclose(fit.mean(), values.mean(), atol=1e-9)
    np.testing.assert_allclose(monotone_fit(fit), fit, atol=1e-9)
    np.testing.assert_allclose(monotone_fit(values[::-1], harder="down")[::-1], fit)


def test_a_noise_free_curve_breaks_where_it_halves():
    (found,) = breaking_dose(DOSES, runs(FALLING, spread=0), vanilla=0)
    assert (found.status, found.side, found.n) == ("reached", "up", 10)
    np.testing.assert_allclose([found.dose, found.low, found.high], 3.0)


def test_half_is_half_of_vanillas_own_score_even_where_the_fit_pools_it():
    (found,) = breaking_dose((0, 1, 2), runs([0.8, 1.0, 0.2], spread=0), vanilla=0)
    assert found.dose == pytest.approx(1 + (0.9 - 0.4) / (0.9 - 0.2))


@given(st.integers(0, 10_000), st.permutations(range(5)))
def test_the_order_of_the_doses_plays_no_part(seed, order):
    scores = runs(FALLING, spread=0.1, seed=seed)
    assume(breaking_dose(DOSES, scores, 0, resamples=50)[0].status == "reached")
    shuffled = breaking_dose(np.array(DOSES)[order], scores[order], order.index(0), resamples=50)
    assert shuffled == breaking_dose(DOSES, scores, 0, resamples=50)


@given(st.integers(0, 10_000))
def test_mirrored_doses_break_at_the_mirrored_dose(seed):
    scores = runs(FALLING, spread=0.2, seed=seed)
    (up,) = breaking_dose(DOSES, scores, 0, resamples=50)
    (down,) = breaking_dose(-np.array(DOSES), scores, 0, harder="down", resamples=50)
    assert down.status == up.status
    np.testing.assert_allclose([down.dose, down.low, down.high], [-up.dose, -up.high, -up.low])


@given(st.integers(0, 10_000), st.floats(0.1, 10), st.floats(-5, 5))
def test_the_breaking_dose_follows_the_unit_of_the_dose(seed, scale, shift):
    scores = runs(FALLING, spread=0.1, seed=seed)
    (plain,) = breaking_dose(DOSES, scores, 0, resamples=50)
    (moved,) = breaking_dose(scale * np.array(DOSES) + shift, scores, 0, resamples=50)
    expected = scale * np.array([plain.dose, plain.low, plain.high]) + shift
    np.testing.assert_allclose([moved.dose, moved.low, moved.high], expected)


def test_doses_easier_than_vanilla_play_no_part():
    scores = runs(FALLING)
    assert breaking_dose(DOSES, scores, 0) == breaking_dose((*DOSES, -1.0), [*scores, np.zeros(10)], 0)


def test_both_sides_are_reported_and_a_side_without_doses_is_not():
    means = [0.0, 1.0, 0.8, 0.2]
    below, above = breaking_dose((-1.0, 0.0, 1.0, 2.0), runs(means, spread=0), vanilla=1, harder="both")
    assert (below.side, above.side) == ("down", "up")
    np.testing.assert_allclose([below.dose, above.dose], [-0.5, 1.5])
    assert len(breaking_dose(DOSES, runs(FALLING), vanilla=0, harder="both")) == 1
    assert breaking_dose(DOSES, runs(FALLING), vanilla=4) == ()


def test_a_score_that_never_halves_is_censored():
    (found,) = breaking_dose((0, 1, 2), runs([1.0, 0.95, 0.8]), vanilla=0)
    assert (found.status, found.dose, found.high) == ("not_reached", math.inf, math.inf)
    (found,) = breaking_dose((0, 1, 2), runs([1.0, 0.95, 0.49], spread=0.3), vanilla=0)
    assert 0 < found.low < 2
    assert found.high == math.inf
    assert found.to_dict()["high"] is None
    json.dumps(found.to_dict(), allow_nan=False)


def test_an_agent_that_never_learnt_has_no_breaking_dose():
    (found,) = breaking_dose(DOSES, runs(FALLING * 0.05), vanilla=0)
    assert found.status == "not_learnt"
    assert math.isnan(found.dose)


def test_two_seeds_are_too_few_even_at_one_dose():
    scores = runs(FALLING)
    assert breaking_dose(DOSES, scores[:, :2], 0)[0].status == "too_few"
    scores[3, 2:] = np.nan
    assert breaking_dose(DOSES, scores, 0)[0].status == "too_few"
    scores[3] = np.nan
    assert breaking_dose(DOSES, scores, 0)[0].status == "reached"


def test_doses_without_order_have_no_verdict():
    (found,) = breaking_dose(["none", "shift", "scale", "flip", "all"], runs(FALLING), 0, harder="none")
    assert found.status == "unordered"


def test_the_seed_decides_the_interval():
    scores = runs(FALLING, spread=0.2)
    assert breaking_dose(DOSES, scores, 0, seed=1) == breaking_dose(DOSES, scores, 0, seed=1)
    assert breaking_dose(DOSES, scores, 0, seed=1) != breaking_dose(DOSES, scores, 0, seed=2)


@pytest.mark.parametrize(("others", "lost"), [([1, 1], 0), ([0, 0], 1), ([1, 0], 0.5), ([-1, -1], 2)])
def test_damage_is_the_share_of_vanilla_lost(others, lost):
    found = damage(runs([1, *others], spread=0), vanilla=0)
    np.testing.assert_allclose([found.value, found.low, found.high], lost)


@given(st.integers(0, 10_000), st.floats(0.1, 10))
def test_damage_has_no_unit(seed, scale):
    scores = runs(FALLING, spread=0.1, seed=seed)
    one, other = damage(scores, 0), damage(scale * scores, 0)
    np.testing.assert_allclose([one.value, one.low, one.high], [other.value, other.low, other.high])
    assert np.isclose(one.value, 1 - scores[1:].mean() / scores[0].mean())


def test_damage_uses_the_seeds_that_ran_everywhere():
    scores = runs(FALLING)
    kept = damage(scores[:, 1:], 0)
    scores[2, 0] = np.nan
    assert damage(scores, 0) == kept
    assert not damage(-scores, 0).known
    assert not damage(scores[:1], 0).known


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: monotone_fit([1.0], harder="both"), "harder.*down, up"),
        (lambda: monotone_fit([1.0, np.nan]), "means"),
        (lambda: monotone_fit([1.0, 2.0], weights=[1.0, 0.0]), "weights"),
        (lambda: monotone_fit([1.0, 2.0], weights=[1.0, 1.0, 1.0]), "weights"),
        (lambda: breaking_dose(DOSES, runs(FALLING), 0, harder="sideways"), "harder"),
        (lambda: breaking_dose(DOSES, runs(FALLING), 5), "vanilla"),
        (lambda: breaking_dose(DOSES, runs(FALLING), -1), "vanilla"),
        (lambda: breaking_dose(DOSES[:4], runs(FALLING), 0), "doses"),
        (lambda: breaking_dose((0, 0, 1, 2, 3), runs(FALLING), 0), "doses"),
        (lambda: breaking_dose(DOSES, FALLING, 0), "scores"),
        (lambda: breaking_dose(DOSES, runs(FALLING), 0, level=0), "level"),
        (lambda: breaking_dose(DOSES, runs(FALLING), 0, resamples=0), "resamples"),
    ],
)
def test_errors_name_the_parameter(call, named):
    with pytest.raises(UsageError, match=named):
        call()
