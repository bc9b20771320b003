"""Sampling designs: inclusion, sizes, nesting; bias and variance against the enumeration of all samples."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mohs.core.errors import UsageError
from mohs.stats.family import DESIGNS, draw, inclusion_probabilities, nested_order, prefix_probabilities
from mohs.stats.family.designs import serpentine, successive_inclusion
from mohs.stats.family.frame import standardised

RNG = np.random.default_rng(5)
P = np.array([0.3, 0.25, 0.2, 0.1, 0.1, 0.05])
X = np.array([[0.0, 1.0], [0.1, 0.9], [2.0, 0.0], [2.1, 0.2], [5.0, 5.0], [5.1, 4.8]])
Y = np.array([1.0, 0.8, 0.3, 0.2, 0.0, 0.6])
TRUTH = float(P @ Y)
WEIGHTS = st.lists(st.floats(0.01, 1.0), min_size=2, max_size=30).map(lambda w: np.array(w) / sum(w))


def draws(design, n, count, p=P, x=X):
    return [draw(design, p, x, n, seed) for seed in range(count)]


@given(WEIGHTS, st.data())
def test_inclusion_probabilities_are_capped_multiples_of_the_weights(p, data):
    n = data.draw(st.integers(1, len(p)))
    for found in (inclusion_probabilities(p, n), prefix_probabilities(p, n)):
        assert found.sum() == pytest.approx(n)
        assert (found > 0).all()
        assert (found <= 1 + 1e-12).all()
    found = inclusion_probabilities(p, n)
    free = found < 1 - 1e-9
    if not free.any():
        assert n == len(p)
        return
    multiple = found[free] / p[free]
    assert np.ptp(multiple) < 1e-6 * multiple.max()
    assert (p[~free] * multiple.max() >= 1 - 1e-6).all()  # nothing is certain that need not be


@given(WEIGHTS)
def test_the_probabilities_of_prefixes_never_fall(p):
    table = np.array([prefix_probabilities(p, n) for n in range(1, len(p) + 1)])
    assert (np.diff(table, axis=0) >= -1e-9).all()
    assert table[-1] == pytest.approx(1.0)


def test_prefixes_have_exact_probabilities_wherever_no_point_is_certain():
    for n in range(1, 4):
        assert prefix_probabilities(P, n) == pytest.approx(inclusion_probabilities(P, n))


@pytest.mark.parametrize("design", ["horvitz_thompson", "systematic", "pivotal", "cluster", "m1"])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_points_are_in_samples_as_often_as_is_said(design, n):
    count = 8000
    times, claimed = np.zeros(6), {}
    for sample in draws(design, n, 60 if design == "cluster" else count):
        np.add.at(times, sample.chosen, 1)
        claimed.update(zip(sample.chosen.tolist(), sample.inclusion.tolist(), strict=True))
        assert len(sample.chosen) == n
        assert sample.weights.sum() == pytest.approx(1.0)
    if design == "cluster":
        return  # inclusion is conditional on the clusters: see below
    for i, probability in claimed.items():
        slack = 4.5 * math.sqrt(max(probability * abs(1 - probability), 1e-12) / count) + (design == "m1") * 0.05
        assert times[i] / count == pytest.approx(probability, abs=slack + 1e-9)


def test_one_draw_per_cluster_is_by_weight_given_the_clusters():
    from mohs.stats.family.designs import clusters, one_of_each

    clustered = clusters(standardised(X), 3, seed=0)
    assert sorted(np.bincount(clustered[0]).tolist()) == [2, 2, 2]
    rng, times, count = np.random.default_rng(0), np.zeros(6), 8000
    for _ in range(count):
        times[one_of_each(clustered, P, rng).chosen] += 1
    mass = np.bincount(clustered[0], weights=P)
    assert times / count == pytest.approx(P / mass[clustered[0]], abs=0.025)


@pytest.mark.parametrize("design", sorted(set(DESIGNS) - {"m1", "m3", "census"}))
def test_samples_have_their_size_and_no_point_twice(design):
    x, p = RNG.normal(size=(40, 3)), RNG.dirichlet(np.ones(40))
    for n in (1, 7, 39, 40):
        for sample in draws(design, n, 5, p, x):
            assert len(sample.chosen) == len(set(sample.chosen.tolist())) == n


@pytest.mark.parametrize("design", DESIGNS)
def test_equal_seeds_give_equal_samples(design):
    a, b = (draw(design, P, X, 3, seed=7) for _ in range(2))
    assert a.chosen.tolist() == b.chosen.tolist()
    assert a.weights.tolist() == b.weights.tolist()


def test_a_larger_budget_keeps_the_points_of_a_smaller_one():
    x, p = RNG.normal(size=(50, 2)), RNG.dirichlet(np.ones(50))
    order = nested_order(p, x, seed=3)
    assert sorted(order.tolist()) == list(range(50))
    for n in (1, 10, 33, 50):
        assert draw("pivotal", p, x, n, seed=3).chosen.tolist() == order[:n].tolist()
    assert draw("census", p, x, 1, seed=3).chosen.tolist() == order.tolist()


def test_prefixes_with_certain_points_hold_them():
    p = np.array([0.5] + [0.5 / 19] * 19)
    for seed in range(50):
        assert 0 in nested_order(p, np.arange(20.0)[:, None], seed)[:4]


def test_neighbours_are_seldom_together():
    """20 pairs of twins: a sample of half of them has one of each pair."""
    x = np.repeat(np.arange(20.0), 2)[:, None]
    for seed in range(20):
        half = nested_order(np.full(40, 1 / 40), x, seed)[:20]
        assert sorted(half // 2) == list(range(20))


def test_strata_share_every_prefix():
    x, strata = RNG.normal(size=(60, 2)), np.repeat(["a", "b", "c"], [30, 20, 10])
    for seed in range(10):
        order = nested_order(np.full(60, 1 / 60), x, seed, strata)
        for n in (12, 30):
            counts = [np.sum(strata[order[:n]] == name) for name in "abc"]
            assert np.abs(np.array(counts) - n * np.array([0.5, 1 / 3, 1 / 6])).max() <= 2


# --- Bias and variance, by enumeration of all samples ---


def successive_samples(p, n):
    """All ordered samples of successive draws without replacement, with their probabilities."""
    for order in itertools.permutations(range(len(p)), n):
        left, chance = 1.0, 1.0
        for i in order:
            chance *= p[i] / left
            left -= p[i]
        yield order, chance


def moments(values, chances):
    mean = np.dot(values, chances)
    return mean, np.dot((np.array(values) - mean) ** 2, chances)


def test_m1_has_the_factor_of_a_mean():
    sample = draw("m1", P, X, 3, seed=0)
    assert sample.weights.tolist() == [1 / 3] * 3  # without the factor the sum would be three times too large


def test_m2_counts_weights_twice_and_hajek_mends_it():
    samples = list(successive_samples(P, 3))
    chances = [chance for _, chance in samples]
    assert sum(chances) == pytest.approx(1.0)
    inclusion = successive_inclusion(P, 3)
    exact = np.zeros(6)
    for order, chance in samples:
        exact[list(order)] += chance
    assert inclusion == pytest.approx(exact, abs=0.035)  # Rosén's approximation, at N = 6

    def means(weight):
        return [np.dot(weight[list(s)], Y[list(s)]) / weight[list(s)].sum() for s, _ in samples]

    printed, mended = (moments(means(w), chances)[0] - TRUTH for w in (P, P / inclusion))
    assert printed > 0.05
    assert abs(mended) < printed / 5
    sample = draw("m2", P, X, 3, seed=1)
    assert sample.weights == pytest.approx(P[sample.chosen] / P[sample.chosen].sum())


@pytest.mark.parametrize("design", ["horvitz_thompson", "pivotal", "systematic", "cluster", "hajek"])
def test_unbiased_designs_average_to_the_truth(design):
    x = RNG.normal(size=(30, 2))
    p, y = RNG.dirichlet(np.full(30, 3.0)), x[:, 0] + x[:, 1] ** 2
    found = [s.weights @ y[s.chosen] for s in draws(design, 10, 400 if design == "cluster" else 3000, p, x)]
    assert np.mean(found) == pytest.approx(p @ y, abs=4.5 * np.std(found) / math.sqrt(len(found)) + 0.01)


def test_the_pivotal_method_has_less_variance_than_random_order():
    x = np.arange(64.0)[:, None]
    y, p = np.sin(x[:, 0] / 10), np.full(64, 1 / 64)
    spread = {
        d: np.std([s.weights @ y[s.chosen] for s in draws(d, 16, 300, p, x)]) for d in ("pivotal", "horvitz_thompson")
    }
    assert spread["pivotal"] < spread["horvitz_thompson"] / 2.5


def test_m3_favours_central_points():
    """A cluster of a hard rim around an easy centre: its nearest point is always the easy one."""
    angle = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    x = np.vstack([[0, 0], ring, [[100, 0]], ring + np.array([100, 0])])
    y, p = np.tile([1.0] + [0.0] * 8, 2), np.full(18, 1 / 18)
    sample = draw("m3", p, x, 2, seed=0)
    assert sample.weights @ y[sample.chosen] == pytest.approx(1.0)
    assert p @ y == pytest.approx(1 / 9)
    means = [s.weights @ y[s.chosen] for s in draws("cluster", 2, 300, p, x)]
    assert np.mean(means) == pytest.approx(1 / 9, abs=0.06)


def test_serpentine_order_of_a_grid_steps_to_neighbours():
    grid = np.array(list(itertools.product(range(4), range(3), range(2))), dtype=float)
    steps = np.abs(np.diff(grid[serpentine(grid)], axis=0)).sum(axis=1)
    assert (steps == 1).all()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("pivotl", P, X, 3, 0), "Did you mean 'pivotal'"),
        (("pivotal", P * 2, X, 3, 0), "sum to 1"),
        (("pivotal", P, X, 7, 0), "only 6 points"),
        (("pivotal", P, X[:5], 3, 0), "6 points, but features 5"),
        (("pivotal", [0.0, 0.5, 0.5], X[:3], 2, 0), "positive"),
        (("m3", P, np.full((6, 1), np.nan), 3, 0), "missing"),
    ],
)
def test_bad_input_is_one_sentence(arguments, text):
    with pytest.raises(UsageError, match=text):
        draw(*arguments)
