"""Exact bias and variance of the designs, and of their variance estimators, by enumeration of all samples.

The laws of the designs are written here once more, in plain Python on probabilities of samples.
"""

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from mohs.stats.family import draw, estimate_family, inclusion_probabilities
from mohs.stats.family.designs import Sample, clusters, serpentine, successive_inclusion
from mohs.stats.family.frame import standardised

P = np.array([0.3, 0.25, 0.2, 0.1, 0.1, 0.05])
X = np.array([[0.0, 1.0], [0.1, 0.9], [2.0, 0.0], [2.1, 0.2], [5.0, 5.0], [5.1, 4.8]])
Y = np.array([1.0, 0.8, 0.3, 0.2, 0.0, 0.6])
EQUAL = np.full(6, 1 / 6)
N = 3


def duelled(space, probability):
    """The local pivotal method: the probability of every sample. Nearest neighbours that tie are met equally often."""
    states, found = Counter({tuple(probability): 1.0}), Counter()
    while states:  # one duel in every state
        later = Counter()
        for state, chance in states.items():
            left = [i for i, q in enumerate(state) if 1e-9 < q < 1 - 1e-9]
            if not left:
                found[tuple(i for i, q in enumerate(state) if q > 0.5)] += chance
            for i in left:
                far = {j: ((space[i] - space[j]) ** 2).sum() for j in left if j != i}
                near = [j for j, d in far.items() if d <= min(far.values()) + 1e-12]
                for j in near:
                    for first, second, won in outcomes(state[i], state[j]):
                        after = list(state)
                        after[i], after[j] = round(first, 12), round(second, 12)
                        later[tuple(after)] += chance * won / len(left) / len(near)
        states = later
    return found


def outcomes(p, q):
    """What two duellists have afterwards, with its probability: one takes as much as it can."""
    total = p + q
    if total < 1:
        return (total, 0.0, p / total), (0.0, total, q / total)
    return (1.0, total - 1, (1 - q) / (2 - total)), (total - 1, 1.0, (1 - p) / (2 - total))


def horvitz_thompson(p):
    return duelled(np.zeros((6, 0)), inclusion_probabilities(p, N))


def pivotal(p):
    """Three points of six: with unequal weights by way of four, with equal ones by halving."""
    if np.ptp(p) == 0:
        return duelled(standardised(X), [0.5] * 6)
    found, four = Counter(), inclusion_probabilities(p, 4)
    for kept, chance in duelled(standardised(X), four).items():
        left = [inclusion_probabilities(p, N)[i] / four[i] if i in kept else 0.0 for i in range(6)]
        for sample, share in duelled(standardised(X), left).items():
            found[sample] += chance * share
    return found


def systematic(p):
    inclusion, order = inclusion_probabilities(p, N), serpentine(standardised(X))
    upto = np.concatenate([[0], np.cumsum(inclusion[order])])
    breaks = np.unique(np.concatenate([[0, 1], upto % 1]).round(12))
    found = Counter()
    for low, high in itertools.pairwise(breaks):
        start = (low + high) / 2
        hits = np.floor(upto[1:] - start) > np.floor(upto[:-1] - start)
        found[tuple(sorted(order[hits].tolist()))] += high - low
    return found


def cluster(p):
    labels = clusters(standardised(X), N, seed=0)[0]
    mass = np.bincount(labels, weights=p)
    found = Counter()
    for chosen in itertools.product(*(np.flatnonzero(labels == c) for c in range(N))):
        found[tuple(sorted(map(int, chosen)))] += float(np.prod([p[i] / mass[labels[i]] for i in chosen]))
    return found


def hajek(p):
    found = Counter()
    for order in itertools.permutations(range(6), N):
        left, chance = 1.0, 1.0
        for i in order:
            chance, left = chance * p[i] / left, left - p[i]
        found[tuple(sorted(order))] += chance
    return found


def m1(p):
    return Counter({s: float(np.prod(p[list(s)])) for s in itertools.product(range(6), repeat=N)})


LAWS = {f.__name__: f for f in (m1, hajek, horvitz_thompson, systematic, pivotal, cluster)}


def sample_of(design, p, chosen):
    """The sample with the weights of the design."""
    at = np.array(chosen)
    if design == "m1":
        return Sample(design, at, N * p[at], np.full(N, 1 / N))
    if design == "cluster":
        labels = clusters(standardised(X), N, seed=0)[0]
        mass = np.bincount(labels, weights=p)[labels[at]]
        return Sample(design, at, p[at] / mass, mass)
    inclusion = successive_inclusion(p, N) if design == "hajek" else inclusion_probabilities(p, N)
    weight = p[at] / inclusion[at]
    return Sample(design, at, inclusion[at], weight / weight.sum())


def moments(design, p, y=Y):
    """Mean and variance of the estimate, and the mean of its estimated variance with one seed and with known seeds."""
    law = LAWS[design](p)
    assert sum(law.values()) == pytest.approx(1.0)
    chances = np.array(list(law.values()))
    samples = [sample_of(design, p, chosen) for chosen in law]
    values, one, known = [], [], []
    for sample in samples:
        scores = y[sample.chosen][None]
        found = estimate_family(sample, scores, p, X)
        values.append(found.values[0])
        one.append(found.covariance[0, 0])
        again = estimate_family(sample, np.repeat(scores[:, :, None], 2, axis=2), p, X)  # seeds agree
        known.append(again.covariance[0, 0])
    mean = chances @ values
    return mean, chances @ (np.array(values) - mean) ** 2, chances @ one, chances @ known


