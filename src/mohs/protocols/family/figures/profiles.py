"""On which share of the family does each method score above a threshold? Weighted performance profiles (Figure 8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from mohs.protocols.family.verdict import LEVEL, FamilyVerdict
from mohs.report import numbers
from mohs.report.figures.looks import colour, dash, narrow, short
from mohs.report.figures.marks import add_band
from mohs.stats import Profile
from mohs.stats.family import weighted_profile

STEPS = 101


@dataclass(frozen=True, eq=False)
class Profiles:
    """One profile for each method over the same thresholds, best method first."""

    names: tuple[str, ...]
    agents: tuple[int, ...]
    profiles: tuple[Profile, ...]
    title: str
    note: str


def profiles(verdict: FamilyVerdict) -> Profiles:
    """The data of the figure."""
    study, scores = verdict.study, verdict.scores
    low, high = np.quantile(scores, [0.0, 1.0]).tolist()
    if verdict.outcomes.scale is not None:
        low, high = max(-0.5, min(0.0, low)), min(max(1.0, high), 1.5)
    thresholds = np.linspace(low, high, STEPS)
    agents = tuple(study.labels.index(m.name) for m in verdict.ranked)
    found = tuple(
        weighted_profile(
            verdict.sample, scores[i], study.weights, study.coordinates.space, thresholds, LEVEL, strata=study.strata
        )
        for i in agents
    )
    note = (
        f"bands: pointwise {numbers.level(LEVEL)} intervals · n = {len(verdict.used)} points · a curve "
        f"that lies above another everywhere dominates it · {verdict.ends}"
    )
    return Profiles(tuple(short(m.name) for m in verdict.ranked), agents, found, f"{verdict.outcomes.title} τ", note)


def profiles_figure(data: Profiles) -> go.Figure:
    """Curves with bands."""
    figure = narrow(300, data.note, legend=len(data.names), bottom=66, left=56)
    x = list(data.profiles[0].thresholds)
    for agent, profile in zip(data.agents, data.profiles, strict=True):
        kept = [k for k, share in enumerate(profile.share) if 0 < share < 1 and np.isfinite(profile.low[k])]
        places, low, high = ([values[k] for k in kept] for values in (x, profile.low, profile.high))
        add_band(figure, places, low, high, colour(agent), opacity=0.16)
    for name, agent, profile in zip(data.names, data.agents, data.profiles, strict=True):
        figure.add_scatter(
            x=x, y=list(profile.share), mode="lines", name=name,
            line={"color": colour(agent), "width": 2.2, "dash": dash(agent)},
            hovertemplate=f"%{{y:.0%}} of the family above %{{x:.2f}}<extra>{name}</extra>",
        )  # fmt: skip
    figure.update_layout(
        xaxis={"title": {"text": data.title}, "range": [x[0], x[-1]], "nticks": 6},
        yaxis={"title": {"text": "share of the family above τ"}, "tickformat": ".0%", "range": [-0.02, 1.04]},
    )
    return figure
