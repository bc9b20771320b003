"""How long is a task's effective horizon, by which measure, and with how much look-ahead is it shortest?"""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.report import numbers
from mohs.report.theme import LIGHT, dress, heading
from mohs.stats.counts import LEVEL

if TYPE_CHECKING:
    from mohs.protocols.card.record import Card, Length

WAYS = {
    "simple": "simple bound",
    "tight": "tighter bound",
    "gorp": "GORP, measured",
    "stochastic": "stochastic",
}
AT_MOST = ("simple", "tight")  # bounds: the horizon itself may be shorter
UNKNOWN = "not known"
REASON_WIDTH = 56  # letters of a line that have room beside the panel of H_k
LENGTHS, LOOK_AHEAD = {"row": 1, "col": 1}, {"row": 1, "col": 2}


@dataclass(frozen=True)
class LengthRow:
    """One measure of the effective horizon, or why there is none."""

    title: str
    way: str
    length: Length | None
    reason: str


@dataclass(frozen=True)
class Horizons:
    """All measures, and `by_k[k - 1]` = k + log_A m_k of the simple bound, infinite where no m suffices."""

    rows: tuple[LengthRow, ...]
    by_k: tuple[float, ...]
    horizon: int

    @property
    def best_k(self) -> int | None:
        finite = [i for i, length in enumerate(self.by_k) if math.isfinite(length)]
        return min(finite, key=self.by_k.__getitem__) + 1 if finite else None


def horizons(card: Card) -> Horizons | None:
    """None where no measure has a value."""
    rows = _rows(card, "")
    if card.sticky is not None:
        found = _rows(card.sticky[1], f", sticky {card.sticky[0]:g}")
        rows += [row for row in found if row.length is not None]
    if not any(row.length is not None for row in rows):
        return None
    by_k: tuple[float, ...] = ()
    if card.simple_bound_m is not None and card.actions is not None:
        base = card.actions
        by_k = tuple(k + math.log(m, base) if m < math.inf else math.inf for k, m in enumerate(card.simple_bound_m, 1))
    return Horizons(tuple(rows), by_k, card.horizon)


def _rows(card: Card, suffix: str) -> list[LengthRow]:
    return [
        LengthRow(title + suffix, way, card.effective_horizon.get(way), why_no_length(card, way))
        for way, title in WAYS.items()
    ]


def why_no_length(card: Card, way: str) -> str:
    """Why this measure of the effective horizon has no value."""
    general = card.undefined.get("effective_horizon", UNKNOWN)
    return card.undefined.get(f"effective_horizon.{way}", general)


def length_text(length: Length, way: str) -> str:
    """The value with its interval, k and m."""
    text = f"{'≤ ' if way in AT_MOST else ''}{numbers.number(length.value)}"
    if length.interval is not None:
        text += f" [{numbers.number(length.interval[0])}, {numbers.number(length.interval[1])}]"
    known = [f"{name} = {value:,}" for name, value in (("k", length.k), ("m", length.m)) if value is not None]
    return ", ".join([text, *known])


def horizons_figure(data: Horizons) -> go.Figure:
    paired = len(data.by_k) > 1
    columns = {"cols": 2, "column_widths": [0.58, 0.42]} if paired else {"cols": 1}
    figure = make_subplots(rows=1, horizontal_spacing=0.09, **columns)
    runs = [row.length.runs for row in data.rows if row.length is not None and row.length.runs is not None]
    note = f"effective horizon of episodes of {data.horizon:,} steps"
    note += f" · {numbers.level(LEVEL)} interval, {numbers.count(runs)} runs of GORP at each probe" if runs else ""
    dress(figure, max(340 if paired else 200, 150 + 42 * len(data.rows)), note)
    _draw_lengths(figure, data, beside=paired)
    if paired:
        _draw_by_k(figure, data)
        figure.add_annotation(heading("By measure", 0, 1, "x domain", "y domain"))
        figure.add_annotation(heading("Simple bound with k steps of look-ahead", 0, 1, "x2 domain", "y2 domain"))
    figure.update_layout(margin={"t": 76 if paired else 46, "b": 64, "l": 168}, showlegend=False)
    return figure


