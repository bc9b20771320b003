"""Which marks do all figures share? Error bars, bands, and bars that are hatched where data is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from mohs.report.theme import LIGHT
from mohs.stats import Estimate


def escaped(text: str) -> str:
    """A name as Plotly shows it as it is: Plotly reads a few tags in texts."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def error_bars(
    estimates: Sequence[Estimate], colour: str = LIGHT.ink, *, unit: float = 1.0, thickness: float = 1.3, width: int = 5
) -> dict[str, Any]:
    """Plotly's error bars for the intervals of estimates, drawn in `unit`s; none where no interval is known."""
    return {
        "type": "data", "symmetric": False, "color": colour, "thickness": thickness, "width": width,
        "array": [unit * (e.high - e.value) if e.known else 0 for e in estimates],
        "arrayminus": [unit * (e.value - e.low) if e.known else 0 for e in estimates],
        "visible": any(e.known for e in estimates),
    }  # fmt: skip


def bar_marker(colour: str, *, missing: bool) -> dict[str, Any]:
    """The marker of a bar: filled, or hatched with a frame where its data is missing."""
    return {
        "color": LIGHT.paper if missing else colour,
        "pattern": {"shape": "/" if missing else "", "fgcolor": LIGHT.hatch, "size": 7},
        "line": {"color": LIGHT.hatch, "width": 1 if missing else 0},
    }


def missing_bar(span: float) -> dict[str, Any]:
    """A bar without data: a hatched stub far shorter than any bar of interest, and the word above it."""
    return {
        "y": [0.05 * span], "marker": bar_marker(LIGHT.neutral, missing=True), "text": "missing",
        "textposition": "outside", "textangle": -90, "textfont": {"color": LIGHT.muted, "size": 12},
        "cliponaxis": False,
    }  # fmt: skip


def level_line(y: float, axis: str, line: dict[str, Any]) -> dict[str, Any]:
    """The shape of a line across the panel whose axes have this number, at a height."""
    return {
        "type": "line", "x0": 0, "x1": 1, "y0": y, "y1": y, "xref": f"x{axis} domain", "yref": f"y{axis}", "line": line,
    }  # fmt: skip


def add_band(figure: go.Figure, x: Any, low: Any, high: Any, colour: str, opacity: float = 1.0, **place: Any) -> None:
    """A band between two curves over the same places."""
    figure.add_scatter(
        x=[*x, *reversed(x)], y=[*high, *reversed(low)], fill="toself", mode="lines", fillcolor=colour,
        opacity=opacity, line={"width": 0, "color": colour}, hoverinfo="skip", **{"showlegend": False, **place},
    )  # fmt: skip
