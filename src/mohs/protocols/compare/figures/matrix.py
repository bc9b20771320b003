"""How often does each agent beat each other one?"""

from __future__ import annotations

import math

import plotly.graph_objects as go

from mohs.protocols.compare.comparison import Comparison
from mohs.protocols.compare.figures.looks import letter, narrow, short
from mohs.report import numbers
from mohs.report.theme import LIGHT
from mohs.stats import Estimate

MOST_WITH_INTERVALS = 3  # agents whose cells have room for an interval at 400 pixels
LABEL = 15  # characters of a row's name


def improvement_matrix(comparison: Comparison) -> dict[tuple[int, int], tuple[float, float, float]]:
    """By (row, column), agents in the order of their ranks: the probability that the row's agent wins, and its ends."""
    found = {}
    place = {agent: i for i, agent in enumerate(comparison.order)}
    for pair in comparison.pairs:
        e, a, b = pair.overall, place[pair.a], place[pair.b]
        found[a, b] = e.value, e.low, e.high
        found[b, a] = 1 - e.value, 1 - e.high, 1 - e.low
    return found


def matrix_figure(comparison: Comparison) -> go.Figure:
    """Rows against columns: coloured where the interval leaves one half out."""
    count, cells = len(comparison.names), improvement_matrix(comparison)
    first: Estimate = comparison.pairs[0].overall
    note = (
        "probability that a run of the row's agent beats a run of the column's at the same dose · coloured where the "
    )
    note += f"interval excludes ½ · intervals at {numbers.level(first.level)} each, 95% together (Bonferroni) · "
    note += f"{numbers.count(pair.overall.n for pair in comparison.pairs)} seeds"
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
    names = [f"{short(comparison.names[i], LABEL)}  <b>{letter(at)}</b>" for at, i in enumerate(comparison.order)]
    axis = {"tickvals": list(range(count)), "showgrid": False, "showline": False, "ticks": ""}
    figure.update_layout(
        xaxis={**axis, "ticktext": [f"<b>{letter(at)}</b>" for at in range(count)], "range": [-0.5, count - 0.5]},
        yaxis={**axis, "ticktext": names, "range": [count - 0.5, -0.5]},
    )
    return figure


def _side(cell: tuple[float, float, float] | None) -> float | None:
    """1 where the row wins for certain, −1 where it loses, 0 between; None on the diagonal."""
    if cell is None:
        return None
    _, low, high = cell
    return 1 if low > 0.5 else -1 if high < 0.5 else 0
