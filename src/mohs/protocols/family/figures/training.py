"""How sensitive is training to the point? Training returns over the family, with their spread over points.

Observation 2 in section 2 of the paper: the same method learns very differently at different points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.protocols.family.verdict import FamilyVerdict
from mohs.report.figures.looks import broken, colour, short
from mohs.report.figures.marks import add_band, level_line
from mohs.report.theme import LIGHT, dress, heading

LOW, HIGH = 0.1, 0.9  # the quantiles over points between which the band lies
COLUMNS, TALL = 3, 210  # the most panels beside each other, and their height in pixels
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TrainingSpread:
    """Training returns, each [methods, bins], best method first: weighted means over points, and two quantiles."""

    steps: tuple[int, ...]
    names: tuple[str, ...]
    agents: tuple[int, ...]
    means: Floats
    low: Floats
    high: Floats
    normalised: bool
    title: str
    note: str


def training_spread(verdict: FamilyVerdict) -> TrainingSpread | None:
    """None where the training curves are not known."""
    found = verdict.outcomes.training
    if found is None:
        return None
    study, weights = verdict.study, verdict.sample.weights
    agents = tuple(study.labels.index(m.name) for m in verdict.ranked)
    returns = found.returns[list(agents)][:, verdict.used]
    low, high = (weighted_quantile(returns, weights, share) for share in (LOW, HIGH))
    runs = "one model at each" if study.seeds == 1 else f"means over {study.seeds} models at each"
    note = (
        f"line: mean over the family · band: from the {LOW:.0%} to the {HIGH:.0%} quantile over points, by weight; a "
        f"spread, not an interval · n = {len(verdict.used)} points, {runs}"
    )
    return TrainingSpread(
        tuple(found.steps.tolist()),
        tuple(short(m.name) for m in verdict.ranked),
        agents,
        weighted_mean(returns, weights),
        low,
        high,
        found.normalised,
        "normalised training return" if found.normalised else "training return",
        f"{note} · {verdict.ends if found.normalised else 'raw returns'}",
    )


def training_figure(data: TrainingSpread) -> go.Figure:
    """A panel for each method, all on the same axes."""
    rows = -(-len(data.names) // COLUMNS)
    columns = -(-len(data.names) // rows)
    figure = make_subplots(
        rows=rows, cols=columns, shared_yaxes=True, horizontal_spacing=0.032, vertical_spacing=0.3 / rows
    )
    dress(figure, 150 + (TALL + 40) * rows, broken(data.note))
    figure.update_layout(showlegend=False, margin={"t": 90, "b": 60})
    low, high = _range(data)
    for i, (name, agent) in enumerate(zip(data.names, data.agents, strict=True)):
        cell, axis = {"row": i // columns + 1, "col": i % columns + 1}, "" if i == 0 else str(i + 1)
        x, known = np.array(data.steps), ~np.isnan(data.low[i])
        add_band(figure, x[known], data.low[i, known], data.high[i, known], colour(agent), opacity=0.22, **cell)
        figure.add_scatter(
            x=x, y=data.means[i], mode="lines", name=name, line={"color": colour(agent), "width": 2.2},
            customdata=np.column_stack([data.low[i], data.high[i]]),
            hovertemplate="step %{x:,}: mean %{y:.3g}, from %{customdata[0]:.3g} to %{customdata[1]:.3g}<extra>"
            + name + "</extra>", **cell,
        )  # fmt: skip
        if data.normalised:
            for level in (0, 1):
                figure.add_shape(level_line(level, axis, {"color": LIGHT.muted, "width": 1, "dash": "dot"}))
        figure.add_annotation(heading(name, 0, 1, f"x{axis} domain", f"y{axis} domain"))
        bottom = i + columns >= len(data.names)
        figure.update_xaxes(
            title={"text": "steps" if bottom else ""}, nticks=4, showgrid=False, tickformat="~s",
            range=[0, data.steps[-1]], **cell,
        )  # fmt: skip
    figure.update_yaxes(range=[low, high], nticks=6)
    figure.update_yaxes(title={"text": data.title}, col=1)
    return figure


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """Means over points of [methods, points, bins]. Points without a value are left out; NaN where none has one."""
    known = ~np.isnan(values)
    total = np.einsum("mpb,p->mb", np.where(known, values, 0.0), weights)
    weight = np.einsum("mpb,p->mb", known, weights)
    return np.asarray(np.where(weight > 0, total / np.where(weight > 0, weight, 1.0), np.nan))


def weighted_quantile(values: Floats, weights: Floats, share: float) -> Floats:
    """The least value over points of [methods, points, bins] that is not below this share of the weight."""
    order = np.argsort(values, axis=1)  # NaN last
    ranked = np.take_along_axis(values, order, axis=1)
    below = np.cumsum(np.where(np.isnan(ranked), 0.0, weights[order]), axis=1)
    at = (below < share * below[:, -1:] - 1e-12).sum(axis=1, keepdims=True)
    return np.asarray(np.take_along_axis(ranked, at, axis=1)[:, 0])


def _range(data: TrainingSpread) -> tuple[float, float]:
    """All lines and bands, and both references."""
    drawn = np.concatenate([data.means.ravel(), data.low.ravel(), data.high.ravel()])
    ends = (0.0, 1.0) if data.normalised else ()
    drawn = np.array([*drawn[np.isfinite(drawn)], *ends])
    low, high = (float(drawn.min()), float(drawn.max())) if drawn.size else (0.0, 1.0)
    pad = 0.06 * (high - low or 1.0)
    return low - pad, high + pad
