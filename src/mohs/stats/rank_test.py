"""Is a rank correlation significant? Its p-value, by Student's approximation and by exact permutation.

With five doses the two differ: r = 0.9 has p = 0.037 by the approximation, which the tables of MDP Playground give, and
0.083 exactly. At r = 1 the approximation is not defined, because t is infinite; exactly it is 0.017.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_array
from mohs.stats.comparison import average_ranks, rank_correlation

MOST_FOR_ALL_ORDERS = 9  # 362,880 orders
ALMOST = 1e-9  # orders that tie with the observed one do so up to rounding


def approximate_p_value(a: ArrayLike, b: ArrayLike) -> float:
    """Two-sided, from t = r √((k − 2) / (1 − r²)) with k − 2 degrees of freedom, as scipy.stats.spearmanr has it.

    ``a`` and ``b`` [k] are what two studies found at the same doses. NaN where there are fewer than 3 doses, where
    either side is the same at all of them, and where r is 1 or −1: t is infinite there, and no order of a few doses has
    probability 0.
    """
    from scipy.special import stdtr

    x, y = _paired(a, b)
    r, degrees = float(rank_correlation(x, y)), len(x) - 2
    if math.isnan(r) or degrees < 1 or abs(r) > 1 - ALMOST:
        return math.nan
    return float(2 * stdtr(degrees, -abs(r) * math.sqrt(degrees / ((1 - r) * (1 + r)))))


def exact_p_value(a: ArrayLike, b: ArrayLike) -> float:
    """Two-sided: the share of all orders of the doses that agree or disagree at least as much as the observed one.

    NaN where either side is the same at all doses, and where there are more than 9 doses.
    """
    x, y = _paired(a, b)
    r, k = float(rank_correlation(x, y)), len(x)
    if math.isnan(r) or k > MOST_FOR_ALL_ORDERS:
        return math.nan
    ranks = average_ranks(x) - (k + 1) / 2
    others = average_ranks(y) - (k + 1) / 2
    orders = np.array(list(itertools.permutations(range(k))))
    agreement = np.abs(others[orders] @ ranks)
    return float(np.mean(agreement >= abs(ranks @ others) - ALMOST))


def _paired(a: ArrayLike, b: ArrayLike) -> tuple[FloatArray, FloatArray]:
    x, y = checked_array(a, "a", 1), checked_array(b, "b", 1)
    if x.shape != y.shape:
        raise UsageError(f"a and b must hold the same doses; got {x.size} and {y.size} numbers.")
    if np.isnan(x).any() or np.isnan(y).any():
        raise UsageError("a and b must be numbers at every dose; leave out doses without runs.")
    return x, y
