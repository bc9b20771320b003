"""Which games are hard to see, and which are hard to learn? A scatter with ellipses (Figure 1d)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mohs.protocols.lcd.verdict import LEVEL, LcdVerdict
from mohs.report import numbers
from mohs.report.figures.looks import colour, narrow, short, symbol
from mohs.report.theme import LIGHT
from mohs.stats.lcd import THRESHOLD, Cost, ellipse

Floats = npt.NDArray[np.float64]
NARROWEST = 0.25  # the least end of an axis
HIGH = 420  # pixels


@dataclass(frozen=True, eq=False)
class Spot:
    """One agent on one game: its costs, and the region in which both lie."""

    game: str
    agent: int
    perception: Cost
    learning: Cost
    region: Floats | None  # [points, 2]


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """All games whose costs can be told."""

    agents: tuple[str, ...]
    spots: tuple[Spot, ...]
    left_out: tuple[str, ...]
    note: str


def taxonomy(verdict: LcdVerdict) -> Taxonomy | None:
    """None where no game has both costs."""
    labels, spots, out = verdict.study.labels, [], []
    for result in verdict.results:
        if result.learning is None or result.joint is None:
            continue
        if not (result.perception.judgement.told and result.learning.judgement.told):
            out.append(result.game)
            continue
        region = ellipse(*result.joint, LEVEL, n=min(result.perception.n, result.learning.n))
        at = labels.index(result.agent)
        spots.append(Spot(short(result.game), at, result.perception, result.learning, region))
    if not spots:
        return None
    note = (
        f"share lost of what the agent reached in the semantic view at full reward · {numbers.level(LEVEL)} regions · "
        f"{numbers.count(s.perception.n for s in spots)} · dotted: {THRESHOLD:.0%}, from which a cost is a challenge"
    )
    if out:
        note += f" · cannot be told: {', '.join(dict.fromkeys(out))}"
    return Taxonomy(tuple(map(short, labels)), tuple(spots), tuple(out), note)


def taxonomy_figure(data: Taxonomy) -> go.Figure:
    """Right: hard to see. Up: hard to learn."""
    figure = narrow(HIGH, data.note, legend=len(data.agents) if len(data.agents) > 1 else 0, bottom=66, left=64)
    ends = {"x": [0.0, NARROWEST], "y": [0.0, NARROWEST]}
    shown: set[int] = set()
    for spot in data.spots:
        ink, x, y = colour(spot.agent), spot.perception.value, spot.learning.value
        if spot.region is not None and np.isfinite(spot.region).all():
            figure.add_scatter(
                x=spot.region[:, 0], y=spot.region[:, 1], mode="lines", fill="toself", fillcolor=ink, opacity=0.16,
                line={"width": 0.5, "color": ink}, showlegend=False, hoverinfo="skip",
            )  # fmt: skip
            ends["x"] += [float(np.clip(v, -1, 1.5)) for v in (spot.region[:, 0].min(), spot.region[:, 0].max())]
            ends["y"] += [float(np.clip(v, -1, 1.5)) for v in (spot.region[:, 1].min(), spot.region[:, 1].max())]
        ends["x"].append(x)
        ends["y"].append(y)
        figure.add_scatter(
            x=[x], y=[y], mode="markers+text", text=[spot.game.rpartition("/")[2]], textposition="top center",
            textfont={"size": 12, "color": LIGHT.ink}, name=data.agents[spot.agent],
            legendgroup=str(spot.agent), showlegend=len(data.agents) > 1 and spot.agent not in shown,
            marker={"size": 10, "color": ink, "symbol": symbol(spot.agent)},
            hovertemplate=f"{spot.game}: perception {numbers.percent(x)}, learning {numbers.percent(y)}"
            f"<extra>{data.agents[spot.agent]}</extra>",
        )  # fmt: skip
        shown.add(spot.agent)
    for at in ("x", "y"):
        line = {"color": LIGHT.muted, "width": 1, "dash": "dot"}
        add = figure.add_vline if at == "x" else figure.add_hline
        add(**{at: THRESHOLD}, line=line, layer="below")
        low, high = min(ends[at]), max(ends[at])
        pad = 0.08 * (high - low)
        title = "perception costs" if at == "x" else "rarer reward costs"
        figure.update_layout(
            {
                f"{at}axis": {
                    "range": [low - pad, high + pad],
                    "tickformat": ".0%",
                    "title": {"text": title},
                    "nticks": 6,
                }
            }
        )
    return figure
