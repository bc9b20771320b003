"""Where in the family does which method win? Parallel coordinates, and the two axes that tell most about it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mohs.protocols.family.verdict import FamilyVerdict
from mohs.report.figures.looks import colour, narrow, short, symbol
from mohs.report.theme import LIGHT

TIE = 0.02  # of the range of scores: a smaller lead is a tie
MOST_TICKS = 8
WIDEST = 0.32  # how far points of one cell of a slice are spread, in units of a cell
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Places:
    """Points by who wins there: −1 is a tie. `values` [points, columns] are places on the axes, `ranks` in steps."""

    columns: tuple[str, ...]
    values: Floats
    ranks: Floats
    winners: Ints
    names: tuple[str, ...]
    points: tuple[str, ...]
    note: str

    def groups(self) -> list[tuple[int, str, Ints]]:
        """Ties, then every method that wins somewhere, with their points."""
        found = []
        for i in (-1, *range(len(self.names))):
            at = np.flatnonzero(self.winners == i)
            if len(at):
                found.append((i, "tie" if i < 0 else self.names[i], at))
        return found


def places(verdict: FamilyVerdict) -> Places | None:
    """The data of both figures; None where the family has no axis with numbers, or only one method runs."""
    coordinates, scores = verdict.study.coordinates, verdict.scores
    if not coordinates.names or len(scores) < 2:
        return None
    at = coordinates.values[verdict.sample.chosen]
    ranked = np.sort(scores, axis=0)
    close = ranked[-1] - ranked[-2] <= TIE * (1.0 if verdict.outcomes.scale is not None else np.ptp(scores))
    ranks = np.column_stack([np.unique(column, return_inverse=True)[1] for column in at.T]).astype(np.float64)
    note = f"n = {len(at)} points · a tie is a lead of at most {TIE:g} of the range of scores"
    return Places(
        coordinates.names,
        at,
        ranks,
        np.where(close, -1, scores.argmax(axis=0)),
        tuple(map(short, verdict.study.labels)),
        tuple(verdict.study.members[i].name for i in verdict.sample.chosen),
        note,
    )


def parallel_figure(data: Places) -> go.Figure:
    """A line through the axes for each point, coloured by who wins there."""
    groups = data.groups()
    figure = narrow(300, data.note, legend=len(groups), bottom=70, left=40)
    low, span = data.ranks.min(axis=0), np.maximum(np.ptp(data.ranks, axis=0), 1.0)
    height = (data.ranks - low) / span
    across = np.arange(len(data.columns), dtype=np.float64)
    shift = np.linspace(-0.02, 0.02, len(height))[np.argsort(np.argsort(data.points))]
    for agent, name, at in groups:
        x = np.tile([*across, np.nan], len(at))
        y = np.column_stack([height[at] + shift[at, None], np.full(len(at), np.nan)]).ravel()
        figure.add_scatter(
            x=x, y=y, mode="lines", name=name, opacity=0.55, hoverinfo="skip",
            line={"color": LIGHT.neutral if agent < 0 else colour(agent), "width": 1.2},
        )  # fmt: skip
    for i, column in enumerate(data.values.T):
        known = np.unique(column)
        shown = known if len(known) <= MOST_TICKS else known[[0, len(known) // 2, -1]]
        for value in shown:
            place = (np.searchsorted(known, value) - low[i]) / span[i]
            figure.add_annotation(
                x=i, y=float(place), text=f"{value:g}".replace("-", "−"), showarrow=False, xanchor="left", xshift=4,
                font={"size": 11, "color": LIGHT.muted}, bgcolor=LIGHT.paper, opacity=0.85,
            )  # fmt: skip
        figure.add_vline(x=i, line={"color": LIGHT.rule, "width": 1})
    figure.update_layout(
        xaxis={
            "tickvals": list(range(len(data.columns))), "ticktext": list(data.columns), "showgrid": False,
            "range": [-0.15, len(data.columns) - 0.6], "showline": False,
        },
        yaxis={"showticklabels": False, "showgrid": False, "ticks": "", "showline": False, "range": [-0.06, 1.06]},
    )  # fmt: skip
    return figure


def telling_axes(data: Places) -> tuple[int, int] | None:
    """The two columns whose cells say most about who wins: the largest share of points that win their cell's vote."""
    best: tuple[int, tuple[int, int]] | None = None
    cells = np.column_stack([_binned(column) for column in data.ranks.T])
    for a, b in combinations(range(len(data.columns)), 2):
        codes = cells[:, a] * (cells[:, b].max() + 1) + cells[:, b]
        agree = agreement(codes, data.winners)
        if best is None or agree > best[0]:
            best = agree, (a, b)
    return None if best is None else best[1]


def agreement(codes: Ints, winners: Ints) -> int:
    """How many points have the winner that most points of their cell have."""
    return sum(int(np.bincount(winners[codes == code] + 1).max()) for code in np.unique(codes))


def slice_figure(data: Places, axes: tuple[int, int]) -> go.Figure:
    """Every point in the plane of two axes; points of one cell stand beside each other."""
    a, b = axes
    groups = data.groups()
    figure = narrow(330, data.note, legend=len(groups), bottom=70, left=60)
    few = [len(np.unique(data.values[:, k])) <= MOST_TICKS for k in axes]
    x, y = (data.ranks[:, k].copy() if small else data.values[:, k].copy() for k, small in zip(axes, few, strict=True))
    if all(few):
        x, y = _beside(x, y)
    for agent, name, at in groups:
        figure.add_scatter(
            x=x[at], y=y[at], mode="markers", name=name, customdata=[data.points[i] for i in at],
            marker={
                "color": LIGHT.neutral if agent < 0 else colour(agent), "size": 7,
                "symbol": "circle-open" if agent < 0 else symbol(agent),
            },
            hovertemplate="%{customdata}<extra>" + name + "</extra>",
        )  # fmt: skip
    for k, small, axis in ((a, few[0], "xaxis"), (b, few[1], "yaxis")):
        settings = {"title": {"text": data.columns[k]}, "nticks": 6}
        if small:
            known = np.unique(data.values[:, k])
            settings |= {"tickvals": list(range(len(known))), "ticktext": [f"{v:g}".replace("-", "−") for v in known]}
        figure.update_layout({axis: settings})
    return figure


def _binned(column: Floats) -> Ints:
    """Ranks in at most `MOST_TICKS` bins."""
    return np.asarray(np.minimum(column * MOST_TICKS // (column.max() + 1), column), dtype=np.int64)


def _beside(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Points of one cell on a small grid inside it."""
    x, y = x.copy(), y.copy()
    cells = x * (y.max() + 1) + y
    for cell in np.unique(cells):
        at = np.flatnonzero(cells == cell)
        side = int(np.ceil(np.sqrt(len(at))))
        if side > 1:
            steps = np.linspace(-WIDEST, WIDEST, side)
            x[at] += steps[np.arange(len(at)) % side]
            y[at] += steps[np.arange(len(at)) // side]
    return x, y
