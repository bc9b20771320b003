"""Which agents are better than which? Mean ranks, a test whether any two differ, and groups that do not.

Scores are [agents, points, seeds]. A rank is taken among all agents at the same point with the same seed; 1 is the
best, and equal scores share their mean rank. Seeds are independent, points are not: all intervals and tests are over
seeds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.stats.bounded import bounded_means
from mohs.stats.checks import FloatArray, checked_array, checked_count
from mohs.stats.comparison import average_ranks
from mohs.stats.intervals import Estimate

MOST_EXACT = 200  # differences whose signs are all counted; the normal approximation is as good beyond
ALMOST = 1e-9  # statistics that tie with the observed one do so up to rounding


def seed_ranks(scores: ArrayLike) -> FloatArray:
    """The mean rank of each agent over points, for each seed: [agents, seeds]. 1 is the best."""
    found = checked_array(scores, "scores", 3)
    if np.isnan(found).any():
        raise UsageError("scores must be complete: leave out seeds and points at which an agent has no run.")
    return np.asarray(np.moveaxis(average_ranks(-np.moveaxis(found, 0, -1)), -1, 0).mean(axis=1))


def mean_ranks(scores: ArrayLike, level: float = 0.95, comparisons: int = 1) -> list[Estimate]:
    """The mean rank of each agent over points and seeds, with an interval over seeds.

    Simulated coverage at .95 is in docs/statistics.md.
    """
    ranks = seed_ranks(scores)
    return bounded_means(ranks, 1.0, float(len(ranks)), "mean rank", level, comparisons)


def friedman_p_value(scores: ArrayLike, draws: int = 10_000, seed: int = 0) -> float:
    """Whether any two agents differ in rank: Friedman's statistic, with agents permuted within seeds.

    The statistic is the spread of the mean ranks. If no agent differs from another, their scores can be exchanged
    within a seed, at all points at once. The p-value is the share of such exchanges, drawn at random, whose spread is
    at least the observed one; the observed order counts as one of them.
    """
    ranks = seed_ranks(scores)
    checked_count(draws, "draws")
    agents, seeds = ranks.shape
    centred = ranks - (agents + 1) / 2
    observed = (centred.mean(axis=1) ** 2).sum()
    rng = np.random.default_rng(seed)
    sums = np.zeros((draws, agents))
    for s in range(seeds):
        sums += rng.permuted(np.tile(centred[:, s], (draws, 1)), axis=1)
    as_wide = ((sums / seeds) ** 2).sum(axis=1) >= observed - ALMOST
    return float((as_wide.sum() + 1) / (draws + 1))


def signed_rank_p_value(differences: ArrayLike) -> float:
    """Wilcoxon's signed-rank test, two-sided: whether paired differences [n] lie around 0.

    Differences of 0 are left out. The p-value is exact, over all signs of the ranks, also where ranks are tied; with
    more than 200 differences it is the normal approximation. It is 1 where no difference is left.
    """
    found = checked_array(differences, "differences", 1)
    found = found[~np.isnan(found) & (found != 0)]
    if not found.size:
        return 1.0
    ranks = average_ranks(np.abs(found))
    above = ranks[found > 0].sum()
    further = max(above, ranks.sum() - above)
    if found.size > MOST_EXACT:
        from scipy.special import ndtr

        spread = math.sqrt((ranks**2).sum() / 4)
        return min(1.0, 2 * float(ndtr(-(further - ranks.sum() / 2 - 0.5) / spread)))
    # Twice a rank is a whole number, so the number of signs with each sum is a polynomial's coefficient.
    whole = np.rint(2 * ranks).astype(np.int64)
    chance = np.zeros(int(whole.sum()) + 1)
    chance[0] = 1.0
    for rank in whole:
        shifted = np.zeros_like(chance)
        shifted[rank:] = chance[: len(chance) - rank]
        chance = (chance + shifted) / 2
    return min(1.0, 2 * float(chance[round(2 * further) :].sum()))


def smallest_p_value(seeds: int) -> float:
    """The smallest p-value that the signed-rank test can have with so many seeds."""
    return min(1.0, 2.0 ** (1 - seeds))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction for several tests: p-values that hold together (Holm 1979)."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected, last = [1.0] * len(p_values), 0.0
    for place, i in enumerate(order):
        last = max(last, min(1.0, (len(order) - place) * p_values[i]))
        corrected[i] = last
    return corrected


def cliques(count: int, apart: set[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """The largest groups of agents 0 to ``count`` − 1 in which no two are ``apart``; groups of one are left out."""

    def together(group: tuple[int, ...]) -> bool:
        return not any(pair in apart or pair[::-1] in apart for pair in itertools.combinations(group, 2))

    found: list[tuple[int, ...]] = []

    def grow(group: tuple[int, ...], left: Sequence[int], seen: Sequence[int]) -> None:
        """Bron and Kerbosch: `left` may join the group, `seen` could but were tried before."""
        if not left and not seen and len(group) > 1:
            found.append(group)
        rest, tried = list(left), list(seen)
        for agent in left:
            rest.remove(agent)
            fits = [[other for other in others if together((agent, other))] for others in (rest, tried)]
            grow((*group, agent), *fits)
            tried.append(agent)

    grow((), range(count), ())
    return tuple(sorted(found))
