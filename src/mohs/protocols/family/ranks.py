"""How do methods rank over several families, if one point stands for each (Table 6 of the paper)?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mohs.core.errors import UsageError
from mohs.core.values import Json
from mohs.protocols.family.study import PROTOCOL
from mohs.protocols.family.verdict import LEVEL, FamilyVerdict
from mohs.protocols.verdict import Verdict
from mohs.protocols.words import joined
from mohs.report import numbers, parts
from mohs.report.figures.looks import colour, narrow, short
from mohs.report.findings import Finding
from mohs.report.page import Page
from mohs.report.tables import TextTable
from mohs.stats import Estimate
from mohs.stats.family import rank_share_intervals, rank_shares

if TYPE_CHECKING:
    import pandas as pd

    from mohs.report.methods import Methods

OFTEN = 0.1  # a method that ranks first in so many of the combinations is named
NEARLY_ALL = 0.9  # a method that surely ranks first in so many leads whichever points stand for the families


@dataclass(frozen=True, eq=False, repr=False)
class FamilyRanks(Verdict):
    """The shares of ranks over all combinations of one point of each family.

    Attributes:
        families: their names.
        points: how many points each has.
        names: the methods that all families have.
        shares: [methods, ranks], exact for the scores in the tables.
        low, high: the ends of intervals under other points and seeds.
    """

    protocol = PROTOCOL

    families: tuple[str, ...]
    points: tuple[int, ...]
    names: tuple[str, ...]
    shares: npt.NDArray[np.float64] = field(repr=False)
    low: npt.NDArray[np.float64] = field(repr=False)
    high: npt.NDArray[np.float64] = field(repr=False)

    @property
    def combinations(self) -> int:
        """How many there are."""
        return math.prod(self.points)

    def share(self, i: int, rank: int) -> Estimate:
        """The share of combinations in which method i has a rank; 0 is the first."""
        value, low, high = (float(array[i, rank]) for array in (self.shares, self.low, self.high))
        n, method = sum(self.points), "bootstrap of points and seeds"
        return Estimate(value, low, high, n, LEVEL, "share of combinations", method)

    @property
    def order(self) -> tuple[int, ...]:
        """The methods by their mean rank, best first."""
        return tuple(np.argsort(self.shares @ np.arange(len(self.names)), kind="stable").tolist())

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Who ranks first."""
        first = [i for i in self.order if self.low[i, 0] > OFTEN]
        said = [f"{self.names[i]} ranks first in {numbers.share(self.share(i, 0))}" for i in first]
        over = f"the {self.combinations:,} combinations of one point of {joined(list(self.families))}"
        if not first:
            return (Finding(f"No method surely ranks first in more than {OFTEN:.0%} of {over}."),)
        text = f"{joined(said)} of {over}"
        if len(first) > 1:
            return (Finding(f"Which method ranks first depends on the points that stand for the families: {text}."),)
        if self.low[first[0], 0] >= NEARLY_ALL:
            return (Finding(f"One method leads whichever points stand for the families: {text}."),)
        return (Finding(f"{text}; of no other method it is sure to be more than {OFTEN:.0%}."),)

    def frame(self) -> pd.DataFrame:
        """One row for each method and rank."""
        import pandas as pd

        rows = [
            (name, rank + 1, self.shares[i, rank], self.low[i, rank], self.high[i, rank])
            for i, name in enumerate(self.names)
            for rank in range(len(self.names))
        ]
        return pd.DataFrame(rows, columns=["method", "rank", "share", "low", "high"])

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {
            "headline": list(self.sentences),
            "families": dict(zip(self.families, self.points, strict=True)),
            "combinations": self.combinations,
            "methods": {
                self.names[i]: [self.share(i, rank).to_dict() for rank in range(len(self.names))] for i in self.order
            },
        }

    def summary(self) -> tuple[TextTable, ...]:
        """Shares of ranks."""
        ranks = range(len(self.names))
        rows = [(self.names[i], *(numbers.share(self.share(i, rank)) for rank in ranks)) for i in self.order]
        heads = ("method", *(f"rank {rank + 1}" for rank in ranks))
        return (TextTable(f"Shares of combinations, {numbers.level(LEVEL)} intervals", heads, rows),)

    def page(self) -> Page:
        """The report: bars of shares, and the table."""
        figures = {"ranks": ranks_figure(self)}
        over = joined(list(self.families))
        body = (
            f'<section id="verdict"><p class="eyebrow">Family · {escape(over)}</p>'
            f"<h1>{escape(joined(list(self.names)))}</h1>{parts.headline(self.findings)}</section>"
            f'<section id="ranks"><h2>Which ranks does each method have?</h2>{parts.place("ranks", figures)}'
            f'<div class="scroll">{self.summary()[0].html()}</div></section>'
            '<section id="methods"><h2>Methods</h2><div class="prose"><p>A combination has one point of each family, '
            "in proportion to their weights. The score of a method is the mean of its normalised scores at these "
            "points. All combinations are counted; methods that tie share their ranks. Intervals are a bootstrap of "
            "points and seeds.</p></div></section>"
        )
        rows = self.frame().to_csv(index=False, lineterminator="\n")
        facts = {"methods": "; ".join(self.names), "families": over, "combinations": f"{self.combinations:,}"}
        title = f"ranks over {over} · mohs family"
        return Page(title, body, ("verdict", "ranks", "methods"), figures, tables={"frame.csv": rows}, facts=facts)

    def methods(self) -> Methods:
        """The paragraph for the methods section of a paper."""
        from mohs.report.methods import of_facts

        return of_facts("Ranks over all combinations of one point of each family.", self.page().facts)


