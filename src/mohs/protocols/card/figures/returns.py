"""What do episodes earn? The returns of random play against those of optimal play, or those that were sampled."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from mohs.exact.values.returns import Law, ReturnLaws, ReturnSample
from mohs.report import numbers
from mohs.report.figures.dose_axis import LOG_FROM
from mohs.report.numbers import written
from mohs.report.theme import LIGHT, blank
from mohs.tables.table import Float

BINS = 60  # more different returns than this are gathered into so many
DEEPEST = 1e-15  # probabilities below this share of the largest are off the figure


def returns_figure(data: ReturnLaws | ReturnSample) -> go.Figure:
    if isinstance(data, ReturnSample):
        return _sample_figure(data)
    return _deviations_figure(data) if data.chance is None else _laws_figure(data)


def _laws_figure(data: ReturnLaws) -> go.Figure:
    assert data.chance is not None
    note = "exact distribution of the return · random play earns at least the mean of optimal play with probability "
    # Random play may do whatever optimal play does, so a probability of 0 is one too small for a float.
    figure = blank(400, note + (written(data.chance) if data.chance > 0 else "below 1e-300"))
    shown = [gathered(law) for law in (data.random, data.optimal)]
    heights = np.concatenate([bars.heights for bars in shown])
    log = bool(heights.min() < heights.max() / LOG_FROM)
    places = np.unique(np.concatenate([bars.places for bars in shown]))
    low, high = float(places[0]), float(places[-1])
    width = float(np.diff(places).min(initial=max(high - low, 1.0)))
    thick = min(0.42 * width, 0.04 * (high - low or 1.0))  # of a bar; those of both laws stand side by side
    bottom, top = _exponents(heights)
    for law, bars, colour, symbol in zip(
        (data.random, data.optimal), shown, (LIGHT.neutral, LIGHT.accent), ("circle", "diamond"), strict=True
    ):
        name = f"{law.name}, in {BINS} bins" if bars.binned else law.name
        told = [f"return {written(x)}: {written(p)}" for x, p in zip(*bars.listed(), strict=True)]
        common = {"x": bars.places, "y": bars.heights, "name": name, "customdata": told}
        common |= {"hovertemplate": f"%{{customdata}}<extra>{law.name}</extra>"}
        if log or bars.binned:
            if not bars.binned:
                _stems(figure, bars, colour, 10**bottom)
            figure.add_scatter(
                mode="lines+markers" if bars.binned else "markers", line={"color": colour, "width": 1.4},
                marker={"color": colour, "size": 5 if bars.binned else 9, "symbol": symbol}, **common,
            )  # fmt: skip
        else:
            figure.add_bar(width=thick, offset=-thick if law is data.random else 0, marker={"color": colour}, **common)
        _mean_line(figure, law, colour, low, high, optimal=law is data.optimal)
    pad = 0.05 * (high - low) or 0.5
    figure.update_xaxes(title={"text": "return of an episode"}, range=[low - pad, high + pad], showgrid=False)
    if log:
        every = max(1, math.ceil((top - bottom) / 6))
        figure.update_yaxes(type="log", range=[bottom, top], dtick=every, exponentformat="power")
    else:
        figure.update_yaxes(range=[0, 1.08 * heights.max()])
    figure.update_yaxes(title={"text": "probability, log scale" if log else "probability"})
    figure.update_layout(margin={"t": 82})
    return figure


@dataclass(frozen=True, eq=False)
class Bars:
    """Returns, or the middles of bins, that have a probability, and theirs."""

    places: Float
    heights: Float
    binned: bool

    def listed(self) -> tuple[list[float], list[float]]:
        return self.places.tolist(), self.heights.tolist()


def gathered(law: Law) -> Bars:
    """Every return by itself; where there are too many, those likely enough to be seen in bins."""
    assert law.values is not None
    assert law.probabilities is not None
    if len(law.values) <= BINS:
        return Bars(law.values, law.probabilities, False)
    visible = law.probabilities >= DEEPEST * law.probabilities.max()
    heights, edges = np.histogram(law.values[visible], bins=BINS, weights=law.probabilities[visible])
    seen = heights > 0
    return Bars((edges[:-1] + edges[1:])[seen] / 2, heights[seen], True)


def _exponents(heights: Float) -> tuple[float, float]:
    """The ends of a logarithmic axis of probabilities."""
    top = float(heights.max())
    bottom = math.log10(max(float(heights.min()), DEEPEST * top))
    pad = 0.07 * (math.log10(top) - bottom)
    return bottom - pad, math.log10(top) + pad


def _stems(figure: go.Figure, bars: Bars, colour: str, bottom: float) -> None:
    """A thin line under every point: the returns between them have no probability."""
    x = np.repeat(bars.places, 3)
    y = np.stack([np.full(len(bars.places), bottom), bars.heights, np.full(len(bars.places), np.nan)], axis=1)
    figure.add_scatter(
        x=x, y=y.ravel(), mode="lines", line={"color": colour, "width": 1}, opacity=0.55, showlegend=False,
        hoverinfo="skip",
    )  # fmt: skip


def _mean_line(figure: go.Figure, law: Law, colour: str, low: float, high: float, *, optimal: bool) -> None:
    """Where the mean is, its name above; names are moved so that they stay inside."""
    figure.add_vline(x=law.mean, line={"color": colour, "width": 1.4, "dash": "dash"})
    place = (law.mean - low) / (high - low or 1.0)
    anchor = "left" if place < 0.15 else "right" if place > 0.85 else "center"
    figure.add_annotation(
        x=law.mean, y=1, yref="paper", yanchor="bottom", yshift=18 if optimal else 2, showarrow=False, xanchor=anchor,
        text=f"{law.name}: mean {written(law.mean)}", font={"size": 12, "color": colour if optimal else LIGHT.muted},
    )  # fmt: skip


def _deviations_figure(data: ReturnLaws) -> go.Figure:
    figure = blank(230, f"mean and one standard deviation to each side · {data.reason}")
    for y, (law, colour) in enumerate(((data.random, LIGHT.neutral), (data.optimal, LIGHT.accent))):
        text = f"{numbers.number(law.mean)} ± {numbers.number(law.deviation)}"
        figure.add_scatter(
            x=[law.mean], y=[y], mode="markers+text", text=[text], textposition="top center", showlegend=False,
            marker={"size": 11, "color": colour}, hoverinfo="skip",
            error_x={"type": "data", "array": [law.deviation], "color": colour, "thickness": 2, "width": 6},
        )  # fmt: skip
    ends = [law.mean + side * law.deviation for law in (data.random, data.optimal) for side in (-1, 1)]
    pad = 0.08 * (max(ends) - min(ends) or 1.0)
    figure.update_xaxes(title={"text": "return of an episode"}, range=[min(ends) - pad, max(ends) + pad])
    figure.update_yaxes(
        tickvals=[0, 1], ticktext=[data.random.name, data.optimal.name], range=[-0.5, 1.7], showgrid=False, ticks=""
    )
    figure.update_layout(margin={"t": 46, "b": 60})
    return figure


def _sample_figure(data: ReturnSample) -> go.Figure:
    n, best = len(data.returns), float(data.returns.max())
    note = f"returns of random play, n = {n} episodes · {numbers.level(data.mean.level)} interval of the mean"
    figure = blank(360, f"{note} · the largest was {numbers.number(best)}")
    low, high = float(data.returns.min()), best
    width = (high - low or 1.0) / min(40, max(10, round(2 * math.sqrt(n))))
    figure.add_histogram(
        x=data.returns, xbins={"start": low - width / 2, "end": high + width, "size": width}, name="episodes",
        marker={"color": LIGHT.run}, hovertemplate="%{y} episodes around %{x}<extra></extra>", showlegend=False,
    )  # fmt: skip
    if data.mean.known:
        figure.add_vrect(x0=data.mean.low, x1=data.mean.high, fillcolor=LIGHT.band, line={"width": 0}, layer="below")
    figure.add_vline(x=data.mean.value, line={"color": LIGHT.accent, "width": 1.8})
    figure.add_annotation(
        x=data.mean.value, y=1, yref="paper", yanchor="bottom", showarrow=False, yshift=2,
        text=f"mean {numbers.estimated(data.mean)}", font={"size": 12, "color": LIGHT.accent},
    )  # fmt: skip
    figure.update_xaxes(title={"text": "return of an episode"}, showgrid=False, range=[low - width, high + width])
    figure.update_yaxes(title={"text": "episodes"})
    figure.update_layout(margin={"t": 70, "b": 60}, bargap=0.06)
    return figure
