"""How does the score fall with the dose? The data of a dial, and its traces for any panel."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mohs.core.registry import environment
from mohs.protocols.diagnose.effects import HALF_KNOWN
from mohs.protocols.diagnose.verdict import NOISE_FREE, Diagnosis, DialVerdict
from mohs.protocols.measures import MEASURES, return_measure
from mohs.report import numbers
from mohs.report.figures.dose_axis import DoseAxis, dose_axis, numeric
from mohs.report.figures.marks import error_bars
from mohs.report.figures.ranges import axis_range
from mohs.report.theme import LIGHT
from mohs.stats import BreakingDose, Estimate, Side, monotone_fit

MOST_RUNS = 300  # dots at a dose


@dataclass(frozen=True, eq=False)
class DialResponse:
    """What a dial's figure shows; every tuple has one entry per dose."""

    name: str
    unit: str
    axis: DoseAxis
    vanilla: int
    returns: tuple[Estimate, ...]  # in units of reward
    paper: bool  # whether these are in the paper's scaling
    scores: tuple[Estimate, ...]
    ends: str  # what 0 and 1 of a score stand for; "" where it is in units of reward
    bounded: bool  # whether no policy can score above 1
    noise_free: tuple[Estimate, ...] | None
    runs: tuple[npt.NDArray[np.float64], ...]
    missing: tuple[int, ...]
    fits: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]
    half: float
    breaking: tuple[BreakingDose, ...]

    def absent(self, index: int) -> bool:
        return self.returns[index].n == 0

    def labels(self) -> tuple[str, ...]:
        """The doses' labels, with n where doses differ in it."""
        counts = [e.n for e in self.returns]
        if len(set(counts)) == 1 and not any(self.missing):
            return self.axis.labels
        return tuple(f"{text}<br>n = {n}" for text, n in zip(self.axis.labels, counts, strict=True))

    def note(self) -> str:
        """n and what the intervals claim, for the figure's first line."""
        claimed = numbers.level(self.scores[0].level)
        text = f"{numbers.count(e.n for e in self.returns)} · intervals at {claimed} each"
        text += ", 95% together (Bonferroni)" if len(self.scores) > 2 else ""
        lost = sum(self.missing)
        return text + (f" · {lost} runs missing" if lost else "")


def dial_response(verdict: Diagnosis, dial: DialVerdict, measure: str | None = None) -> DialResponse:
    """The figure's data, taken from the verdict as it is; only the monotone fit is made anew.

    By default the measure that judges the dial is shown.
    """
    shown = measure or dial.measure
    returns = return_measure(verdict.scores.measures)
    values = [d.value for d in dial.doses]
    vanilla = dial.doses[dial.vanilla].means[dial.measure].value
    ordered = any(b.status in HALF_KNOWN for b in dial.breaking)
    noisy = dial.name in environment(verdict.study.env).noise
    return DialResponse(
        name=dial.name,
        unit=dial.unit,
        axis=dose_axis(dial.name, dial.unit, values),
        vanilla=dial.vanilla,
        returns=tuple(d.means[returns] for d in dial.doses),
        paper=returns == "auc_paper",
        scores=tuple(d.means[shown] for d in dial.doses),
        ends=verdict.ends(shown) if MEASURES[shown].normalised else "",
        bounded=MEASURES[shown].normalised and verdict.scale.bounded,
        noise_free=tuple(d.means[NOISE_FREE] for d in dial.doses) if noisy and shown != NOISE_FREE else None,
        runs=tuple(d.samples[shown] for d in dial.doses),
        missing=tuple(d.missing for d in dial.doses),
        fits=_fits(dial) if numeric(values) else (),
        half=vanilla / 2 if ordered else math.nan,
        breaking=dial.breaking,
    )


