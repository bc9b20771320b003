"""What do two dials do together? Mean and standard deviation over seeds, as in Figures 41 and 42 of MDP Playground."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.report import numbers
from mohs.report.theme import LIGHT, dress, heading
from mohs.stats import Estimate

LEVEL = 0.95  # of the intervals
SIDE_BY_SIDE = 5  # columns up to which two maps have room beside each other


@dataclass(frozen=True, eq=False)
class PairMap:
    """A grid [doses of a, doses of b] of means, and the spread of the runs behind each."""

    a: str
    b: str
    units: tuple[str, str]
    title: str  # of what is measured
    labels_a: tuple[str, ...]
    labels_b: tuple[str, ...]
    means: tuple[tuple[Estimate, ...], ...]
    spreads: tuple[tuple[Estimate, ...], ...]
    seeds: int


def pair_figure(data: PairMap) -> go.Figure:
    rows, columns = len(data.labels_a), len(data.labels_b)
    beside = columns <= SIDE_BY_SIDE
    grid = (1, 2) if beside else (2, 1)
    figure = make_subplots(rows=grid[0], cols=grid[1], horizontal_spacing=0.1, vertical_spacing=0.14)
    counts = [e.n for row in data.means for e in row]
    note = f"{data.title} · each cell: value, {numbers.level(LEVEL)} interval, runs · "
    dress(figure, 130 + (58 * rows) * grid[0] + 70 * (grid[0] - 1), note + numbers.count(counts))
    figure.update_layout(margin={"b": 60})
    kinds = (("Mean", data.means), ("Standard deviation over seeds", data.spreads))
    for k, (title, found) in enumerate(kinds):
        values = np.array([[e.value for e in row] for row in found])
        text = [[_text(e, data.seeds) for e in row] for row in found]
        cell = {"row": 1 if beside else k + 1, "col": k + 1 if beside else 1}
        name = "" if k == 0 else "2"
        _map(figure, data, values, text, cell)
        figure.add_annotation(heading(title, 0, 1, f"x{name} domain", f"y{name} domain"))
        for i, j in np.ndindex(rows, columns):
            if not math.isfinite(values[i, j]):
                _hatch(figure, i, j, name, "missing" if data.means[i][j].n == 0 else f"n = {data.means[i][j].n}")
    return figure


def _text(e: Estimate, seeds: int) -> str:
    if not math.isfinite(e.value):
        return ""
    lost = f" of {seeds}" if e.n < seeds else ""
    small = f"{numbers.interval(e)}<br>n = {e.n}{lost}" if e.known else f"n = {e.n}{lost}"
    return f"<b>{numbers.number(e.value)}</b><br><span style='font-size:10px'>{small}</span>"


def _map(
    figure: go.Figure,
    data: PairMap,
    values: npt.NDArray[np.float64],
    text: list[list[str]],
    cell: dict[str, int],
) -> None:
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    figure.add_heatmap(
        z=values, text=text, texttemplate="%{text}", textfont={"size": 12, "color": LIGHT.ink}, xgap=2, ygap=2,
        zmin=min(low, 0.0), zmax=high if high > low else low + 1.0, showscale=False,
        colorscale=[[i / 4, c] for i, c in enumerate(LIGHT.scale)], hoverinfo="skip", **cell,
    )  # fmt: skip
    plain = {"showgrid": False, "showline": False, "ticks": "", "zeroline": False}
    titles = [f"{n} ({unit})" if unit else n for n, unit in zip((data.a, data.b), data.units, strict=True)]
    figure.update_xaxes(
        plain,
        tickvals=list(range(len(data.labels_b))),
        ticktext=list(data.labels_b),
        title={"text": titles[1]},
        range=[-0.5, len(data.labels_b) - 0.5],
        **cell,
    )
    figure.update_yaxes(
        plain,
        tickvals=list(range(len(data.labels_a))),
        ticktext=list(data.labels_a),
        title={"text": titles[0]},
        range=[len(data.labels_a) - 0.5, -0.5],
        **cell,
    )


def _hatch(figure: go.Figure, i: int, j: int, axis: str, text: str) -> None:
    """Slanted lines over a cell without a value, and why."""
    lines = []
    for k in np.arange(-0.8, 1.0, 0.2):
        start = (max(0.0, k), max(0.0, -k))
        stop = (min(1.0, 1 + k), min(1.0, 1 - k))
        lines.append(
            f"M {j - 0.5 + start[0]:.2f} {i + 0.5 - start[1]:.2f} L {j - 0.5 + stop[0]:.2f} {i + 0.5 - stop[1]:.2f}"
        )
    figure.add_shape(
        type="path", path=" ".join(lines), xref=f"x{axis}", yref=f"y{axis}", line={"color": LIGHT.hatch, "width": 1}
    )
    figure.add_annotation(
        x=j, y=i, xref=f"x{axis}", yref=f"y{axis}", text=text, showarrow=False, bgcolor=LIGHT.paper, borderpad=3,
        font={"color": LIGHT.muted, "size": 11},
    )  # fmt: skip
