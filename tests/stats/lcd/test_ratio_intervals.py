"""Is Fieller's set what inverting Student's paired test gives?"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from mohs.stats.lcd.ratios import lower_end, paired_moments, ratio_interval


def p_value(ratio, top, bottom):
    return ttest_1samp(top - np.expand_dims(ratio, -1) * bottom, 0.0, axis=-1).pvalue


def studies(seed, n, spread=0.1, correlation=0.5):
    rng = np.random.default_rng(seed)
    common, own = rng.standard_normal(n), rng.standard_normal((2, n))
    noise = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own
    return np.array([0.3, 0.5])[:, None] + spread * noise


@given(
    st.integers(0, 10_000),
    st.integers(3, 20),
    st.sampled_from([0.8, 0.95, 0.99]),
    st.sampled_from([0.01, 0.1, 0.4]),
    st.sampled_from([0.0, 0.9]),
)
def test_the_set_is_that_of_the_ratios_that_the_test_accepts(seed, n, level, spread, correlation):
    top, bottom = studies(seed, n, spread, correlation)
    value, low, high = (float(x[0]) for x in ratio_interval(top[None], bottom[None], level))
    alpha = 1 - level
    if not np.isfinite(low):
        assert (low, high) == (-np.inf, np.inf)
        assert bottom.mean() <= 0 or p_value(1e9, top, bottom) > alpha  # however large the share
        return
    assert value == pytest.approx(top.mean() / bottom.mean())
    assert low < value < high
    for end in (low, high):
        assert p_value(end, top, bottom) == pytest.approx(alpha, rel=1e-6)
    grid = np.linspace(low - 3 * (high - low), high + 3 * (high - low), 101)
    accepted = p_value(grid, top, bottom) > alpha
    assert (accepted == ((grid > low) & (grid < high))).all()


def test_rows_are_independent_of_each_other():
    runs = np.array([studies(seed, 6) for seed in range(5)])
    together = ratio_interval(runs[:, 0], runs[:, 1])
    for i in range(5):
        alone = ratio_interval(runs[i : i + 1, 0], runs[i : i + 1, 1])
        assert [x[i] for x in together] == [x[0] for x in alone]


@given(st.integers(0, 10_000), st.integers(3, 12), st.data())
def test_a_missing_run_takes_its_pair_with_it(seed, n, data):
    top, bottom = studies(seed, n + 2)
    gone = data.draw(st.lists(st.integers(0, n + 1), min_size=2, max_size=2, unique=True))
    holed = top.copy(), bottom.copy()
    holed[0][gone[0]] = holed[1][gone[1]] = np.nan
    kept = np.delete(top, gone), np.delete(bottom, gone)
    with_holes, without = (np.array(ratio_interval(a[None], b[None])) for a, b in (holed, kept))
    np.testing.assert_allclose(with_holes, without, rtol=1e-9)
    assert paired_moments(holed[0][None], holed[1][None])[0] == n


def test_too_few_pairs_have_no_ends_and_a_bottom_of_nothing_has_no_ratio():
    nan = np.nan
    value, low, high = ratio_interval(np.array([[0.1, 0.2, 0.3]]), np.array([[0.5, 0.5, nan]]))
    assert value == pytest.approx(0.3)
    assert np.isnan([low, high]).all()
    for bottom in ([0.0, 0.0, 0.0], [-0.5, -0.4, -0.6]):
        value, low, high = ratio_interval(np.array([[0.1, 0.2, 0.3]]), np.array([bottom]))
        assert np.isnan(value)
        assert (low, high) == (-np.inf, np.inf)
    assert np.isnan(ratio_interval(np.full((1, 3), nan), np.full((1, 3), nan))).all()


@given(st.integers(0, 10_000), st.integers(3, 20))
def test_the_lower_end_is_students(seed, n):
    _, runs = studies(seed, n)
    expected = ttest_1samp(runs, 0.0).confidence_interval(0.95).low
    assert lower_end(runs[None], 0.95)[0] == pytest.approx(expected)
    assert lower_end(np.append(runs, np.nan)[None], 0.95)[0] == pytest.approx(expected)
