"""In which order should the points of a family run, so that every prefix is a balanced sample?

The local pivotal method spreads a sample over the features: of two neighbours at most one is likely to be in it. The
order is made from the whole family downwards: half of it is sampled by that method, half of the half, and so on; what
a sample leaves out is ordered by halving too. So a larger budget keeps all runs of a smaller one.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray
from mohs.stats.family.frame import Ints, checked_weights, standardised
from mohs.stats.family.inclusion import anchors, inclusion_probabilities


def nested_order(weights: ArrayLike, features: ArrayLike, seed: int, strata: ArrayLike | None = None) -> Ints:
    """One order of the family. Every prefix is a balanced sample, with inclusion `prefix_probabilities`.

    Args:
        weights: The weights of the N points.
        features: What is known of the points, [N, F]. Neighbours are near in standardised features.
        seed: The order is random; equal seeds give equal orders.
        strata: The stratum of each point. Every prefix shares its points among strata by their weights, as near as
            whole numbers allow.

    Returns:
        The positions of all N points, each once.

    Raises:
        UsageError: The weights do not sum to 1, features are missing, or the shapes differ.

    Example:
        >>> from mohs.stats.family import nested_order
        >>> order = nested_order([0.25] * 4, [[0.0], [0.1], [5.0], [5.1]], seed=0)
        >>> sorted(order.tolist()), sorted((order[:2] // 2).tolist())  # one point of each pair of neighbours
        ([0, 1, 2, 3], [0, 1])
    """
    p, space = checked_weights(weights), standardised(features, strata)
    if len(p) != len(space):
        raise UsageError(f"weights has {len(p)} points, but features {len(space)}.")
    return order_in(p, space, seed)


def order_in(p: FloatArray, space: FloatArray, seed: int) -> Ints:
    """The nested order of points at places in a space [N, F]."""
    rng = np.random.default_rng(seed)
    sizes = anchors(p)
    rows, later = np.arange(len(p)), []
    for high, low in itertools.pairwise(sizes):
        kept = inclusion_probabilities(p, low) / inclusion_probabilities(p, high)
        rows, rest = balanced(space, rows, kept, rng)
        later.append(_halved(space, rest, rng))
    return np.concatenate([_halved(space, rows, rng), *later[::-1]])


def balanced(space: FloatArray, rows: Ints, probability: FloatArray, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """A locally balanced sample of rows of the space, and the other rows; probabilities [N] sum to a whole number."""
    from mohs.stats.family.kernels import choose

    shuffled = rows.copy()
    taken = choose(space, shuffled, probability.copy(), rng.random(3 * len(rows) + 2))
    return shuffled[:taken], shuffled[taken:]


def _halved(space: FloatArray, rows: Ints, rng: np.random.Generator) -> Ints:
    from mohs.stats.family.kernels import halve

    if len(rows) < 2:
        return rows
    ordered, levels = rows.copy(), math.ceil(math.log2(len(rows))) + 1
    halve(space, ordered, np.empty(len(space)), rng.random(3 * len(rows) * levels), np.empty((2 * levels, 2), np.int64))
    return ordered
