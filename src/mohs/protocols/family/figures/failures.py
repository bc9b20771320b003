"""Where do methods fail? The share of failures along each axis of the family."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.protocols.family.verdict import FamilyVerdict
from mohs.report.figures.looks import broken, colour, dash, short, symbol
from mohs.report.theme import dress, heading
from mohs.stats import Estimate
from mohs.stats.counts import share

MOST_VALUES, BINS, COLUMNS = 8, 5, 2
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FailureAxis:
    """One column of the family: labels of its values or bins, and the failures [methods][values]."""

    name: str
    labels: tuple[str, ...]
    shares: tuple[tuple[Estimate, ...], ...]


@dataclass(frozen=True, eq=False)
class FailureShares:
    """All columns for all methods, best first."""

    names: tuple[str, ...]
    agents: tuple[int, ...]
    axes: tuple[FailureAxis, ...]
    note: str


def failure_shares(verdict: FamilyVerdict) -> FailureShares | None:
    """None where scores are raw returns, or the family has no axes with numbers."""
    study = verdict.study
    if verdict.outcomes.scale is None or not study.coordinates.names:
        return None
    at = study.coordinates.values[verdict.sample.chosen]
    failed = verdict.scores < study.failure
    agents = tuple(study.labels.index(m.name) for m in verdict.ranked)
    axes = []
    for name, column in zip(study.coordinates.names, at.T, strict=True):
        codes, labels = _grouped(column)
        shares = tuple(
            tuple(share(int(failed[i, codes == k].sum()), int((codes == k).sum())) for k in range(len(labels)))
            for i in agents
        )
        axes.append(FailureAxis(name, labels, shares))
    note = (
        f"share of points with a score below {study.failure:g} · n = {len(at)} points · bars: 95% intervals, "
        f"each for itself · {verdict.ends}"
    )
    return FailureShares(tuple(short(m.name) for m in verdict.ranked), agents, tuple(axes), note)


def failures_figure(data: FailureShares) -> go.Figure:
    """One panel for each axis."""
    columns = min(COLUMNS, len(data.axes))
    rows = -(-len(data.axes) // columns)
    figure = make_subplots(rows=rows, cols=columns, horizontal_spacing=0.1, vertical_spacing=0.36 / rows)
    dress(figure, 134 + 230 * rows, broken(data.note))
    figure.update_layout(margin={"t": 90})
    for i, axis in enumerate(data.axes):
        cell, number = {"row": i // columns + 1, "col": i % columns + 1}, "" if i == 0 else str(i + 1)
        for k, (name, agent) in enumerate(zip(data.names, data.agents, strict=True)):
            found = axis.shares[k]
            shift = 0.08 * (k - (len(data.names) - 1) / 2)
            figure.add_scatter(
                x=[x + shift for x in range(len(axis.labels))], y=[e.value for e in found], name=name,
                mode="lines+markers", showlegend=i == 0, legendgroup=name,
                line={"color": colour(agent), "width": 1.8, "dash": dash(agent)},
                marker={"size": 6, "symbol": symbol(agent)},
                error_y={
                    "type": "data", "symmetric": False, "width": 3, "thickness": 1, "color": colour(agent),
                    "array": [e.high - e.value for e in found], "arrayminus": [e.value - e.low for e in found],
                },
                customdata=[e.n for e in found],
                hovertemplate="%{y:.0%} of %{customdata} points fail<extra>" + name + "</extra>", **cell,
            )  # fmt: skip
        figure.add_annotation(heading(axis.name, 0, 1, f"x{number} domain", f"y{number} domain"))
        figure.update_xaxes(tickvals=list(range(len(axis.labels))), ticktext=list(axis.labels), showgrid=False, **cell)
        figure.update_yaxes(range=[-0.04, 1.04], tickformat=".0%", nticks=4, **cell)
    return figure


def _grouped(column: Floats) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """The group of each point along a column, and what the groups are called: its values, or equally filled bins."""
    known, codes = np.unique(column, return_inverse=True)
    if len(known) <= MOST_VALUES:
        return codes, tuple(_number(value) for value in known)
    edges = np.unique(np.quantile(column, np.linspace(0, 1, BINS + 1)))
    codes = np.clip(np.searchsorted(edges, column, side="right") - 1, 0, len(edges) - 2)
    return codes, tuple(f"{_number(a)} to {_number(b)}" for a, b in itertools.pairwise(edges))


def _number(value: float) -> str:
    return f"{value:.3g}".replace("-", "−")
