"""Which share of each agent's runs does better than a given score?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from mohs.protocols.compare.comparison import Comparison
from mohs.protocols.diagnose.points import LEVEL
from mohs.protocols.measures import MEASURES
from mohs.report import numbers
from mohs.report.figures.looks import colour, dash, narrow, rim, short
from mohs.report.figures.marks import add_band
from mohs.stats import Profile, joint_profile

STEPS = 101


@dataclass(frozen=True)
class Profiles:
    """One profile for each agent over the same thresholds."""

    names: tuple[str, ...]
    profiles: tuple[Profile, ...]
    runs: int
    title: str
    ends: str  # what 0 and 1 are, where scores are normalised


def profiles(comparison: Comparison) -> Profiles | None:
    """None where no seed ran everywhere."""
    whole, score = comparison.shared.complete, MEASURES[comparison.measure]
    if not whole.size:
        return None
    scale = comparison.diagnoses[0].scale
    low, high = np.quantile(whole, [0.005, 0.995]).tolist()
    if scale.bounded and score.normalised:
        low, high = max(-0.5, min(0.0, low)), rim(high)
    ends = f" · {scale.ends}" if score.normalised else ""
    found = tuple(joint_profile(runs, np.linspace(low, high, STEPS), LEVEL) for runs in whole)
    return Profiles(tuple(map(short, comparison.names)), found, whole[0].size, f"{score.title} τ", ends)


def profiles_figure(data: Profiles) -> go.Figure:
    """Curves with pointwise bands."""
    first = data.profiles[0]
    note = f"bands: pointwise {numbers.level(first.level)} intervals over seeds · n = {first.n} seeds, "
    figure = narrow(300, f"{note}{data.runs} runs of each agent{data.ends}", legend=len(data.names), bottom=66, left=56)
    x = list(first.thresholds)
    for i, profile in enumerate(data.profiles):
        # Where all runs lie on one side, an interval tells of what was not seen, and would hide the curves.
        kept = [k for k, share in enumerate(profile.share) if 0 < share < 1]
        places, low, high = ([values[k] for k in kept] for values in (x, profile.low, profile.high))
        add_band(figure, places, low, high, colour(i), opacity=0.16)
    for i, (name, profile) in enumerate(zip(data.names, data.profiles, strict=True)):
        figure.add_scatter(
            x=x, y=list(profile.share), mode="lines", name=name,
            line={"color": colour(i), "width": 2.2, "dash": dash(i)},
            hovertemplate=f"%{{y:.0%}} of runs above %{{x:.2f}}<extra>{name}</extra>",
        )  # fmt: skip
    figure.update_layout(
        xaxis={"title": {"text": data.title}, "range": [x[0], x[-1]], "nticks": 6},
        yaxis={"title": {"text": "share of runs above τ"}, "tickformat": ".0%", "range": [-0.02, 1.04]},
    )
    return figure
