"""Summaries of a training curve keep its unit, whatever its length."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from mohs.core.errors import UsageError
from mohs.stats import auc, final, paper_scale

RETURNS = st.floats(-1e3, 1e3)


@given(arrays(np.float64, array_shapes(max_dims=3), elements=RETURNS))
def test_summaries_lie_within_their_curve(curve):
    for summary in (auc(curve), final(curve)):
        assert summary.shape == curve.shape[:-1]
        assert (summary >= curve.min(axis=-1) - 1e-9).all()
        assert (summary <= curve.max(axis=-1) + 1e-9).all()


@given(arrays(np.float64, st.integers(1, 30), elements=RETURNS), st.integers(1, 4))
def test_auc_does_not_depend_on_how_finely_the_windows_are_cut(curve, pieces):
    assert np.isclose(auc(np.repeat(curve, pieces)), auc(curve), atol=1e-9)


def test_auc_times_training_length_is_the_area():
    curve = np.array([0.0, 10.0, 50.0, 100.0])
    window = 250
    assert auc(curve) * window * len(curve) == (curve * window).sum()


@pytest.mark.parametrize(("points", "tail"), [(1, 1), (9, 1), (10, 1), (19, 1), (30, 3), (100, 10)])
def test_final_is_the_mean_of_the_last_tenth(points, tail):
    curve = np.arange(points, dtype=float) ** 2
    assert np.isclose(final(curve), curve[-tail:].mean())


def test_empty_windows_are_left_out_and_missing_runs_stay_missing():
    curves = [[np.nan, 1.0, 3.0], [np.nan, np.nan, np.nan]]
    np.testing.assert_array_equal(auc(curves), [2.0, np.nan])


@pytest.mark.parametrize(("delay", "length"), [(0, 1), (4, 1), (0, 3), (4, 5)])
def test_paper_scale_lifts_the_optimum_to_the_limit(delay, length):
    optimum = (100 - delay) / length
    assert np.isclose(optimum * paper_scale(delay, length), 100)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: auc([]), "values"),
        (lambda: auc(3.0), "values"),
        (lambda: auc([1.0, np.inf]), "values"),
        (lambda: final([1.0], share=0.0), "share"),
        (lambda: paper_scale(100, 1), "delay"),
        (lambda: paper_scale(-1, 1), "delay"),
        (lambda: paper_scale(0, 0), "sequence_length"),
    ],
)
def test_errors_name_the_parameter(call, named):
    with pytest.raises(UsageError, match=named):
        call()
