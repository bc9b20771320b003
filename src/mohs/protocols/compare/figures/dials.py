"""Under which dials is each agent strong? The mean score of each, as parallel bars and as a radar."""

from __future__ import annotations

import math
from dataclasses import dataclass

import plotly.graph_objects as go

from mohs.protocols.compare.comparison import Comparison
from mohs.protocols.measures import MEASURES
from mohs.report import numbers
from mohs.report.figures.looks import colour, dash, narrow, rim, short
from mohs.report.figures.marks import error_bars
from mohs.report.theme import LIGHT
from mohs.stats import Estimate

FEWEST_AROUND = 3  # dials of a radar


@dataclass(frozen=True)
class DialMeans:
    """The mean of each agent [agents][dials] over a dial's doses other than vanilla."""

    names: tuple[str, ...]
    dials: tuple[str, ...]
    means: tuple[tuple[Estimate, ...], ...]
    title: str
    ends: str  # what 0 and 1 are, where scores are normalised
    bounded: bool

    @property
    def round(self) -> bool:
        """Whether a radar can show it: scores from 0 to 1 of three dials or more."""
        return self.bounded and len(self.dials) >= FEWEST_AROUND

    @property
    def note(self) -> str:
        found = [e for row in self.means for e in row]
        ends = f"{numbers.level(found[0].level)} intervals · {numbers.count(e.n for e in found)} seeds"
        return f"mean over the doses other than vanilla{f' ({self.ends})' if self.ends else ''} · {ends}"


def dial_means(comparison: Comparison) -> DialMeans | None:
    """None where no seed ran everywhere, or no dial has a dose other than vanilla."""
    dials = tuple(name for name, _ in comparison.agents[0].dials)
    if not dials:
        return None
    score, scale = MEASURES[comparison.measure], comparison.diagnoses[0].scale
    ends = scale.ends if score.normalised else ""
    means = tuple(tuple(e for _, e in agent.dials) for agent in comparison.agents)
    bounded = scale.bounded and score.normalised
    return DialMeans(tuple(map(short, comparison.names)), dials, means, score.title, ends, bounded)


def bars_figure(data: DialMeans) -> go.Figure:
    """A group of bars for each dial."""
    count = len(data.names)
    figure = narrow((14 * count + 18) * len(data.dials), data.note, legend=count, bottom=66)
    for i, (name, row) in enumerate(zip(data.names, data.means, strict=True)):
        figure.add_bar(
            x=[e.value for e in row], y=list(data.dials), orientation="h", name=name, marker={"color": colour(i)},
            error_x=error_bars(row, thickness=1.2, width=3),
            text=[numbers.estimated(e) for e in row], textposition="none",
            hovertemplate=f"%{{y}}: %{{text}}<extra>{name}</extra>",
        )  # fmt: skip
    ends = [x for row in data.means for e in row for x in (e.low, e.high, e.value) if math.isfinite(x)]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    pad = 0.03 * (high - low or 1.0)
    figure.update_layout(
        barmode="group", bargap=0.28, bargroupgap=0.06,
        xaxis={"title": {"text": data.title}, "range": [low - pad * (low < 0), high + pad], "nticks": 6},
        yaxis={"autorange": "reversed", "showgrid": False, "ticks": ""},
        legend={"traceorder": "normal"},
    )  # fmt: skip
    return figure


def radar_figure(data: DialMeans) -> go.Figure:
    """The same means around a circle; a negative mean is drawn in the centre."""
    edge = rim(max(e.value for row in data.means for e in row))
    figure = narrow(300, f"{data.note} · centre = 0, rim = {edge:g}", legend=len(data.names), bottom=30)
    around = [_halved(name) for name in data.dials]
    for i, (name, row) in enumerate(zip(data.names, data.means, strict=True)):
        values = [min(edge, max(0.0, e.value)) for e in row]
        figure.add_scatterpolar(
            r=[*values, values[0]], theta=[*around, around[0]], name=name, mode="lines+markers",
            line={"color": colour(i), "width": 2, "dash": dash(i)}, marker={"size": 5},
            text=[*(numbers.estimated(e) for e in row), ""],
            hovertemplate=f"%{{theta}}: %{{text}}<extra>{name}</extra>",
        )  # fmt: skip
    between = 90 - 180 / len(data.dials)  # the numbers stand between two dials
    radial = {
        "range": [0, edge], "tickvals": [edge / 2], "gridcolor": LIGHT.grid, "linecolor": LIGHT.grid,
        "angle": between, "tickangle": between, "tickfont": {"size": 11, "color": LIGHT.muted}, "ticks": "",
    }  # fmt: skip
    angular = {"gridcolor": LIGHT.grid, "linecolor": LIGHT.rule, "direction": "clockwise", "rotation": 90}
    figure.update_layout(
        margin={"l": 90, "r": 90, "t": (figure.layout.margin.t or 0) + 42},
        height=figure.layout.height + 42,
        polar={"bgcolor": LIGHT.paper, "radialaxis": radial, "angularaxis": {**angular, "tickfont": {"size": 12}}},
    )
    return figure


def _halved(name: str) -> str:
    """A name on two lines of nearly the same length, where it has an underscore."""
    cuts = [i + 1 for i, letter in enumerate(name) if letter == "_"]
    if not cuts:
        return name
    at = min(cuts, key=lambda cut: abs(2 * cut - len(name)))
    return f"{name[:at]}<br>{name[at:]}"
