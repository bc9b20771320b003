"""How much of the family does a method fail or solve, and where does it fail?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mohs.core.values import Json
from mohs.protocols.family.study import FamilyStudy
from mohs.stats import Estimate
from mohs.stats.family import FailureTree, Sample, estimate_family, explain_failures

SOLVED = 0.95  # of the reference range
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Failures:
    """Of one method: the share of the family, by weight, at which it fails and which it solves; rules of where."""

    failed: Estimate
    solved: Estimate
    where: FailureTree

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        where: list[Json] = [
            {
                "conditions": [str(c) for c in rule.conditions],
                "points": rule.n,
                "weight": rule.weight,
                "failed": rule.failing,
            }
            for rule in self.where.rules
        ]
        return {"failed": self.failed.to_dict(), "solved": self.solved.to_dict(), "rules": where}


def failures(study: FamilyStudy, sample: Sample, scores: Floats, method: int) -> Failures:
    """The failures of a method, of scores [methods, points of the sample, seeds]."""
    own = scores[method : method + 1]
    missing = np.isnan(own)
    solvable = np.array([study.members[i].task not in study.unsolvable for i in sample.chosen])[:, None]
    failed, solved = (
        estimate_family(
            sample, np.where(missing, np.nan, found.astype(float)), study.weights, study.coordinates.space,
            strata=study.strata,
        ).share(0)
        for found in (own < study.failure, (own >= SOLVED) & solvable)
    )  # fmt: skip
    share = np.where(missing, 0.0, own < study.failure).sum(axis=2)[0] / np.maximum((~missing).sum(axis=2)[0], 1)
    at = study.coordinates.values[sample.chosen]
    where = explain_failures(share, at, study.coordinates.names, sample.weights)
    return Failures(failed, solved, where)
