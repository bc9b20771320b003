"""How often does each agent beat each other one?"""

from __future__ import annotations

import plotly.graph_objects as go

from mohs.protocols.compare.comparison import Comparison
from mohs.report import numbers
from mohs.report.figures.wins import Win, wins_figure


def improvement_matrix(comparison: Comparison) -> dict[tuple[int, int], Win]:
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
    note = (
        "probability that a run of the row's agent beats a run of the column's at the same dose · coloured where the "
        f"interval excludes ½ · intervals at {numbers.level(comparison.pairs[0].overall.level)} each, 95% together "
        f"(Bonferroni) · {numbers.count(pair.overall.n for pair in comparison.pairs)} seeds"
    )
    names = [comparison.names[i] for i in comparison.order]
    return wins_figure(names, improvement_matrix(comparison), note)