def _draw_lengths(figure: go.Figure, data: Horizons, beside: bool) -> None:
    """A bar for each measure, outlined where it is a bound, with its numbers behind it or the reason in its place."""
    lengths = [row.length for row in data.rows if row.length is not None]
    ends = [x for e in lengths for x in (e.value, *(e.interval or ())) if math.isfinite(x)]
    longest = max([1.0, *ends])
    for y, row in enumerate(data.rows):
        length = row.length
        if length is None:
            lines = textwrap.wrap(
                row.reason, REASON_WIDTH if beside else 2 * REASON_WIDTH, max_lines=2, placeholder="…"
            )
            figure.add_annotation(
                x=0, y=y, xref="x", yref="y", text=f"<i>{'<br>'.join(escape(t, quote=False) for t in lines)}</i>",
                showarrow=False, xanchor="left", xshift=4, align="left", font={"size": 11.5, "color": LIGHT.muted},
            )  # fmt: skip
            continue
        low, high = length.interval or (length.value, length.value)
        tip = min(length.value, longest)
        reach = longest if math.isinf(high) else max(tip, high)
        bound = row.way in AT_MOST
        colour = LIGHT.second if row.way == "stochastic" else LIGHT.accent
        error = {"type": "data", "symmetric": False, "array": [reach - tip], "arrayminus": [max(0.0, tip - low)]}
        figure.add_bar(
            x=[tip], y=[y], orientation="h", width=0.5, hoverinfo="skip", **LENGTHS,
            marker={"color": LIGHT.accent_soft if bound else colour, "line": {"color": colour, "width": 1.2}},
            error_x=error | {"color": LIGHT.ink, "thickness": 1.3, "width": 5, "visible": length.interval is not None},
        )  # fmt: skip
        text = length_text(length, row.way)
        figure.add_annotation(
            x=reach, y=y, xref="x", yref="y", text=f"→ {text}" if math.isinf(high) else text, showarrow=False,
            xanchor="left", xshift=8, font={"size": 12, "color": LIGHT.ink},
        )  # fmt: skip
    figure.update_xaxes(
        range=[0, longest * (1.95 if beside else 1.35)], showline=False, title={"text": "effective horizon"},
        tickvals=_ticks(longest), **LENGTHS,
    )  # fmt: skip
    figure.update_yaxes(
        tickvals=list(range(len(data.rows))), ticktext=[row.title for row in data.rows], ticks="", showgrid=False,
        range=[len(data.rows) - 0.4, -0.6], showline=False, ticklabelstandoff=8, **LENGTHS,
    )  # fmt: skip


def _ticks(longest: float) -> list[float]:
    """Round numbers up to the longest bar: what is right of it is room for words."""
    step = 10 ** math.floor(math.log10(longest / 2))
    step *= next(f for f in (1, 2, 5, 10) if longest / (f * step) <= 5)
    return [i * step for i in range(math.floor(longest / step) + 1)]


def _draw_by_k(figure: go.Figure, data: Horizons) -> None:
    finite = [(k, length) for k, length in enumerate(data.by_k, 1) if math.isfinite(length)]
    best = data.best_k
    top = max([length for _, length in finite] + [float(len(data.by_k))])
    figure.add_scatter(
        x=[1, len(data.by_k)], y=[1, len(data.by_k)], mode="lines", hoverinfo="skip",
        line={"color": LIGHT.muted, "width": 1, "dash": "dot"}, **LOOK_AHEAD,
    )  # fmt: skip
    middle = (1 + len(data.by_k)) / 2
    figure.add_annotation(
        x=middle, y=middle, xref="x2", yref="y2", text="k alone", showarrow=False, xanchor="left", yanchor="top",
        xshift=4, font={"size": 11.5, "color": LIGHT.muted},
    )  # fmt: skip
    figure.add_scatter(
        x=[k for k, _ in finite], y=[length for _, length in finite], mode="lines+markers", **LOOK_AHEAD,
        line={"color": LIGHT.accent, "width": 1.8},
        marker={"size": [12 if k == best else 7 for k, _ in finite], "color": LIGHT.accent},
        text=[f"k = {k}: {numbers.number(length)}" for k, length in finite],
        hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip
    _draw_infinite(figure, data, 1.08 * top)
    if best is not None:
        left = best <= len(data.by_k) / 2
        figure.add_annotation(
            x=best, y=data.by_k[best - 1], xref="x2", yref="y2", text=f"best k = {best}", showarrow=False,
            yanchor="top", yshift=-9, xanchor="left" if left else "right", font={"size": 12, "color": LIGHT.accent},
            bgcolor=LIGHT.paper, borderpad=0,
        )  # fmt: skip
    last = len(data.by_k)
    figure.update_xaxes(
        title={"text": "steps of look-ahead k"}, range=[0.5, last + 0.5], showgrid=False, tickformat="d",
        **({"dtick": 1} if last <= 12 else {}), **LOOK_AHEAD,
    )  # fmt: skip
    figure.update_yaxes(title={"text": "k + log_A m_k"}, range=[0, 1.18 * top], **LOOK_AHEAD)


def _draw_infinite(figure: go.Figure, data: Horizons, y: float) -> None:
    """Where no number of episodes suffices."""
    absent = [k for k, length in enumerate(data.by_k, 1) if math.isinf(length)]
    if not absent:
        return
    figure.add_scatter(
        x=absent, y=[y] * len(absent), mode="markers", hoverinfo="text",
        marker={"symbol": "x-thin", "size": 7, "line": {"color": LIGHT.hatch, "width": 1.5}},
        hovertext=[f"k = {k}: no m suffices" for k in absent], **LOOK_AHEAD,
    )  # fmt: skip
    figure.add_annotation(
        x=absent[0], y=y, xref="x2", yref="y2", text="infinite: no m suffices", showarrow=False, xanchor="left",
        yanchor="top", yshift=-5, font={"size": 11.5, "color": LIGHT.muted},
    )  # fmt: skip
