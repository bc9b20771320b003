"""What follows from the runs of a diagnosis? For every dial what it does to the agent, and whose fault each loss is.

Dials are judged by the agent's own part: what it gained of what could be gained at that dose (`attained`). Where that
is unknown, they are judged by the normalised training return; and noise dials by the evaluation without noise, because
noise must not be summed into the score that is judged.
"""

from __future__ import annotations

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
from mohs.protocols.diagnose.attribution import Ceilings
from mohs.protocols.diagnose.effects import LEARNT_ABOVE, Effect, effect_of, is_learnt, why_identical
from mohs.protocols.diagnose.points import LEVEL, Dose, PairVerdict, Runs, pooled
from mohs.protocols.diagnose.scale import find_scale
from mohs.protocols.diagnose.sentences import dial_text, findings
from mohs.protocols.diagnose.study import PROTOCOL, DiagnosisStudy, ordered
from mohs.protocols.measures import ATTAINED, POOLED, available, measure
from mohs.protocols.scale import Scale
from mohs.protocols.scores import Scores
from mohs.protocols.verdict import Verdict
from mohs.report.findings import Finding
from mohs.runs.results import Results
from mohs.stats import (
    BreakingDose,
    BreakingStatus,
    Estimate,
    Side,
    bonferroni_comparisons,
    breaking_dose,
    damage,
    estimate,
    estimates,
)

if TYPE_CHECKING:
    import pandas as pd

TRAINED, NOISE_FREE = "normalised_auc", "normalised_noise_free"  # what judges where `attained` is unknown


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
    def left_out(self) -> tuple[Dose, ...]:
        """The doses that do not count, because the attained share is unknown there."""
        return tuple(dose for dose in self.doses if dose.reason and self.measure == ATTAINED)

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
    scale, ceilings = find_scale(study, results), Ceilings.of_agent(study)
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
    runs = Runs(study, results, scores, scale, ceilings)
    vanilla = runs.dose(None, {}, comparisons=1)
    judged = TRAINED if unattributed else ATTAINED
    dials = [_dial_verdict(study, runs, vanilla, judged, name, values) for name, values in study.doses]
    dials.sort(key=lambda d: -d.damage.value if not np.isnan(d.damage.value) else np.inf)
    said = findings(study, scale, judged, unattributed, vanilla, _view(runs), dials, results.missing)
    pairs = tuple(runs.pair(a, b) for a, b in study.pairs)
    counts = results.planned, results.missing
    return Diagnosis(study, scale, scores, judged, unattributed, vanilla, tuple(dials), pairs, *counts, said)


def _view(runs: Runs) -> float:
    """The share of the optimal gain on vanilla that the best policy with the agent's view attains."""
    found = runs.reach({})
    if isinstance(found, str):
        return 1.0
    return float(np.nanmean(found.gains.reachable) / np.nanmean(found.gains.optimal))


def _dial_verdict(
    study: DiagnosisStudy, runs: Runs, plain_dose: Dose, judged: str, name: str, values: tuple[Any, ...]
) -> DialVerdict:
    unit, vanilla = study.unit(name), values.index(study.task({})[name])
    harder = read_dial(environment(study.env), name).harder if ordered(values) else "none"
    hard, comparisons = hard_side(values, vanilla, harder), bonferroni_comparisons(len(values))
    # All doses of a dial are measured by the same kind of policy, so that the score falls with the agent alone.
    by_view = all(isinstance(found, str) or found.known for found in (runs.reach({name: v}) for v in values))
    doses = tuple(runs.dose(v, {name: v}, comparisons, by_view=by_view) for v in values)
    judged = _judged_by(study, name, judged, [doses[i] for i in hard])
    scores = np.array([dose.samples[judged] for dose in doses])
    learnt = is_learnt(estimate(scores[vanilla], "mean", LEVEL))
    if _without_lead(runs.scale, plain_dose):  # nothing is normalised
        learnt = False
    places = [float(v) for v in values] if ordered(values) else list(range(len(values)))
    breaking = breaking_dose(places, scores, vanilla, harder, LEVEL, learnt_above=LEARNT_ABOVE)
    if learnt is False and harder != "none":
        n = min(dose.means["auc"].n for dose in doses)
        breaking = (BreakingDose(BreakingStatus.NOT_LEARNT, np.nan, np.nan, np.nan, n, LEVEL),)
    if hard and not breaking:  # no harder dose has a score
        breaking = (BreakingDose(BreakingStatus.TOO_FEW, np.nan, np.nan, np.nan, 0, LEVEL),)
    losses = {
        side: _damage(scores, [i for i in hard if side is Side.NONE or _side(values, vanilla, i) is side], vanilla)
        for side in (Side.NONE, Side.DOWN, Side.UP)
    }
    returns = np.array([dose.samples["auc"] for dose in doses])
    effect = effect_of(returns, hard, learnt, breaking, losses)
    found = DialVerdict(name, unit, harder, vanilla, doses, judged, effect, breaking, losses[Side.NONE], "")
    text = dial_text(study.agent.name, found, scores[[vanilla, *hard]], why_identical(study, name))
    return replace(found, text=text)


def _judged_by(study: DiagnosisStudy, name: str, judged: str, hard: Sequence[Dose]) -> str:
    """The measure that judges a dial, the same for all its doses: `attained`, unless no harder dose has one."""
    if judged == ATTAINED and not (hard and all(dose.reason for dose in hard)):
        return judged
    vanilla = study.task({})
    return NOISE_FREE if name in vanilla.environment.noise or vanilla.noise_free() != vanilla else TRAINED


def _without_lead(scale: Scale, vanilla: Dose) -> bool:
    """Whether vanilla and the random policy were run, and vanilla is not above it: then nothing is normalised."""
    ran = scale.random is not None and scale.random.n > 0 and bool(vanilla.means["auc"].n)
    return ran and not np.isfinite(vanilla.samples[TRAINED]).any()


def hard_side(values: Sequence[Any], vanilla: int, harder: str) -> list[int]:
    """The doses that are harder than vanilla; all others where the dial has no direction or both."""
    others = [i for i in range(len(values)) if i != vanilla]
    if harder in ("up", "down"):
        return [i for i in others if _side(values, vanilla, i) == harder]
    return others


def _side(values: Sequence[Any], vanilla: int, i: int) -> Side:
    if not ordered(values):
        return Side.NONE
    return Side.UP if values[i] > values[vanilla] else Side.DOWN


def _damage(scores: npt.NDArray[np.float64], hard: Iterable[int], vanilla: int) -> Estimate:
    """Unknown where no harder dose was tested, and where vanilla is not certainly learnt: there is nothing to lose."""
    learnt = is_learnt(estimate(scores[vanilla], "mean", LEVEL))
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
