"""How large does a task grow with the distance from the start, and what are the states there worth?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.report.numbers import written
from mohs.report.theme import LIGHT, dress, heading
from mohs.tables.table import Float, Table

COUNTS, VALUES = {"row": 1, "col": 1}, {"row": 2, "col": 1}


@dataclass(frozen=True, eq=False)
class StateLayers:
    """For each distance from the start: how many states go on and how many end there, and V* of those that go on."""

    going: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    least: Float
    mean: Float
    largest: Float


def state_layers(table: Table, value: Float, distance: npt.NDArray[np.int64]) -> StateLayers:
    """Of the states with a distance; no value is known (NaN) where all states end the episode."""
    live, over = ((distance >= 0) & (table.terminal == ended) for ended in (False, True))
    size = int(distance.max()) + 1
    going = np.bincount(distance[live], minlength=size)
    least, largest = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(least, distance[live], value[live])
    np.maximum.at(largest, distance[live], value[live])
    total = np.bincount(distance[live], weights=value[live], minlength=size)
    known = np.where(going > 0, 1.0, np.nan)
    return StateLayers(
        going,
        np.bincount(distance[over], minlength=size),
        np.where(going > 0, least, np.nan),
        total / np.maximum(going, 1) * known,
        np.where(going > 0, largest, np.nan),
    )


def layers_figure(data: StateLayers, horizon: int) -> go.Figure:
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.14)
    count = int(data.going.sum() + data.ends.sum())
    note = f"V*: the best expected return of {horizon:,} steps from a state · {count:,} states can be reached"
    dress(figure, 560, note)
    steps = np.arange(len(data.going))
    for name, counts, colour in (("states", data.going, LIGHT.accent), ("ends", data.ends, LIGHT.neutral)):
        if counts.any():
            figure.add_bar(
                x=steps, y=counts, name=name, marker={"color": colour},
                hovertemplate="%{y:,} " + name + " at distance %{x}<extra></extra>", **COUNTS,
            )  # fmt: skip
    known = np.flatnonzero(data.going)
    x = np.concatenate([steps[known], steps[known][::-1]])
    figure.add_scatter(
        x=x, y=np.concatenate([data.largest[known], data.least[known][::-1]]), fill="toself", mode="lines",
        fillcolor=LIGHT.accent_soft, line={"width": 1, "color": LIGHT.accent_soft}, hoverinfo="skip",
        name="V* from the least to the largest", **VALUES,
    )  # fmt: skip
    figure.add_scatter(
        x=steps[known], y=data.mean[known], mode="lines+markers", name="mean V*",
        line={"color": LIGHT.accent, "width": 2}, marker={"size": 5, "color": LIGHT.accent},
        customdata=[
            f"distance {i}: V* from {written(float(data.least[i]))} to {written(float(data.largest[i]))}, "
            f"mean {written(float(data.mean[i]))}"
            for i in known.tolist()
        ],
        hovertemplate="%{customdata}<extra></extra>", **VALUES,
    )  # fmt: skip
    figure.update_layout(barmode="stack", bargap=0.15, margin={"t": 72, "b": 96}, legend={"traceorder": "normal"})
    span = [-0.6, len(steps) - 0.4]
    figure.update_xaxes(range=span, showgrid=False, tickformat="d", **({"dtick": 1} if len(steps) <= 12 else {}))
    figure.update_xaxes(title={"text": "fewest steps from the start"}, row=2, col=1)
    figure.update_yaxes(title={"text": "states"}, rangemode="tozero", **COUNTS)
    figure.update_yaxes(title={"text": "V*"}, **VALUES)
    figure.add_annotation(heading("Number of states at each distance", 0, 1, "x domain", "y domain"))
    figure.add_annotation(heading("What they are worth", 0, 1, "x2 domain", "y2 domain"))
    return figure
