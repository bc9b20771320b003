"""Is one agent better than another on the same cells? Probability of improvement, dial by dial and over all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.values import Json, to_json
from mohs.protocols.diagnose import LEVEL, Verdict
from mohs.stats import Estimate, estimate, probability_of_improvement, spearman

Samples = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Agent a against agent b by normalised AUC. Above ½ a is the better one."""

    a: Verdict
    b: Verdict
    overall: Estimate
    dials: tuple[tuple[str, Estimate], ...]
    difference: Estimate  # mean over points of a − b, paired by seed
    correlations: tuple[tuple[str, Estimate], ...]  # rank correlation over the doses (Tables 2 to 4 of the paper)

    def to_json(self) -> dict[str, Json]:
        return {
            "a": to_json(str(self.a.study.agent)),
            "b": to_json(str(self.b.study.agent)),
            "probability_of_improvement": self.overall.to_dict(),
            "difference": self.difference.to_dict(),
            "dials": {name: e.to_dict() for name, e in self.dials},
            "rank_correlation": {name: e.to_dict() for name, e in self.correlations},
        }


def compare(a: Verdict, b: Verdict) -> Comparison:
    """Two diagnoses on the doses and seeds that both have."""
    shared = _shared(a, b)
    points = [samples for pairs in shared.values() for samples in pairs]
    x, y = np.array([p[0] for p in points]), np.array([p[1] for p in points])
    dials = []
    correlations = []
    for name, pairs in shared.items():
        ours, theirs = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
        dials.append((name, probability_of_improvement(ours, theirs, LEVEL)))
        if len(pairs) > 2:
            correlations.append((name, spearman(ours, theirs, LEVEL)))
    with np.errstate(invalid="ignore"):
        difference = estimate(np.nanmean(x - y, axis=0) if x.size else [], "mean", LEVEL)
    overall = probability_of_improvement(x, y, LEVEL)
    return Comparison(a, b, overall, tuple(dials), difference, tuple(correlations))


def _shared(a: Verdict, b: Verdict) -> dict[str, list[tuple[Samples, Samples]]]:
    """By dial, the scores of both agents at each dose that both were tried at, on the seeds that both have."""
    if (a.study.budget, a.study.env) != (b.study.budget, b.study.env):
        raise UsageError(
            f"the two studies cannot be compared: {a.study.agent.name} had {a.study.budget:,} steps on {a.study.env}, "
            f"{b.study.agent.name} {b.study.budget:,} steps on {b.study.env}."
        )
    seeds = min(a.study.seeds, b.study.seeds)
    other = {d.name: {dose.value: dose for dose in d.doses} for d in b.dials}
    shared = {}
    for d in a.dials:
        pairs = [
            (dose.samples["normalised"][:seeds], other[d.name][dose.value].samples["normalised"][:seeds])
            for dose in d.doses
            if dose.value in other.get(d.name, {})
        ]
        if pairs:
            shared[d.name] = pairs
    if not shared:
        raise UsageError("the two studies have no dial and dose in common.")
    return shared
