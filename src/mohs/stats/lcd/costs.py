"""What share of the reachable does a harder view cost, or a rarer reward?

Arguments are normalised areas under evaluation curves (0 = random policy, 1 = known maximum), one for each seed; the
same index is the same seed, NaN is a missing run. A cost is a share of the reference on that fixed scale, so that no
other game enters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_array, checked_level
from mohs.stats.intervals import IntArray
from mohs.stats.lcd.judgements import THRESHOLD, Cost, Judgement, Rules, judged
from mohs.stats.lcd.lines import checked_areas, fitted_ends
from mohs.stats.lcd.planning import seeds_to_decide
from mohs.stats.lcd.ratios import lower_end, paired_moments, ratio_interval

Costs = tuple[IntArray, FloatArray, FloatArray, FloatArray, list[Judgement]]


def view_cost(
    semantic: ArrayLike,
    other: ArrayLike,
    *,
    floor: float = 0.05,
    ceiling: float = 0.95,
    threshold: float = THRESHOLD,
    level: float = 0.95,
) -> Cost:
    """The share that another view loses of what the semantic view earns: 1 − mean(other) / mean(semantic).

    Seeds are paired, and the interval is Fieller's (`ratio_interval` argues why). It is signed: a view may also help.

    Args:
        semantic: Areas with the semantic view, [seeds].
        other: Areas with the view in question, pixels or figure and ground, [seeds].
        floor: The semantic view has learnt something if its mean is clearly above this area.
        ceiling: Nothing can be lost if both means are at least this.
        threshold: The cost that counts as a challenge.
        level: The level of the interval.

    Returns:
        The cost, its interval and its `Judgement`.

    Raises:
        UsageError: The two differ in length, or a setting is out of range.

    Example:
        >>> cost = view_cost([0.50, 0.52, 0.49, 0.51], [0.31, 0.29, 0.33, 0.27])
        >>> f"{cost.value:.0%} [{cost.low:.0%}, {cost.high:.0%}]: {cost.judgement}"
        '41% [30%, 50%]: challenge'
    """
    rules = checked_rules(floor, ceiling, threshold)
    reference, harder = checked_array(semantic, "semantic", 1), checked_array(other, "other", 1)
    if reference.shape != harder.shape:
        raise UsageError(f"semantic and other must hold the same seeds; got {reference.size} and {harder.size} runs.")
    ends = harder, reference
    return _cost(*ends, *ends, rules, checked_level(level))


def reward_cost(
    areas: Mapping[float, ArrayLike],
    *,
    floor: float = 0.05,
    ceiling: float = 0.95,
    threshold: float = THRESHOLD,
    level: float = 0.95,
) -> Cost:
    """The share of the level at p = 1 that the smallest reward probability loses, by a line through all of them.

    The line is the least-squares fit of areas on log₂(1/p), the number of halvings, over all seeds that have every
    run. The cost is 1 − (line at the smallest p) / (line at p = 1), with Fieller's interval over seeds. It is signed:
    noise alone gives no cost, while the paper's mean of absolute differences grows with it. Where the true curve bends,
    the cost is that of the closest line.

    Args:
        areas: Areas [seeds] by reward probability, which must include 1.
        floor: Something has been learnt at p = 1 if the mean is clearly above this area.
        ceiling: Nothing can be lost if the means at p = 1 and at the smallest p are at least this.
        threshold: The cost that counts as a challenge.
        level: The level of the interval.

    Returns:
        The cost, its interval and its `Judgement`.

    Raises:
        UsageError: There is no p = 1 or no other probability, or they differ in their seeds.

    Example:
        >>> areas = {1.0: [0.60, 0.62, 0.58], 0.5: [0.50, 0.49, 0.51], 0.25: [0.42, 0.39, 0.40]}
        >>> cost = reward_cost(areas)
        >>> f"{cost.value:.0%} [{cost.low:.0%}, {cost.high:.0%}]: {cost.judgement}"
        '33% [22%, 42%]: challenge'
    """
    rules = checked_rules(floor, ceiling, threshold)
    doses, runs = checked_areas(areas)
    top, bottom = fitted_ends(doses, runs)
    complete = ~np.isnan(runs).any(axis=0)
    return _cost(top, bottom, np.where(complete, runs[-1], np.nan), runs[0], rules, checked_level(level))


def costs(
    top: FloatArray, bottom: FloatArray, last: FloatArray, first: FloatArray, rules: Rules, level: float
) -> Costs:
    """Pairs, costs, lower ends, upper ends and judgements of k simulated or real studies, all [k, seeds].

    The cost is 1 − mean(top) / mean(bottom), over pairs. `first` are the runs of the reference, with a pair or without,
    `last` those that are compared.
    """
    ratio, low, high = ratio_interval(top, bottom, level)
    n, *means = paired_moments(last, first)
    value, low, high = 1 - ratio, 1 - high, 1 - low
    return n, value, low, high, judged(rules, n, low, high, lower_end(first, level), np.minimum(*means))


def checked_rules(floor: float, ceiling: float, threshold: float) -> Rules:
    """Where judgements change: a floor below the ceiling, and a threshold between 0 and 1."""
    if not (math.isfinite(floor) and 0 <= floor < ceiling):
        raise UsageError(f"floor must be at least 0 and below the ceiling; got {floor!r} and {ceiling!r}.")
    if not 0 < threshold < 1:
        raise UsageError(f"threshold must lie strictly between 0 and 1, for example .1; got {threshold!r}.")
    return Rules(float(floor), float(ceiling), float(threshold))


def _cost(top: FloatArray, bottom: FloatArray, last: FloatArray, first: FloatArray, rules: Rules, level: float) -> Cost:
    n, value, low, high, judgement = costs(top[None], bottom[None], last[None], first[None], rules, level)
    needed = None
    if judgement[0] is Judgement.UNDECIDED:
        needed = seeds_to_decide(top - (1 - rules.threshold) * bottom, level)
    elif judgement[0] is Judgement.FLOOR and np.nanmean(first) > rules.floor:
        needed = seeds_to_decide(first - rules.floor, level)
    return Cost(float(value[0]), float(low[0]), float(high[0]), level, int(n[0]), judgement[0], needed)
