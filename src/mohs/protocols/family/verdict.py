"""What came of an evaluation over a family? Ranks with intervals, and how the default point differs from the family."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mohs.core.family import Family
from mohs.core.values import Json
from mohs.protocols.family.default import Order, against_family, at_default, order_of, runs_to_decide, sign
from mohs.protocols.family.failures import Failures, failures
from mohs.protocols.family.outcomes import Outcomes, nan_mean, outcomes
from mohs.protocols.family.precision import Precision, precision
from mohs.protocols.family.study import PROTOCOL, FamilyStudy
from mohs.protocols.verdict import Verdict
from mohs.report.findings import Finding
from mohs.runs.results import Results
from mohs.stats import Estimate, bonferroni_comparisons, estimate
from mohs.stats.family import (
    Budget,
    Components,
    FamilyEstimate,
    Sample,
    better_on_random_member,
    budget_to_decide,
    components,
    dominance,
    estimate_family,
    log_ratios,
    look_comparisons,
    rank_intervals,
    skewness_warning,
    smallest_reversal,
)
from mohs.stats.intervals import corrected_level

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.95
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


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
        default: a − b at the default point, seeds paired, corrected for all pairs.
        order: what the default point says beside the family.
        dominance: whether a's sampled scores dominate b's: 1 for the first order, 2 for the second only, 0 for neither.
        needed: about how many points and seeds would decide between them; None where no reasonable number would.
        needed_default: about how many runs at the default point would, where it does not; None where nothing says so.
        reversal: the share of weight that must move for b to be level; infinite where no weighting does that.
        ratio: where scores are heavy-tailed, the geometric mean over the family of a's returns over b's; below 1 a is
            better if returns are negative. None where tails are short, or returns differ in sign.
    """

    a: int
    b: int
    difference: Estimate
    wins: Estimate
    default: Estimate | None
    order: Order
    dominance: int
    needed: Budget | None
    needed_default: int | None
    reversal: float
    ratio: Estimate | None = None

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
        results: one record for each method, in the order of the study.
        pairs: all pairs of methods.
        missing: models that have not finished, but for those that a decided ranking spared.
        precision: how many models would make the intervals as narrow as wanted; None where there are none.
    """

    protocol = PROTOCOL

    study: FamilyStudy
    outcomes: Outcomes = field(repr=False)
    sample: Sample = field(repr=False)
    used: Ints = field(repr=False)
    estimate: FamilyEstimate | None = field(repr=False)
    results: tuple[MethodResult, ...]
    pairs: tuple[PairResult, ...]
    planned: int
    missing: int
    precision: Precision | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def order(self) -> tuple[str, ...]:
        """The methods by their mean score over the family, best first."""
        return tuple(result.name for result in self.ranked)

    @property
    def ranked(self) -> tuple[MethodResult, ...]:
        """The results of the methods, best first."""
        return tuple(sorted(self.results, key=lambda result: result.rank))

    @property
    def decided(self) -> bool:
        """Whether all pairs of methods are told apart."""
        return all(pair.decided for pair in self.pairs)

    @property
    def scores(self) -> Floats:
        """[methods, points of the sample]: mean scores over seeds."""
        return self.outcomes.means[:, self.used]

    @property
    def complete(self) -> Floats | None:
        """[methods, members, seeds]: the scores in the order of the family; None unless every model has run."""
        members = np.arange(len(self.study.members))
        if not np.array_equal(np.sort(self.sample.chosen), members):
            return None
        runs = self.outcomes.scores[:, self.used][:, np.argsort(self.sample.chosen)]
        return None if np.isnan(runs).any() else runs

    @property
    def ends(self) -> str:
        """What 0 and 1 are, in few words."""
        scale = self.outcomes.scale
        return "raw returns" if scale is None else f"0 = {scale.low}, 1 = {scale.high}"

    @property
    def tail_warnings(self) -> tuple[str, ...]:
        """A sentence for each method whose scores have tails too heavy for so few points."""
        found = self.estimate
        if found is None or not found.known:
            return ()
        size = len(self.study.members)
        texts = ((m.name, skewness_warning(float(found.skew[i, i]), found.n, size)) for i, m in enumerate(self.results))
        return tuple(f"{name}: {text[0].lower()}{text[1:]}" for name, text in texts if text)

    def dataset(self) -> str:
        """The points that ran, the default among them, as a CSV file that `mohs family --family` reads."""
        from mohs.core.family_files import csv_text

        study = self.study
        kept: dict[int, float] = {}
        for i, weight in zip(self.sample.chosen.tolist(), self.sample.weights.tolist(), strict=True):
            kept[i] = kept.get(i, 0.0) + weight
        points = [replace(study.members[i], weight=float(f"{weight:.12g}")) for i, weight in kept.items()]
        if study.default is not None and study.default.name not in {p.name for p in points}:
            points.append(replace(study.default, weight=0.0))
        return csv_text(Family(study.family.axes, tuple(points)))

    def frame(self) -> pd.DataFrame:
        """One row for each method, point and seed, with every measure of the model."""
        return self.outcomes.table.frame()

    def save_table(self, path: Path | str) -> None:
        """Writes the evaluations of all models as Parquet, which `mohs family-table` reads."""
        from mohs.protocols.family.tables import write_table

        write_table(self, Path(path))

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
                    "dominance": p.dominance,
                    "models_to_decide": None if p.needed is None else p.needed.models,
                    "default_runs_to_decide": p.needed_default,
                    "weight_that_reverses": p.reversal if math.isfinite(p.reversal) else None,
                    "ratio_of_returns": None if p.ratio is None else p.ratio.to_dict(),
                }
                for p in self.pairs
            ],
            "precision": None if self.precision is None else self.precision.to_json(),
            "planned": self.planned,
            "missing": self.missing,
        }


def verdict(study: FamilyStudy, results: Results) -> FamilyVerdict:
    """The analysis of the models that have finished."""
    from mohs.protocols.family.sentences import findings

    found = outcomes(study, results)
    used = finished_draws(found)
    sample = sample_of(study, used)
    made = FamilyVerdict(study, found, sample, used, None, (), (), results.planned, results.missing)
    if len(used):
        scores = found.scores[:, used]
        over_family = estimate_over(study, sample, scores, found)
        comparisons = comparisons_of(study, over_family)
        methods = _methods(study, found, sample, scores, over_family, comparisons)
        parts = components(
            sample, scores, study.weights, study.coordinates.space, study.strata, found.bounds, found.references
        )
        pairs = _pairs(study, found, sample, used, over_family, comparisons, parts)
        planned = precision(study, over_family, [parts[i][i] for i in range(len(methods))])
        made = replace(made, estimate=over_family, results=methods, pairs=pairs, precision=planned)
        if made.decided and len(used) in study.look_sizes[:-1] and used[-1] == len(used) - 1:
            made = replace(made, missing=results.missing - _left_out(study, len(used), results))
    return replace(made, findings=findings(made))


def _left_out(study: FamilyStudy, ran: int, results: Results) -> int:
    """How many models were not to run, because the ranking was decided after so many points."""
    rest = {point.name for point in study.points[ran:]}
    return sum(run is None for track, runs in results.curves.items() if track.point in rest for run in runs)


def finished_draws(found: Outcomes) -> Ints:
    """The draws of the sample at which every method has a score."""
    return np.flatnonzero(~np.isnan(found.means).any(axis=0))


def sample_of(study: FamilyStudy, used: Ints) -> Sample:
    """The sample that some draws of a study are: the whole of it, a smaller one of its order, or what is left of it."""
    whole, n = study.sample, len(used)
    if n == len(whole.chosen):
        return whole
    if study.nested and n and used[-1] == n - 1:
        return study.sampled("pivotal" if study.design == "census" else study.design, n)
    kept = whole.weights[used]
    groups = None if whole.groups is None else whole.groups[used]
    return Sample(whole.design, whole.chosen[used], whole.inclusion[used], kept / max(kept.sum(), 1e-300), groups)


def estimate_over(study: FamilyStudy, sample: Sample, scores: Floats, found: Outcomes | None = None) -> FamilyEstimate:
    """Means over the family from scores [methods, points of the sample, seeds], in the range of a study's outcomes."""
    bounds, references = (None, None) if found is None else (found.bounds, found.references)
    return estimate_family(
        sample, scores, study.weights, study.coordinates.space, LEVEL, bounds, study.strata, references
    )


