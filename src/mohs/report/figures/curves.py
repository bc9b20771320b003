"""How did every seed learn? One panel per dose, one thin line per run, as in Figure 13 of MDP Playground."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.report import numbers
from mohs.report.figures.marks import level_line
from mohs.report.theme import LIGHT, dress, heading
from mohs.stats import Estimate

MOST_COLUMNS = 5
MOST_RUNS = 100  # that are drawn in a panel, so that pages of large studies stay small; the mean is of all runs
LEVEL = 0.95  # of the means' intervals


@dataclass(frozen=True, eq=False)
class CurvePanel:
    """The runs at one dose [seeds, points], and their mean at every point. No runs: all of it is missing."""

    label: str
    steps: npt.NDArray[np.float64]
    runs: npt.NDArray[np.float64]
    means: tuple[Estimate, ...]
    missing: int

    @property
    def n(self) -> int:
        return len(self.runs)


@dataclass(frozen=True, eq=False)
class Curves:
    name: str
    ends: str  # what 0 and 1 stand for; "" where returns are in units of reward
    bounded: bool  # whether no policy can score above 1
    panels: tuple[CurvePanel, ...]


def curves_figure(data: Curves) -> go.Figure:
    count = len(data.panels)
    lines = -(-count // MOST_COLUMNS)
    columns = -(-count // lines)
    figure = make_subplots(
        rows=lines, cols=columns, shared_yaxes=True, horizontal_spacing=0.032, vertical_spacing=0.3 / lines
    )
    unit = data.ends or "return per episode"
    some = f"the first {MOST_RUNS} runs" if any(p.n > MOST_RUNS for p in data.panels) else "every run"
    note = f"{data.name} · training return of {some} · bold: mean with {numbers.level(LEVEL)} interval at each point · "
    dress(figure, 96 + 92 + 210 * lines, note + numbers.count(p.n for p in data.panels))
    low, high = _range(data)
    last = max((float(p.steps[-1]) for p in data.panels if p.n), default=1.0)
    shapes: list[dict[str, Any]] = []
    words: list[dict[str, Any]] = []
    for i, panel in enumerate(data.panels):
        cell = {"row": i // columns + 1, "col": i % columns + 1}
        name = "" if i == 0 else str(i + 1)
        _draw(figure, panel, cell, first=i == 0)
        lost = f" of {panel.n + panel.missing}" if panel.missing else ""
        text = f"{panel.label} <span style='font-weight:normal'>(n = {panel.n}{lost})</span>"
        words.append(heading(text, 0, 1, f"x{name} domain", f"y{name} domain") | {"font": {"size": 12}})
        if data.ends:
            shapes += [level_line(y, name, {"color": LIGHT.muted, "width": 1, "dash": "dot"}) for y in (0, 1)]
        if panel.n == 0:
            # Plotly lays out only axes that some trace uses.
            figure.add_scatter(x=[0], y=[math.nan], showlegend=False, hoverinfo="skip", **cell)
            there = {"x": 0.5, "y": 0.5, "xref": f"x{name} domain", "yref": f"y{name} domain"}
            words.append(there | {"text": "missing", "showarrow": False, "font": {"color": LIGHT.muted, "size": 13}})
        bottom = i + columns >= count
        figure.update_xaxes(
            title={"text": "steps" if bottom else ""}, nticks=3, showgrid=False, tickformat="~s", range=[0, last],
            **cell,
        )  # fmt: skip
    figure.update_layout(shapes=shapes, annotations=words)  # at once: Plotly copies all of them for each that is added
    figure.update_yaxes(range=[low, high])
    figure.update_yaxes(title={"text": unit}, col=1)
    return figure


def _draw(figure: go.Figure, panel: CurvePanel, cell: dict[str, int], first: bool) -> None:
    if not panel.n:
        return
    x = panel.steps.astype(np.int32)
    value, low, high = (np.array([getattr(e, end) for e in panel.means]) for end in ("value", "low", "high"))
    known = np.isfinite(low) & np.isfinite(high)
    if known.any():
        figure.add_scatter(
            x=np.concatenate([x[known], x[known][::-1]]),
            y=np.concatenate([high[known], low[known][::-1]]).astype(np.float32), fill="toself", mode="lines",
            name=f"mean's {numbers.level(LEVEL)} interval", legendgroup="interval", showlegend=first,
            fillcolor=LIGHT.accent_soft, opacity=0.8, line={"width": 0, "color": LIGHT.accent_soft}, hoverinfo="skip",
            **cell,
        )  # fmt: skip
    # One trace for all runs: they are divided by a gap, which keeps a hundred seeds quick to draw.
    runs = panel.runs[:MOST_RUNS]
    gap = np.full((len(runs), 1), np.nan, dtype=np.float32)
    along = np.tile(np.append(x, x[-1:]), len(runs))
    figure.add_scatter(
        x=along, y=np.hstack([runs.astype(np.float32), gap]).ravel(), mode="lines", name="one run each",
        legendgroup="runs", showlegend=first, line={"color": LIGHT.run, "width": 0.7}, opacity=0.75, hoverinfo="skip",
        connectgaps=False, **cell,
    )  # fmt: skip
    figure.add_scatter(
        x=x, y=value.astype(np.float32), mode="lines", name="mean", legendgroup="mean", showlegend=first,
        line={"color": LIGHT.accent, "width": 2.2},
        hovertemplate=f"step %{{x:,}}: %{{y:.3g}}, n = {panel.n}<extra>dose {panel.label}</extra>", **cell,
    )  # fmt: skip


def _range(data: Curves) -> tuple[float, float]:
    """Nearly every point of every run; noise may throw a few of them out of sight."""
    pooled = np.concatenate([p.runs.ravel() for p in data.panels] + [np.zeros(0)])
    pooled = pooled[np.isfinite(pooled)]
    floor, ceiling = (0.0, 1.0) if data.ends else (math.inf, -math.inf)
    if pooled.size:
        low, high = np.quantile(pooled, [0.01, 0.99]).tolist()
        floor, ceiling = min(floor, low), max(ceiling, high)
    if not math.isfinite(floor):
        return 0.0, 1.0
    if data.ends and data.bounded:
        floor, ceiling = max(floor, -1.0), min(ceiling, 2.0)
    pad = 0.06 * (ceiling - floor or 1.0)
    return floor - pad, ceiling + pad
