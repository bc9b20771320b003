"""Which points of a family should be trained, if not all can be? Sampling designs, each with its own average.

M1, M2 and M3 are those of section 6.2 and Appendix E.1 of the paper, as printed, except that M1 has the factor 1/N
which the paper leaves out. The others are unbiased, or nearly so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError, unknown
from mohs.stats.checks import FloatArray
from mohs.stats.family.frame import Ints, checked_budget, checked_weights, squared_distances, standardised
from mohs.stats.family.inclusion import inclusion_probabilities, prefix_probabilities
from mohs.stats.family.pivotal import balanced, order_in

JITTER = 1e-6  # spreads of a feature: k-means needs as many different points as clusters


@dataclass(frozen=True, eq=False)
class Sample:
    """Points of a family that a design has chosen.

    Attributes:
        design: The name of the design.
        chosen: The positions of the n points in the family, in the order in which they should run. Only m1 may choose
            a point more than once. m3 may choose fewer points than asked for: two centroids may have one nearest point.
        inclusion: How often each chosen point is expected to be in such a sample.
        weights: By which the design's own estimator averages the scores; their sum is 1.
        groups: The cluster of each chosen point, where the design has clusters.
    """

    design: str
    chosen: Ints
    inclusion: FloatArray
    weights: FloatArray
    groups: Ints | None = None


Draw = Callable[[FloatArray, FloatArray, int, int], Sample]


@dataclass(frozen=True)
class Design:
    """A sampling design.

    Attributes:
        title: Its name in figures.
        text: One sentence on what it does.
        unbiased: Whether its average is right in expectation, up to terms of order 1/n.
        draw: Makes a sample from weights, standardised features, n and a seed.
        interval: Whether its variance can be estimated, so that its average has an interval.
        assisted: Whether a regression on the features predicts all points, so that the sample only corrects it.
    """

    title: str
    text: str
    unbiased: bool
    draw: Draw
    interval: bool = True
    assisted: bool = False


def draw(
    design: str, weights: ArrayLike, features: ArrayLike, n: int, seed: int, strata: ArrayLike | None = None
) -> Sample:
    """Chooses n points of a family.

    Args:
        design: The name of a design in `DESIGNS`.
        weights: The weights of the N points; their sum is 1.
        features: What is known of the points, [N, F].
        n: The number of points, at most N.
        seed: Equal seeds give equal samples.
        strata: The stratum of each point, for designs that look at features: points of different strata are never
            neighbours while their own stratum has others.

    Returns:
        The sample. A census has all N points, whatever n is.

    Raises:
        UsageError: There is no such design, the weights do not sum to 1, or n is larger than the family.

    Example:
        >>> from mohs.stats.family import draw
        >>> sample = draw("pivotal", [0.25] * 4, [[0.0], [0.1], [5.0], [5.1]], n=2, seed=0)
        >>> sorted((sample.chosen // 2).tolist()), sample.weights.tolist()
        ([0, 1], [0.5, 0.5])
    """
    if design not in DESIGNS:
        raise unknown("design", design, DESIGNS)
    p, space = checked_weights(weights), standardised(features, strata)
    if len(p) != len(space):
        raise UsageError(f"weights has {len(p)} points, but features {len(space)}.")
    return DESIGNS[design].draw(p, space, checked_budget(n, len(p)), seed)


def with_replacement(p: FloatArray, space: FloatArray, n: int, seed: int) -> Sample:
    """M1: each draw takes a point with its weight as probability, and all draws count alike."""
    chosen = np.random.default_rng(seed).choice(len(p), size=n, p=p)
    return Sample("m1", chosen, n * p[chosen], np.full(n, 1 / n))


def without_replacement(p: FloatArray, space: FloatArray, n: int, seed: int) -> Sample:
    """M2 as printed: the weights decide who is drawn, and then once more how much it counts."""
    chosen = _successive(p, n, seed)
    return Sample("m2", chosen, successive_inclusion(p, n)[chosen], _shares(p[chosen]))


def hajek(p: FloatArray, space: FloatArray, n: int, seed: int) -> Sample:
    """The draws of M2, weighted by weight over inclusion probability."""
    chosen = _successive(p, n, seed)
    return _weighted("hajek", p, chosen, successive_inclusion(p, n))


def horvitz_thompson(p: FloatArray, space: FloatArray, n: int, seed: int) -> Sample:
    """A pivotal sample in random order: inclusion in proportion to weight, and no regard to features."""
    inclusion = inclusion_probabilities(p, n)
    nowhere = np.zeros((len(p), 0))
    chosen, _ = balanced(nowhere, np.arange(len(p)), inclusion, np.random.default_rng(seed))
    return _weighted("horvitz_thompson", p, chosen, inclusion)


def systematic(p: FloatArray, space: FloatArray, n: int, seed: int) -> Sample:
    """Equal steps of inclusion probability with a random start, through the points in the order of their features."""
    inclusion, rng = inclusion_probabilities(p, n), np.random.default_rng(seed)
    order = serpentine(space)
    upto = np.concatenate([[0.0], np.cumsum(inclusion[order])])
    upto[-1] = n  # but for rounding
    start = rng.random()
    hits = np.floor(upto[1:] - start) - np.floor(upto[:-1] - start)
    return _weighted("systematic", p, rng.permutation(order[hits > 0]), inclusion)


def pivotal(p: FloatArray, space: FloatArray, n: int, seed: int) -> Sample:
    """The first n points of the nested order."""
    return prefix(p, order_in(p, space, seed), n)


def prefix(p: FloatArray, order: Ints, n: int) -> Sample:
    """The pivotal sample of the first n points of an order."""
    return _weighted("pivotal", p, order[:n], prefix_probabilities(p, n))


def assisted(p: FloatArray, space: FloatArray, n: int, seed: int) -> Sample:
    """The pivotal sample, whose average a regression assists."""
    return replace(pivotal(p, space, n, seed), design="assisted")


def census(p: FloatArray, space: FloatArray, n: int, seed: int) -> Sample:
    """All points, in an order that is balanced at every prefix."""
    return _weighted("census", p, order_in(p, space, seed), np.ones(len(p)))


def nearest_to_centroids(p: FloatArray, space: FloatArray, n: int, seed: int) -> Sample:
    """M3 as printed: the point nearest to each centroid stands for the weight of its cluster."""
    return nearest_of(clusters(space, n, seed), p, space)


def one_of_each_cluster(p: FloatArray, space: FloatArray, n: int, seed: int) -> Sample:
    """One draw from each cluster in proportion to weight, which stands for the weight of its cluster."""
    return one_of_each(clusters(space, n, seed), p, np.random.default_rng(seed))


DESIGNS: Mapping[str, Design] = MappingProxyType(
    {
        "m1": Design(
            "M1", "Draws points with replacement by weight; the plain mean of the draws.", True, with_replacement
        ),
        "m2": Design(
            "M2 as printed",
            "Draws points without replacement by weight and averages by weight, which counts the weights twice.",
            False,
            without_replacement,
            interval=False,
        ),
        "hajek": Design("M2, Hájek", "The draws of M2, averaged by weight over inclusion probability.", True, hajek),
        "horvitz_thompson": Design(
            "Horvitz-Thompson",
            "Inclusion in proportion to weight without replacement, averaged by weight over inclusion probability.",
            True,
            horvitz_thompson,
        ),
        "m3": Design(
            "M3 as printed",
            "k-means; the point nearest to each centroid stands for its cluster, which favours central points.",
            False,
            nearest_to_centroids,
            interval=False,
        ),
        "cluster": Design(
            "One draw per cluster",
            "k-means; one point of each cluster, drawn by weight, stands for its cluster.",
            True,
            one_of_each_cluster,
        ),
        "systematic": Design(
            "Systematic",
            "Equal steps of weight through the points in the order of their features; where steps fall in with the "
            "rows of a grid, the sample does not show its error.",
            True,
            systematic,
            interval=False,
        ),
        "pivotal": Design(
            "Local pivotal",
            "Spreads points over the features, inclusion by weight; a larger sample keeps the smaller one.",
            True,
            pivotal,
        ),
        "assisted": Design(
            "Local pivotal, assisted",
            "The points of the local pivotal method; a cross-fitted regression on the features predicts all others.",
            True,
            assisted,
            assisted=True,
        ),
        "census": Design("Census", "All points of the family.", True, census),
    }
)


def clusters(space: FloatArray, k: int, seed: int) -> tuple[Ints, FloatArray]:
    """The cluster of every point, and the centroids: k-means in which all points count alike."""
    from sklearn.cluster import KMeans

    apart = space + JITTER * np.random.default_rng(seed).standard_normal(space.shape)
    found = KMeans(k, n_init=1, random_state=seed).fit(apart)
    return found.labels_.astype(np.int64), np.asarray(found.cluster_centers_, dtype=np.float64)


def nearest_of(clustered: tuple[Ints, FloatArray], p: FloatArray, space: FloatArray) -> Sample:
    """The sample of M3 from clusters."""
    labels, centroids = clustered
    nearest = squared_distances(centroids, space).argmin(axis=1)
    chosen, owner = np.unique(nearest, return_inverse=True)
    mass = np.bincount(owner[labels], weights=p).astype(np.float64)
    return Sample("m3", chosen, np.ones(len(chosen)), mass, np.arange(len(chosen)))


def one_of_each(clustered: tuple[Ints, FloatArray], p: FloatArray, rng: np.random.Generator) -> Sample:
    """One point of each cluster, drawn in proportion to weight."""
    labels, centroids = clustered
    count = np.bincount(labels, minlength=len(centroids))
    mass = np.bincount(labels, weights=p, minlength=len(centroids)).astype(np.float64)
    order = np.argsort(labels, kind="stable")
    upto = np.cumsum(p[order])
    before = np.concatenate([[0.0], np.cumsum(mass)[:-1]])
    place = np.searchsorted(upto, before + rng.random(len(mass)) * mass, side="right")
    ends = np.cumsum(count)
    chosen = order[np.clip(place, ends - count, ends - 1)]  # rounding must not lead into another cluster
    groups = rng.permutation(len(mass))
    return Sample("cluster", chosen[groups], (p[chosen] / mass)[groups], mass[groups], groups)


def serpentine(space: FloatArray) -> Ints:
    """An order in which neighbours differ in as few features as a grid allows: every other row runs backwards."""
    place = np.zeros(len(space), dtype=np.int64)  # the number of the block that a point is in, so far
    for column in space.T:
        values, numbers = np.unique(column, return_inverse=True)
        turned = np.where(place % 2 == 1, len(values) - 1 - numbers, numbers)
        place = np.unique(place * len(values) + turned, return_inverse=True)[1]
    return np.argsort(place, kind="stable")


def successive_inclusion(p: FloatArray, n: int) -> FloatArray:
    """About how often a point is among n successive draws without replacement (Rosén 1972).

    If each point arrives after an exponential time with its weight as rate, the first n arrivals are such a sample. At
    the time at which n arrivals are expected, a point has arrived with probability 1 − exp(−pt).
    """
    if n == len(p):
        return np.ones(len(p))
    low, high = 0.0, 1.0
    while -np.expm1(-p * high).sum() < n:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if -np.expm1(-p * middle).sum() < n else (low, middle)
    return np.asarray(-np.expm1(-p * high))


def _successive(p: FloatArray, n: int, seed: int) -> Ints:
    return np.asarray(np.random.default_rng(seed).choice(len(p), size=n, replace=False, p=p))


def _weighted(design: str, p: FloatArray, chosen: Ints, inclusion: FloatArray) -> Sample:
    return Sample(design, chosen, inclusion[chosen], _shares(p[chosen] / inclusion[chosen]))


def _shares(values: FloatArray) -> FloatArray:
    return np.asarray(values / values.sum())
