"""Which share of all runs does better than a given score?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mohs.protocols.diagnose.points import LEVEL
from mohs.protocols.diagnose.verdict import Diagnosis
from mohs.report import numbers
from mohs.report.figures.marks import add_band
from mohs.report.theme import LIGHT, blank
from mohs.stats import Profile, performance_profile


@dataclass(frozen=True)
class Profiles:
    """The profile of vanilla, and of all doses of all dials with vanilla counted once."""

    vanilla: Profile
    everything: Profile
    ends: str  # what 0 and 1 of a score stand for


def profiles(verdict: Diagnosis) -> Profiles:
    runs = [dose.samples[verdict.measure] for d in verdict.dials for i, dose in enumerate(d.doses) if i != d.vanilla]
    plain = verdict.vanilla.samples[verdict.measure]
    pooled = np.concatenate([plain, *runs])
    thresholds = np.linspace(-0.1, _highest(pooled, verdict.scale.bounded), 116)
    return Profiles(
        performance_profile(plain, thresholds, LEVEL),
        performance_profile(pooled, thresholds, LEVEL),
        verdict.ends(verdict.measure),
    )


def _highest(scores: npt.NDArray[np.float64], bounded: bool) -> float:
    """Where the axis ends: at the optimum, or where nearly all runs lie below."""
    known = scores[np.isfinite(scores)]
    return 1.05 if bounded or not known.size else max(1.05, float(np.quantile(known, 0.99)))


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
        add_band(figure, x, profile.low, profile.high, soft)
        figure.add_scatter(
            x=x, y=list(profile.share), mode="lines", name=f"{name} (n = {profile.n})",
            line={"color": colour, "width": 2.2},
            hovertemplate=f"%{{y:.0%}} of runs above %{{x:.2f}}<extra>{name}, n = {profile.n}</extra>",
        )  # fmt: skip
    x_low, x_high = data.everything.thresholds[0], data.everything.thresholds[-1]
    figure.update_layout(
        xaxis={"title": {"text": f"normalised score τ ({data.ends})"}, "range": [x_low, x_high]},
        yaxis={"title": {"text": "share of runs above τ"}, "tickformat": ".0%", "range": [-0.02, 1.04]},
        margin={"t": 50},
    )
    if not data.everything.n:
        figure.add_annotation(text="no normalised scores", x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False)
    return figure
