"""Is the p-value of a rank correlation scipy's, and the exact one that of all orders?"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from mohs.core.errors import UsageError
from mohs.stats import approximate_p_value, exact_p_value

FEW = st.integers(3, 6).flatmap(
    lambda k: st.tuples(*(st.lists(st.integers(0, 4), min_size=k, max_size=k) for _ in range(2)))
)


@given(FEW)
def test_the_approximate_p_value_is_scipys(pair: tuple[list[int], list[int]]) -> None:
    a, b = pair
    if len(set(a)) == 1 or len(set(b)) == 1 or abs(spearmanr(a, b).statistic) > 1 - 1e-9:
        assert math.isnan(approximate_p_value(a, b))
    else:
        assert approximate_p_value(a, b) == pytest.approx(spearmanr(a, b).pvalue, abs=1e-7)


@given(FEW)
def test_the_exact_p_value_counts_the_orders_that_are_as_extreme(pair: tuple[list[int], list[int]]) -> None:
    a, b = pair
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert math.isnan(exact_p_value(a, b))
        return
    found = abs(spearmanr(a, b).statistic)
    shuffled = [abs(np.corrcoef(_ranks(a), order)[0, 1]) for order in itertools.permutations(_ranks(b))]
    assert exact_p_value(a, b) == pytest.approx(np.mean([r >= found - 1e-9 for r in shuffled]))


@pytest.mark.parametrize(
    ("order", "r", "approximate", "exact"),
    [
        ([1, 2, 3, 4, 5], 1.0, math.nan, 2 / 120),
        ([2, 1, 3, 4, 5], 0.9, 0.037, 10 / 120),
        ([2, 1, 4, 3, 5], 0.8, 0.104, 16 / 120),
        ([3, 1, 2, 5, 4], 0.6, 0.285, 42 / 120),
        ([5, 1, 2, 3, 4], 0.0, 1.0, 1.0),
    ],
)
def test_five_doses_as_in_tables_2_to_4(order: list[int], r: float, approximate: float, exact: float) -> None:
    vanilla_first = [5, 4, 3, 2, 1]
    turned = [6 - rank for rank in order]
    assert spearmanr(vanilla_first, turned).statistic == pytest.approx(r)
    assert approximate_p_value(vanilla_first, turned) == pytest.approx(approximate, abs=6e-4, nan_ok=True)
    assert exact_p_value(vanilla_first, turned) == pytest.approx(exact)


def test_the_sign_of_the_agreement_does_not_matter() -> None:
    a, b = np.array([5.0, 3.0, 4.0, 1.0, 2.0]), np.array([9.0, 8.0, 5.0, 4.0, 4.0])
    for p_value in (approximate_p_value, exact_p_value):
        assert p_value(a, b) == pytest.approx(p_value(a, -b)) == pytest.approx(p_value(b, a))


def test_two_doses_have_no_approximation_and_many_no_exact_value() -> None:
    assert math.isnan(approximate_p_value([1, 2], [1, 2]))
    assert exact_p_value([1, 2], [1, 2]) == 1.0
    assert math.isnan(exact_p_value(range(10), range(10)))
    assert math.isnan(approximate_p_value(range(10), range(10)))  # t is infinite


@pytest.mark.parametrize(("a", "b"), [([1, 2, 3], [1, 2]), ([1, 2, math.nan], [1, 2, 3])])
def test_what_cannot_be_paired_is_refused(a: list[float], b: list[float]) -> None:
    for p_value in (approximate_p_value, exact_p_value):
        with pytest.raises(UsageError, match="a and b must"):
            p_value(a, b)


def _ranks(values: list[int]) -> list[float]:
    return [sum(v < x for v in values) + (sum(v == x for v in values) + 1) / 2 for x in values]
