"""What does one dial do to the agent? AUC bars as in Figure 9 of MDP Playground, and the dose-response beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.protocols.diagnose.effects import HALF_KNOWN
from mohs.protocols.diagnose.figures.response import (
    DialResponse,
    draw_means,
    draw_missing,
    draw_runs,
    score_range,
)
from mohs.report import numbers
from mohs.report.figures.dose_axis import LOG_FROM, side_by_side
from mohs.report.figures.marks import bar_marker, error_bars, missing_bar
from mohs.report.theme import LIGHT, dress, heading

BARS, RESPONSE = {"row": 1, "col": 1}, {"row": 1, "col": 2}


def dial_figure(data: DialResponse) -> go.Figure:
    figure = make_subplots(rows=1, cols=2, column_widths=[0.4, 0.6], horizontal_spacing=0.09)
    dress(figure, 420, data.note())
    _bars(figure, data)
    _response(figure, data)
    title = "AUC in the paper's scaling" if data.paper else "AUC in units of reward"
    figure.add_annotation(heading(title, 0, 1, "x domain", "y domain"))
    figure.add_annotation(heading("Normalised score against dose", 0, 1, "x2 domain", "y2 domain"))
    return figure


def _bars(figure: go.Figure, data: DialResponse) -> None:
    """Bars from 0; points where the doses span orders of magnitude, because a logarithmic axis has no 0."""
    axis = side_by_side(data.name, data.unit, data.axis.labels)
    found = [e for e in data.returns if e.n]
    ends = [x for e in found for x in (e.value, e.low, e.high) if math.isfinite(x)]
    log = bool(ends) and min(ends) > 0 and max(ends) / min(ends) > LOG_FROM
    low, high = min([0.0, *ends]), max([0.0, *ends]) or 1.0
    for i, e in enumerate(data.returns):
        missing = e.n == 0
        colour = LIGHT.neutral if i == data.vanilla else LIGHT.accent
        error = error_bars([e], colour if log else LIGHT.ink)
        hover = f"{data.name} = {axis.labels[i]}<br>{numbers.estimated(e)}, n = {e.n}<extra></extra>"
        if log and not missing:
            figure.add_scatter(
                x=[axis.places[i]], y=[e.value], mode="markers", marker={"color": colour, "size": 11}, error_y=error,
                hovertemplate=hover, showlegend=False, **BARS,
            )  # fmt: skip
            continue
        drawn = missing_bar(high - low) if missing else {"y": [e.value], "marker": bar_marker(colour, missing=False)}
        figure.add_bar(
            x=[axis.places[i]], width=0.62, error_y=error, showlegend=False, hovertemplate=hover, **drawn, **BARS
        )
    layout = axis.layout() | {"tickvals": list(axis.places), "ticktext": list(_marked(data, data.labels()))}
    figure.update_xaxes(layout, **BARS)
    span = high - low
    title = "mean training return, scaled" if data.paper else "mean training return"
    if log:
        exponents = math.log10(min(ends)), math.log10(max(ends))
        pad = 0.08 * (exponents[1] - exponents[0])
        figure.update_yaxes(
            type="log", range=[exponents[0] - pad, exponents[1] + pad], title={"text": f"{title} (log)"}, dtick=1,
            **BARS,
        )  # fmt: skip
    else:
        bottom = low - 0.06 * span if low < 0 else 0
        figure.update_yaxes(range=[bottom, high + 0.07 * span], title={"text": title}, **BARS)
        if low < 0:
            figure.add_hline(y=0, line={"color": LIGHT.rule, "width": 1}, **BARS)


def _marked(data: DialResponse, labels: Sequence[str]) -> tuple[str, ...]:
    """The doses' labels, vanilla named."""
    return tuple(
        f"{text}<br><span style='font-size:10px'>vanilla</span>" if i == data.vanilla else text
        for i, text in enumerate(labels)
    )


