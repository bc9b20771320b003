"""Does the order of the methods survive other weights? Means under random weightings, and who leads how often."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mohs.protocols.family.verdict import FamilyVerdict
from mohs.report import numbers
from mohs.report.figures.looks import colour, narrow, short, symbol
from mohs.report.theme import LIGHT
from mohs.stats.family import dirichlet_weightings

SHOWN, DRAWS, SEED = 5, 2000, 0
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Weightings:
    """Means [weightings, methods], the first with the weights of the family; `leads` is who leads how often."""

    names: tuple[str, ...]
    agents: tuple[int, ...]
    means: Floats
    leads: Floats
    title: str
    note: str


def weightings(verdict: FamilyVerdict) -> Weightings:
    """Weightings of the sampled points drawn uniformly from all there are (a flat Dirichlet distribution)."""
    scores = verdict.scores
    drawn = dirichlet_weightings(len(verdict.used), DRAWS, SEED)
    means = drawn @ scores.T
    leads = np.bincount(means.argmax(axis=1), minlength=len(scores)) / DRAWS
    agents = tuple(verdict.study.labels.index(m.name) for m in verdict.ranked)
    chosen = np.vstack([verdict.sample.weights @ scores.T, means[:SHOWN]])[:, agents]
    note = (
        f"D1 to D{SHOWN}: random weights of the {len(verdict.used)} points · leads: the share of {DRAWS:,} random "
        f"weightings that a method leads · {verdict.ends}"
    )
    return Weightings(
        tuple(short(m.name) for m in verdict.ranked), agents, chosen, leads[list(agents)], verdict.outcomes.title, note
    )


def weightings_figure(data: Weightings) -> go.Figure:
    """A column of points for each weighting."""
    figure = narrow(280, data.note, legend=len(data.names), bottom=66, left=56)
    labels = ["family", *(f"D{i}" for i in range(1, len(data.means)))]
    for k, (name, agent) in enumerate(zip(data.names, data.agents, strict=True)):
        figure.add_scatter(
            x=list(range(len(labels))), y=data.means[:, k].tolist(), mode="lines+markers",
            name=f"{name} · leads {numbers.percent(float(data.leads[k]))}",
            line={"color": colour(agent), "width": 1, "dash": "dot"},
            marker={"size": 9, "color": colour(agent), "symbol": symbol(agent)},
            hovertemplate="%{y:.3f}<extra>" + name + "</extra>",
        )  # fmt: skip
    figure.add_vline(x=0.5, line={"color": LIGHT.rule, "width": 1})
    figure.update_layout(
        xaxis={"tickvals": list(range(len(labels))), "ticktext": labels, "showgrid": False},
        yaxis={"title": {"text": data.title}, "nticks": 6},
    )
    return figure
