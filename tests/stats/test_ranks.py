"""Ranks of agents at the same cells, the tests that tell agents apart, and groups that are not."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import friedmanchisquare, rankdata, wilcoxon

from mohs.core.errors import UsageError
from mohs.stats import cliques, friedman_p_value, holm, mean_ranks, signed_rank_p_value, smallest_p_value
from mohs.stats.ranks import seed_ranks

FEW_LEVELS = st.integers(-3, 3).map(float)  # ties on purpose


@given(arrays(np.float64, (3, 2, 4), elements=FEW_LEVELS))
def test_a_rank_is_taken_at_the_same_point_and_seed_and_1_is_the_best(scores):
    expected = np.zeros((3, 4))
    for point, seed in itertools.product(range(2), range(4)):
        expected[:, seed] += rankdata(-scores[:, point, seed]) / 2
    np.testing.assert_allclose(seed_ranks(scores), expected)
    found = mean_ranks(scores)
    np.testing.assert_allclose([e.value for e in found], expected.mean(axis=1))
    assert sum(e.value for e in found) == pytest.approx(6)
    assert all(1 <= e.low <= e.value + 1e-9 and e.value - 1e-9 <= e.high <= 3 for e in found)


def test_unanimous_ranks_are_not_certain():
    """The best of 3 in all of 10 seeds: at the far end such a run of luck has probability .025."""
    scores = np.arange(3.0)[::-1, None, None] + np.zeros((3, 4, 10))
    first, second, _ = mean_ranks(scores)
    assert (first.value, first.low, second.value) == (1, 1, 2)
    assert (1 - (first.high - 1) / 2) ** 10 == pytest.approx(0.025)
    assert second.low < 2 < second.high


def test_ranks_need_every_run():
    scores = np.zeros((2, 2, 3))
    scores[0, 0, 0] = np.nan
    with pytest.raises(UsageError, match="scores must be complete"):
        mean_ranks(scores)


def test_friedmans_permutations_are_those_within_seeds():
    """Two agents, four seeds: all 16 exchanges, counted."""
    scores = np.array([[[3.0, 2.0, 5.0, 1.0]], [[1.0, 0.0, 4.0, 2.0]]])
    lead = [1, 1, 1, -1]  # of the first agent in each seed
    spreads = [
        abs(sum(s * x for s, x in zip(signs, lead, strict=True))) for signs in itertools.product((1, -1), repeat=4)
    ]
    exact = np.mean([spread >= abs(sum(lead)) for spread in spreads])
    assert friedman_p_value(scores, draws=20_000) == pytest.approx(exact, abs=0.015)


def test_friedmans_p_value_is_near_the_chi_square_with_many_seeds():
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(4, 1, 60)) + 0.25 * np.arange(4)[:, None, None]
    expected = friedmanchisquare(*scores[:, 0]).pvalue
    assert friedman_p_value(scores) == pytest.approx(expected, abs=0.01)
    apart = scores + 10 * np.arange(4)[:, None, None]
    assert friedman_p_value(apart) == pytest.approx(1 / 10_001)


def test_friedman_keeps_its_level_where_points_share_their_seeds():
    """Five points that are the same run five times are no more evidence than one."""
    rng = np.random.default_rng(0)
    found = [friedman_p_value(np.repeat(rng.normal(size=(3, 1, 8)), 5, axis=1), draws=400) for _ in range(300)]
    assert np.mean(np.array(found) <= 0.05) < 0.09


@given(arrays(np.float64, st.integers(1, 9), elements=FEW_LEVELS))
def test_the_signed_rank_test_counts_all_signs(differences):
    kept = differences[differences != 0]
    found = signed_rank_p_value(differences)
    if not kept.size:
        assert found == 1
        return
    ranks = rankdata(np.abs(kept))
    observed = abs((ranks * np.sign(kept)).sum())
    sums = [abs((ranks * signs).sum()) for signs in itertools.product((1, -1), repeat=len(kept))]
    assert found == pytest.approx(np.mean([s >= observed - 1e-9 for s in sums]))


@pytest.mark.parametrize("n", [6, 20, 120])
def test_the_signed_rank_test_is_scipys_without_ties(n):
    differences = np.random.default_rng(n).normal(0.2, 1, size=n)
    assert signed_rank_p_value(differences) == pytest.approx(wilcoxon(differences, mode="exact").pvalue)


def test_the_normal_approximation_follows_the_exact_one():
    differences = np.random.default_rng(0).normal(0.1, 1, size=400)
    expected = wilcoxon(differences, mode="approx", correction=True).pvalue
    assert signed_rank_p_value(differences) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("n", [1, 3, 8])
def test_the_smallest_p_value_is_that_of_one_sign(n):
    assert smallest_p_value(n) == pytest.approx(signed_rank_p_value(np.arange(1.0, n + 1)))


def test_holms_correction():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []


@given(st.integers(1, 6), st.data())
def test_groups_are_the_largest_without_a_pair_apart(count, data):
    pairs = list(itertools.combinations(range(count), 2))
    apart = set(data.draw(st.lists(st.sampled_from(pairs), unique=True))) if pairs else set()

    def together(group):
        return not any(pair in apart for pair in itertools.combinations(group, 2))

    all_groups = [g for k in range(2, count + 1) for g in itertools.combinations(range(count), k) if together(g)]
    largest = {g for g in all_groups if not any(set(g) < set(other) for other in all_groups)}
    assert set(cliques(count, apart)) == largest
