"""What follows from the runs of a diagnosis? For every dial what it does to the agent, and whose fault each loss is.

Dials are judged by the agent's own part: what it gained of what could be gained at that dose (`attained`). Where that
is unknown, they are judged by the normalised training return; and noise dials by the evaluation without noise, because
noise must not be summed into the score that is judged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mohs.agents.protocol import Points
from mohs.core.point import Point
from mohs.core.registry import environment
from mohs.core.values import Json, to_json
from mohs.envs.dials import read_dial
from mohs.protocols.diagnose.attribution import Attribution, Ceilings, attribute
from mohs.protocols.diagnose.effects import Effect, effect_of, why_identical
from mohs.protocols.diagnose.scale import find_scale
from mohs.protocols.diagnose.sentences import dial_text, findings
from mohs.protocols.diagnose.study import PROTOCOL, DiagnosisStudy, ordered
from mohs.protocols.measures import ATTAINED, POOLED, available, measure
from mohs.protocols.scale import Scale, between, plain
from mohs.protocols.scores import Scores
from mohs.protocols.verdict import Verdict
from mohs.report.findings import Finding
from mohs.runs.results import Results
from mohs.stats import (
    BreakingDose,
    BreakingStatus,
    Estimate,
    Gains,
    bonferroni_comparisons,
    breaking_dose,
    damage,
    estimate,
    estimates,
    pooled_auc,
    ratio_samples,
)
from mohs.stats.ranges import Range

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.95
LEARNT_ABOVE = 0.1  # vanilla's normalised score, lower end of its interval
TRAINED, NOISE_FREE = "normalised_auc", "normalised_noise_free"  # what judges where `attained` is unknown

Curves = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]  # steps, training returns [seeds, points]


@dataclass(frozen=True, eq=False)
class Dose:
    """One dose of a dial: its runs' measures [seeds] (NaN = missing), and their means with intervals."""

    value: Any
    samples: Mapping[str, npt.NDArray[np.float64]] = field(repr=False)
    means: Mapping[str, Estimate]
    iqms: Mapping[str, Estimate]
    curves: Curves | None = field(repr=False)
    normal_curves: Curves | None = field(repr=False)  # the same, normalised as the scores are
    attribution: Attribution | None = None  # of the loss against vanilla; None at vanilla, or where it is unknown

    @property
    def missing(self) -> int:
        """The number of runs that have not finished."""
        return int(np.isnan(self.samples["auc"]).sum())


@dataclass(frozen=True, eq=False)
class DialVerdict:
    """What one dial does to the agent."""

    name: str
    unit: str
    harder: str
    vanilla: int
    doses: tuple[Dose, ...]
    measure: str  # by which it is judged
    effect: Effect
    breaking: tuple[BreakingDose, ...]
    damage: Estimate
    text: str  # what is said of it, after its name

    @property
    def sentence(self) -> str:
        """What is said of it."""
        return f"{self.name} {self.text}"

    @property
    def breaks(self) -> bool:
        """Whether it certainly breaks the agent within the tested doses."""
        return self.effect == Effect.BREAKS

    @property
    def hardest(self) -> Dose | None:
        """The last harder dose whose loss is attributed; of doses without order, the most costly one."""
        hard = hard_side([dose.value for dose in self.doses], self.vanilla, self.harder)
        found = [self.doses[i] for i in hard if self.doses[i].attribution is not None]
        if not found:
            return None
        if self.harder in ("up", "down"):
            return found[-1] if self.harder == "up" else found[0]
        return max(found, key=lambda dose: dose.attribution.parts.total.value if dose.attribution else -np.inf)


@dataclass(frozen=True, eq=False)
class PairVerdict:
    """Two dials together: samples [doses of a, doses of b, seeds] of every measure (Appendix E)."""

    a: str
    b: str
    doses_a: tuple[Any, ...]
    doses_b: tuple[Any, ...]
    units: tuple[str, str]
    samples: Mapping[str, npt.NDArray[np.float64]] = field(repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Verdict):
    """What a diagnosis found: dials in the order of the damage they do."""

    protocol = PROTOCOL

    study: DiagnosisStudy
    scale: Scale
    scores: Scores = field(repr=False)
    measure: str  # by which vanilla is judged, and every dial that does not say otherwise
    unattributed: str  # why no loss is attributed; empty where some are
    vanilla: Dose
    dials: tuple[DialVerdict, ...]
    pairs: tuple[PairVerdict, ...]
    runs: int
    missing: int
    findings: tuple[Finding, ...]

    def ends(self, measure: str) -> str:
        """What 0 and 1 of a normalised measure are, in few words."""
        return "0 = random, 1 = best attainable" if measure == ATTAINED else self.scale.ends

    def frame(self) -> pd.DataFrame:
        """One row for each point and seed, with every measure of the run."""
        return self.scores.frame()

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {
            "study": self.study.to_json(),
            "headline": list(self.sentences),
            "references": self.scale.to_json(),
            "measure": self.measure,
            "unattributed": self.unattributed,
            "runs": self.runs,
            "missing": self.missing,
            "vanilla": _dose_json(self.vanilla),
            "dials": [
                {
                    "name": d.name,
                    "unit": d.unit,
                    "harder": d.harder,
                    "sentence": d.sentence,
                    "measure": d.measure,
                    "effect": str(d.effect),
                    "damage": d.damage.to_dict(),
                    "breaking": [b.to_dict() for b in d.breaking],
                    "doses": [_dose_json(dose) for dose in d.doses],
                }
                for d in self.dials
            ],
            "pairs": [_pair_json(p) for p in self.pairs],
        }