def _fits(dial: DialVerdict) -> tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]:
    """The monotone fit on each hard side, as the breaking dose was read off it: linear in the dose."""
    doses = np.array([float(d.value) for d in dial.doses])
    means = np.array([d.means[dial.measure].value for d in dial.doses])
    counts = np.array([d.means[dial.measure].n for d in dial.doses], dtype=np.float64)
    fits = []
    for side in (b.side for b in dial.breaking if b.status in HALF_KNOWN):
        hardness = (doses - doses[dial.vanilla]) * (1 if side == Side.UP else -1)
        rows = [int(i) for i in np.argsort(hardness) if hardness[i] >= 0 and counts[i] > 0]
        if len(rows) < 2:
            continue
        fit = monotone_fit(means[rows], "up", counts[rows])
        # Many points, because a straight line in the dose is bent on a logarithmic axis.
        along = np.unique(np.concatenate([np.linspace(0, 1, 9) + k for k in range(len(rows) - 1)]))
        x, y = (np.interp(along, np.arange(len(rows)), v) for v in (doses[rows], fit))
        fits.append((tuple(x.tolist()), tuple(y.tolist())))
    return tuple(fits)


def draw_runs(figure: go.Figure, data: DialResponse, cell: dict[str, int], colour: str = LIGHT.run) -> None:
    """Every single run as a faint dot; of a large study the first ones."""
    x: list[float] = []
    y: list[float] = []
    for i, runs in enumerate(data.runs):
        kept = runs[~np.isnan(runs)][:MOST_RUNS]
        x += data.axis.scattered(i, len(kept))
        y += kept.tolist()
    if not y:
        return
    figure.add_scatter(
        x=np.array(x, dtype=np.float32), y=np.array(y, dtype=np.float32), mode="markers", name="single runs",
        marker={"color": colour, "size": 4.5, "opacity": 0.7}, hoverinfo="skip", **cell,
    )  # fmt: skip


def draw_means(
    figure: go.Figure,
    data: DialResponse,
    estimates: tuple[Estimate, ...],
    name: str,
    colour: str,
    cell: dict[str, int],
    lines: bool = False,
    symbol: str = "circle",
) -> None:
    """Means with their intervals; doses without runs are left out, and drawn by `draw_missing`."""
    places = data.axis.places
    shown = [i for i in sorted(range(len(places)), key=places.__getitem__) if estimates[i].n]
    found = [estimates[i] for i in shown]
    if not found:
        return
    figure.add_scatter(
        x=[places[i] for i in shown],
        y=[e.value for e in found],
        mode="lines+markers" if lines else "markers",
        name=name,
        line={"color": colour, "width": 1.6, "dash": "dot" if symbol != "circle" else "solid"},
        marker={"color": colour, "size": 8, "symbol": symbol},
        error_y=error_bars(found, colour),
        text=[
            f"{data.name} = {data.axis.labels[i]}{' (vanilla)' if i == data.vanilla else ''}<br>"
            f"{numbers.estimated(estimates[i])}, n = {estimates[i].n}"
            for i in shown
        ],
        hovertemplate=f"%{{text}}<extra>{name}</extra>",
        **cell,
    )


def draw_missing(figure: go.Figure, data: DialResponse, y: float, cell: dict[str, int]) -> None:
    """A cross and the word where a dose has no run."""
    absent = [i for i in range(len(data.runs)) if data.absent(i)]
    if absent:
        figure.add_scatter(
            x=[data.axis.places[i] for i in absent], y=[y] * len(absent), mode="markers+text", name="missing",
            text=["missing"] * len(absent), textposition="top center", textfont={"size": 11, "color": LIGHT.muted},
            marker={"symbol": "x-thin", "size": 9, "line": {"color": LIGHT.hatch, "width": 2}}, hoverinfo="skip",
            **cell,
        )  # fmt: skip


def score_range(
    groups: list[tuple[Estimate, ...]], runs: tuple[npt.NDArray[np.float64], ...], bounded: bool
) -> tuple[float, float]:
    """A vertical range that holds every mean and nearly every run; of bounded scores at least 0 to 1."""
    pooled = np.concatenate([*runs, np.zeros(0)])
    pooled = pooled[np.isfinite(pooled)]
    also = np.quantile(pooled, [0.005, 0.995]).tolist() if pooled.size else []
    if bounded:
        also = [1.0, *np.clip(also, -1.5, 2.5).tolist()]
    low, high = axis_range([e for group in groups for e in group], [0.0, *also])
    return low, high