def _response(figure: go.Figure, data: DialResponse) -> None:
    groups = [data.scores, *([data.noise_free] if data.noise_free else [])]
    low, high = score_range(groups, data.runs, data.bounded)
    _breaking(figure, data, low, high)
    draw_runs(figure, data, RESPONSE)
    if math.isfinite(data.half):
        ends = [10**x for x in data.axis.span()] if data.axis.kind == "log" else list(data.axis.span())
        figure.add_scatter(
            x=ends, y=[data.half] * 2, mode="lines", name="half of vanilla",
            line={"color": LIGHT.muted, "width": 1.2, "dash": "dash"}, hoverinfo="skip", **RESPONSE,
        )  # fmt: skip
    for i, (x, y) in enumerate(data.fits):
        figure.add_scatter(
            x=list(x), y=list(y), mode="lines", name="monotone fit", legendgroup="fit", showlegend=i == 0,
            line={"color": LIGHT.accent, "width": 1.6}, hoverinfo="skip", **RESPONSE,
        )  # fmt: skip
    if data.noise_free:
        draw_means(
            figure, data, data.noise_free, "noise-free evaluation", LIGHT.second, RESPONSE, lines=True, symbol="square"
        )
    draw_means(figure, data, data.scores, "mean", LIGHT.accent, RESPONSE)
    vanilla = data.scores[data.vanilla]
    if vanilla.n:
        figure.add_scatter(
            x=[data.axis.places[data.vanilla]], y=[vanilla.value], mode="markers", name="vanilla",
            marker={"symbol": "circle-open", "size": 15, "color": LIGHT.ink, "line": {"width": 1.5}},
            hoverinfo="skip", **RESPONSE,
        )  # fmt: skip
    draw_missing(figure, data, low + 0.02 * (high - low), RESPONSE)
    axis = replace(data.axis, labels=_marked(data, data.axis.labels))
    figure.update_xaxes(axis.layout(), **RESPONSE)
    figure.update_yaxes(range=[low, high], title={"text": data.ends}, **RESPONSE)


def _breaking(figure: go.Figure, data: DialResponse, low: float, high: float) -> None:
    """The breaking dose as a line and its interval as a band; an end beyond the tested doses runs off the axis."""
    left, right = data.axis.span()
    if data.axis.kind == "log":
        left, right = 10**left, 10**right
    shown = 0
    for found in (b for b in data.breaking if b.status in HALF_KNOWN):
        ends = [min(max(end, left), right) for end in (found.low, found.high)]
        if math.isfinite(found.low) or math.isfinite(found.high):
            figure.add_scatter(
                x=[ends[0], ends[1], ends[1], ends[0]], y=[low, low, high, high], fill="toself", mode="lines",
                fillcolor=LIGHT.band, line={"width": 0, "color": LIGHT.band}, legendgroup="break",
                name=f"breaking dose ({numbers.level(found.level)})", showlegend=shown == 0, hoverinfo="skip",
                **RESPONSE,
            )  # fmt: skip
            shown += 1
        if math.isfinite(found.dose):
            figure.add_scatter(
                x=[found.dose] * 2, y=[low, high], mode="lines", line={"color": LIGHT.break_, "width": 1.8},
                legendgroup="break", showlegend=False, hoverinfo="text",
                text=f"{numbers.breaking(found, data.unit)}, n = {found.n}", **RESPONSE,
            )  # fmt: skip
            place = math.log10(found.dose) if data.axis.kind == "log" else found.dose
            start, stop = data.axis.span()
            before = place > start + 0.55 * (stop - start)
            figure.add_annotation(
                x=place, y=high, xref="x2", yref="y2", text=f"breaks at {numbers.number(found.dose)}",
                showarrow=False, xanchor="right" if before else "left", yanchor="top", xshift=-5 if before else 5,
                font={"size": 12, "color": LIGHT.break_}, bgcolor=LIGHT.paper, opacity=0.85, borderpad=1,
            )  # fmt: skip
