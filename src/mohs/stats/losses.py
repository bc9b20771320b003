"""Whose share of a loss is whose? A loss against vanilla, cut into parts that add up.

Arguments are gains over the random policy, one for each seed, paired by seed: what the agent gained, what the best
policy with the agent's view could gain, and what the optimal policy could. A part is a difference of ratios of means,
so its interval comes from each seed's share in those ratios, to first order.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from mohs.stats.checks import FloatArray
from mohs.stats.intervals import Estimate, estimate


@dataclass(frozen=True, eq=False)
class Gains:
    """Gains over the random policy at one dose, [seeds]; NaN marks a missing run."""

    own: FloatArray  # while training
    learnt: FloatArray  # of the learnt policy
    reachable: FloatArray  # of the best policy that sees what the agent sees
    optimal: FloatArray  # of the policy that sees everything


@dataclass(frozen=True)
class Parts:
    """The loss at a dose as a share of vanilla's gain: total = task + memory + learning; learning = policy + training.

    Attributes:
        total: What the agent loses while training.
        task: What the optimal policy loses.
        memory: What the best policy with the agent's view loses beyond that.
        learning: The rest.
        policy: What of the rest the learnt policy still loses.
        training: What of the rest was lost on the way to it.
    """

    total: Estimate
    task: Estimate
    memory: Estimate
    learning: Estimate
    policy: Estimate
    training: Estimate


def ratio_samples(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """Samples [n] whose mean is mean(top) / mean(bottom), and whose spread is that ratio's to first order.

    Both are taken over the seeds that have both; all are NaN where the mean of `bottom` is not above 0.
    """
    complete = ~np.isnan(top + bottom)
    unit = bottom[complete].mean() if complete.any() else np.nan
    if not unit > 0:
        return np.full_like(top, np.nan)
    ratio = top[complete].mean() / unit
    return np.where(complete, ratio + (top - ratio * bottom) / unit, np.nan)


def loss_parts(vanilla: Gains, dose: Gains, level: float = 0.95) -> Parts:
    """The parts of the loss at a dose, with intervals. Those that need a gain that is NaN everywhere are unknown.

    All are taken over the same seeds, those without a missing run, so that the parts add up.
    """
    vanilla, dose = _over_the_same_seeds(vanilla, dose)
    kept = ratio_samples(dose.own, vanilla.own)
    task = 1 - ratio_samples(dose.optimal, vanilla.optimal)
    reach = ratio_samples(dose.reachable, vanilla.reachable)
    learnt = ratio_samples(dose.learnt, vanilla.learnt)
    samples = (1 - kept, task, 1 - task - reach, reach - kept, reach - learnt, learnt - kept)
    return Parts(*(estimate(each, "mean", level) for each in samples))


def _over_the_same_seeds(*gains: Gains) -> list[Gains]:
    """Gains that are NaN at every seed where any of them is, apart from those that are NaN everywhere."""
    arrays = np.array([[getattr(each, field.name) for field in fields(Gains)] for each in gains], dtype=np.float64)
    missing = np.isnan(arrays)
    holes = (missing & ~missing.all(axis=2, keepdims=True)).any(axis=(0, 1))
    return [Gains(*each) for each in np.where(holes, np.nan, arrays)]
