"""How many points are enough? Each method's mean over the family as points are added in the order of the sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from mohs.protocols.family.verdict import LEVEL, FamilyVerdict, estimate_over, sample_of
from mohs.report import numbers
from mohs.report.figures.looks import colour, dash, narrow, short
from mohs.report.figures.marks import add_band
from mohs.stats import Estimate
from mohs.stats.family.tails import FEWEST_POINTS

STEPS = 12


@dataclass(frozen=True, eq=False)
class Convergence:
    """Estimates of each method, best first, at each number of points."""

    sizes: tuple[int, ...]
    names: tuple[str, ...]
    agents: tuple[int, ...]
    estimates: tuple[tuple[Estimate, ...], ...]
    title: str
    note: str


def convergence(verdict: FamilyVerdict) -> Convergence | None:
    """None where the sample is not nested, or has too few points to be cut."""
    study, used = verdict.study, verdict.used
    n = len(used)
    if not study.nested or n < FEWEST_POINTS + 4:
        return None
    sizes = tuple(int(size) for size in np.unique(np.geomspace(FEWEST_POINTS, n, STEPS).round()))
    scores = verdict.outcomes.scores
    found = [
        estimate_over(study, sample_of(study, used[:size]), scores[:, used[:size]], verdict.outcomes) for size in sizes
    ]
    agents = tuple(study.labels.index(m.name) for m in verdict.ranked)
    note = f"each estimate uses the first points of one order · {numbers.level(LEVEL)} intervals"
    return Convergence(
        sizes,
        tuple(short(m.name) for m in verdict.ranked),
        agents,
        tuple(tuple(estimate.estimate(i) for estimate in found) for i in agents),
        verdict.outcomes.title,
        f"{note} · {verdict.ends}",
    )


def convergence_figure(data: Convergence) -> go.Figure:
    """Lines with bands over the number of points."""
    figure = narrow(280, data.note, legend=len(data.names), bottom=66, left=56)
    for agent, found in zip(data.agents, data.estimates, strict=True):
        kept = [(n, e) for n, e in zip(data.sizes, found, strict=True) if e.known]
        if kept:
            x, low, high = [n for n, _ in kept], [e.low for _, e in kept], [e.high for _, e in kept]
            add_band(figure, x, low, high, colour(agent), opacity=0.14)
    for name, agent, found in zip(data.names, data.agents, data.estimates, strict=True):
        figure.add_scatter(
            x=list(data.sizes), y=[e.value for e in found], mode="lines+markers", name=name,
            line={"color": colour(agent), "width": 2.2, "dash": dash(agent)}, marker={"size": 5},
            hovertemplate="%{y:.3f} with %{x} points<extra>" + name + "</extra>",
        )  # fmt: skip
    figure.update_layout(
        xaxis={"title": {"text": "points of the family"}, "nticks": 6},
        yaxis={"title": {"text": data.title}, "nticks": 6},
    )
    return figure
