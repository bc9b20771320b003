"""How far does the default point mislead? Its scores beside those over the family, for each method and each pair."""

from __future__ import annotations

import math
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from mohs.stats import Estimate, bonferroni_comparisons, paired_difference
from mohs.stats.family import FamilyEstimate
from mohs.stats.intervals import FEWEST_FOR_MEAN, student_quantile

Floats = npt.NDArray[np.float64]


class Order(StrEnum):
    """What the default point says of two methods, beside what the family says."""

    KEPT = "kept"  # both decide, for the same method
    REVERSED = "reversed"  # both decide, for different methods
    HIDDEN = "hidden"  # the family decides, the default point does not
    OPEN = "open"  # the family does not decide
    UNKNOWN = "unknown"  # there is no default point, or it has too few runs


def sign(e: Estimate | None) -> int | None:
    """1 or −1 where an interval leaves 0 out, 0 where it does not, None where there is none."""
    if e is None or not e.known:
        return None
    return 1 if e.low > 0 else -1 if e.high < 0 else 0


def order_of(family: Estimate, default: Estimate | None) -> Order:
    """What the default point says of two methods, from the differences at both."""
    overall, reported = sign(family), sign(default)
    if not overall:
        return Order.OPEN
    if reported is None:
        return Order.UNKNOWN
    if reported == 0:
        return Order.HIDDEN
    return Order.KEPT if reported == overall else Order.REVERSED


def at_default(a: Floats, b: Floats, methods: int) -> Estimate:
    """a − b at the default point, seeds paired, corrected for all pairs of so many methods."""
    return paired_difference(a, b, comparisons=bonferroni_comparisons(methods))


def against_family(runs: Floats, family: FamilyEstimate, method: int) -> Estimate:
    """Default − family: the mean of runs at the default point less the mean over the family (Welch's interval)."""
    found = runs[~np.isnan(runs)]
    n, level = len(found), family.level
    value = float(found.mean() - family.values[method]) if n else math.nan
    low = high = math.nan
    overall = family.estimate(method)
    if n >= FEWEST_FOR_MEAN and overall.known:
        parts = np.array([found.var(ddof=1) / n, family.covariance[method, method]])
        total = float(parts.sum())
        df = total**2 / float((parts**2 / [n - 1, family.df]).sum()) if total > 0 else family.df
        half = float(student_quantile(np.array(df), level)) * math.sqrt(total)
        low, high = value - half, value + half
    return Estimate(value, low, high, min(n, family.n), level, "default − family", "Welch t")
