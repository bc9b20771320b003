"""Who ranks first, and which agents are not significantly different?"""

from __future__ import annotations

import plotly.graph_objects as go

from mohs.protocols.compare.comparison import Comparison
from mohs.report import numbers
from mohs.report.figures.forest import Forest, ForestRow, forest_figure
from mohs.report.figures.looks import colour, short
from mohs.report.theme import LIGHT

COLUMN, MOST_COLUMNS = 0.06, 5  # the width of a group's line, as a share of the figure's; lines beside each other


def rank_forest(comparison: Comparison) -> Forest:
    """The mean ranks, best first."""
    rows = tuple(
        ForestRow(short(comparison.names[i]), comparison.agents[i].rank, colour=colour(i)) for i in comparison.order
    )
    note = f"mean rank at the same task and seed, 1 = best · {numbers.level(rows[0].estimate.level)} intervals · "
    note += f"{numbers.count(r.estimate.n for r in rows)} seeds"
    if comparison.groups:
        note += " · the lines at the right join agents that the tests do not tell apart"
    return Forest(rows, note, None, limits=(1.0, float(len(rows))), title="mean rank")


def ranks_figure(comparison: Comparison) -> go.Figure:
    """Mean ranks with intervals, and a line for every group."""
    data, groups = rank_forest(comparison), comparison.groups
    columns = min(len(groups), MOST_COLUMNS)
    figure = forest_figure(data, free=COLUMN * columns)
    rows = {agent: y for y, agent in enumerate(comparison.order)}
    low, high = data.span()
    end = low + (high - low) / (1 - COLUMN * columns)
    figure.update_xaxes(range=[low, end], tickvals=list(range(1, len(rows) + 1)))
    for column, group in enumerate(groups):
        at = sorted(rows[agent] + data.below for agent in group)
        names = ", ".join(short(comparison.names[i]) for i in group)
        place = high + (column + 0.6) / max(len(groups), 1) * (end - high)
        figure.add_scatter(
            x=[place] * len(at), y=at, mode="lines+markers", showlegend=False,
            line={"color": LIGHT.muted, "width": 3}, marker={"size": 8, "color": LIGHT.muted},
            hovertemplate=f"no significant difference: {names}<extra></extra>",
        )  # fmt: skip
    return figure