def comparisons_of(study: FamilyStudy, over_family: FamilyEstimate) -> int:
    """For how many comparisons pairs are corrected: all pairs and, where the study may end early, all looks."""
    sizes = study.look_sizes
    if len(sizes) == 1 or over_family.n not in sizes:
        return bonferroni_comparisons(len(study.methods)) * len(sizes)
    return look_comparisons(over_family, sizes.index(over_family.n), sizes, LEVEL)


def _methods(
    study: FamilyStudy,
    found: Outcomes,
    sample: Sample,
    scores: Floats,
    over_family: FamilyEstimate,
    comparisons: int,
) -> tuple[MethodResult, ...]:
    ranks, lows, highs = rank_intervals(over_family, comparisons)
    made = []
    for i, name in enumerate(study.labels):
        default = estimate(found.default[i], "mean", LEVEL, bounds=found.bounds) if found.default.size else None
        gap = None if default is None else against_family(found.default[i], over_family, i)
        failed = None if found.scale is None else failures(study, sample, scores, i)
        overall = over_family.estimate(i)
        made.append(MethodResult(name, overall, default, gap, float(ranks[i]), int(lows[i]), int(highs[i]), failed))
    return tuple(made)


def _pairs(
    study: FamilyStudy,
    found: Outcomes,
    sample: Sample,
    used: Ints,
    over_family: FamilyEstimate,
    comparisons: int,
    parts: tuple[tuple[Components, ...], ...],
) -> tuple[PairResult, ...]:
    weights, space, scores = study.weights, study.coordinates.space, found.scores[:, used]
    means = nan_mean(scores)
    level = corrected_level(LEVEL, comparisons)
    wins = better_on_random_member(sample, scores, weights, space, level, study.strata)
    first, second = (dominance(means, sample.weights, order) for order in (1, 2))
    made = []
    for i, j in combinations(range(len(study.methods)), 2):
        a, b = (i, j) if over_family.values[i] >= over_family.values[j] else (j, i)
        difference = over_family.difference(a, b, comparisons)
        default = at_default(found.default[a], found.default[b], len(study.methods)) if found.default.size else None
        more = None if sign(default) != 0 else runs_to_decide(found.default[a], found.default[b], len(study.methods))
        size, part = len(study.members), parts[a][b]
        needed = budget_to_decide(over_family, a, b, size, part, comparisons, seeds=study.seeds)
        reversal = smallest_reversal(means[a], means[b], sample.weights).distance
        dominates = 1 if first[a, b] else 2 if second[a, b] else 0
        order = order_of(difference, default)
        ratio = _ratio(study, found.returns[:, used], sample, over_family, a, b, comparisons)
        made.append(PairResult(a, b, difference, wins[a][b], default, order, dominates, needed, more, reversal, ratio))
    return tuple(made)


def _ratio(
    study: FamilyStudy, returns: Floats, sample: Sample, over_family: FamilyEstimate, a: int, b: int, comparisons: int
) -> Estimate | None:
    """The geometric mean of a's returns over b's, where heavy tails spoil the means and all returns have one sign."""
    heavy = [skewness_warning(float(over_family.skew[i, i]), over_family.n) for i in (a, b)]
    sizes = np.abs(means := nan_mean(returns[[a, b]]))
    if not over_family.known or not any(heavy) or not (sizes > 0).all() or len(np.unique(np.sign(means))) > 1:
        return None
    logs = estimate_over(study, sample, log_ratios(sizes[:1], sizes[1])).estimate(0, comparisons)
    if not logs.known:
        return None
    value, low, high = (math.exp(x) for x in (logs.value, logs.low, logs.high))
    return replace(logs, value=value, low=low, high=high, statistic="geometric mean of ratios over the family")