def verdict(study: DiagnosisStudy, results: Results) -> Diagnosis:
    """The analysis of the runs that have finished."""
    scale, ceilings = find_scale(study, results), Ceilings(study)
    names = available(study.env, scale, noise_free=True)
    unknown = ceilings.of(study.task({}))
    unattributed = unknown if isinstance(unknown, str) else ""

    def measured(_agent: str, point: Point, seed: int, curves: Points) -> Mapping[str, float]:
        task = replace(point.task, seed=seed)
        found = measure(task, curves, names, scale)
        if unattributed:
            return found
        gained = pooled(curves)
        return {ATTAINED: ceilings.attained(task, gained), POOLED: gained, **found}

    every = names if unattributed else (ATTAINED, POOLED, *names)
    scores = Scores.of(results, study.family, [str(study.agent)], every, measured)
    runs = _Runs(study, results, scores, scale, ceilings)
    vanilla = runs.dose(None, {}, comparisons=1)
    judged = TRAINED if unattributed else ATTAINED
    dials = [_dial_verdict(study, runs, vanilla, judged, name, values) for name, values in study.doses]
    dials.sort(key=lambda d: -d.damage.value if not np.isnan(d.damage.value) else np.inf)
    said = findings(study, scale, judged, unattributed, vanilla, dials, results.missing, learnt_above=LEARNT_ABOVE)
    pairs = tuple(runs.pair(a, b) for a, b in study.pairs)
    counts = results.planned, results.missing
    return Diagnosis(study, scale, scores, judged, unattributed, vanilla, tuple(dials), pairs, *counts, said)


def pooled(curves: Points) -> float:
    """The mean training return of a run, episodes pooled."""
    ends, returns = curves["train/return"]
    return pooled_auc(returns, curves["train/length"][1], window=int(ends[0]))


@dataclass(frozen=True)
class _Runs:
    """The measures and curves of runs, by what is turned."""

    study: DiagnosisStudy
    results: Results
    scores: Scores
    scale: Scale
    ceilings: Ceilings

    def samples(self, turned: Mapping[str, Any]) -> dict[str, npt.NDArray[np.float64]]:
        """Every measure at a point, [seeds]."""
        return self.scores.samples(str(self.study.agent), self.study.point(turned))

    def gains(self, turned: Mapping[str, Any]) -> tuple[Gains, npt.NDArray[np.float64]] | None:
        """What was and could be gained at a point; None where that is unknown."""
        found = self.ceilings.gains(turned, self.samples(turned)) if ATTAINED in self.scores.measures else ""
        return None if isinstance(found, str) else found

    def dose(self, value: Any, turned: Mapping[str, Any], comparisons: int) -> Dose:
        samples, gains, attribution = self.samples(turned), self.gains(turned), None
        if gains is not None:
            # So that the mean is the share of all that could be gained, and seeds without anything to gain do no harm.
            samples = samples | {ATTAINED: ratio_samples(gains[0].own, _ceiling(gains[0]))}
            vanilla = self.gains({})
            if vanilla is not None and self.study.point(turned) != self.study.point({}):
                attribution = attribute(vanilla, gains, LEVEL)
        most = self._most(turned)
        means, iqms = (
            {name: estimate(runs, kind, LEVEL, comparisons, most.get(name)) for name, runs in samples.items()}
            for kind in ("mean", "iqm")
        )
        return Dose(value, samples, means, iqms, *self._curves(turned), attribution)

    def _most(self, turned: Mapping[str, Any]) -> dict[str, Range]:
        """The ranges of evaluations: no policy is expected to earn more than the optimum, with or without noise."""
        tasks = [self.study.task(turned, seed) for seed in range(self.study.seeds)]
        found: dict[str, Range] = {}
        for name, of in (("eval", tasks), ("noise_free", [task.noise_free() for task in tasks])):
            best = [each.optimal for each in map(self.ceilings.of, of) if not isinstance(each, str)]
            if best and len(best) == len(of):
                found[name] = -math.inf, max(best)
        return found | {f"normalised_{name}": (-math.inf, 1.0) for name in found}

    def pair(self, a: str, b: str) -> PairVerdict:
        doses_a, doses_b = self.study.pair_doses[a], self.study.pair_doses[b]
        grid = [[self.samples({a: x, b: y}) for y in doses_b] for x in doses_a]
        stacked = {name: np.array([[cell[name] for cell in row] for row in grid]) for name in grid[0][0]}
        return PairVerdict(a, b, doses_a, doses_b, (self.study.unit(a), self.study.unit(b)), stacked)

    def _curves(self, turned: Mapping[str, Any]) -> tuple[Curves | None, Curves | None]:
        """The training curves of the finished runs, as they are and normalised."""
        found = list(self.results.finished(str(self.study.agent), self.study.point(turned)))
        if not found:
            return None, None
        task, steps = self.study.task(turned), found[0][1]["train/return"][0]
        raw, normal = [], []
        for seed, curves in found:
            returns = curves["train/return"][1]
            raw.append(returns)
            shown = plain(task, returns, curves["train/length"][1]) if self.scale.plain else returns
            normal.append(between(self.scale.score(replace(task, seed=seed)), shown))
        return (steps, np.array(raw)), (steps, np.array(normal))


