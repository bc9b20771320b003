"""At which dose of a dial does an agent break, and how much of its score does the dial cost?

Scores are normalised: 0 is the random policy, 1 the exact optimum. Rows are doses, columns are seeds.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.core.values import Json
from mohs.stats.checks import (
    FloatArray,
    checked_array,
    checked_choice,
    checked_count,
    checked_index,
    checked_level,
)
from mohs.stats.intervals import FEWEST_FOR_MEAN, Estimate, estimate
from mohs.stats.resampling import percentile_interval, resampled_means, student_widening


class BreakingStatus(StrEnum):
    """Whether there is a breaking dose, and if not, why."""

    REACHED = "reached"
    NOT_REACHED = "not_reached"  # beyond the hardest tested dose
    NOT_LEARNT = "not_learnt"  # the vanilla score is not clearly above the random policy's
    TOO_FEW = "too_few"  # some dose has fewer than 3 runs
    UNORDERED = "unordered"  # the doses have no harder direction


class Side(StrEnum):
    """The side of vanilla that a breaking dose lies on."""

    UP = "up"
    DOWN = "down"
    NONE = "none"


SIDES = {"up": (Side.UP,), "down": (Side.DOWN,), "both": (Side.DOWN, Side.UP), "none": ()}


@dataclass(frozen=True)
class BreakingDose:
    """The dose that halves the vanilla score on one side of vanilla.

    Attributes:
        status: Whether there is such a dose, and if not, why.
        dose: The dose; infinite where it lies beyond the hardest tested dose, NaN where it is not defined.
        low: The lower bound of its interval; infinite bounds lie beyond the hardest tested dose.
        high: The upper bound of its interval.
        n: The smallest number of runs at a dose.
        level: The coverage that the interval claims.
        side: The side of vanilla that was examined.
    """

    status: BreakingStatus
    dose: float
    low: float
    high: float
    n: int
    level: float
    side: Side = Side.NONE

    def to_dict(self) -> dict[str, Json]:
        """Plain data for JSON; NaN and infinite numbers become None."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def monotone_fit(means: ArrayLike, harder: str = "up", weights: ArrayLike | None = None) -> FloatArray:
    """The closest curve (weighted least squares) that never rises as the doses get harder.

    ``means`` [..., D] is in ascending order of dose; ``harder`` says whether "up" or "down" is the hard end.
    By the min-max formula (Robertson, Wright and Dykstra 1988) the fit at j is the least over
    a ≤ j of the largest over b ≥ j of the mean of doses a..b, for all leading axes at once.
    """
    checked_choice(harder, ("up", "down"), "harder")
    values = checked_array(means, "means")
    weight = np.ones_like(values) if weights is None else checked_array(weights, "weights")
    if np.isnan(values).any():
        raise UsageError("means must not hold NaN: leave out a dose without runs.")
    try:
        weight = np.broadcast_to(weight, values.shape)
    except ValueError:
        raise UsageError(f"weights must fit the shape of means, {values.shape}; got {weight.shape}.") from None
    if not (weight > 0).all():
        raise UsageError("weights must all be above 0.")
    if harder == "down":
        return _falling(values[..., ::-1], weight[..., ::-1])[..., ::-1]
    return _falling(values, weight)


def breaking_dose(
    doses: ArrayLike,
    scores: ArrayLike,
    vanilla: int,
    harder: str = "up",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    learnt_above: float = 0.1,
) -> tuple[BreakingDose, ...]:
    """Where the monotone fit falls to half of vanilla's score, linear in the dose between tested doses.

    ``doses`` [D] in any order, ``scores`` [D, n] with seeds paired across doses, ``vanilla`` the index of the
    dose to compare with. The result has one entry for each hard side ("both" has two, the lower first) that
    has doses; doses on the easy side play no part, nor do doses without any run. The interval is a bootstrap
    over seeds, whose resampled means are stretched to Student's width; its simulated coverage is in
    docs/statistics.md.
    """
    checked_choice(harder, SIDES, "harder")
    checked_level(level)
    checked_count(resamples, "resamples")
    runs = checked_array(scores, "scores", 2)
    checked_index(vanilla, len(runs), "vanilla")
    counts = (~np.isnan(runs)).sum(axis=1)
    if harder == "none":
        return (_undefined(BreakingStatus.UNORDERED, int(counts.min()), level),)
    amounts = checked_array(doses, "doses", 1)
    if len(amounts) != len(runs):
        raise UsageError(f"doses must have one entry per row of scores, {len(runs)}; got {len(amounts)}.")
    if len(np.unique(amounts)) != len(amounts) or np.isnan(amounts).any():
        raise UsageError("doses must be distinct numbers.")

    results = []
    for side in SIDES[harder]:
        direction = 1.0 if side is Side.UP else -1.0
        hardness = direction * (amounts - amounts[vanilla])
        harder_rows = np.flatnonzero((hardness > 0) & (counts > 0))
        if harder_rows.size:
            rows = np.concatenate(([vanilla], harder_rows[np.argsort(hardness[harder_rows])]))
            found = _first_half(hardness[rows], runs[rows], level, resamples, seed, learnt_above)
            results.append(_placed(found, amounts[vanilla], direction, side))
    return tuple(results)


