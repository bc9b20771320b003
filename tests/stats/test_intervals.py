"""Laws of the estimates and their intervals."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import t as student
from scipy.stats import trim_mean

from mohs.core.errors import UsageError
from mohs.stats import Estimate, bonferroni_comparisons, estimate, estimates

STATISTICS = ("mean", "iqm")
SCORES = st.floats(-100, 100).map(lambda score: round(score, 3))
RUNS = arrays(np.float64, st.integers(4, 25), elements=SCORES)


def numbers(found: Estimate) -> np.ndarray:
    return np.array([found.value, found.low, found.high])


def iqm_by_repetition(runs):
    """The middle half, counted out: each run four times makes n/4 of the runs a whole number of copies."""
    copies = np.repeat(np.sort(runs), 4)
    return copies[len(runs) : -len(runs)].mean()


@given(RUNS)
def test_values_agree_with_their_definitions(runs):
    assert np.isclose(estimate(runs).value, runs.mean(), atol=1e-9)
    assert np.isclose(estimate(runs, "iqm").value, iqm_by_repetition(runs), atol=1e-9)


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_iqm_is_the_quarter_trimmed_mean_for_multiples_of_4(quarter, seed):
    runs = np.random.default_rng(seed).normal(size=4 * quarter)
    assert np.isclose(estimate(runs, "iqm").value, trim_mean(runs, 0.25))


@pytest.mark.parametrize("statistic", STATISTICS)
@given(RUNS, st.floats(0.1, 10), st.floats(-10, 10))
def test_estimates_follow_a_change_of_unit(statistic, runs, scale, shift):
    moved = numbers(estimate(scale * runs + shift, statistic))
    np.testing.assert_allclose(moved, scale * numbers(estimate(runs, statistic)) + shift, atol=1e-6)


@pytest.mark.parametrize("statistic", STATISTICS)
@given(RUNS, st.randoms(use_true_random=False))
def test_order_and_missing_runs_play_no_part(statistic, runs, random):
    mixed = [*runs, math.nan, math.nan]
    random.shuffle(mixed)
    found = estimate(mixed, statistic)
    np.testing.assert_allclose(numbers(found), numbers(estimate(runs, statistic)), atol=1e-6)
    assert found.n == len(runs)


@pytest.mark.parametrize("statistic", STATISTICS)
@given(RUNS)
def test_mirrored_runs_have_the_mirrored_interval(statistic, runs):
    found, mirrored = estimate(runs, statistic), estimate(-runs, statistic)
    np.testing.assert_allclose(numbers(mirrored), [-found.value, -found.high, -found.low], atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("statistic", STATISTICS)
@given(RUNS, st.integers(2, 50))
def test_more_comparisons_only_widen(statistic, runs, comparisons):
    one, many = estimate(runs, statistic), estimate(runs, statistic, comparisons=comparisons)
    assert many.low <= one.low <= one.value + 1e-9
    assert one.value - 1e-9 <= one.high <= many.high
    assert np.isclose(many.level, 1 - 0.05 / comparisons)


@given(RUNS)
def test_the_mean_interval_holds_students(runs):
    half = student.ppf(0.975, len(runs) - 1) * runs.std(ddof=1) / math.sqrt(len(runs))
    found = estimate(runs)
    assert found.low <= runs.mean() - half + 1e-6
    assert found.high >= runs.mean() + half - 1e-6


def test_the_mean_interval_of_symmetric_runs_is_students():
    runs = np.array([-3.0, -1.0, 0.0, 1.0, 3.0])
    half = student.ppf(0.975, 4) * runs.std(ddof=1) / math.sqrt(5)
    np.testing.assert_allclose(numbers(estimate(runs)), [0, -half, half], atol=1e-12)


def test_rows_are_estimated_as_if_alone():
    rows = np.random.default_rng(0).normal(size=(6, 9))
    rows[1, :4] = rows[2, :7] = rows[3] = np.nan
    for statistic in STATISTICS:
        together = estimates(rows, statistic)
        for row, found in zip(rows, together, strict=True):
            np.testing.assert_allclose(numbers(found), numbers(estimate(row, statistic)))


@pytest.mark.parametrize(("statistic", "fewest"), [("mean", 3), ("iqm", 4)])
def test_too_few_runs_give_a_value_without_interval(statistic, fewest):
    few = estimate(np.arange(fewest - 1.0), statistic)
    assert not few.known
    assert few.value == (fewest - 2) / 2
    assert estimate(np.arange(float(fewest)), statistic).known
    assert few.to_dict()["low"] is None
    json.dumps(few.to_dict(), allow_nan=False)


def test_no_runs_give_nothing():
    found = estimate([math.nan, math.nan])
    assert found.n == 0
    assert math.isnan(found.value)


@pytest.mark.parametrize(("bars", "pairs"), [(1, 1), (2, 1), (5, 10), (6, 15)])
def test_comparisons_are_pairs_of_bars(bars, pairs):
    assert bonferroni_comparisons(bars) == pairs


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: estimate([[1.0]]), "samples"),
        (lambda: estimates([1.0]), "samples"),
        (lambda: estimate(["a"]), "samples"),
        (lambda: estimate([1.0], "median"), "statistic.*iqm, mean"),
        (lambda: estimate([1.0], level=1.0), "level"),
        (lambda: estimate([1.0], level=95), "level"),
        (lambda: estimate([1.0], comparisons=0), "comparisons"),
        (lambda: bonferroni_comparisons(0), "k must"),
    ],
)
def test_errors_name_the_parameter(call, named):
    with pytest.raises(UsageError, match=named):
        call()


def test_importing_needs_only_numpy():
    loaded = "import sys, mohs.stats; print([m for m in sys.modules if m.split('.')[0] == 'scipy'])"
    answer = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
