"""Which dial breaks the agent, at which dose? The protocol of MDP Playground: what is concluded from a study's runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.agents.protocol import Points
from mohs.core.task import Task
from mohs.core.values import Json, to_json
from mohs.envs.dials import dial_of
from mohs.protocols.measures import measure, measures, returns_measure
from mohs.protocols.scales import Scale, find_scale
from mohs.protocols.sentences import dial_sentence, headline, opening, own_opening
from mohs.protocols.study import PROTOCOL, Study, ordered, plan
from mohs.stats import BreakingDose, Estimate, bonferroni_comparisons, breaking_dose, damage, estimate, estimates

__all__ = ["LEVEL", "PROTOCOL", "Curves", "DialVerdict", "Dose", "PairVerdict", "Study", "Verdict", "plan", "verdict"]

LEVEL = 0.95
LEARNT_ABOVE = 0.1  # vanilla's normalised score, lower end of its interval

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

    @property
    def missing(self) -> int:
        return int(np.isnan(self.samples["raw"]).sum())


@dataclass(frozen=True, eq=False)
class DialVerdict:
    """What one dial does to the agent."""

    name: str
    unit: str
    harder: str
    vanilla: int
    doses: tuple[Dose, ...]
    breaking: tuple[BreakingDose, ...]
    damage: Estimate
    sentence: str


@dataclass(frozen=True, eq=False)
class PairVerdict:
    """Two dials together: samples [doses of a, doses of b, seeds] of every measure (Appendix E)."""

    a: str
    b: str
    doses_a: tuple[Any, ...]
    doses_b: tuple[Any, ...]
    units: tuple[str, str]
    samples: Mapping[str, npt.NDArray[np.float64]] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Verdict:
    """Dials in the order of the damage they do."""

    study: Study
    scale: Scale
    vanilla: Dose
    dials: tuple[DialVerdict, ...]
    pairs: tuple[PairVerdict, ...]
    missing: int
    headline: tuple[str, ...]

    def to_json(self) -> dict[str, Json]:
        return {
            "study": self.study.to_json(),
            "headline": list(self.headline),
            "references": self.scale.to_json(),
            "missing_cells": self.missing,
            "vanilla": _dose_json(self.vanilla),
            "dials": [
                {
                    "name": d.name,
                    "unit": d.unit,
                    "harder": d.harder,
                    "sentence": d.sentence,
                    "damage": d.damage.to_dict(),
                    "breaking": [b.to_dict() for b in d.breaking],
                    "doses": [_dose_json(dose) for dose in d.doses],
                }
                for d in self.dials
            ],
            "pairs": [_pair_json(p) for p in self.pairs],
        }


def verdict(study: Study, scores: Mapping[str, Points]) -> Verdict:
    """The analysis of the runs that are there; `scores` maps cell keys to their curves."""
    scale = find_scale(study, scores)
    runs = _Runs(study, scores, scale)
    vanilla = runs.dose(None, study.task({}), comparisons=1)
    dials = [_dial_verdict(study, runs, name, values) for name, values in study.doses]
    dials.sort(key=lambda d: -d.damage.value if not np.isnan(d.damage.value) else np.inf)
    pairs = tuple(runs.pair(a, b) for a, b in study.pairs)
    missing = runs.missing + (0 if scale.random is None else study.seeds - scale.random.n)
    lines = headline(_opening(study, scale, vanilla), dials, missing, study.left_out)
    return Verdict(study, scale, vanilla, tuple(dials), pairs, missing, lines)


def _opening(study: Study, scale: Scale, vanilla: Dose) -> tuple[str, ...]:
    """How vanilla is learnt, in words."""
    score, agent = vanilla.means["normalised"], study.agent.name
    if scale.random is None:
        return opening(agent, study.budget, score, score.low > LEARNT_ABOVE, bool(vanilla.means["raw"].n))
    earned = vanilla.means[returns_measure(study.env)]
    return own_opening(agent, study.budget, earned, scale.random, score.low > LEARNT_ABOVE)


class _Runs:
    """The measures of every run, looked up by its point."""

    def __init__(self, study: Study, scores: Mapping[str, Points], scale: Scale) -> None:
        self._study, self._scores, self._scale = study, scores, scale
        self._samples: dict[Task, dict[str, npt.NDArray[np.float64]]] = {}
        self.missing = 0

    @property
    def without_lead(self) -> bool:
        """Whether vanilla and random play were run, and vanilla is not above it: then nothing is normalised."""
        vanilla, random = self.samples(self._study.task({})), self._scale.random
        scored = bool(np.isfinite(vanilla["normalised"]).any())
        return random is not None and random.n > 0 and bool(np.isfinite(vanilla["raw"]).any()) and not scored

    def samples(self, point: Task) -> dict[str, npt.NDArray[np.float64]]:
        """Every measure of a point, [seeds]."""
        if point not in self._samples:
            values = {name: np.full(self._study.seeds, np.nan) for name in measures(self._study.env)}
            for seed in range(self._study.seeds):
                cell = self._study.cell(point, seed)
                if cell.key not in self._scores:
                    self.missing += 1
                    continue
                for name, value in measure(cell, self._scores[cell.key], self._scale).items():
                    values[name][seed] = value
            self._samples[point] = values
        return self._samples[point]

    def dose(self, value: Any, point: Task, comparisons: int) -> Dose:
        samples = self.samples(point)
        means = {name: estimate(runs, "mean", LEVEL, comparisons) for name, runs in samples.items()}
        iqms = {name: estimate(runs, "iqm", LEVEL, comparisons) for name, runs in samples.items()}
        return Dose(value, samples, means, iqms, *self._curves(point))

    def pair(self, a: str, b: str) -> PairVerdict:
        doses_a, doses_b = self._study.pair_doses[a], self._study.pair_doses[b]
        grid = [[self.samples(self._study.task({a: x, b: y})) for y in doses_b] for x in doses_a]
        stacked = {name: np.array([[cell[name] for cell in row] for row in grid]) for name in grid[0][0]}
        vanilla = self._study.task({})
        units = dial_of(vanilla, a).unit, dial_of(vanilla, b).unit
        return PairVerdict(a, b, doses_a, doses_b, units, stacked)

    def _curves(self, point: Task) -> tuple[Curves | None, Curves | None]:
        """The training curves of the runs that are there, as they are and normalised."""
        cells = [self._study.cell(point, seed) for seed in range(self._study.seeds)]
        found = [(cell, self._scores[cell.key]) for cell in cells if cell.key in self._scores]
        if not found:
            return None, None
        steps = found[0][1]["train/return"][0]
        raw = [curves["train/return"][1] for _, curves in found]
        normal = [self._scale.normalise(replace(point, seed=cell.seed), curves, "train") for cell, curves in found]
        return (steps, np.array(raw)), (steps, np.array(normal))


def _dial_verdict(study: Study, runs: _Runs, name: str, values: tuple[Any, ...]) -> DialVerdict:
    declared, vanilla = dial_of(study.task({}), name), values.index(study.task({})[name])
    comparisons = bonferroni_comparisons(len(values))
    doses = tuple(runs.dose(v, study.task({name: v}), comparisons) for v in values)
    scores = np.array([dose.samples["normalised"] for dose in doses])
    harder = declared.harder if ordered(values) else "none"
    places = [float(v) for v in values] if ordered(values) else list(range(len(values)))
    breaking = breaking_dose(places, scores, vanilla, harder, LEVEL, learnt_above=LEARNT_ABOVE)
    if runs.without_lead and harder != "none":  # nothing is normalised, because vanilla is not above random play
        breaking = (BreakingDose("not_learnt", np.nan, np.nan, np.nan, min(d.means["raw"].n for d in doses), LEVEL),)
    hard = _hard_side(values, vanilla, harder)
    if hard and not breaking:  # no harder dose has a score
        breaking = (BreakingDose("too_few", np.nan, np.nan, np.nan, 0, LEVEL),)
    loss = _damage(scores, hard, vanilla)
    sentence = dial_sentence(name, declared.unit, values, harder, breaking, loss)
    return DialVerdict(name, declared.unit, harder, vanilla, doses, breaking, loss, sentence)


def _hard_side(values: Sequence[Any], vanilla: int, harder: str) -> list[int]:
    """The doses that are harder than vanilla; all others where the dial has no direction or both."""
    others = [i for i in range(len(values)) if i != vanilla]
    if harder in ("up", "down"):
        return [i for i in others if (values[i] > values[vanilla]) == (harder == "up")]
    return others


def _damage(scores: npt.NDArray[np.float64], hard: list[int], vanilla: int) -> Estimate:
    """Unknown where no harder dose was tested, and where there is nothing to lose: vanilla is not learnt."""
    learnt = estimate(scores[vanilla], "mean", LEVEL).low > LEARNT_ABOVE
    return damage(scores[[vanilla, *hard]] if learnt else np.full((1, scores.shape[1]), np.nan), 0, LEVEL)


def _dose_json(dose: Dose) -> dict[str, Json]:
    return {
        "value": to_json(dose.value),
        "missing": dose.missing,
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
