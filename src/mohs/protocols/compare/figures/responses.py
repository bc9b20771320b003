"""How does every agent's score fall with the dose of a dial?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from mohs.protocols.compare.comparison import Comparison
from mohs.protocols.compare.shared import Floats
from mohs.protocols.diagnose.points import LEVEL
from mohs.protocols.measures import MEASURES
from mohs.report import numbers
from mohs.report.figures.dose_axis import DoseAxis, dose_axis
from mohs.report.figures.looks import colour, dash, narrow, rim, short, symbol
from mohs.report.figures.marks import error_bars
from mohs.stats import Estimate, bonferroni_comparisons, estimates


@dataclass(frozen=True, eq=False)
class Responses:
    """One dial: for every agent its runs [doses, seeds], and the mean at each dose."""

    name: str
    names: tuple[str, ...]
    axis: DoseAxis
    runs: Floats
    means: tuple[tuple[Estimate, ...], ...]
    title: str
    ends: str  # what 0 and 1 are, where scores are normalised
    bounded: bool

    def range(self) -> tuple[float, float]:
        """A vertical range from 0 that holds every mean, nearly every run and most of the intervals.

        An interval of a few seeds may be far wider than all runs: it must not flatten the others.
        """
        known = self.runs[np.isfinite(self.runs)]
        cut = np.quantile(known, [0.005, 0.995]).tolist() if known.size else [0.0, 1.0]
        low, high = min(0.0, *cut), max(0.0, *cut)
        high = rim(high) if self.bounded else high
        pad = 0.06 * (high - low or 1.0)
        ends = [x for row in self.means for e in row for x in (e.low, e.high) if np.isfinite(x)]
        low, high = (max(low - 4 * pad, min([low, *ends])), min(high + 4 * pad, max([high, *ends])))
        return low - pad, high + pad


def responses(comparison: Comparison) -> tuple[Responses, ...]:
    """Every shared dial that has a dose other than vanilla."""
    score, scale = MEASURES[comparison.measure], comparison.diagnoses[0].scale
    title, ends = ("normalised score", scale.ends) if score.normalised else ("mean training return", "")
    found = []
    for dial in comparison.shared.dials:
        if not dial.turned:
            continue
        runs = comparison.shared.scores[:, list(dial.points)]
        comparisons = bonferroni_comparisons(len(dial.doses))
        means = tuple(tuple(estimates(row, "mean", LEVEL, comparisons)) for row in runs)
        axis = dose_axis(dial.name, dial.unit, dial.doses)
        names = tuple(map(short, comparison.names))
        found.append(Responses(dial.name, names, axis, runs, means, title, ends, score.normalised and scale.bounded))
    return tuple(found)


def response_figure(data: Responses) -> go.Figure:
    """Means with intervals, joined by lines, over single runs."""
    counts = numbers.count(e.n for row in data.means for e in row)
    claimed = numbers.level(data.means[0][0].level)
    together = ", 95% together (Bonferroni)" if len(data.axis.places) > 2 else ""
    note = f"{counts} · intervals at {claimed} each{together}{f' · {data.ends}' if data.ends else ''}"
    figure = narrow(290, note, legend=len(data.names), bottom=66, left=56)
    order = sorted(range(len(data.axis.places)), key=data.axis.places.__getitem__)
    for i in range(len(data.names)):
        _draw_runs(figure, data, i)
    for i, (name, row) in enumerate(zip(data.names, data.means, strict=True)):
        shown = [row[k] for k in order]
        figure.add_scatter(
            x=[data.axis.places[k] for k in order], y=[e.value for e in shown], mode="lines+markers", name=name,
            line={"color": colour(i), "width": 1.6, "dash": dash(i)},
            marker={"color": colour(i), "size": 8, "symbol": symbol(i)}, error_y=error_bars(shown, colour(i)),
            text=[f"{data.name} = {data.axis.labels[k]}<br>{numbers.estimated(row[k])}, n = {row[k].n}" for k in order],
            hovertemplate=f"%{{text}}<extra>{name}</extra>",
        )  # fmt: skip
    figure.update_xaxes(data.axis.layout())
    figure.update_yaxes(range=list(data.range()), title={"text": data.title})
    return figure


def _draw_runs(figure: go.Figure, data: Responses, agent: int) -> None:
    x: list[float] = []
    y: list[float] = []
    for k, runs in enumerate(data.runs[agent]):
        kept = runs[~np.isnan(runs)]
        x += data.axis.scattered(k, len(kept))
        y += kept.tolist()
    figure.add_scatter(
        x=np.array(x, dtype=np.float32), y=np.array(y, dtype=np.float32), mode="markers", showlegend=False,
        marker={"color": colour(agent), "size": 4, "opacity": 0.3}, hoverinfo="skip",
    )  # fmt: skip
