"""What came of an evaluation over a family? Ranks with intervals, and how the default point differs from the family."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mohs.core.values import Json
from mohs.protocols.family.default import against_family
from mohs.protocols.family.failures import Failures, failures
from mohs.protocols.family.outcomes import Outcomes, outcomes
from mohs.protocols.family.study import PROTOCOL, FamilyStudy
from mohs.protocols.verdict import Verdict
from mohs.report.findings import Finding
from mohs.runs.results import Results
from mohs.stats import Estimate, bonferroni_comparisons, estimate, paired_difference
from mohs.stats.family.designs import Sample, draw
from mohs.stats.family.dominance import Dominance, dominance
from mohs.stats.family.estimators import FamilyEstimate, estimate_family
from mohs.stats.family.planner import points_to_decide
from mohs.stats.family.ranking import better_on_random_member, rank_intervals
from mohs.stats.family.tails import heavy_tailed
from mohs.stats.family.weightings import smallest_reversal

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.95
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class MethodResult:
    """One method: its score over the family and at the default point, and its rank.

    Attributes:
        name: the method.
        overall: its mean score over the family.
        default: its mean score at the default point; None where there is none.
        gap: default − overall: what the default point overstates.
        rank: its place in the family, 1 is the best; `rank_low` to `rank_high` holds for all methods together.
        failures: how much of the family it fails, and where; None where scores are raw returns.
    """

    name: str
    overall: Estimate
    default: Estimate | None
    gap: Estimate | None
    rank: float
    rank_low: int
    rank_high: int
    failures: Failures | None = field(default=None, repr=False)


@dataclass(frozen=True)
class PairResult:
    """Two methods, `a` the one with the higher score over the family.

    Attributes:
        a, b: their numbers in the study.
        difference: the mean of a − b over the family, points paired.
        wins: the probability that a scores higher than b at a random member; ties count half.
        default: a − b at the default point, seeds paired.
        order: what the default point says beside the family.
        dominance: whether a's scores dominate b's.
        needed: about how many points would decide between them; None where that cannot be told, or it is decided.
        reversal: the share of weight that must move for b to be ahead; None where no weighting does that.
    """

    a: int
    b: int
    difference: Estimate
    wins: Estimate
    default: Estimate | None
    order: Order
    dominance: Dominance
    needed: int | None
    reversal: float | None

    @property
    def decided(self) -> bool:
        """Whether the family tells which one is better."""
        return self.difference.known and not self.difference.low <= 0 <= self.difference.high


@dataclass(frozen=True, eq=False, repr=False)
class FamilyVerdict(Verdict):
    """What came of an evaluation over a family.

    Attributes:
        study: what was asked.
        outcomes: the scores of all models.
        sample: the points whose models have all finished; its order is that of `used`.
        used: the draws of the study's sample that these are.
        estimate: means and covariances over the family.
        methods: one record each, in the order of the study.
        pairs: all pairs of methods.
        missing: models that have not finished.
    """

    protocol = PROTOCOL

    study: FamilyStudy
    outcomes: Outcomes = field(repr=False)
    sample: Sample = field(repr=False)
    used: npt.NDArray[np.int64] = field(repr=False)
    estimate: FamilyEstimate = field(repr=False)
    methods: tuple[MethodResult, ...]
    pairs: tuple[PairResult, ...]
    planned: int
    missing: int
    findings: tuple[Finding, ...] = ()

    @property
    def order(self) -> tuple[str, ...]:
        """The methods by their mean score over the family, best first."""
        return tuple(result.name for result in self.ranked)

    @property
    def ranked(self) -> tuple[MethodResult, ...]:
        """The results of the methods, best first."""
        return tuple(sorted(self.methods, key=lambda result: result.rank))

    @property
    def decided(self) -> bool:
        """Whether all pairs of methods are told apart."""
        return all(pair.decided for pair in self.pairs)

    @property
    def scores(self) -> Floats:
        """[methods, points of the sample]: mean scores over seeds."""
        return self.outcomes.means[:, self.used]

    @property
    def heavy(self) -> tuple[str, ...]:
        """The methods whose scores have tails too heavy for their interval."""
        return tuple(m.name for m, scores in zip(self.methods, self.scores, strict=True) if heavy_tailed(scores))

    def frame(self) -> pd.DataFrame:
        """One row for each method, point and seed, with every measure of the model."""
        return self.outcomes.table.frame()

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        names = self.study.labels
        return {
            "study": self.study.to_json(),
            "headline": list(self.sentences),
            "family": {"points": len(self.study.members), "sampled": len(self.study.points), "used": len(self.used)},
            "design": self.study.design,
            "order": list(self.order),
            "decided": self.decided,
            "methods": [
                {
                    "name": m.name,
                    "overall": m.overall.to_dict(),
                    "default": None if m.default is None else m.default.to_dict(),
                    "default_minus_overall": None if m.gap is None else m.gap.to_dict(),
                    "rank": m.rank,
                    "rank_interval": [m.rank_low, m.rank_high],
                    "failures": None if m.failures is None else m.failures.to_json(),
                }
                for m in self.ranked
            ],
            "pairs": [
                {
                    "better": names[p.a],
                    "worse": names[p.b],
                    "decided": p.decided,
                    "difference": p.difference.to_dict(),
                    "probability_better": p.wins.to_dict(),
                    "default_difference": None if p.default is None else p.default.to_dict(),
                    "default_order": str(p.order),
                    "dominance": p.dominance.to_json(),
                    "points_to_decide": p.needed,
                    "weight_that_reverses": p.reversal,
                }
                for p in self.pairs
            ],
            "planned": self.planned,
            "missing": self.missing,
        }


def verdict(study: FamilyStudy, results: Results) -> FamilyVerdict:
    """The analysis of the models that have finished."""
    from mohs.protocols.family.sentences import findings

    found = outcomes(study, results)
    used = finished_draws(found)
    if not len(used):
        return _nothing(study, found, results)
    sample = sample_of(study, used)
    scores = found.scores[:, used]
    weights, space = study.weights, study.coordinates.space
    over_family = estimate_family(sample, scores, weights, space, LEVEL, strata=study.strata)
    pairs = bonferroni_comparisons(len(study.methods))
    level = corrected_level(LEVEL, pairs)
    wins = better_on_random_member(sample, scores, weights, space, level, study.strata)
    made = FamilyVerdict(
        study,
        found,
        sample,
        used,
        over_family,
        _methods(study, found, sample, scores, over_family),
        tuple(
            _pair(study, found, sample, over_family, wins, *_ahead(over_family.values, i, j), pairs)
            for i, j in combinations(range(len(study.methods)), 2)
        ),
        results.planned,
        results.missing,
    )
    return replace(made, findings=findings(made))


def finished_draws(found: Outcomes) -> Ints:
    """The draws of the sample at which every method has a score."""
    return np.flatnonzero(~np.isnan(found.means).any(axis=0))


def sample_of(study: FamilyStudy, used: Ints) -> Sample:
    """The sample that some draws of a study are: the whole of it, a smaller one of its order, or what is left of it."""
    whole, n = study.sample, len(used)
    if n == len(whole.chosen):
        return whole
    if study.nested and used[-1] == n - 1:
        return study.sampled("pivotal", n)
    kept = whole.weights[used]
    groups = None if whole.groups is None else whole.groups[used]
    return Sample(whole.design, whole.chosen[used], whole.inclusion[used], kept / kept.sum(), groups)


def _nothing(study: FamilyStudy, found: Outcomes, results: Results) -> FamilyVerdict:
    ...


def _methods(
    study: FamilyStudy, found: Outcomes, sample: Sample, scores: Floats, over_family: FamilyEstimate
) -> tuple[MethodResult, ...]:
    ranks, lows, highs = rank_intervals(over_family)
    made = []
    for i, name in enumerate(study.labels):
        default = estimate(found.default[i], "mean", LEVEL) if found.default.size else None
        gap = None if default is None else against_family(found.default[i], over_family, i)
        failed = None if found.scale is None else failures(study, sample, scores, i)
        overall = over_family.estimate(i)
        made.append(MethodResult(name, overall, default, gap, float(ranks[i]), int(lows[i]), int(highs[i]), failed))
    return tuple(made)


def _ahead(values: Floats, i: int, j: int) -> tuple[int, int]:
    """Two methods, the one with the higher mean first."""
    return (i, j) if values[i] >= values[j] else (j, i)


def _pair(
    study: FamilyStudy,
    found: Outcomes,
    sample: Sample,
    over_family: FamilyEstimate,
    wins: Sequence[Sequence[Estimate]],
    a: int,
    b: int,
    comparisons: int,
) -> PairResult:
    difference = over_family.difference(a, b, comparisons)
    default = paired_difference(found.default[a], found.default[b], level=LEVEL) if found.default.size else None
