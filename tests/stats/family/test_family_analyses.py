"""Rank shares, dominance, weightings, budgets, looks, errors and explanations, against brute force and simulation."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import rankdata

from mohs.core.errors import UsageError
from mohs.stats.comparison import average_ranks
from mohs.stats.family import (
    Components,
    budget_to_decide,
    components,
    decided,
    dirichlet_weightings,
    dominance,
    dominance_shares,
    draw,
    error_against_budget,
    estimate_family,
    expected_width,
    explain_failures,
    failure_weights,
    look_comparisons,
    look_sizes,
    plan_budget,
    points_for_width,
    rank_share_intervals,
    rank_shares,
    simplex_shares,
    smallest_reversal,
    spent,
    weighted_profile,
)
from mohs.stats.family.simulated import simulated_cartpoles

FAMILY = simulated_cartpoles()
SIZE = FAMILY.expected.shape[1]
EQUAL = np.full(SIZE, 1 / SIZE)


# --- Rank shares ---


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("levels", [3, 1000])  # with 3 levels most combinations have ties
def test_rank_shares_are_those_of_all_combinations(weighted, levels):
    rng = np.random.default_rng(levels)
    tables = [rng.integers(levels, size=(4, n)).astype(float) for n in (3, 5, 4)]
    weights = [rng.dirichlet(np.ones(t.shape[1])) for t in tables]
    plain = np.zeros((4, 4))
    for places in itertools.product(*(range(t.shape[1]) for t in tables)):
        total = sum(t[:, i] for t, i in zip(tables, places, strict=True))
        chance = math.prod(w[i] for w, i in zip(weights, places, strict=True)) if weighted else 1 / 60
        best, worst = rankdata(-total, "min"), rankdata(-total, "max")
        for method in range(4):
            for rank in range(int(best[method]), int(worst[method]) + 1):
                plain[method, rank - 1] += chance / (worst[method] - best[method] + 1)
    assert rank_shares(tables, weights if weighted else None) == pytest.approx(plain)


def test_rounding_makes_no_order():
    assert rank_shares([[[0.1], [0.3]], [[0.2], [0.0]]]).tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_intervals_of_rank_shares_hold_the_shares_of_the_means():
    rng, held = np.random.default_rng(0), []
    means = [rng.random((3, n)) for n in (8, 6)]
    truth = rank_shares(means)
    for seed in range(20):
        runs = [m[:, :, None] + 0.05 * np.random.default_rng(seed).normal(size=(*m.shape, 5)) for m in means]
        low, high = rank_share_intervals(runs, resamples=100, seed=seed, combinations=2000)
        held.append((low - 0.01 <= truth) & (truth <= high + 0.01))
    assert np.mean(held) > 0.9
    with pytest.raises(UsageError, match="two seeds"):
        rank_share_intervals([m[:, :, None] for m in means])


def test_intervals_of_rank_shares_lie_around_the_shares():
    rng = np.random.default_rng(1)
    runs, weights = [rng.random((3, n, 2)) for n in (12, 7)], [rng.dirichlet(np.ones(n)) for n in (12, 7)]
    shares = rank_shares([r.mean(axis=2) for r in runs], weights)
    low, high = rank_share_intervals(runs, weights, resamples=100, combinations=2000, resample_points=True)
    assert ((low < shares) & (shares < high)).all()


# --- Dominance ---


def plain_dominance(a, b, p, order):
    """At every threshold, or with every risk-averse utility of the form min(x, c)."""
    grid = np.unique([a, b])
    if order == 1:
        ours, theirs = (np.array([p[x > c].sum() for c in grid]) for x in (a, b))
    else:
        ours, theirs = (np.array([p @ np.minimum(x, c) for c in grid]) for x in (a, b))
    return bool((ours >= theirs - 1e-12).all() and (ours > theirs + 1e-12).any())


@pytest.mark.parametrize("order", [1, 2])
def test_dominance_is_that_of_all_thresholds(order):
    rng, seen = np.random.default_rng(order), set()
    for _ in range(300):
        scores, p = rng.integers(4, size=(3, 4)).astype(float), rng.dirichlet(np.ones(4))
        found = dominance(scores, p, order)
        for i, j in itertools.product(range(3), repeat=2):
            assert found[i, j] == (i != j and plain_dominance(scores[i], scores[j], p, order))
        seen.add(bool(found.any()))
    assert seen == {True, False}


def test_the_first_order_implies_the_second():
    rng = np.random.default_rng(0)
    for _ in range(100):
        scores, p = rng.random((2, 4)) + np.array([[0.3], [0.0]]), rng.dirichlet(np.ones(4))
        assert (dominance(scores, p, 1) <= dominance(scores, p, 2)).all()


def test_dominance_is_sure_where_every_point_agrees():
    rng = np.random.default_rng(0)
    y, p = rng.random(40), np.full(40, 1 / 40)
    assert dominance_shares([y + 0.1, y], p, resamples=200)[0, 1] == 1.0
    assert dominance_shares([y + 0.01 * rng.normal(size=40), y], p, resamples=200)[0, 1] < 0.9


def test_a_profile_is_the_weighted_share_above_thresholds():
    p = failure_weights(FAMILY.expected[0], "high")
    sample = draw("census", p, FAMILY.features, SIZE, seed=0)
    profile = weighted_profile(sample, FAMILY.expected[0][sample.chosen], p, FAMILY.features, [0.2, 0.5, 0.9])
    assert profile.share == pytest.approx([p[FAMILY.expected[0] > t].sum() for t in (0.2, 0.5, 0.9)])
    assert all(a < s < b for a, s, b in zip(profile.low, profile.share, profile.high, strict=True))


# --- Weightings ---


@pytest.mark.parametrize("seed", range(10))
def test_the_smallest_reversal_is_that_of_a_linear_program(seed):
    rng = np.random.default_rng(seed)
    n, p = 8, np.random.default_rng(seed).dirichlet(np.ones(8))
    a, b = rng.random(n) + 0.2, rng.random(n)
    found = smallest_reversal(a, b, p)
    if (a - b) @ p <= 0:
        assert found.distance == 0
        return
    # q = p + up − down; minimise ½Σ(up + down) with Σ(up − down) = 0, q ≥ 0 and (a − b)·q ≤ 0
    d = a - b
    best = linprog(
        np.full(2 * n, 0.5),
        A_ub=[np.concatenate([d, -d])],
        b_ub=[-d @ p],
        A_eq=[np.concatenate([np.ones(n), -np.ones(n)])],
        b_eq=[0],
        bounds=[(0, None)] * n + [(0, x) for x in p],
    )
    if best.status == 2:
        assert found.distance == math.inf
    else:
        assert found.distance == pytest.approx(best.fun)
        assert found.weights.sum() == pytest.approx(1.0)
        assert (found.weights >= -1e-12).all()
        assert d @ found.weights == pytest.approx(0, abs=1e-9)


def test_random_weightings_have_the_moments_of_dirichlet():
    for concentration in (0.05, 1.0, 4.0):
        w = dirichlet_weightings(5, 40_000, concentration=concentration)
        assert w.mean(axis=0) == pytest.approx(np.full(5, 0.2), abs=0.01)
        assert w.var(axis=0) == pytest.approx(np.full(5, 0.2 * 0.8 / (5 * concentration + 1)), rel=0.05)


def test_shares_of_the_simplex_are_volumes():
    """A wins where w₁ > 2(1 − w₁), a third of the segment."""
    found = simplex_shares([[1.0, 0.0], [0.0, 2.0]], draws=20_000)
    assert found[0].low < 1 / 3 < found[0].high
    assert found[0].value + found[1].value == pytest.approx(1.0)


# --- Budgets ---


def test_components_are_those_of_the_simulation():
    """A flat family: all spread is of seeds; and one with no noise: all of it is between points."""
    rng, x = np.random.default_rng(0), np.arange(400.0)[:, None]
    p = np.full(400, 1 / 400)
    sample = draw("pivotal", p, x, 200, seed=0)
    noise = components(sample, rng.normal(size=(1, 200, 4)), p, x)[0][0]
    assert noise.within == pytest.approx(1.0, rel=0.15)
    assert noise.between < 0.15
    rough = np.repeat(rng.normal(size=(1, 200, 1)), 4, axis=2)
    points = components(sample, rough, p, x)[0][0]
    assert points.between == pytest.approx(rough.var(), rel=0.25)
    assert points.within == pytest.approx(0.0, abs=1e-12)


def test_the_planned_points_give_the_planned_width():
    pilot = draw("pivotal", EQUAL, FAMILY.features, 96, seed=0)
    runs = FAMILY.runs(np.random.default_rng(0), 3)
    found = components(pilot, runs[:, pilot.chosen], EQUAL, FAMILY.features)[0][0]
    points = points_for_width(found, 0.12, SIZE)
    assert 40 < points < SIZE
    widths = []
    for seed in range(100):
        sample = draw("pivotal", EQUAL, FAMILY.features, points, seed)
        once = FAMILY.runs(np.random.default_rng(seed + 1), 1)[:, sample.chosen]
        e = estimate_family(sample, once, EQUAL, FAMILY.features).estimate(0)
        widths.append(e.high - e.low)
    assert np.median(widths) == pytest.approx(0.12, rel=0.3)


def test_points_come_before_seeds():
    found = Components(0.05, 0.1, split=True)
    for models in (96, 192, 288):
        widths = [expected_width(found, models // seeds, seeds, SIZE) for seeds in (1, 2, 3)]
        assert widths == sorted(widths)
    plan = plan_budget(found, 0.02, SIZE)
    assert plan.seeds > 1
    assert plan.width <= 0.02 < expected_width(found, SIZE, plan.seeds - 1, SIZE)
    assert expected_width(found, plan.points - 1, plan.seeds, SIZE) > 0.02
    assert plan_budget(Components(0.1, 0.0, split=False), 1e-4, SIZE) is None


@pytest.mark.parametrize("width", [0.3, 0.15, 0.08, 0.05, 0.03])
def test_no_other_budget_has_fewer_models(width):
    found = Components(0.05, 0.1, split=True)
    enough = [
        points * seeds
        for seeds in range(1, 40)
        for points in range(16, 101)
        if expected_width(found, points, seeds, 100) <= width
    ]
    assert plan_budget(found, width, 100).models == min(enough)


@pytest.mark.slow
def test_as_many_models_as_planned_decide_as_often_as_planned():
    truth = FAMILY.expected.mean(axis=1)
    pilot = draw("census", EQUAL, FAMILY.features, SIZE, seed=0)
    runs = FAMILY.runs(np.random.default_rng(0), 8)[:, pilot.chosen]
    estimate = estimate_family(pilot, runs, EQUAL, FAMILY.features)
    assert estimate.values == pytest.approx(truth, abs=0.01)
    found = budget_to_decide(estimate, 2, 1, SIZE, components(pilot, runs, EQUAL, FAMILY.features)[2][1])
    assert found.seeds == 1
    models = found.models
    assert models < SIZE
    decides = []
    for seed in range(300):
        sample = draw("pivotal", EQUAL, FAMILY.features, models, seed)
        once = FAMILY.runs(np.random.default_rng(seed + 9), 1)[:, sample.chosen]
        decides.append(estimate_family(sample, once, EQUAL, FAMILY.features).difference(2, 1).low > 0)
    assert 0.68 <= np.mean(decides) <= 0.97


# --- Looks ---


def test_the_looks_share_the_error_rate():
    sizes = look_sizes(200)
    rates = spent(sizes, 0.95)
    assert sum(rates) == pytest.approx(0.05)
    assert list(rates) == sorted(rates)
    with pytest.raises(UsageError, match="ascend"):
        spent([50, 50])


@pytest.mark.slow
def test_equal_methods_are_seldom_called_different_at_any_look():
    sizes, wrong = look_sizes(144), 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        runs = np.concatenate([FAMILY.runs(rng)[:1], FAMILY.runs(rng)[:1]])  # one method, twice
        for look, n in enumerate(sizes):
            sample = draw("pivotal", EQUAL, FAMILY.features, n, seed)
            found = estimate_family(sample, runs[:, sample.chosen], EQUAL, FAMILY.features)
            if decided(found, look, sizes):
                wrong += 1
                break
    assert wrong / 400 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)


def test_every_pair_must_be_decided():
    """0 beats 1 and 1 beats 2 surely. What is noise in both cancels between 0 and 2: one point makes all the spread."""
    rng, x, p = np.random.default_rng(0), np.arange(60.0)[:, None], np.full(60, 1 / 60)
    noise, once = 0.05 * rng.normal(size=60), 0.1 * (np.arange(60) == 7)
    y = np.array([0.2 + once, 0.1 - noise, np.zeros(60)])
    sample = draw("pivotal", p, x, 60, seed=0)
    found = estimate_family(sample, y, p, x, references=(0.0, 1.0))
    assert found.difference(0, 1, 3).low > 0
    assert found.difference(1, 2, 3).low > 0
    assert not found.difference(0, 2, 3).known
    assert not decided(found, 0, [60])


def test_equivalent_methods_are_decided_by_a_margin():
    rng, x, p = np.random.default_rng(0), np.arange(60.0)[:, None], np.full(60, 1 / 60)
    sample = draw("pivotal", p, x, 60, seed=0)
    found = estimate_family(sample, 0.001 * rng.normal(size=(2, 60)), p, x)
    assert not decided(found, 0, [60])
    assert decided(found, 0, [60], margin=0.01)
    assert look_comparisons(found, 0, [60]) == 1


# --- Errors against the budget ---


def test_errors_are_those_of_the_designs():
    table = FAMILY.expected[:1]
    p = failure_weights(table[0], "high")
    names = ("m1", "m2", "hajek", "m3", "cluster", "pivotal")
    found = dict(zip(names, error_against_budget(table, p, FAMILY.features, [58], names, repeats=60), strict=True))
    mean, spread = p @ table[0], math.sqrt(p @ (table[0] - p @ table[0]) ** 2 / 58)
    assert mean < 0.5
    assert found["m1"].sd[0, 0] == pytest.approx(spread, rel=0.3)
    assert found["m2"].bias[0, 0] < -0.08  # failures weigh much, and M2 counts weights twice
    assert np.isnan(found["m2"].coverage).all()  # no interval around a biased average
    assert found["pivotal"].sd[0, 0] < spread / 2
    for name in ("m1", "hajek", "cluster", "pivotal"):
        assert abs(found[name].bias[0, 0]) < 4.5 * found[name].sd[0, 0] / math.sqrt(60)
        assert found[name].rmse[0, 0] ** 2 == pytest.approx(found[name].bias[0, 0] ** 2 + found[name].sd[0, 0] ** 2)


def test_weights_of_failures():
    scores = [0.1, 0.9, 0.9]
    assert failure_weights(scores, "low").tolist() == pytest.approx([1 / 21, 10 / 21, 10 / 21])
    assert failure_weights(scores, "high").tolist() == pytest.approx([10 / 12, 1 / 12, 1 / 12])
    assert failure_weights(scores, "random", seed=1).sum() == pytest.approx(1.0)
    with pytest.raises(UsageError, match="Did you mean 'high'"):
        failure_weights(scores, "hihg")


# --- Explanations ---


def test_a_planted_rule_is_found():
    x = np.exp(FAMILY.features)
    failed = (x[:, 0] < 0.2) & (x[:, 1] > 10)
    found = explain_failures(failed, x, ["length", "force_mag", "masscart", "masspole", "gravity"])
    worst = found.rules[0]
    assert {str(c) for c in worst.conditions} == {"length ≤ 0.1", "force_mag ≥ 50"}
    assert (worst.n, worst.failing) == (int(failed.sum()), pytest.approx(1.0))
    assert sum(rule.n for rule in found.rules) == SIZE
    assert found.sentence("PPO") == (
        "PPO fails on 100% of the points with length ≤ 0.1 and force_mag ≥ 50 (n = 128), and on 0% elsewhere (n = 448)."
    )


def test_noise_gives_no_tree():
    trees = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        chosen = rng.choice(SIZE, 120, replace=False)
        trees += explain_failures(rng.random(120) < 0.3, FAMILY.features[chosen], list("abcde")).explained
    assert trees <= 2


def test_a_method_that_never_fails_is_said_to():
    found = explain_failures(np.zeros(30), np.arange(30.0)[:, None], ["x"])
    assert found.sentence("SAC") == "SAC fails on none of 30 points."


def test_ranks_of_estimates_are_average_ranks():
    assert average_ranks(-np.array([0.3, 0.5, 0.3])).tolist() == [2.5, 1.0, 2.5]


def test_a_single_value_is_an_equation():
    x = np.repeat([1.0, 2.0, 3.0], 12)[:, None]
    assert "power = 2 (n = 12)" in explain_failures(x[:, 0] == 2, x, ["power"]).sentence("CEM")
