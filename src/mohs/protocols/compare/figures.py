"""Is agent A better than agent B, and on which dial?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import plotly.graph_objects as go

from mohs.protocols.compare.comparison import Comparison
from mohs.protocols.diagnose.figures.response import (
    DialResponse,
    dial_response,
    draw_means,
    draw_missing,
    draw_runs,
    score_range,
)
from mohs.protocols.diagnose.verdict import Diagnosis, DialVerdict
from mohs.report import numbers
from mohs.report.figures.marks import error_bars, escaped
from mohs.report.theme import LIGHT, blank
from mohs.stats import Estimate


@dataclass(frozen=True)
class ImprovementRow:
    name: str
    estimate: Estimate

    @property
    def decided(self) -> bool:
        """Whether the interval leaves out one half."""
        return self.estimate.known and not self.estimate.low <= 0.5 <= self.estimate.high


def comparison_figures(comparison: Comparison) -> dict[str, go.Figure]:
    """Every figure of the report, by name."""
    found = {"improvement": improvement_figure(improvement_rows(comparison), comparison.names)}
    for overlay in overlays(comparison):
        found[f"dial-{overlay.a.name}"] = overlay_figure(overlay)
    return found


def improvement_rows(comparison: Comparison) -> tuple[ImprovementRow, ...]:
    """Overall first, then the dials in the comparison's order."""
    rows = (("all dials", comparison.overall), *comparison.dials)
    return tuple(ImprovementRow(name, estimate) for name, estimate in rows)


def improvement_figure(rows: tuple[ImprovementRow, ...], names: tuple[str, str]) -> go.Figure:
    """Points with intervals on the line from "B always better" to "A always better"."""
    levels = sorted({numbers.level(r.estimate.level) for r in rows})
    note = f"probability that a run of {escaped(names[0])} beats a run of {escaped(names[1])} at the same dose · "
    counts = numbers.count(r.estimate.n for r in rows)
    figure = blank(130 + 36 * len(rows), f"{note}{' / '.join(levels)} intervals · {counts} seeds")
    for y, row in enumerate(rows):
        e = row.estimate
        colour = LIGHT.neutral if not row.decided else LIGHT.accent if e.value > 0.5 else LIGHT.second
        text = f"missing · n = {e.n}" if math.isnan(e.value) else f"{numbers.estimated(e)} · n = {e.n}"
        figure.add_annotation(
            x=1, xref="paper", y=y, text=text, showarrow=False, xanchor="right", font={"size": 12, "color": LIGHT.ink}
        )
        if math.isnan(e.value):
            continue
        figure.add_scatter(
            x=[e.value], y=[y], mode="markers", showlegend=False,
            marker={"size": 13 if y == 0 else 10, "color": colour, "symbol": "diamond" if y == 0 else "circle"},
            error_x=error_bars([e], colour, thickness=1.8),
            hovertemplate=f"{row.name}: {text}<extra></extra>",
        )  # fmt: skip
    figure.add_vline(x=0.5, line={"color": LIGHT.muted, "width": 1, "dash": "dash"})
    figure.update_layout(
        xaxis={"range": [-0.03, 1.45], "tickvals": [0, 0.25, 0.5, 0.75, 1], "showline": False},
        yaxis={
            "tickvals": list(range(len(rows))),
            "ticktext": [f"<b>{r.name}</b>" if i == 0 else r.name for i, r in enumerate(rows)],
            "range": [len(rows) - 0.4, -0.6],
            "ticks": "",
            "showline": False,
            "showgrid": False,
        },
        margin={"t": 66, "b": 40, "l": 150, "r": 8},
    )
    for x, anchor, text in (
        (0, "left", f"← {escaped(names[1])} better"),
        (1, "right", f"{escaped(names[0])} better →"),
    ):
        figure.add_annotation(
            x=x, y=1, yref="paper", yanchor="bottom", xanchor=anchor, text=text, showarrow=False,
            font={"size": 12, "color": LIGHT.muted},
        )  # fmt: skip
    return figure


@dataclass(frozen=True, eq=False)
class Overlay:
    """The same dial for both agents."""

    names: tuple[str, str]
    a: DialResponse
    b: DialResponse


def overlays(comparison: Comparison) -> tuple[Overlay, ...]:
    """Every dial that both have, in the comparison's order."""
    a, b = (_by_name(v) for v in (comparison.a, comparison.b))
    names = comparison.names
    return tuple(
        Overlay(
            names,
            dial_response(comparison.a, a[name], comparison.measure),
            dial_response(comparison.b, b[name], comparison.measure),
        )
        for name, _ in comparison.dials
        if name in a and name in b
    )


def _by_name(verdict: Diagnosis) -> dict[str, DialVerdict]:
    return {d.name: d for d in verdict.dials}


def overlay_figure(data: Overlay) -> go.Figure:
    """Both dose-responses in one panel."""
    counts = numbers.count(e.n for side in (data.a, data.b) for e in side.scores)
    claimed = numbers.level(data.a.scores[0].level)
    what = "normalised score" if data.a.ends else "mean training return"
    figure = blank(380, f"{what} against dose · {counts} · intervals at {claimed} each")
    low, high = score_range([data.a.scores, data.b.scores], (*data.a.runs, *data.b.runs), data.a.bounded)
    for side, name, colour, soft, symbol in (
        (data.a, data.names[0], LIGHT.accent, LIGHT.run, "circle"),
        (data.b, data.names[1], LIGHT.second, LIGHT.second_soft, "square"),
    ):
        before = len(figure.data)
        draw_runs(figure, side, {}, soft)
        for trace in figure.data[before:]:
            trace.update(showlegend=False)
        draw_means(figure, side, side.scores, escaped(name), colour, {}, lines=True, symbol=symbol)
        draw_missing(figure, side, low + 0.02 * (high - low), {})
    figure.update_xaxes(data.a.axis.layout())
    figure.update_yaxes(range=[low, high], title={"text": data.a.ends or what})
    figure.update_layout(margin={"t": 50})
    return figure
