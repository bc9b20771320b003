"""Do two agents find the same games hard? Their costs against each other (Figure 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.protocols.lcd.figures.costs import as_estimate
from mohs.protocols.lcd.verdict import LcdVerdict, told_for_both
from mohs.report import numbers
from mohs.report.figures.looks import broken, short
from mohs.report.figures.marks import error_bars
from mohs.report.theme import LIGHT, dress, heading
from mohs.stats import Estimate
from mohs.stats.lcd import Cost

HIGH = 380  # pixels


@dataclass(frozen=True)
class Panel:
    """One cost of both agents, game by game."""

    title: str
    games: tuple[str, ...]
    first: tuple[Estimate, ...]
    second: tuple[Estimate, ...]


@dataclass(frozen=True)
class Pair:
    """Two agents."""

    first: str
    second: str
    panels: tuple[Panel, ...]
    note: str


def agreements(verdict: LcdVerdict) -> Iterator[Pair]:
    """The pairs of agents that were compared over games."""
    for agreement in verdict.agreements:
        ours, theirs = verdict.of(agreement.first), verdict.of(agreement.second)
        panels = [_panel("perception", agreement.perception, told_for_both(ours, theirs, "perception"))]
        if agreement.learning is not None:
            panels.append(_panel("rarer reward", agreement.learning, told_for_both(ours, theirs, "learning")))
        note = f"share lost · of {len(ours)} games, those that can be told for both agents"
        yield Pair(short(agreement.first), short(agreement.second), tuple(panels), note)


def _panel(what: str, correlation: Estimate, pairs: list[tuple[str, tuple[Cost, Cost]]]) -> Panel:
    title = f"{what}: rank correlation {numbers.estimated(correlation)}, {len(pairs)} games"
    games = tuple(short(game.rpartition("/")[2]) for game, _ in pairs)
    return Panel(title, games, *(tuple(as_estimate(costs[i]) for _, costs in pairs) for i in (0, 1)))


def agreement_figure(data: Pair) -> go.Figure:
    """A panel for each cost; on the line both agents lose as much."""
    count = len(data.panels)
    figure = make_subplots(rows=1, cols=count, horizontal_spacing=0.12)
    dress(figure, HIGH, broken(data.note))
    figure.update_layout(showlegend=False, margin={"t": 90, "b": 60})
    for i, panel in enumerate(data.panels):
        cell, axis = {"row": 1, "col": i + 1}, "" if i == 0 else str(i + 1)
        values = [e.value for e in (*panel.first, *panel.second)] or [0.0]
        low, high = min(0.0, *values) - 0.1, max(0.3, *values) + 0.1
        figure.add_scatter(
            x=[low, high], y=[low, high], mode="lines", hoverinfo="skip",
            line={"color": LIGHT.muted, "width": 1, "dash": "dot"}, **cell,
        )  # fmt: skip
        figure.add_scatter(
            x=[e.value for e in panel.first], y=[e.value for e in panel.second], mode="markers+text",
            text=list(panel.games), textposition="top center", textfont={"size": 11},
            marker={"size": 9, "color": LIGHT.accent},
            error_x=error_bars(panel.first, LIGHT.run), error_y=error_bars(panel.second, LIGHT.run), **cell,
        )  # fmt: skip
        figure.add_annotation(heading(panel.title, 0, 1, f"x{axis} domain", f"y{axis} domain"))
        for update, name in ((figure.update_xaxes, data.first), (figure.update_yaxes, data.second)):
            update(range=[low, high], tickformat=".0%", nticks=6, title={"text": name}, **cell)
    return figure
