"""Is what is usually reported true of the family? The score at the default point beside that over the family."""

from __future__ import annotations

import math
from dataclasses import dataclass

import plotly.graph_objects as go

from mohs.protocols.family.verdict import FamilyVerdict
from mohs.report import numbers
from mohs.report.figures.looks import narrow, short
from mohs.report.figures.marks import error_bars
from mohs.report.theme import LIGHT
from mohs.stats import Estimate

ROW = 46  # pixels


@dataclass(frozen=True)
class Reported:
    """Methods, best over the family first: their scores over it and at its default point."""

    names: tuple[str, ...]
    overall: tuple[Estimate, ...]
    default: tuple[Estimate | None, ...]
    title: str
    note: str


def reported(verdict: FamilyVerdict) -> Reported:
    """The data of the figure."""
    ranked = verdict.ranked
    n = f"n = {len(verdict.used)} of {len(verdict.study.members)} points"
    runs = [m.default.n for m in ranked if m.default is not None]
    default = f" · default point: {numbers.count(runs)} runs" if runs else ""
    return Reported(
        tuple(short(m.name) for m in ranked),
        tuple(m.overall for m in ranked),
        tuple(m.default for m in ranked),
        verdict.outcomes.title,
        f"{n}, {verdict.study.seeds} seed{'s' * (verdict.study.seeds > 1)} each{default} · "
        f"{numbers.level(ranked[0].overall.level)} intervals · {verdict.ends}",
    )


def reported_figure(data: Reported) -> go.Figure:
    """One row for each method; a line joins its two scores."""
    figure = narrow(ROW * len(data.names) + 10, data.note, legend=2, bottom=66, left=16)
    for y, (overall, default) in enumerate(zip(data.overall, data.default, strict=True)):
        if default is not None and not math.isnan(default.value + overall.value):
            figure.add_scatter(
                x=[default.value, overall.value], y=[y, y], mode="lines", showlegend=False, hoverinfo="skip",
                line={"color": LIGHT.rule, "width": 2},
            )  # fmt: skip
    kinds = (
        ("family", data.overall, LIGHT.accent, "circle"),
        ("default point", data.default, LIGHT.second, "diamond-open"),
    )
    for name, found, colour, symbol in kinds:
        shown = [(y, e) for y, e in enumerate(found) if e is not None and not math.isnan(e.value)]
        if not shown:
            continue
        figure.add_scatter(
            x=[e.value for _, e in shown], y=[y for y, _ in shown], mode="markers", name=name,
            marker={"size": 10, "color": colour, "symbol": symbol, "line": {"width": 2, "color": colour}},
            error_x=error_bars([e for _, e in shown], colour, thickness=1.8),
            customdata=[f"{data.names[y]}: {numbers.estimated(e)}, n = {e.n}" for y, e in shown],
            hovertemplate="%{customdata}<extra>" + name + "</extra>",
        )  # fmt: skip
    figure.update_layout(
        xaxis={"title": {"text": data.title}, "nticks": 7},
        yaxis={
            "tickvals": list(range(len(data.names))), "ticktext": list(data.names), "showgrid": False,
            "range": [len(data.names) - 0.5, -0.5], "ticks": "",
        },
    )  # fmt: skip
    return figure