@pytest.mark.parametrize("p", [P, EQUAL], ids=["unequal", "equal"])
@pytest.mark.parametrize("design", [name for name in LAWS if name != "cluster"])
def test_samples_are_drawn_as_often_as_enumerated(design, p):
    law, count = LAWS[design](p), 1500
    key = (lambda s: tuple(s.tolist())) if design == "m1" else (lambda s: tuple(sorted(s.tolist())))
    seen = Counter(key(draw(design, p, X, N, seed).chosen) for seed in range(count))
    assert set(seen) <= {s for s, chance in law.items() if chance > 1e-9}
    often = [s for s, chance in law.items() if chance * count >= 5]
    observed = np.array([seen[s] for s in often] + [count - sum(seen[s] for s in often)], dtype=float)
    expected = np.array([law[s] * count for s in often] + [max(count * (1 - sum(law[s] for s in often)), 1e-9)])
    kept = expected > 1e-6
    assert chisquare(observed[kept], expected[kept] * observed[kept].sum() / expected[kept].sum()).pvalue > 1e-4


@pytest.mark.parametrize("design", LAWS)
def test_bias_is_exactly_none_but_for_ratios(design):
    mean = moments(design, P)[0]
    assert mean == pytest.approx(P @ Y, abs=0.02 if design == "hajek" else 1e-9)
    assert moments(design, EQUAL)[0] == pytest.approx(Y.mean(), abs=1e-9)


def test_variances_are_those_of_the_textbook():
    s2 = Y.var(ddof=1)
    assert moments("m1", P)[1] == pytest.approx(P @ (Y - P @ Y) ** 2 / N)
    for design in ("hajek", "horvitz_thompson"):  # equal weights: simple random samples
        assert moments(design, EQUAL)[1] == pytest.approx((1 - N / 6) * s2 / N)
    labels = clusters(standardised(X), N, seed=0)[0]
    mass = np.bincount(labels, weights=P)
    share = P / mass[labels]
    mean = np.bincount(labels, weights=share * Y)
    within = np.bincount(labels, weights=share * (Y - mean[labels]) ** 2)
    assert moments("cluster", P)[1] == pytest.approx(mass**2 @ within)


@pytest.mark.parametrize("design", ["horvitz_thompson", "systematic", "pivotal"])
def test_variances_are_those_of_sen_yates_and_grundy(design):
    """½ ΣΣ (πᵢπⱼ − πᵢⱼ)(yᵢ/πᵢ − yⱼ/πⱼ)², from the joint probabilities."""
    inclusion, joint = inclusion_probabilities(P, N), np.zeros((6, 6))
    for sample, chance in LAWS[design](P).items():
        joint[np.ix_(sample, sample)] += chance
    assert np.diag(joint) == pytest.approx(inclusion)
    expanded = P * Y / inclusion
    gaps = (expanded[:, None] - expanded) ** 2
    exact = 0.5 * float(((np.outer(inclusion, inclusion) - joint) * gaps).sum())
    assert moments(design, P)[1] == pytest.approx(exact)


def test_the_variance_of_simple_samples_is_estimated_without_bias():
    _, variance, one, known = moments("m1", P)
    assert (one, known) == (pytest.approx(variance), pytest.approx(variance))
    for design in ("hajek", "horvitz_thompson"):
        _, variance, one, known = moments(design, EQUAL)
        assert one == pytest.approx(variance / (1 - N / 6))  # with one seed the share that is sampled counts as noise
        assert known == pytest.approx(variance)


@pytest.mark.parametrize("p", [P, EQUAL], ids=["unequal", "equal"])
@pytest.mark.parametrize("design", ["hajek", "horvitz_thompson", "systematic", "pivotal", "cluster"])
def test_variances_are_not_understated(design, p):
    """Neighbours in a spread sample are further apart than those in the family, so their differences are too large."""
    _, variance, one, known = moments(design, p)
    assert one >= known >= 0.9 * variance


def test_the_variance_of_points_and_seeds_is_estimated_without_bias():
    """All simple samples of 2 of 4 points, with all outcomes of two seeds at each."""
    y, noise = np.array([0.1, 0.4, 0.5, 0.9]), np.array([0.3, 0.1, 0.2, 0.05])
    p, x = np.full(4, 0.25), np.arange(4.0)[:, None]
    values, claimed = [], []
    for chosen in itertools.combinations(range(4), 2):
        at = np.array(chosen)
        sample = Sample("horvitz_thompson", at, np.full(2, 0.5), np.full(2, 0.5))
        for signs in itertools.product((-1.0, 1.0), repeat=4):
            runs = y[at][:, None] + noise[at][:, None] * np.reshape(signs, (2, 2))
            found = estimate_family(sample, runs[None], p, x)
            values.append(found.values[0])
            claimed.append(found.covariance[0, 0])
    assert np.mean(values) == pytest.approx(y.mean())
    assert np.mean(claimed) == pytest.approx(np.var(values))
