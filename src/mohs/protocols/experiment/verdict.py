"""What came of a study? Means and spreads over seeds for each agent and point, with intervals and what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mohs.agents.protocol import Points
from mohs.core.point import Point
from mohs.core.values import Json, to_json
from mohs.protocols.experiment.contrasts import (
    LEVEL,
    Contrasts,
    Ranges,
    contrast_rows,
    contrast_sentences,
    contrasts,
)
from mohs.protocols.experiment.study import PROTOCOL, Axis, Experiment, Level, StudyAgent, points_of, where
from mohs.protocols.measures import MEASURES, available, measure
from mohs.protocols.ranges import known_range
from mohs.protocols.scale import own_references
from mohs.protocols.scores import Scores
from mohs.protocols.verdict import Verdict
from mohs.report.findings import Finding
from mohs.report.numbers import formatted, level
from mohs.runs.results import Results
from mohs.stats import Estimate, bonferroni_comparisons, estimate

if TYPE_CHECKING:
    import pandas as pd

Curves = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]  # steps, training returns [runs, points]


@dataclass(frozen=True, eq=False)
class PointResult:
    """One agent at one point: the measures of its runs [seeds] (NaN = missing), their means and their spreads."""

    point: tuple[Level, ...]
    samples: Mapping[str, npt.NDArray[np.float64]] = field(repr=False)
    means: Mapping[str, Estimate]
    spreads: Mapping[str, Estimate]
    curves: Curves | None = field(repr=False)

    @property
    def n(self) -> int:
        """The number of finished runs."""
        return self.means["auc"].n

    @property
    def missing(self) -> int:
        """The number of runs that have not finished."""
        return len(self.samples["auc"]) - self.n


@dataclass(frozen=True, eq=False)
class Panel:
    """One agent on axes that vary together; `points` are in the order of `points_of(axes)`."""

    agent: StudyAgent
    axes: tuple[Axis, ...]
    points: tuple[PointResult, ...]

    @property
    def name(self) -> str:
        """The axes in words."""
        return " × ".join(axis.name for axis in self.axes)


@dataclass(frozen=True, eq=False, repr=False)
class ExperimentVerdict(Verdict):
    """What came of a study file."""

    protocol = PROTOCOL

    experiment: Experiment
    scores: Scores = field(repr=False)
    panels: tuple[Panel, ...]
    contrasts: tuple[Contrasts, ...]
    runs: int
    missing: int
    findings: tuple[Finding, ...]

    def frame(self) -> pd.DataFrame:
        """One row for each agent, point and seed, with every measure of the run."""
        return self.scores.frame()

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {
            "study": self.experiment.to_json(),
            "headline": list(self.sentences),
            "runs": self.runs,
            "missing": self.missing,
            "panels": [
                {
                    "agent": panel.agent.label,
                    "axes": [axis.name for axis in panel.axes],
                    "points": [_point_json(panel, found) for found in panel.points],
                }
                for panel in self.panels
            ],
            "differences": [row for found in self.contrasts for row in contrast_rows(found)],
        }


def verdict(experiment: Experiment, results: Results) -> ExperimentVerdict:
    """The analysis of the runs that have finished."""
    scale = own_references(experiment.env)
    names = available(experiment.env, scale, noise_free=experiment.evaluation.noise_free)

    def measured(_agent: str, point: Point, seed: int, curves: Points) -> Mapping[str, float]:
        return measure(replace(point.task, seed=seed), curves, names, scale)

    scores = Scores.of(results, experiment.family, experiment.labels, names, measured)
    ranges = {
        (point.name, name): known_range(name, [replace(point.task, seed=seed) for seed in range(results.seeds)], scale)
        for point in experiment.family
        for name in names
    }
    panels = tuple(
        _panel(agent, axes, results, scores, ranges) for agent in experiment.agents for axes in experiment.panels()
    )
    found = contrasts(experiment, scores, ranges)
    said = _findings(experiment, panels, found, results.missing)
    return ExperimentVerdict(experiment, scores, panels, found, results.planned, results.missing, said)


def _panel(agent: StudyAgent, axes: tuple[Axis, ...], results: Results, scores: Scores, ranges: Ranges) -> Panel:
    """Bars are compared with each other, so their intervals hold together; cells of a map stand for themselves."""
    found = points_of(axes)
    comparisons = bonferroni_comparisons(len(found)) if len(axes) == 1 else 1
    return Panel(
        agent, axes, tuple(_point(agent, axes, point, results, scores, ranges, comparisons) for point in found)
    )


def _point(
    agent: StudyAgent,
    axes: tuple[Axis, ...],
    point: tuple[Level, ...],
    results: Results,
    scores: Scores,
    ranges: Ranges,
    comparisons: int,
) -> PointResult:
    name = where(axes, point)
    samples = scores.samples(agent.label, name)
    means, spreads = (
        {m: estimate(runs, kind, LEVEL, comparisons, ranges[name, m]) for m, runs in samples.items()}
        for kind in ("mean", "sd")
    )
    curves = [found["train/return"] for _, found in results.finished(agent.label, name)]
    trained = (curves[0][0], np.array([values for _, values in curves])) if curves else None
    return PointResult(point, samples, means, spreads, trained)


def _findings(
    experiment: Experiment, panels: Sequence[Panel], found: Sequence[Contrasts], missing: int
) -> tuple[Finding, ...]:
    """The paired differences, then for each agent where it does best and worst, by the first measure that is drawn."""
    lines = [Finding(text) for contrast in found for text in contrast_sentences(contrast)]
    lines += [Finding(extremes(panel, experiment.figures[0])) for panel in panels]
    if missing:
        lines.append(Finding(f"{missing:,} runs are missing; what rests on them is marked.", warning=True))
    return tuple(lines)


def extremes(panel: Panel, name: str) -> str:
    """Where an agent does best and worst."""
    label, title = panel.agent.label, MEASURES[name].title
    ran = [found for found in panel.points if found.means[name].n]
    if not ran:
        return f"{label}: no finished run on {panel.name}."
    low, high = (pick(ran, key=lambda found: found.means[name].value) for pick in (min, max))
    if low is high:
        return f"{label}: {title} {_words(high.means[name])} at {where(panel.axes, high.point)}."
    best, worst = high.means[name], low.means[name]
    sure = ""
    if best.known and worst.known:
        sure = "; the intervals do not overlap" if best.low > worst.high else "; the intervals overlap"
    return (
        f"{label}: {title} is highest at {where(panel.axes, high.point)} ({_words(best)}) and lowest at "
        f"{where(panel.axes, low.point)} ({_words(worst)}){sure}."
    )


def _words(e: Estimate) -> str:
    value, low, high = (formatted(x, ".4g") for x in (e.value, e.low, e.high))
    ends = f", {level(e.level)} interval {low} to {high}" if e.known else ""
    return f"{value}{ends}, n = {e.n}"


def _point_json(panel: Panel, found: PointResult) -> dict[str, Json]:
    return {
        "at": {axis.name: to_json(level.value) for axis, level in zip(panel.axes, found.point, strict=True)},
        "missing": found.missing,
        "mean": {name: e.to_dict() for name, e in found.means.items()},
        "spread": {name: e.to_dict() for name, e in found.spreads.items()},
    }
