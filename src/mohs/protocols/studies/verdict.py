"""What came of a study? Means and spreads over seeds for each agent and point, with intervals and what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mohs.agents.protocol import Points
from mohs.core.values import Json, to_json
from mohs.protocols.studies.experiment import Axis, Contender, Experiment, Level, plan, points, where
from mohs.protocols.studies.measures import MEASURES, measure, measures
from mohs.stats import Estimate, bonferroni_comparisons, estimate

LEVEL = 0.95

Curves = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]  # steps, training returns [runs, points]


@dataclass(frozen=True, eq=False)
class Spot:
    """One agent at one point: the measures of its runs [seeds] (NaN = missing), their means and their spreads."""

    point: tuple[Level, ...]
    samples: Mapping[str, npt.NDArray[np.float64]] = field(repr=False)
    means: Mapping[str, Estimate]
    spreads: Mapping[str, Estimate]
    curves: Curves | None = field(repr=False)

    @property
    def n(self) -> int:
        return self.means["auc"].n

    @property
    def missing(self) -> int:
        return len(self.samples["auc"]) - self.n


@dataclass(frozen=True, eq=False)
class Panel:
    """One agent on axes that vary together; `spots` are in the order of `points(axes)`."""

    contender: Contender
    axes: tuple[Axis, ...]
    spots: tuple[Spot, ...]

    @property
    def name(self) -> str:
        return " × ".join(axis.name for axis in self.axes)


@dataclass(frozen=True, eq=False)
class Verdict:
    experiment: Experiment
    panels: tuple[Panel, ...]
    runs: int
    missing: int
    headline: tuple[str, ...]

    def to_json(self) -> dict[str, Json]:
        return {
            "study": self.experiment.to_json(),
            "headline": list(self.headline),
            "runs": self.runs,
            "missing": self.missing,
            "panels": [
                {
                    "agent": panel.contender.label,
                    "axes": [axis.name for axis in panel.axes],
                    "points": [_spot_json(panel, spot) for spot in panel.spots],
                }
                for panel in self.panels
            ],
        }


def verdict(experiment: Experiment, scores: Mapping[str, Points]) -> Verdict:
    """The analysis of the runs that are there; `scores` maps cell keys to their curves."""
    panels = tuple(
        _panel(experiment, contender, axes, scores)
        for contender in experiment.contenders
        for axes in experiment.panels()
    )
    planned = plan(experiment).cells  # a point that several axes share is run once
    missing = sum(cell.key not in scores for cell in planned)
    return Verdict(experiment, panels, len(planned), missing, _headline(experiment, panels, missing))


def _panel(experiment: Experiment, contender: Contender, axes: tuple[Axis, ...], scores: Mapping[str, Points]) -> Panel:
    """Bars are compared with each other, so their intervals hold together; cells of a map stand for themselves."""
    found = points(axes)
    comparisons = bonferroni_comparisons(len(found)) if len(axes) == 1 else 1
    return Panel(contender, axes, tuple(_spot(experiment, contender, point, scores, comparisons) for point in found))


def _spot(
    experiment: Experiment,
    contender: Contender,
    point: tuple[Level, ...],
    scores: Mapping[str, Points],
    comparisons: int,
) -> Spot:
    names = measures(experiment.env, experiment.evaluation.noise_free)
    samples = {name: np.full(experiment.seeds, np.nan) for name in names}
    curves: list[Points] = []
    for seed, cell in enumerate(experiment.cells(contender, point, range(experiment.seeds))):
        if cell.key in scores:
            curves.append(scores[cell.key])
            for name, value in measure(cell, curves[-1]).items():
                samples[name][seed] = value
    means = {name: estimate(runs, "mean", LEVEL, comparisons) for name, runs in samples.items()}
    spreads = {name: estimate(runs, "sd", LEVEL, comparisons) for name, runs in samples.items()}
    trained = None
    if curves:
        trained = curves[0]["train/return"][0], np.array([found["train/return"][1] for found in curves])
    return Spot(point, samples, means, spreads, trained)


def _headline(experiment: Experiment, panels: Sequence[Panel], missing: int) -> tuple[str, ...]:
    """For each agent where it does best and worst by the first measure that is drawn."""
    lines = [_extremes(panel, experiment.figures[0]) for panel in panels]
    if missing:
        lines.append(f"{missing:,} runs are missing; what rests on them is marked.")
    return tuple(lines)


def _extremes(panel: Panel, name: str) -> str:
    label, title = panel.contender.label, MEASURES[name].title
    ran = [spot for spot in panel.spots if spot.means[name].n]
    if not ran:
        return f"{label}: no finished run on {panel.name}."
    low, high = (pick(ran, key=lambda spot: spot.means[name].value) for pick in (min, max))
    if low is high:
        return f"{label}: {title} {_words(high.means[name])} at {where(panel.axes, high.point)}."
    best, worst = high.means[name], low.means[name]
    sure = ""
    if best.known and worst.known:
        sure = "; the intervals lie apart" if best.low > worst.high else "; the intervals overlap"
    return (
        f"{label}: {title} is highest at {where(panel.axes, high.point)} ({_words(best)}) and lowest at "
        f"{where(panel.axes, low.point)} ({_words(worst)}){sure}."
    )


def _words(e: Estimate) -> str:
    ends = f", {100 * e.level:.4g}% interval {e.low:.4g} to {e.high:.4g}" if e.known else ""
    return f"{e.value:.4g}{ends}, n = {e.n}"


def _spot_json(panel: Panel, spot: Spot) -> dict[str, Json]:
    return {
        "at": {axis.name: to_json(level.value) for axis, level in zip(panel.axes, spot.point, strict=True)},
        "missing": spot.missing,
        "mean": {name: e.to_dict() for name, e in spot.means.items()},
        "spread": {name: e.to_dict() for name, e in spot.spreads.items()},
    }
