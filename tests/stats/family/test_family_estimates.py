"""Estimates over a family: exact variances, agreement with textbook formulas, coverage by simulation."""

import math

import numpy as np
import pytest

from mohs.core.errors import UsageError
from mohs.stats import estimate
from mohs.stats.family import (
    DESIGNS,
    better_on_random_member,
    draw,
    estimate_family,
    log_ratios,
    rank_intervals,
    skewness_warning,
)
from mohs.stats.family.coverage import family_errors
from mohs.stats.family.designs import Sample
from mohs.stats.family.simulated import simulated_cartpoles
from mohs.stats.family.variance import neighbour_covariance, share_bounds

N = 60
X = np.arange(float(N))[:, None]
P = np.full(N, 1 / N)


def sampled(design="pivotal", n=30, seed=0):
    return draw(design, P, X, n, seed)


def test_m1_is_students_interval():
    sample = sampled("m1")
    y = np.random.default_rng(0).normal(size=30)
    found = estimate_family(sample, [y], P, X).estimate(0)
    half = 2.045229642132703 * y.std(ddof=1) / math.sqrt(30)  # t(29) at .975
    assert (found.low, found.high) == pytest.approx((y.mean() - half, y.mean() + half))


def test_as_many_draws_as_points_are_no_census():
    """M1 draws some points twice and misses others."""
    runs = np.random.default_rng(0).normal(size=(1, N, 2)) * 0.01 + X.T[:, :, None] / N
    sample = sampled("m1", n=N)
    found = estimate_family(sample, runs[:, sample.chosen], P, X)
    assert found.df.item() == N - 1
    assert found.estimate(0).low < runs.mean() < found.estimate(0).high


def test_a_census_has_no_design_error():
    runs = np.random.default_rng(0).normal(size=(2, N, 3))
    sample = sampled("census")
    found = estimate_family(sample, runs, P, X)
    per_point = runs.var(axis=2, ddof=1) / 3
    assert np.diag(found.covariance) == pytest.approx((P**2 * per_point).sum(axis=1))
    assert found.values == pytest.approx(runs.mean(axis=(1, 2)))
    same = np.repeat(runs.mean(axis=2, keepdims=True), 3, axis=2)  # seeds agree
    assert np.diag(estimate_family(sample, same, P, X).covariance) == pytest.approx(0.0)


def plain_neighbours(y, factors, space):
    """The same law in plain Python."""
    n = len(space)
    found = np.zeros((len(y), len(y)))
    for a in range(n):
        distance = [((space[a] - space[b]) ** 2).sum() if b != a else np.inf for b in range(n)]
        near = [b for b in range(n) if distance[b] <= sorted(distance)[1] + 1e-9]
        found += factors[a] / 2 * np.mean([np.outer(y[:, a] - y[:, b], y[:, a] - y[:, b]) for b in near], axis=0)
    return found


@pytest.mark.parametrize("ties", [False, True])
def test_neighbour_covariance_is_the_plain_one(ties):
    rng = np.random.default_rng(1)
    space = rng.integers(3, size=(25, 2)).astype(float) if ties else rng.normal(size=(25, 2))
    y, factors = rng.normal(size=(3, 25)), rng.random(25)
    distances = ((space[:, None] - space) ** 2).sum(axis=2)
    found, df = neighbour_covariance(y, factors, distances, np.arange(25))
    assert found == pytest.approx(plain_neighbours(y, factors, space))
    assert 5 < df < 25


def test_differences_are_paired():
    """What all methods share at a point cancels."""
    rng, sample = np.random.default_rng(2), sampled()
    shared = rng.normal(size=30)
    y = np.array([shared, shared + 0.1 + 0.01 * rng.normal(size=30)])
    found = estimate_family(sample, y, P, X)
    alone, gap = found.estimate(0), found.difference(1, 0)
    assert (gap.high - gap.low) < (alone.high - alone.low) / 10
    assert gap.low > 0.07
    direct = estimate_family(sample, [y[1] - y[0]], P, X)
    assert gap.value == pytest.approx(direct.values[0])
    c = found.covariance
    assert c[0, 0] + c[1, 1] - 2 * c[0, 1] == pytest.approx(direct.covariance[0, 0])


