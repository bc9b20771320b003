"""Which share of all runs does better than a given score?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from mohs.protocols.diagnose import LEVEL, Verdict
from mohs.report import numbers
from mohs.report.theme import LIGHT, blank
from mohs.stats import Profile, performance_profile


@dataclass(frozen=True)
class Profiles:
    """The profile of vanilla, and of all doses of all dials with vanilla counted once."""

    vanilla: Profile
    everything: Profile


def profiles(verdict: Verdict) -> Profiles:
    runs = [dose.samples["normalised"] for d in verdict.dials for i, dose in enumerate(d.doses) if i != d.vanilla]
    thresholds = np.linspace(-0.1, 1.05, 116)
    plain = verdict.vanilla.samples["normalised"]
    return Profiles(
        performance_profile(plain, thresholds, LEVEL),
        performance_profile(np.concatenate([plain, *runs]), thresholds, LEVEL),
    )


def profile_figure(data: Profiles) -> go.Figure:
    note = f"bands: pointwise {numbers.level(data.everything.level)} intervals, {data.everything.method}"
    figure = blank(400, f"{note} · n = {data.everything.n} runs, {data.vanilla.n} of them vanilla")
    for profile, name, colour, soft in (
        (data.vanilla, "vanilla", LIGHT.neutral, LIGHT.grid),
        (data.everything, "all doses of all dials", LIGHT.accent, LIGHT.accent_soft),
    ):
        if not profile.n:
            continue
        x = list(profile.thresholds)
        figure.add_scatter(
            x=x + x[::-1], y=[*profile.high, *profile.low[::-1]], fill="toself", fillcolor=soft, mode="lines",
            line={"width": 0, "color": soft}, hoverinfo="skip", showlegend=False,
        )  # fmt: skip
        figure.add_scatter(
            x=x, y=list(profile.share), mode="lines", name=f"{name} (n = {profile.n})",
            line={"color": colour, "width": 2.2},
            hovertemplate=f"%{{y:.0%}} of runs above %{{x:.2f}}<extra>{name}, n = {profile.n}</extra>",
        )  # fmt: skip
    figure.update_layout(
        xaxis={"title": {"text": "normalised score τ (0 = random, 1 = optimum)"}, "range": [-0.1, 1.05]},
        yaxis={"title": {"text": "share of runs above τ"}, "tickformat": ".0%", "range": [-0.02, 1.04]},
        margin={"t": 50},
    )
    if not data.everything.n:
        figure.add_annotation(text="missing", x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False)
    return figure
