"""How did every method learn at every point? Training returns on a grid of steps that all runs share."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mohs.protocols.family.scale import of_point
from mohs.protocols.family.study import FamilyStudy
from mohs.protocols.scale import Scale, between
from mohs.runs.results import Results

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Training:
    """The training curves of a study.

    Attributes:
        steps: [bins]: the steps at which the bins end.
        returns: [methods, draws of the sample, bins]: means over seeds; NaN where no episode ended.
        normalised: whether they are normalised by the references of the scores. Raw returns otherwise.
    """

    steps: Ints
    returns: Floats = field(repr=False)
    normalised: bool


def training(study: FamilyStudy, results: Results, scale: Scale | None) -> Training | None:
    """The curves of all finished runs; None where a run has one value only, as those of tables have.

    Windows are as long as an episode may be, so they differ where the points' time limits do. The longest ones are
    the bins. Returns stay raw where the evaluated task is not the trained one: its references are of other rewards.
    """
    runs = {
        (label, point.name): [curves["train/return"] for _, curves in results.finished(label, point.name)]
        for label in study.labels
        for point in study.points
    }
    ends = min((steps for found in runs.values() for steps, _ in found), key=len, default=np.zeros(0, dtype=np.int64))
    if len(ends) < 2:
        return None
    normalised = scale is not None and not study.evaluation
    returns = np.full((len(study.methods), len(study.points), len(ends)), np.nan)
    for j, point in enumerate(study.points):
        score = of_point(scale, study, point) if normalised else None
        for i, label in enumerate(study.labels):
            if found := runs[label, point.name]:
                steps, values = (np.concatenate(parts) for parts in zip(*found, strict=True))
                means = binned(steps, values, ends)
                returns[i, j] = between(score, means) if normalised else means
    return Training(np.asarray(ends), returns, normalised)


def binned(steps: Ints, values: Floats, ends: Ints) -> Floats:
    """Means of windows, of one or more runs, within bins that end at some steps; NaN where no episode ended."""
    at = np.minimum(np.searchsorted(ends, steps), len(ends) - 1)
    known = ~np.isnan(values)
    count = np.bincount(at[known], minlength=len(ends))
    total = np.bincount(at[known], values[known], minlength=len(ends))
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))