def _ceiling(gains: Gains) -> npt.NDArray[np.float64]:
    """What could be gained with the agent's view; by the optimal policy where that is unknown."""
    return np.where(np.isnan(gains.reachable), gains.optimal, gains.reachable)


def _dial_verdict(
    study: DiagnosisStudy, runs: _Runs, plain_dose: Dose, judged: str, name: str, values: tuple[Any, ...]
) -> DialVerdict:
    unit, vanilla = study.unit(name), values.index(study.task({})[name])
    comparisons = bonferroni_comparisons(len(values))
    doses = tuple(runs.dose(v, {name: v}, comparisons) for v in values)
    judged = _judged_by(study, name, judged, doses)
    scores = np.array([dose.samples[judged] for dose in doses])
    harder = read_dial(environment(study.env), name).harder if ordered(values) else "none"
    places = [float(v) for v in values] if ordered(values) else list(range(len(values)))
    breaking = breaking_dose(places, scores, vanilla, harder, LEVEL, learnt_above=LEARNT_ABOVE)
    if _without_lead(runs.scale, plain_dose) and harder != "none":  # nothing is normalised
        breaking = (
            BreakingDose(
                BreakingStatus.NOT_LEARNT, np.nan, np.nan, np.nan, min(d.means["auc"].n for d in doses), LEVEL
            ),
        )
    hard = hard_side(values, vanilla, harder)
    if hard and not breaking:  # no harder dose has a score
        breaking = (BreakingDose(BreakingStatus.TOO_FEW, np.nan, np.nan, np.nan, 0, LEVEL),)
    loss = _damage(scores, hard, vanilla)
    returns = np.array([dose.samples["auc"] for dose in doses])
    learnt = estimate(scores[vanilla], "mean", LEVEL)
    not_learnt = learnt.known and not learnt.low > LEARNT_ABOVE
    effect = Effect.NOT_LEARNT if hard and not_learnt else effect_of(returns, hard, breaking, loss)
    found = DialVerdict(name, unit, harder, vanilla, doses, judged, effect, breaking, loss, "")
    text = dial_text(study.agent.name, found, scores[[vanilla, *hard]], why_identical(study, name))
    return replace(found, text=text)


def _judged_by(study: DiagnosisStudy, name: str, judged: str, doses: Sequence[Dose]) -> str:
    """The measure that judges a dial: the same for all its doses."""
    missing = any(np.isnan(dose.samples[judged]).all() and dose.means["auc"].n for dose in doses)
    if judged == ATTAINED and not missing:
        return judged
    return NOISE_FREE if name in environment(study.env).noise else TRAINED


def _without_lead(scale: Scale, vanilla: Dose) -> bool:
    """Whether vanilla and the random policy were run, and vanilla is not above it: then nothing is normalised."""
    ran = scale.random is not None and scale.random.n > 0 and bool(vanilla.means["auc"].n)
    return ran and not np.isfinite(vanilla.samples[TRAINED]).any()


def hard_side(values: Sequence[Any], vanilla: int, harder: str) -> list[int]:
    """The doses that are harder than vanilla; all others where the dial has no direction or both."""
    others = [i for i in range(len(values)) if i != vanilla]
    if harder in ("up", "down"):
        return [i for i in others if (values[i] > values[vanilla]) == (harder == "up")]
    return others


def _damage(scores: npt.NDArray[np.float64], hard: Iterable[int], vanilla: int) -> Estimate:
    """Unknown where no harder dose was tested, and where there is nothing to lose: vanilla is not learnt."""
    learnt = estimate(scores[vanilla], "mean", LEVEL).low > LEARNT_ABOVE
    return damage(scores[[vanilla, *hard]] if learnt else np.full((1, scores.shape[1]), np.nan), 0, LEVEL)


def _dose_json(dose: Dose) -> dict[str, Json]:
    return {
        "value": to_json(dose.value),
        "missing": dose.missing,
        "loss": None if dose.attribution is None else dose.attribution.to_json(),
        "mean": {name: e.to_dict() for name, e in dose.means.items()},
        "iqm": {name: e.to_dict() for name, e in dose.iqms.items()},
    }


def _pair_json(pair: PairVerdict) -> dict[str, Json]:
    def cells(name: str) -> Json:
        return [[e.to_dict() for e in estimates(row, "mean", LEVEL)] for row in pair.samples[name]]

    return {
        "a": pair.a,
        "b": pair.b,
        "doses_a": to_json(pair.doses_a),
        "doses_b": to_json(pair.doses_b),
        "mean": {name: cells(name) for name in pair.samples},
    }
