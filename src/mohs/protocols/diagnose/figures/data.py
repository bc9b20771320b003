"""Which learning curves and maps does a diagnosis show? Their data, from the verdict."""

from __future__ import annotations

import numpy as np

from mohs.protocols.diagnose.points import LEVEL, PairVerdict
from mohs.protocols.diagnose.verdict import Diagnosis, DialVerdict
from mohs.protocols.measures import MEASURES
from mohs.report import numbers
from mohs.report.figures.curves import CurvePanel, Curves
from mohs.report.figures.pairs import PairMap
from mohs.stats import estimates


def dial_curves(verdict: Diagnosis, dial: DialVerdict) -> Curves:
    """The training curves at every dose, normalised as the scores are where all of them can be."""
    normal = all(d.normal_curves is None or not np.isnan(d.normal_curves[1]).all(axis=1).any() for d in dial.doses)
    panels = []
    for dose in dial.doses:
        found = dose.normal_curves if normal else dose.curves
        steps, runs = found if found is not None else (np.zeros(0), np.zeros((0, 0)))
        means = tuple(estimates(runs.T, "mean", LEVEL)) if runs.size else ()
        panels.append(
            CurvePanel(numbers.dose(dose.value), np.asarray(steps, dtype=np.float64), runs, means, dose.missing)
        )
    return Curves(dial.name, verdict.scale.ends if normal else "", verdict.scale.bounded, tuple(panels))


def pair_map(pair: PairVerdict, measure: str) -> PairMap:
    """Means and spreads of a pair of dials."""
    samples = pair.samples[measure]
    return PairMap(
        pair.a,
        pair.b,
        pair.units,
        MEASURES[measure].title,
        tuple(numbers.dose(d) for d in pair.doses_a),
        tuple(numbers.dose(d) for d in pair.doses_b),
        tuple(tuple(estimates(row, "mean", LEVEL)) for row in samples),
        tuple(tuple(estimates(row, "sd", LEVEL)) for row in samples),
        samples.shape[2],
    )
