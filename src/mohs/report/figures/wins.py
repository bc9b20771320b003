"""How often does each agent beat each other one? Rows against columns, best agent first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from mohs.report.figures.looks import letter, narrow, short
from mohs.report.theme import LIGHT

MOST_WITH_INTERVALS = 3  # agents whose cells have room for an interval at 400 pixels
LABEL = 15  # characters of a row's name
Win = tuple[float, float, float]  # the probability that the row's agent wins, and the ends of its interval


def wins_figure(names: Sequence[str], cells: Mapping[tuple[int, int], Win], note: str) -> go.Figure:
    """Probabilities by (row, column), coloured where the interval leaves one half out."""
    count = len(names)
    figure = narrow(max(40, 150 // count) * count, note, bottom=44)
    colours = [(0.0, LIGHT.second_soft), (0.5, LIGHT.panel), (1.0, LIGHT.accent_soft)]
    sides = [[_side(cells.get((row, column))) for column in range(count)] for row in range(count)]
    figure.add_heatmap(
        z=sides, zmin=-1, zmax=1, colorscale=colours, showscale=False, xgap=2, ygap=2, hoverinfo="skip",
    )  # fmt: skip
    for (row, column), (value, low, high) in cells.items():
        text = f"<b>{value:.2f}</b>" if not math.isnan(value) else "–"
        if count <= MOST_WITH_INTERVALS and not math.isnan(low):
            text += f"<br><span style='font-size:10px'>{low:.2f}–{high:.2f}</span>"
        figure.add_annotation(x=column, y=row, text=text, showarrow=False, font={"size": 12, "color": LIGHT.ink})
    labels = [f"{short(name, LABEL)}  <b>{letter(at)}</b>" for at, name in enumerate(names)]
    axis = {"tickvals": list(range(count)), "showgrid": False, "showline": False, "ticks": ""}
    figure.update_layout(
        xaxis={**axis, "ticktext": [f"<b>{letter(at)}</b>" for at in range(count)], "range": [-0.5, count - 0.5]},
        yaxis={**axis, "ticktext": labels, "range": [count - 0.5, -0.5]},
    )
    return figure


def _side(cell: Win | None) -> float | None:
    """1 where the row wins for certain, −1 where it loses, 0 between; None on the diagonal."""
    if cell is None:
        return None
    _, low, high = cell
    return 1 if low > 0.5 else -1 if high < 0.5 else 0
