"""How is a list of numbers with intervals drawn? Points on one axis; the name and the number of each stand above it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import plotly.graph_objects as go

from mohs.report import numbers
from mohs.report.figures.looks import narrow
from mohs.report.figures.marks import error_bars
from mohs.report.theme import LIGHT
from mohs.stats import Estimate

ROW, HIGH_ROW = 46, 58  # pixels; a high row has its number below its name
ABOVE, BELOW = 0.22, 0.2  # where the text and the point of a row stand
BESIDE = 46  # characters of a name and a number that stand beside each other in 350 pixels


@dataclass(frozen=True)
class ForestRow:
    """A number with its name. `leading` is drawn larger; `colour` where it is not given by the side of the line."""

    name: str
    estimate: Estimate
    leading: bool = False
    colour: str = ""


@dataclass(frozen=True)
class Forest:
    """Rows on one axis. The line separates two sides with their words; an interval that leaves it out is decided."""

    rows: tuple[ForestRow, ...]
    note: str
    line: float | None = None
    sides: tuple[str, str] = ("", "")
    limits: tuple[float, float] | None = None
    title: str = ""

    def colour(self, row: ForestRow) -> str:
        """Neutral where the line is inside the interval."""
        e = row.estimate
        if row.colour or self.line is None:
            return row.colour or LIGHT.accent
        if not e.known or e.low <= self.line <= e.high:
            return LIGHT.neutral
        return LIGHT.accent if e.value > self.line else LIGHT.second

    @property
    def high(self) -> bool:
        """Whether a name and its number would touch."""
        return any(len(row.name) + len(_number(row.estimate)) > BESIDE for row in self.rows)

    @property
    def below(self) -> float:
        """How far the point of a row stands below its middle."""
        return BELOW + 0.1 * self.high

    def span(self) -> tuple[float, float]:
        """The ends of the axis."""
        if self.limits is not None:
            low, high = self.limits
        else:
            ends = [x for r in self.rows for x in (r.estimate.value, r.estimate.low, r.estimate.high)]
            known = [x for x in [*ends, self.line] if x is not None and math.isfinite(x)] or [0.0, 1.0]
            low, high = min(known), max(known)
        pad = 0.04 * (high - low or 1.0)
        return low - pad, high + pad


def forest_figure(data: Forest, free: float = 0.0) -> go.Figure:
    """`free` is the share of the width that numbers leave at the right."""
    sides = any(data.sides)
    size = HIGH_ROW if data.high else ROW
    figure = narrow(size * len(data.rows) + 22 * sides, data.note, bottom=62 if data.title else 40)
    for y, row in enumerate(data.rows):
        e, colour = row.estimate, data.colour(row)
        text = _number(e)
        name = f"<b>{row.name}</b>" if row.leading else row.name
        right = (0, "left", y + 0.02, text) if data.high else (1 - free, "right", y - ABOVE, text)
        for x, anchor, at, words in ((0, "left", y - ABOVE - 0.06 * data.high, name), right):
            figure.add_annotation(
                x=x, xref="x domain", y=at, text=words, showarrow=False, xanchor=anchor,
                font={"size": 12, "color": LIGHT.ink},
            )  # fmt: skip
        if math.isnan(e.value):
            continue
        figure.add_scatter(
            x=[e.value], y=[y + data.below], mode="markers", showlegend=False,
            marker={
                "size": 12 if row.leading else 9, "color": colour, "symbol": "diamond" if row.leading else "circle",
            },
            error_x=error_bars([e], colour, thickness=1.8),
            hovertemplate=f"{row.name}: {text}, n = {e.n}<extra></extra>",
        )  # fmt: skip
    if data.line is not None:
        figure.add_vline(x=data.line, line={"color": LIGHT.muted, "width": 1, "dash": "dash"}, layer="below")
    figure.update_layout(
        xaxis={
            "range": list(data.span()), "showline": False, "title": {"text": data.title}, "nticks": 6,
        },
        yaxis={
            "range": [len(data.rows) - 0.4, -0.6 - 0.45 * sides], "showticklabels": False, "ticks": "",
            "showline": False, "showgrid": False,
        },
    )  # fmt: skip
    for x, anchor, words in ((0, "left", data.sides[0]), (1, "right", data.sides[1])):
        figure.add_annotation(
            x=x, xref="x domain", y=-0.75, xanchor=anchor, text=words, showarrow=False,
            font={"size": 12, "color": LIGHT.muted}, visible=bool(words),
        )  # fmt: skip
    return figure


def _number(e: Estimate) -> str:
    return f"missing · n = {e.n}" if math.isnan(e.value) else numbers.estimated(e)