def damage(scores: ArrayLike, vanilla: int, level: float = 0.95, comparisons: int = 1) -> Estimate:
    """The share of vanilla's score lost, averaged over the other doses: 1 − mean score / vanilla's mean.

    It depends on which doses were tested: two damages compare only over the same doses. Seeds that lack a run
    at some dose are left out, and so are doses without any run. The interval is the mean's, over each seed's
    part in the ratio to first order, so it allows for vanilla's own spread. Unknown if vanilla's mean is not
    above 0, or if no other dose has runs.
    """
    runs = checked_array(scores, "scores", 2)
    checked_index(vanilla, len(runs), "vanilla")
    others = np.delete(runs, vanilla, axis=0)
    others = others[~np.isnan(others).all(axis=1)]
    reference, rest = runs[vanilla], others.mean(axis=0) if len(others) else np.full(runs.shape[1], np.nan)
    complete = ~np.isnan(reference + rest)
    usual = reference[complete].mean() if complete.any() else math.nan
    if usual > 0:
        lost = 1 - rest[complete].mean() / usual
        parts = lost + ((1 - lost) * reference - rest) / usual
    else:
        parts = np.full_like(reference, np.nan)
    found = estimate(parts, "mean", level, comparisons)
    method = f"{found.method}, of the ratio's parts"
    return replace(found, n=int(complete.sum()), statistic="damage", method=method)


def _falling(values: FloatArray, weights: FloatArray) -> FloatArray:
    """The non-increasing fit along the last axis."""
    size = values.shape[-1]
    start = np.zeros((*values.shape[:-1], 1))
    mass = np.concatenate((start, np.cumsum(weights, axis=-1)), axis=-1)
    moment = np.concatenate((start, np.cumsum(weights * values, axis=-1)), axis=-1)
    spans = np.triu(np.ones((size, size), dtype=bool))  # from dose a (row) to dose b (column), a ≤ b
    total = np.where(spans, mass[..., None, 1:] - mass[..., :-1, None], 1.0)
    average = np.where(spans, (moment[..., None, 1:] - moment[..., :-1, None]) / total, -np.inf)
    best_end = np.maximum.accumulate(average[..., ::-1], axis=-1)[..., ::-1]
    return np.ascontiguousarray(np.diagonal(np.minimum.accumulate(best_end, axis=-2), axis1=-2, axis2=-1))


def _first_half(
    hardness: FloatArray, runs: FloatArray, level: float, resamples: int, seed: int, learnt_above: float
) -> BreakingDose:
    """The breaking dose in units of distance from vanilla, which is row 0."""
    counts = (~np.isnan(runs)).sum(axis=1)
    n = int(counts.min())
    if n < FEWEST_FOR_MEAN:
        return _undefined(BreakingStatus.TOO_FEW, n, level)
    if estimate(runs[0], level=level).low < learnt_above:
        return _undefined(BreakingStatus.NOT_LEARNT, n, level)
    observed = float(_crossing(hardness, np.nanmean(runs, axis=1), counts.astype(np.float64)))
    means, weights = resampled_means(runs, resamples, np.random.default_rng(seed), student_widening(n, level))
    low, high = percentile_interval(_crossing(hardness, means, weights), level)
    status = BreakingStatus.REACHED if math.isfinite(observed) else BreakingStatus.NOT_REACHED
    return BreakingDose(status, observed, low, high, n, level)


def _crossing(hardness: FloatArray, means: FloatArray, weights: FloatArray) -> FloatArray:
    """Where the fit through means [..., D] first reaches half of means[..., 0]; infinite if it never does."""
    fit = _falling(means, weights)
    half = means[..., :1] / 2
    below = fit <= half
    after = np.argmax(below, axis=-1)[..., None]
    before = np.maximum(after - 1, 0)
    upper, lower = (np.take_along_axis(fit, index, axis=-1) for index in (before, after))
    drop = upper - lower
    share = np.where(drop > 0, (upper - half) / np.where(drop > 0, drop, 1.0), 0.0)
    dose = hardness[before] + share * (hardness[after] - hardness[before])
    return np.where(below.any(axis=-1), dose[..., 0], np.inf)


def _placed(found: BreakingDose, origin: float, direction: float, side: Side) -> BreakingDose:
    """From distance to vanilla back to the dose's own unit."""
    ends = sorted((float(origin + direction * found.low), float(origin + direction * found.high)))
    return replace(found, dose=float(origin + direction * found.dose), low=ends[0], high=ends[1], side=side)


def _undefined(status: BreakingStatus, n: int, level: float) -> BreakingDose:
    return BreakingDose(status, math.nan, math.nan, math.nan, n, level)


def _plain(value: Json) -> Json:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, StrEnum) else value
