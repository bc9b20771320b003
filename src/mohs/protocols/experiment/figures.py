"""Which figures show a study? For each agent: bars or maps of every measure asked for, and the learning curves."""

from __future__ import annotations

from itertools import product

import numpy as np
import plotly.graph_objects as go

from mohs.protocols.experiment.contrast_figures import MOST_POINTS, compared_points, contrast_figure
from mohs.protocols.experiment.contrasts import LEVEL
from mohs.protocols.experiment.study import AGENT, Axis, points_of
from mohs.protocols.experiment.verdict import ExperimentVerdict, Panel, PointResult
from mohs.protocols.measures import MEASURES
from mohs.report import numbers
from mohs.report.figures.bars import BarPanel, Bars, bars_figure
from mohs.report.figures.curves import CurvePanel, Curves, curves_figure
from mohs.report.figures.pairs import PairMap, pair_figure
from mohs.stats import estimates

COMPARED, CURVES = "compared", "curves"
MOST_CURVES = 25  # points whose learning curves have room on a page


def experiment_figures(verdict: ExperimentVerdict) -> dict[str, go.Figure]:
    """Every figure, in the order of the report; the names of a panel's begin with its `prefix`."""
    found = {
        f"{COMPARED}-{number}": contrast_figure(compared_points(verdict, contrasts))
        for number, contrasts in enumerate(verdict.contrasts, 1)
        if len(points_of(contrasts.axes)) <= MOST_POINTS
    }
    for number, panel in enumerate(verdict.panels):
        name = prefix(panel, number)
        found |= {f"{name}{kind}": figure for kind, figure in _results(verdict, panel).items()}
        if len(panel.points) <= MOST_CURVES:
            found[f"{name}{CURVES}"] = curves_figure(panel_curves(panel))
    return found


def prefix(panel: Panel, number: int) -> str:
    """The number keeps labels apart that differ in other characters only."""
    words = "-".join([panel.agent.label, *(axis_title(axis) for axis in panel.axes)])
    return f"{number + 1}-" + "".join(c if c.isalnum() or c in "_-" else "-" for c in words) + "-"


def _results(verdict: ExperimentVerdict, panel: Panel) -> dict[str, go.Figure]:
    """Bars for one axis; for two, maps of mean and spread for each measure, and for each level of further axes."""
    measures, seeds = verdict.experiment.figures, verdict.experiment.seeds
    if len(panel.axes) == 1:
        return {"bars": bars_figure(bars(panel, measures, seeds))}
    return {
        f"map-{name}-{i + 1}": pair_figure(data) for name in measures for i, data in enumerate(maps(panel, name, seeds))
    }


def bars(panel: Panel, measures: tuple[str, ...], seeds: int) -> Bars:
    axis = panel.axes[0]
    return Bars(
        axis_title(axis),
        labels(axis),
        seeds,
        tuple(
            BarPanel(MEASURES[name].title, tuple(result.means[name] for result in panel.points)) for name in measures
        ),
    )


def maps(panel: Panel, measure: str, seeds: int) -> list[PairMap]:
    """One map for each combination of levels beyond the first two axes."""
    a, b, *others = panel.axes
    results = {result.point: result for result in panel.points}
    found = []
    for rest in product(*(axis.levels for axis in others)):
        words = ", ".join(
            f"{axis_title(axis)} = {numbers.dose(level.value)}" for axis, level in zip(others, rest, strict=True)
        )
        grid: list[list[PointResult]] = [[results[(x, y, *rest)] for y in b.levels] for x in a.levels]
        data = PairMap(
            axis_title(a), axis_title(b), ("", ""), f"{MEASURES[measure].title}{' · ' + words if words else ''}",
            labels(a), labels(b),
            tuple(tuple(result.means[measure] for result in row) for row in grid),
            tuple(tuple(result.spreads[measure] for result in row) for row in grid),
            seeds,
        )  # fmt: skip
        found.append(data)
    return found


def panel_curves(panel: Panel) -> Curves:
    """The training curves at every point, in units of reward."""
    shown = []
    for result in panel.points:
        steps, runs = result.curves if result.curves is not None else (np.zeros(0), np.zeros((0, 0)))
        means = tuple(estimates(runs.T, "mean", LEVEL)) if runs.size else ()
        label = " · ".join(numbers.dose(level.value) for level in result.point)
        shown.append(CurvePanel(label, np.asarray(steps, dtype=np.float64), runs, means, result.missing))
    name = " · ".join(axis_title(axis) for axis in panel.axes)
    return Curves(f"{panel.agent.label}, {name}", "", False, tuple(shown))


def axis_title(axis: Axis) -> str:
    return axis.name.removeprefix(AGENT)


def labels(axis: Axis) -> tuple[str, ...]:
    return tuple(numbers.dose(level.value) for level in axis.levels)
