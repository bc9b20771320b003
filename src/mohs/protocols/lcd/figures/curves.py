"""How was a game learnt in each view, and with rarer rewards? Held-out returns during training (Figures 6 to 9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mohs.protocols.lcd.conditions import FIGURE_GROUND, PIXELS, SEMANTIC, helped, rarer
from mohs.protocols.lcd.verdict import LEVEL, GameResult, LcdVerdict
from mohs.report import numbers
from mohs.report.figures.looks import colour, dash, narrow
from mohs.report.figures.marks import add_band
from mohs.report.theme import LIGHT
from mohs.stats import Estimate, estimates

HIGH = 320  # pixels


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Mean returns on held-out levels by condition, each with an interval at every evaluation."""

    game: str
    steps: npt.NDArray[np.int64]
    means: Mapping[str, tuple[Estimate, ...]]
    note: str


def by_view(verdict: LcdVerdict, result: GameResult) -> HeldOut:
    """The views at full reward, and what helps."""
    names = [SEMANTIC, FIGURE_GROUND, PIXELS, *(helped(remedy) for remedy in result.gains)]
    return _held_out(verdict, result, {name: name.replace("_", "/") for name in names})


def by_reward(verdict: LcdVerdict, result: GameResult) -> HeldOut:
    """The reward probabilities in the semantic view."""
    return _held_out(verdict, result, {rarer(p): f"p = {p:g}" for p in verdict.study.probabilities})


def _held_out(verdict: LcdVerdict, result: GameResult, titles: Mapping[str, str]) -> HeldOut:
    runs = result.runs
    means = {
        title: tuple(estimates(runs.curves[name].T, "mean", LEVEL))
        for name, title in titles.items()
        if name in runs.curves
    }
    counts = numbers.count(e.n for found in means.values() for e in found)
    note = f"{result.game}, {result.agent} · held-out levels, original reward · {numbers.level(LEVEL)} bands · {counts}"
    return HeldOut(result.game, runs.steps, means, note)


def curve_figure(data: HeldOut) -> go.Figure:
    """One line for each condition."""
    figure = narrow(HIGH, data.note, legend=len(data.means), bottom=66, left=64)
    for i, (title, means) in enumerate(data.means.items()):
        known = np.array([e.known for e in means])
        low, high = (np.array([getattr(e, end) for e in means]) for end in ("low", "high"))
        add_band(figure, data.steps[known], low[known], high[known], colour(i), opacity=0.16)
        figure.add_scatter(
            x=data.steps, y=[e.value for e in means], mode="lines", name=title,
            line={"color": colour(i), "width": 2.2, "dash": dash(i)},
            hovertemplate="step %{x:,}: %{y:.3f}<extra>" + title + "</extra>",
        )  # fmt: skip
    for level in (0, 1):
        figure.add_hline(y=level, line={"color": LIGHT.muted, "width": 1, "dash": "dot"}, layer="below")
    figure.update_layout(
        xaxis={"title": {"text": "steps"}, "tickformat": "~s", "nticks": 6},
        yaxis={"title": {"text": "0 = random, 1 = most"}, "nticks": 6},
    )
    return figure
