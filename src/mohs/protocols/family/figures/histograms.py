"""How does the performance of a method vary over points? Weighted histograms (Figures 4, 13 to 15)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.protocols.family.verdict import FamilyVerdict
from mohs.report.figures.looks import colour, short
from mohs.report.theme import LIGHT, dress, heading

BINS = 24
HIGH = 130  # pixels of a panel
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Spread:
    """One method: shares of the family in each bin, and the two means."""

    name: str
    agent: int
    shares: Floats
    overall: float
    default: float | None


@dataclass(frozen=True, eq=False)
class Histograms:
    """Methods over the same bins, best first."""

    edges: Floats
    spreads: tuple[Spread, ...]
    title: str
    note: str


def histograms(verdict: FamilyVerdict) -> Histograms:
    """The weighted shares of scores in bins that all methods share."""
    scores = verdict.scores
    low, high = float(scores.min()), float(scores.max())
    if verdict.outcomes.scale is not None:
        low, high = max(low, -0.5), min(max(high, 1.0), 1.5)
    edges = np.linspace(low, high if high > low else low + 1, BINS + 1)
    spreads = []
    for result in verdict.ranked:
        i = verdict.study.labels.index(result.name)
        shares, _ = np.histogram(np.clip(scores[i], edges[0], edges[-1]), edges, weights=verdict.sample.weights)
        default = None if result.default is None else result.default.value
        spreads.append(Spread(short(result.name), i, shares, result.overall.value, default))
    note = f"share of the family by weight · n = {len(verdict.used)} points for each method · {verdict.ends}"
    return Histograms(edges, tuple(spreads), verdict.outcomes.title, note)


def histogram_figure(data: Histograms) -> go.Figure:
    """One panel for each method; a full line is the mean over the family, a dotted one the default point."""
    rows = len(data.spreads)
    figure = make_subplots(rows=rows, cols=1, shared_xaxes=True, vertical_spacing=0.3 / max(rows, 1))
    dress(figure, 100 + HIGH * rows, f"{data.note}<br>full line: family · dotted line: default point")
    figure.update_layout(showlegend=False, margin={"b": 52, "t": 80}, bargap=0.08)
    centres, width = (data.edges[1:] + data.edges[:-1]) / 2, float(np.diff(data.edges)[0])
    top = max(float(spread.shares.max()) for spread in data.spreads)
    for i, spread in enumerate(data.spreads):
        cell, axis = {"row": i + 1, "col": 1}, "" if i == 0 else str(i + 1)
        figure.add_bar(
            x=centres, y=spread.shares, width=width * 0.92, marker={"color": colour(spread.agent)},
            hovertemplate="%{y:.1%} of the family at %{x:.2f}<extra></extra>", **cell,
        )  # fmt: skip
        for value, dash in ((spread.overall, "solid"), (spread.default, "dot")):
            if value is not None:
                figure.add_vline(x=value, line={"color": LIGHT.ink, "width": 1.6, "dash": dash}, **cell)
        figure.add_annotation(heading(spread.name, 0, 1, f"x{axis} domain", f"y{axis} domain"))
        figure.update_yaxes(range=[0, top * 1.08], tickformat=".0%", nticks=4, **cell)
    figure.update_xaxes(title={"text": data.title}, row=rows, col=1)
    return figure