def test_scores_that_are_nearly_all_alike_are_no_certainty():
    """One of 30 points differs, and the sample lacks it: the scores of the other method say how far it may be."""
    rng, sample = np.random.default_rng(4), sampled()
    y = np.array([0.25 + 1e-4 * rng.normal(size=30), rng.uniform(0, 1, 30)])
    alike = estimate_family(sample, y, P, X).estimate(0)
    assert alike.high > 0.25 + 2 * (y.max() - 0.25) / 31


def test_more_seeds_shrink_the_share_of_the_design():
    """With the same means at every point, known spread over seeds gives back 1 − n/N of the variance."""
    rng, sample = np.random.default_rng(3), sampled()
    y = rng.normal(size=(1, 30))
    one = estimate_family(sample, y, P, X).covariance[0, 0]
    two = estimate_family(sample, np.repeat(y[:, :, None], 2, axis=2), P, X).covariance[0, 0]
    assert two == pytest.approx(one * (1 - 30 / N))


def test_missing_runs_leave_points_out():
    y = np.random.default_rng(4).normal(size=(2, 30, 2))
    y[0, 3] = np.nan
    y[1, 5, 0] = np.nan
    found = estimate_family(sampled(), y, P, X)
    assert (found.n, found.seeds) == (29, 1)
    assert found.values[0] == pytest.approx(np.delete(y[0], 3, axis=0).mean())


def test_fewer_than_16_points_have_no_interval():
    sample = sampled(n=15)
    found = estimate_family(sample, np.random.default_rng(0).normal(size=(2, 15)), P, X)
    assert not found.known
    assert "16" in found.why
    assert not found.estimate(0).known
    assert rank_intervals(found)[1].tolist() == [1, 1]


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("seeds", [1, 3])
def test_biased_and_systematic_designs_have_no_intervals(design, seeds):
    sample = sampled(design, n=N if design == "census" else 30)
    y = np.random.default_rng(0).normal(size=(2, len(sample.chosen), seeds))
    found = estimate_family(sample, y, P, X)
    assert found.known == found.estimate(0).known == (design not in ("m2", "m3", "systematic"))
    assert found.known or "no interval holds" in found.why


def test_a_family_of_one_point_has_the_interval_of_its_seeds():
    runs = np.random.default_rng(0).normal(size=(1, 1, 5))
    sample = draw("census", [1.0], [[0.0]], 1, seed=0)
    found, plain = estimate_family(sample, runs, [1.0], [[0.0]]).estimate(0), estimate(runs.ravel())
    assert found.value == pytest.approx(plain.value)
    assert found.high - found.low == pytest.approx(2 * 2.776445105197793 * runs.std(ddof=1) / math.sqrt(5))  # t(4)
    assert not estimate_family(sample, runs[:, :, :1], [1.0], [[0.0]]).known


def test_heavy_tails_have_no_interval_and_a_warning():
    y = np.ones((1, 30))
    y[0, 0] = 1e6
    found = estimate_family(sampled(), y, P, X)
    assert not found.estimate(0).known
    assert "heavy-tailed" in skewness_warning(float(found.skew[0, 0]), 30)
    assert estimate_family(sampled(), log_ratios(y, np.ones(30)), P, X).values[0] == pytest.approx(math.log(1e6) / 30)


def test_intervals_stay_in_the_range_and_agreement_is_no_certainty():
    solved = estimate_family(sampled(), np.ones((1, 30)), P, X, range_=(0.0, 1.0)).estimate(0)
    assert solved.high == pytest.approx(1.0)
    assert solved.low == pytest.approx(0.025 ** (1 / 30))  # as Clopper and Pearson's for 30 of 30
    y = (np.arange(30) % 6 > 0).astype(float)
    assert estimate_family(sampled(), [y], P, X, range_=(0.0, 1.0)).estimate(0).high <= 1.0


RARE = np.random.default_rng(0).random((576, 2))


