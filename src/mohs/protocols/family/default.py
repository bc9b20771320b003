"""How far does the default point mislead? Its scores beside those over the family, for each method and each pair."""

from __future__ import annotations

import math
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from mohs.stats import Estimate, bonferroni_comparisons, estimate, paired_difference, runs_needed
from mohs.stats.family import FamilyEstimate

ROUNDING = 1e-9
Floats = npt.NDArray[np.float64]


class Order(StrEnum):
    """What the default point says of two methods, beside what the family says."""

    KEPT = "kept"  # both decide, for the same method
    REVERSED = "reversed"  # both decide, for different methods
    HIDDEN = "hidden"  # the family decides, the default point does not
    OPEN = "open"  # the family does not decide
    UNKNOWN = "unknown"  # there is no default point, or it has too few runs


def sign(e: Estimate | None) -> int | None:
    """1 or −1 where an interval leaves 0 out by more than rounding, 0 where it does not, None where there is none."""
    if e is None or not e.known:
        return None
    return 1 if e.low > ROUNDING else -1 if e.high < -ROUNDING else 0


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


def runs_to_decide(a: Floats, b: Floats, methods: int) -> int | None:
    """About how many runs at the default point would tell a from b, if the difference is as it seems."""
    apart = a - b
    effect = float(np.nanmean(apart)) if not np.isnan(apart).all() else 0.0
    return runs_needed(apart, effect, comparisons=bonferroni_comparisons(methods)) if abs(effect) > ROUNDING else None


def against_family(runs: Floats, family: FamilyEstimate, method: int) -> Estimate:
    """Default − family: the mean of runs at the default point less the mean over the family.

    Each end adds the squares of the distances of the two means to the ends of their own intervals (MOVER; Zou and
    Donner 2008), so that it keeps what the family's interval allows for points that the sample lacks.
    """
    reported, overall = estimate(runs, "mean", family.level), family.estimate(method)
    value = reported.value - float(family.values[method])
    low = high = math.nan
    if reported.known and overall.known:
        low = value - math.hypot(reported.value - reported.low, overall.high - overall.value)
        high = value + math.hypot(reported.high - reported.value, overall.value - overall.low)
    n = min(reported.n, family.n)
    return Estimate(value, low, high, n, family.level, "default − family", "square and add")