def family_ranks(verdicts: Sequence[FamilyVerdict]) -> FamilyRanks:
    """Ranks of the methods that all families have.

    Raises:
        UsageError: fewer than two methods are common, or a family has raw returns, whose sizes cannot be averaged.
    """
    common = [name for name in verdicts[0].study.labels if all(name in v.study.labels for v in verdicts)]
    if len(common) < 2:
        raise UsageError("ranks over families need two methods that all of them have.")
    for verdict in verdicts:
        if verdict.outcomes.scale is None:
            raise UsageError(f"{verdict.study.title} has raw returns: ranks over families need normalised scores.")
    runs = [v.outcomes.scores[:, v.used][[v.study.labels.index(name) for name in common]] for v in verdicts]
    weights = [v.sample.weights for v in verdicts]
    shares = rank_shares([r.mean(axis=2) for r in runs], weights)
    low, high = rank_share_intervals(runs, weights, LEVEL, resample_points=True)
    names, points = tuple(v.study.title for v in verdicts), tuple(len(v.used) for v in verdicts)
    return FamilyRanks(names, points, tuple(common), shares, low, high)


def ranks_figure(data: FamilyRanks) -> go.Figure:
    """For each rank, the share of each method as a bar with its interval."""
    note = f"{data.combinations:,} combinations of one point of each family · {numbers.level(LEVEL)} intervals"
    figure = narrow(280, note, legend=len(data.names), bottom=66, left=56)
    ranks = [f"rank {rank + 1}" for rank in range(len(data.names))]
    for i in data.order:
        name = short(data.names[i])
        spread = {
            "type": "data", "symmetric": False, "thickness": 1.2, "width": 3,
            "array": (data.high[i] - data.shares[i]).tolist(), "arrayminus": (data.shares[i] - data.low[i]).tolist(),
        }  # fmt: skip
        figure.add_bar(
            x=ranks, y=data.shares[i].tolist(), name=name, marker={"color": colour(i)}, error_y=spread,
            hovertemplate="%{y:.1%}<extra>" + name + "</extra>",
        )  # fmt: skip
    figure.update_layout(
        barmode="group",
        yaxis={"title": {"text": "share of combinations"}, "tickformat": ".0%", "rangemode": "tozero", "nticks": 6},
    )
    return figure