@pytest.mark.parametrize("n", [16, 24, 48])
@pytest.mark.parametrize("bad", [0.03, 0.1])
def test_failures_that_the_sample_lacks_are_covered(n, bad):
    """One method fails at a few points, another scores the same mean everywhere: neither is better."""
    rng, p, held, told = np.random.default_rng(n), np.full(576, 1 / 576), 0, 0
    for repeat in range(150):
        y = np.ones((2, 576))
        y[0, rng.permutation(576)[: int(bad * 576)]] = 0.0
        y[1] = y[0].mean() + 0.001 * rng.normal(size=576)
        sample = draw("pivotal", p, RARE, n, repeat)
        found = estimate_family(sample, y[:, sample.chosen], p, RARE, range_=(-np.inf, 1.0), references=(0.0, 1.0))
        own, gap = found.estimate(0), found.difference(0, 1)
        held += not own.known or own.low <= y[0].mean() <= own.high
        told += gap.known and not gap.low <= 0 <= gap.high
    assert held >= 0.93 * 150
    assert told <= 0.07 * 150


@pytest.mark.parametrize(("points", "seeds"), [(1, 2), (3, 2), (5, 2), (5, 3)])
@pytest.mark.parametrize("success", [0.5, 0.8, 0.9, None])
def test_small_whole_families_with_few_seeds_are_covered(points, seeds, success):
    """Runs succeed or fail. Without a probability of success, only those of the first point ever fail."""
    chances = np.full(points, success) if success else np.r_[0.5, np.ones(points - 1)]
    rng, p, x = np.random.default_rng(points), np.full(points, 1 / points), np.arange(float(points))[:, None]
    sample, held = draw("census", p, x, points, 0), np.zeros(2)
    for _ in range(300):
        won = rng.random((points, seeds)) < chances[:, None]
        found = estimate_family(sample, [won, 0.002 * rng.normal(size=won.shape)], p, x, references=(0.0, 1.0))
        held += [e.low <= chances.mean() <= e.high for e in (found.estimate(0), found.difference(0, 1))]
    assert held.min() >= 0.92 * 300


def test_few_points_make_most_of_the_variance_and_only_their_seeds_count():
    from mohs.stats.family.variance import seed_df

    rng = np.random.default_rng(0)
    runs = rng.normal(size=(1, 50, 4))
    factors = np.full(50, 1 / 50**2)
    assert seed_df(runs, factors).item() == pytest.approx(150, rel=0.25)
    runs[0, 1:] *= 1e-6
    assert seed_df(runs, factors).item() == pytest.approx(3)
    assert seed_df(np.ones((1, 50, 4)), factors).item() == 150


def test_raw_returns_that_are_all_alike_have_no_interval():
    y = np.array([np.full(30, -200.0), np.random.default_rng(0).uniform(-200, -100, 30)])
    found = estimate_family(sampled(), y, P, X)
    assert found.alike.tolist() == [True, False]
    assert not found.estimate(0).known
    assert found.estimate(1).known
    assert not found.difference(0, 1).known
    with_ends = estimate_family(sampled(), y, P, X, references=(-200.0, -100.0))
    assert with_ends.estimate(0).high == pytest.approx(-200 + 100 * (1 - 0.025 ** (1 / 30)))


def test_a_share_of_simple_draws_is_clopper_pearson():
    from mohs.stats.counts import clopper_pearson

    share, n = 0.3, 40
    assert share_bounds(share, share * (1 - share) / n, n, n - 1, 0.95) == pytest.approx(clopper_pearson(12, 40))
    assert share_bounds(0.0, 0.0, n, n - 1, 0.95) == pytest.approx(clopper_pearson(0, 40))


def test_the_regression_assists_and_does_not_bias():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 2))
    p, y = rng.dirichlet(np.full(200, 5.0)), 2 * x[:, 0] + x[:, 1] ** 2
    plain, helped = [], []
    for seed in range(150):
        sample = draw("pivotal", p, x, 40, seed)
        plain.append(estimate_family(sample, [y[sample.chosen]], p, x).values[0])
        sample = draw("assisted", p, x, 40, seed)
        helped.append(estimate_family(sample, [y[sample.chosen]], p, x).values[0])
    assert np.std(helped) < np.std(plain) / 10
    assert np.mean(helped) == pytest.approx(p @ y, abs=0.01)


