"""Which single number summarises a training curve, and on which scale?

A curve is the mean episodic return in each of a run's equal windows of training: an array [..., points].
NaN marks a window without a finished episode; it is left out. A run that is missing altogether stays NaN.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.stats.checks import FloatArray, checked_array, checked_count


def auc(values: ArrayLike) -> FloatArray:
    """The time-average of a training curve, in units of episodic return.

    The area that the paper draws as bars (section 6.1.2) is this average times the length of training. The
    two order runs of the same length alike; the average also compares with the curve itself and with the
    exact optimum.
    """
    return _mean(checked_array(values, "values"))


def pooled_auc(returns: ArrayLike, lengths: ArrayLike, window: int, blocks: int = 10) -> float:
    """The time-average of a training curve, from the mean over episodes within each of some blocks of windows.

    `auc` takes the mean of every window, however few episodes end in it. Windows with few episodes have long ones, so
    it lies above the expected return where the length of episodes varies. Here a window counts by the number of its
    episodes, which is estimated from their mean length and from the steps of a window: those episodes took the steps
    since the last window with an end, and those before it in which the first of them began, without those in which the
    next one did. The simulated error is about 2% at most where a window is at least as long as any episode.
    """
    values, steps = checked_array(returns, "returns", 1), checked_array(lengths, "lengths", 1)
    points, at = len(values), np.flatnonzero(~np.isnan(values) & (steps > 0))
    if not at.size:
        return math.nan
    values, steps = values[at], steps[at]
    # Of an episode that a window cuts, half lies before, if any cut is as likely. Where windows have room for two of
    # the longest episodes, simulation shows nothing to mend.
    cut = min(max(float(steps.max()) / checked_count(window, "window") - 0.5, 0.0), 0.5)
    taken = window * np.diff(at, prepend=-1) + cut * (steps - np.append(steps[1:], steps[-1]))
    weights = np.maximum(taken / steps, 1.0)
    parts = np.array_split(np.arange(points), max(1, min(blocks, points // 10)))
    inside = [(at >= part[0]) & (at <= part[-1]) for part in parts]
    found = [float(np.average(values[each], weights=weights[each])) for each in inside if each.any()]
    return float(np.mean(found))


def final(values: ArrayLike, share: float = 0.1) -> FloatArray:
    """The mean of the last ``share`` of a training curve, and of at least its last point."""
    curve = checked_array(values, "values")
    if not 0 < share <= 1:
        raise UsageError(f"share must lie above 0 and not above 1; got {share!r}.")
    # Rounding first, so that a tenth of 30 points is 3 whatever the binary fraction says.
    points = max(1, math.floor(round(share * curve.shape[-1], 9)))
    return _mean(curve[..., -points:])


def paper_scale(delay: int, sequence_length: int, limit: int = 100) -> float:
    """The factor by which the paper multiplies a toy return so that the optimum of an episode is ``limit``.

    limit/(limit − delay) for a reward delay, times n for rewardable sequences of length n (section 6.1.2).
    """
    checked_count(limit, "limit")
    checked_count(sequence_length, "sequence_length")
    if checked_count(delay, "delay", least=0) >= limit:
        raise UsageError(f"delay must be smaller than limit, the {limit} steps of an episode; got {delay!r}.")
    return limit / (limit - delay) * sequence_length


def paper_scaling(task: Mapping[str, Any] | Task) -> float:
    """The paper's factor (`paper_scale`) for a task of the discrete toy; NaN where no reward arrives in an episode."""
    if task["delay"] >= task["max_episode_steps"]:
        return math.nan
    return paper_scale(task["delay"], task["sequence_length"], task["max_episode_steps"])


def _mean(curve: FloatArray) -> FloatArray:
    observed = ~np.isnan(curve)
    points = observed.sum(axis=-1)
    total = np.where(observed, curve, 0.0).sum(axis=-1)
    return np.asarray(np.where(points > 0, total / np.maximum(points, 1), np.nan))
