"""No end of an interval lies outside the known range of a measure, and that costs no coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mohs.core.errors import UsageError
from mohs.stats import estimate, paired_difference
from mohs.stats.counts import clopper_pearson
from mohs.stats.coverage import bounded_cases, bounded_coverage

SHARES = st.lists(st.floats(0, 1), min_size=3, max_size=12)


@given(SHARES)
def test_no_end_lies_outside_and_none_further_out_than_students(runs: list[float]) -> None:
    plain, within = estimate(runs), estimate(runs, bounds=(0, 1))
    assert within.value == plain.value
    assert 0 <= within.low <= within.value <= within.high <= 1
    assert within.low >= min(plain.low, 1)
    assert within.high <= max(plain.high, 0)
    inside = plain.low >= 0 and plain.high <= 1
    assert not inside or (within.low, within.high) == (plain.low, plain.high)


@pytest.mark.parametrize(("successes", "n"), [(1, 3), (2, 3), (1, 5), (4, 5)])
def test_of_runs_that_succeed_or_fail_the_bound_is_clopper_and_pearsons(successes: int, n: int) -> None:
    found = estimate([1.0] * successes + [0.0] * (n - successes), bounds=(0, 1))
    assert (found.low, found.high) == pytest.approx(clopper_pearson(successes, n), abs=0.01)


def test_an_interval_need_not_be_as_wide_as_the_range() -> None:
    found = estimate([0, 0, 1], bounds=(0, 1))
    assert 0 < found.low < 0.05
    assert 0.8 < found.high < 1


def test_one_end_may_be_unknown() -> None:
    plain, found = estimate([0.2, 0.5, 0.9]), estimate([0.2, 0.5, 0.9], bounds=(-math.inf, 1))
    assert found.low == plain.low < 0
    assert found.high <= 1 < plain.high


def test_lucky_runs_beyond_the_range_are_drawn_to_its_end() -> None:
    found = estimate([1.02, 1.03, 1.05], bounds=(0, 1))
    assert (found.value, found.high) == (1, 1)
    assert 0.9 < found.low < 1


@pytest.mark.parametrize("statistic", ["iqm", "sd"])
def test_the_other_statistics_respect_the_range(statistic: str) -> None:
    found = estimate([0, 1, 0, 1, 1], statistic, bounds=(0, 1))
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert "within the known range" in found.method


@pytest.mark.parametrize("statistic", ["mean", "iqm"])
def test_where_every_policy_earns_the_same_the_interval_is_that_point(statistic: str) -> None:
    for runs in ([2.0] * 6, [1.8, 1.9, 2.0, 2.0, 2.1, 2.4]):
        found = estimate(runs, statistic, bounds=(2, 2))
        assert (found.low, found.value, found.high) == (2, 2, 2)


def test_differences_have_a_range_of_their_own() -> None:
    found = paired_difference([1, 1, 0], [0, 1, 0], bounds=(-1, 1))
    assert -1 < found.low < 0 < found.high <= 1


@pytest.mark.parametrize("wrong", [(1, 0), (math.inf, math.inf), (math.nan, 1)])
def test_a_range_has_its_smaller_end_first(wrong: tuple[float, float]) -> None:
    with pytest.raises(UsageError, match="bounds must be"):
        estimate([0, 1, 1], bounds=wrong)


@pytest.mark.parametrize("case", bounded_cases())
@pytest.mark.parametrize("n", [3, 5, 10])
def test_a_known_range_costs_no_coverage(case: str, n: int) -> None:
    (plain, wide), (covered, width) = (
        bounded_coverage(bounded_cases()[case], n, known, 1000) for known in (False, True)
    )
    assert covered >= plain - 0.01
    assert width <= wide
    assert np.isfinite(width)