def test_rank_intervals_say_what_is_sure():
    rng, sample = np.random.default_rng(0), sampled()
    noise = 0.01 * rng.normal(size=(3, 30))
    ranks, low, high = rank_intervals(estimate_family(sample, noise + np.array([[0.0], [1.0], [0.0]]), P, X))
    assert (ranks[1], low[1], high[1]) == (1, 1, 1)
    assert (low[0], high[0], low[2], high[2]) == (2, 3, 2, 3)


def test_better_on_a_random_member_counts_ties_half():
    sample = sampled()
    a = sample.chosen.astype(float)
    found = better_on_random_member(sample, [a, np.full(30, 29.5), a], P, X)
    assert found[0][1].value == pytest.approx(np.mean(a > 29.5))
    assert found[0][1].low < 0.5 < found[0][1].high
    assert (found[0][2].value, found[1][0].value) == pytest.approx((0.5, 1 - found[0][1].value))


def test_an_equal_sample_agrees_with_the_mean_over_runs():
    """Cluster centres far apart from each other: neighbour differences are as wide as all differences."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    sample = Sample("pivotal", np.arange(200), np.full(200, 1e-9), np.full(200, 1 / 200))
    found = estimate_family(sample, [y], np.full(200, 1 / 200), rng.normal(size=(200, 3))).estimate(0)
    plain = estimate(y)
    assert found.high - found.low == pytest.approx(plain.high - plain.low, rel=0.15)


@pytest.mark.parametrize(
    ("scores", "text"), [([[1.0, 2.0]], "30 sampled points"), (np.full((1, 30), np.nan), "at least one point")]
)
def test_bad_scores_are_one_sentence(scores, text):
    with pytest.raises(UsageError, match=text):
        estimate_family(sampled(), scores, P, X)


@pytest.mark.slow
@pytest.mark.parametrize("weighting", ["equal weights", "random weights", "failures weigh 10"])
@pytest.mark.parametrize("seeds", [1, 3])
def test_the_default_design_is_unbiased_and_covers(weighting, seeds):
    found = family_errors(weighting, seeds, (29, 58, 144, 288), repeats=1500)
    for n, row in found.items():
        assert np.abs(row["bias"]).max() <= 0.005
        assert row["coverage"].min() >= 0.92
        # With few points and little noise intervals are wider: they allow for failures that the sample may lack.
        assert (n < 144 and seeds == 3) or row["coverage"].mean() <= 0.98


def test_the_simulated_family_is_as_it_says():
    family = simulated_cartpoles()
    runs = family.runs(np.random.default_rng(0), 400)
    assert runs.mean(axis=2) == pytest.approx(family.expected, abs=0.12)
    assert runs.mean(axis=(1, 2)) == pytest.approx(family.expected.mean(axis=1), abs=0.003)


def test_warnings_of_heavy_tails_ask_for_what_there_is():
    assert skewness_warning(0.0, 3) == ""
    assert "about 225 points, not 36" in skewness_warning(3.0, 36, 500)
    assert "all 180 points with several seeds" in skewness_warning(3.0, 36, 180)


def test_a_complete_family_takes_no_failure_from_another_method():
    """In a sample the point may be missing at which a method fails as another one does; not where all points ran."""
    rng = np.random.default_rng(0)
    steady, failing = 0.5 + 0.01 * rng.normal(size=N), 0.5 + 0.01 * rng.normal(size=N)
    failing[7] = -40.0
    alone, together = (
        estimate_family(sampled("census"), scores, P, X, references=(0.0, 1.0)).estimate(0)
        for scores in ([steady], [steady, failing])
    )
    assert (together.low, together.high) == pytest.approx((alone.low, alone.high))
    chosen = sampled(n=30)
    there = np.r_[7, chosen.chosen[1:]]
    seen = Sample(chosen.design, there, chosen.inclusion, chosen.weights)
    wide = estimate_family(seen, [steady[there], failing[there]], P, X, references=(0.0, 1.0)).estimate(0)
    assert wide.high - wide.low > 5 * (together.high - together.low)
