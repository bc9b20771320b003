"""How often does each method beat each other one on a random member of the family?"""

from __future__ import annotations

import plotly.graph_objects as go

from mohs.protocols.family.verdict import FamilyVerdict
from mohs.report import numbers
from mohs.report.figures.wins import wins_figure


def wins(verdict: FamilyVerdict) -> go.Figure:
    """Rows against columns, best method first."""
    place = {verdict.study.labels.index(m.name): at for at, m in enumerate(verdict.ranked)}
    cells = {}
    for pair in verdict.pairs:
        e, a, b = pair.wins, place[pair.a], place[pair.b]
        cells[a, b] = e.value, e.low, e.high
        cells[b, a] = 1 - e.value, 1 - e.high, 1 - e.low
    note = (
        "probability that the row's method scores higher than the column's at a random member, ties half · "
        f"coloured where the interval excludes ½ · intervals at {numbers.level(verdict.pairs[0].wins.level)} each, 95% "
        f"together (Bonferroni) · n = {len(verdict.used)} points"
    )
    return wins_figure([m.name for m in verdict.ranked], cells, note)
