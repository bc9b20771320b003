"""Which dial breaks the agent, at which dose? The protocol of MDP Playground.

Vanilla and, one dial at a time, every dose of the battery; the same seeds everywhere, so that runs are paired: seed i
has the same generated dynamics at every dose and for every agent.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.agents.protocol import Points
from mohs.core.cell import Agent, Cell, Probe, Segment
from mohs.core.dials import dial
from mohs.core.domain import Integer
from mohs.core.errors import UsageError, unknown
from mohs.core.family import Family
from mohs.core.registry import environment
from mohs.core.task import Task, read_json
from mohs.core.values import Json, from_json, to_json
from mohs.protocols.batteries import FULL, PAIRED
from mohs.protocols.batteries import battery as find_battery
from mohs.protocols.measures import MEASURES, measure
from mohs.protocols.sentences import dial_sentence, headline
from mohs.runs.plan import Plan
from mohs.stats import BreakingDose, Estimate, bonferroni_comparisons, breaking_dose, damage, estimate, estimates

LEVEL = 0.95
CURVE_POINTS = 50
LEARNT_ABOVE = 0.1  # vanilla's normalised score, lower end of its interval

Curves = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]  # steps, training returns [seeds, points]


@dataclass(frozen=True)
class Study:
    """What a diagnosis asks: one agent, doses of dials, pairs of dials, how many seeds and steps."""

    agent: Agent
    battery: str
    doses: tuple[tuple[str, tuple[Any, ...]], ...]
    pairs: tuple[tuple[str, str], ...]
    seeds: int
    budget: int
    env: str = "toy/discrete"
    episodes: int = 10

    @classmethod
    def make(
        cls,
        agent: Agent,
        battery: str = "quick",
        dials: Sequence[str] | None = None,
        pairs: Sequence[tuple[str, str]] | None = None,
        seeds: int | None = None,
        budget: int | None = None,
        env: str = "toy/discrete",
    ) -> Study:
        """A battery with some of it set anew. Dials outside the battery take their doses from the full one."""
        chosen = find_battery(battery)
        known = {**FULL, **chosen.doses}
        for name in dials or ():
            _check_dial(name, known)
        for name in itertools.chain(*(pairs or ())):
            _check_dial(name, {**known, **PAIRED})
        for a, b in pairs or ():
            if a == b:
                raise UsageError(f"the pair {a}:{b} must name two different dials.")
        names = list(chosen.doses) if dials is None else list(dict.fromkeys(dials))
        if not names:
            raise UsageError("a diagnosis needs at least one dial.")
        two = chosen.pairs if pairs is None and dials is None else tuple(pairs or ())
        parameters = environment(env).parameters
        doses = [(n, tuple(parameters[n].domain.parse(n, v) for v in known[n])) for n in names]
        steps = Integer(200).parse("budget", chosen.budget if budget is None else budget)
        count = Integer(1, 1_000_000).parse("seeds", chosen.seeds if seeds is None else seeds)
        return cls(agent, battery, tuple(doses), two, count, steps, env)

    @cached_property
    def pair_doses(self) -> Mapping[str, tuple[Any, ...]]:
        """The doses of every dial that a pair names."""
        known = {**FULL, **PAIRED, **find_battery(self.battery).doses, **dict(self.doses)}
        return {name: known[name] for pair in self.pairs for name in pair}

    def families(self) -> tuple[Family, ...]:
        """One dial at a time around vanilla, and the grid of every pair."""
        axes: dict[str, Any] = {name: list(values) for name, values in self.doses}
        pairs: list[dict[str, Any]] = [{n: list(self.pair_doses[n]) for n in pair} for pair in self.pairs]
        return Family.sweep(self.env, **axes), *(Family.grid(self.env, **pair) for pair in pairs)

    def task(self, params: Mapping[str, Any], seed: int = 0) -> Task:
        return Task.make(self.env, seed=seed, **params)

    def cell(self, point: Task, seed: int) -> Cell:
        """One run: training, then the greedy policy on its own task and without noise."""
        task = replace(point, seed=seed)
        end = (self.budget,)
        probes = (
            Probe("eval", task, end, self.episodes),
            Probe("noise_free", task.noise_free(), end, self.episodes),
        )
        window = max(task["max_episode_steps"], self.budget // CURVE_POINTS)
        return Cell(self.agent, seed, (Segment(task, self.budget),), probes, window)

    def to_json(self) -> dict[str, Json]:
        return {
            "agent": self.agent.to_json(),
            "battery": self.battery,
            "doses": [[name, to_json(values)] for name, values in self.doses],
            "pairs": [list(pair) for pair in self.pairs],
            "seeds": self.seeds,
            "budget": self.budget,
            "env": self.env,
            "episodes": self.episodes,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Study:
        keys = {"agent", "battery", "doses", "pairs", "seeds", "budget", "env", "episodes"}
        data = read_json(data, "diagnosis", keys)
        return cls(
            Agent.from_json(data["agent"]),
            data["battery"],
            tuple((name, from_json(values)) for name, values in data["doses"]),
            tuple((a, b) for a, b in data["pairs"]),
            data["seeds"],
            data["budget"],
            data["env"],
            data["episodes"],
        )


def _check_dial(name: str, known: Mapping[str, Any]) -> None:
    if name in known:
        return
    dial(name)
    if name in PAIRED:
        raise UsageError(f"{name} does nothing to sequences of one state: try --pairs sequence_length:{name}.")
    raise unknown("dial with doses", name, known)


def plan(study: Study) -> Plan:
    """All cells of a diagnosis, seed by seed, so that an interrupted one has whole seeds."""
    points = [point.task for family in study.families() for point in family]
    cells = (study.cell(point, seed) for seed in range(study.seeds) for point in points)
    return Plan(str(study.agent), "diagnose", study.to_json(), tuple(cells))


@dataclass(frozen=True, eq=False)
class Dose:
    """One dose of a dial: its runs' measures [seeds] (NaN = missing), and their means with intervals."""

    value: Any
    samples: Mapping[str, npt.NDArray[np.float64]] = field(repr=False)
    means: Mapping[str, Estimate]
    iqms: Mapping[str, Estimate]
    curves: Curves | None = field(repr=False)

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
    samples: Mapping[str, npt.NDArray[np.float64]] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Verdict:
    """Dials in the order of the damage they do."""

    study: Study
    vanilla: Dose
    dials: tuple[DialVerdict, ...]
    pairs: tuple[PairVerdict, ...]
    missing: int
    headline: tuple[str, ...]

    def to_json(self) -> dict[str, Json]:
        return {
            "study": self.study.to_json(),
            "headline": list(self.headline),
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
    runs = _Runs(study, scores)
    vanilla = runs.dose(None, study.task({}), comparisons=1)
    dials = [_dial_verdict(study, runs, name, values) for name, values in study.doses]
    dials.sort(key=lambda d: -d.damage.value if not np.isnan(d.damage.value) else np.inf)
    pairs = tuple(runs.pair(a, b) for a, b in study.pairs)
    score = vanilla.means["normalised"]
    lines = headline(study.agent.name, study.budget, score, score.low > LEARNT_ABOVE, dials, runs.missing)
    return Verdict(study, vanilla, tuple(dials), pairs, runs.missing, lines)


class _Runs:
    """The measures of every run, looked up by its point."""

    def __init__(self, study: Study, scores: Mapping[str, Points]) -> None:
        self._study, self._scores = study, scores
        self._samples: dict[Task, dict[str, npt.NDArray[np.float64]]] = {}
        self.missing = 0

    def samples(self, point: Task) -> dict[str, npt.NDArray[np.float64]]:
        """Every measure of a point, [seeds]."""
        if point not in self._samples:
            values = {name: np.full(self._study.seeds, np.nan) for name in MEASURES}
            for seed in range(self._study.seeds):
                cell = self._study.cell(point, seed)
                if cell.key not in self._scores:
                    self.missing += 1
                    continue
                for name, value in measure(cell, self._scores[cell.key]).items():
                    values[name][seed] = value
            self._samples[point] = values
        return self._samples[point]

    def dose(self, value: Any, point: Task, comparisons: int) -> Dose:
        samples = self.samples(point)
        means = {name: estimate(runs, "mean", LEVEL, comparisons) for name, runs in samples.items()}
        iqms = {name: estimate(runs, "iqm", LEVEL, comparisons) for name, runs in samples.items()}
        return Dose(value, samples, means, iqms, self._curves(point))

    def pair(self, a: str, b: str) -> PairVerdict:
        doses_a, doses_b = self._study.pair_doses[a], self._study.pair_doses[b]
        grid = [[self.samples(self._study.task({a: x, b: y})) for y in doses_b] for x in doses_a]
        stacked = {name: np.array([[cell[name] for cell in row] for row in grid]) for name in MEASURES}
        return PairVerdict(a, b, doses_a, doses_b, stacked)

    def _curves(self, point: Task) -> Curves | None:
        keys = [self._study.cell(point, seed).key for seed in range(self._study.seeds)]
        found = [self._scores[key]["train/return"] for key in keys if key in self._scores]
        return (found[0][0], np.array([values for _, values in found])) if found else None


def _dial_verdict(study: Study, runs: _Runs, name: str, values: tuple[Any, ...]) -> DialVerdict:
    declared = dial(name)
    plain = environment(study.env).parameters[name].default
    vanilla = values.index(plain)
    comparisons = bonferroni_comparisons(len(values))
    doses = tuple(runs.dose(v, study.task({name: v}), comparisons) for v in values)
    scores = np.array([dose.samples["normalised"] for dose in doses])
    ordered = not isinstance(values[0], bool)
    harder = declared.harder if ordered else "none"
    breaking = breaking_dose([float(v) for v in values], scores, vanilla, harder, LEVEL, learnt_above=LEARNT_ABOVE)
    loss = _damage(scores, _hard_side(values, vanilla, harder), vanilla)
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
