"""How do agents compare over the points of a study? Means on one axis, and below them the paired differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.protocols.experiment.contrasts import Contrasts
from mohs.protocols.experiment.study import AGENT, points_of
from mohs.protocols.experiment.verdict import ExperimentVerdict
from mohs.protocols.measures import MEASURES
from mohs.report import numbers
from mohs.report.figures.marks import error_bars, escaped
from mohs.report.theme import LIGHT, dress, heading
from mohs.stats import Estimate

MOST_POINTS = 40  # that have room below each other
ROW = 26  # the height of a point, plus one for each series
ROOM = 22  # characters of a label, at the width of a telephone


@dataclass(frozen=True)
class Series:
    """Estimates of one agent, or of one difference, point by point."""

    name: str
    values: tuple[Estimate | None, ...]


@dataclass(frozen=True)
class ComparedPoints:
    """Points below each other, as they are labelled; in one panel means, in the other differences."""

    points: tuple[str, ...]
    title: str
    means: tuple[Series, ...]
    differences: tuple[Series, ...]
    subtitle: str


def compared_points(verdict: ExperimentVerdict, found: Contrasts) -> ComparedPoints:
    """The means of all agents at the points of some axes, and their differences."""
    points = points_of(found.axes)
    panels = [panel for panel in verdict.panels if panel.axes == found.axes]
    means = tuple(Series(panel.agent.label, tuple(r.means[found.measure] for r in panel.points)) for panel in panels)
    groups: dict[str, dict[object, Estimate]] = {}
    for row in found.rows:
        name = f"{row.first} − {row.second}" if found.of_agents else f"less {row.second}"
        groups.setdefault(name, {})[row.point] = row.difference
    differences = tuple(Series(name, tuple(rows.get(p) for p in points)) for name, rows in groups.items())
    names = [_short(", ".join(numbers.dose(level.value) for level in point)) for point in points]
    subtitle = f"difference from {found.rows[0].second}"
    axes = ", ".join(axis.name.removeprefix(AGENT) for axis in found.axes)
    title = f"{MEASURES[found.measure].title} by {axes}"
    return ComparedPoints(tuple(names), title, means, differences, subtitle)


def contrast_figure(data: ComparedPoints) -> go.Figure:
    """Two panels, one below the other; points run down, so that their labels never touch."""
    figure = make_subplots(2, 1, vertical_spacing=0.16)
    height = len(data.points) * (ROW + 10 * max(len(data.means), len(data.differences)))
    counts = [e.n for series in data.means for e in series.values if e is not None]
    known = [e for series in data.differences for e in series.values if e is not None and e.known]
    level = f" · differences: {numbers.level(known[0].level)} each, 95% together" if known else ""
    dress(figure, 190 + 2 * height + 40, f"{numbers.count(counts)} · intervals{level}")
    figure.update_layout(margin={"l": 20, "r": 16, "t": 92, "b": 64}, legend={"y": 0, "yanchor": "bottom"})
    colours = {series.name: LIGHT.actions[i % len(LIGHT.actions)] for i, series in enumerate(data.means)}
    others = list(colours.values())[1:] or [LIGHT.accent]
    for series in data.means:
        _draw(figure, data, series, data.means, colours[series.name], 1, legend=len(data.means) > 1)
    for i, series in enumerate(data.differences):
        _draw(figure, data, series, data.differences, others[i % len(others)], 2, legend=False)
    figure.add_vline(x=0, line={"color": LIGHT.muted, "width": 1, "dash": "dash"}, row=2, col=1)
    figure.add_annotation(heading(escaped(data.title), 0, 1, "x domain", "y domain"))
    figure.add_annotation(heading(escaped(data.subtitle), 0, 1, "x2 domain", "y2 domain"))
    places = list(range(len(data.points)))
    figure.update_yaxes(
        tickvals=places, ticktext=[escaped(name) for name in data.points], range=[len(places) - 0.5, -0.5],
        showgrid=True, automargin=True,
    )  # fmt: skip
    figure.update_xaxes(nticks=5)
    return figure


def _draw(
    figure: go.Figure,
    data: ComparedPoints,
    series: Series,
    beside: Sequence[Series],
    colour: str,
    row: int,
    legend: bool,
) -> None:
    """Marks with intervals; series lie a little apart, so that none covers another."""
    place = beside.index(series)
    shift = 0.5 * ((place + 0.5) / len(beside) - 0.5)
    shown = [
        (i + shift, label, e)
        for i, (label, e) in enumerate(zip(data.points, series.values, strict=True))
        if e is not None and math.isfinite(e.value)
    ]
    values = [e for _, _, e in shown]
    figure.add_scatter(
        x=[e.value for e in values], y=[y for y, _, _ in shown], mode="markers", name=escaped(series.name),
        marker={"color": colour, "size": 8}, error_x=error_bars(values, colour, width=4), showlegend=legend,
        customdata=[f"{escaped(label)}<br>{numbers.estimated(e)}, n = {e.n}" for _, label, e in shown],
        hovertemplate=f"{escaped(series.name)}<br>%{{customdata}}<extra></extra>", row=row, col=1,
    )  # fmt: skip


def _short(text: str) -> str:
    return text if len(text) <= ROOM else f"{text[: ROOM - 1]}…"
