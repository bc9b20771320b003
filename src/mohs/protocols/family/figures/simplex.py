"""Who leads if three parts of the family weigh more or less? The simplex of their weights."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mohs.protocols.family.figures.places import agreement, places
from mohs.protocols.family.verdict import FamilyVerdict
from mohs.report import numbers
from mohs.report.figures.looks import colour, narrow, short
from mohs.report.figures.marks import escaped
from mohs.report.theme import LIGHT

STEPS = 60  # of the grid along a side
HIGH, ABOVE = 400, 26  # pixels of the triangle, and of the name of its upper corner
PARTS = ("low", "middle", "high")
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Simplex:
    """Mixes of three parts of a family.

    Attributes:
        parts: what the parts are called.
        means: [methods, parts]: weighted mean scores within each part.
        own: [parts]: the weights that the parts have in the family.
        grid: [mixes, parts]: weights that sum to 1.
        leaders: [mixes]: the method with the highest mean of each mix.
        names: what the methods are called.
        note: what n is.
    """

    parts: tuple[str, ...]
    means: Floats
    own: Floats
    grid: Floats
    leaders: Ints
    names: tuple[str, ...]
    note: str


def simplex_leaders(verdict: FamilyVerdict) -> Simplex | None:
    """None where one method runs, or where the family has neither three strata nor an axis with three values."""
    if len(verdict.results) < 2 or (found := _strata(verdict) or _axis(verdict)) is None:
        return None
    parts, codes = found
    study, sample, scores = verdict.study, verdict.sample, verdict.scores
    inside = np.eye(3)[codes[sample.chosen]] * sample.weights[:, None]  # [points of the sample, parts]
    means = scores @ (inside / inside.sum(axis=0))
    grid = np.array([(i, j, STEPS - i - j) for i in range(STEPS + 1) for j in range(STEPS + 1 - i)]) / STEPS
    note = (
        "colour: the method with the highest mean if the parts weigh so; at a corner one part has all the weight · "
        "star: the weights of the family · by the means of the sample with "
        f"n = {len(sample.chosen)} points, without intervals"
    )
    return Simplex(
        parts,
        means,
        study.weights @ np.eye(3)[codes],
        grid,
        (grid @ means.T).argmax(axis=1),
        tuple(map(short, study.labels)),
        note,
    )


def simplex_figure(data: Simplex) -> go.Figure:
    """The second part is at the top; low values of an axis are to the left and high ones to the right."""
    leading = [i for i, _ in Counter(data.leaders.tolist()).most_common()]
    figure = narrow(HIGH, data.note, legend=len(leading) + 1, bottom=66, left=16)
    above = figure.layout.margin.t + ABOVE
    figure.update_layout(height=figure.layout.height + ABOVE, margin={"t": above})
    ahead = np.sort(data.grid @ data.means.T, axis=1)
    for i in leading:
        at, lead = data.grid[data.leaders == i], ahead[data.leaders == i]
        share = numbers.percent(len(at) / len(data.grid))
        figure.add_scatterternary(
            b=at[:, 0].round(4), a=at[:, 1].round(4), c=at[:, 2].round(4), mode="markers",
            name=f"{data.names[i]} · leads {share}", marker={"size": 10, "symbol": "hexagon", "color": colour(i)},
            customdata=np.column_stack([lead[:, -1], lead[:, -1] - lead[:, -2]]).round(3),
            hovertemplate="weights %{b:.0%}, %{a:.0%}, %{c:.0%}: mean %{customdata[0]}, ahead by %{customdata[1]}"
            "<extra>" + data.names[i] + "</extra>",
        )  # fmt: skip
    low, middle, high = ([float(w)] for w in data.own)
    figure.add_scatterternary(
        b=low, a=middle, c=high, mode="markers", name="weights of the family", cliponaxis=False,
        marker={"size": 15, "symbol": "star", "color": LIGHT.paper, "line": {"width": 1.5, "color": LIGHT.ink}},
        hovertemplate="%{b:.0%}, %{a:.0%}, %{c:.0%}<extra>weights of the family</extra>",
    )  # fmt: skip
    axis = {
        "showgrid": False, "linecolor": LIGHT.rule, "ticks": "", "showticklabels": False, "tickformat": ".0%",
    }  # fmt: skip
    figure.update_layout(
        ternary={"sum": 1, "bgcolor": LIGHT.paper}
        | {
            name: axis | {"title": {"text": part, "font": {"size": 12.5}}}
            for name, part in zip(("baxis", "aaxis", "caxis"), data.parts, strict=True)
        }
    )
    return figure


def _strata(verdict: FamilyVerdict) -> tuple[tuple[str, ...], Ints] | None:
    """The strata of a family that has three, and the one of each member; None where one of them was not sampled."""
    names = verdict.study.strata or []
    known = list(dict.fromkeys(names))
    if len(known) != 3 or not all(known):
        return None
    codes = np.array([known.index(name) for name in names])
    return (tuple(map(escaped, known)), codes) if _sampled(verdict, codes) else None


def _axis(verdict: FamilyVerdict) -> tuple[tuple[str, ...], Ints] | None:
    """Low, middle and high values of the axis that tells most about who wins, and those of each member."""
    where = places(verdict)
    if where is None:
        return None
    study, best = verdict.study, None
    for name, column in zip(study.coordinates.names, study.coordinates.values.T, strict=True):
        codes = thirds(column, study.weights)
        if codes is None or not _sampled(verdict, codes):
            continue
        agree = agreement(codes[verdict.sample.chosen], where.winners)
        if best is None or agree > best[0]:
            best = agree, _called(name, column, codes), codes
    return None if best is None else best[1:]


def thirds(column: Floats, weights: Floats) -> Ints | None:
    """Low (0), middle (1) and high (2) values of as equal weights as possible; None with fewer than three values.

    The sum of squared weights is the least of all divisions into three. With the first border given, the second lies
    nearest to the middle of what is left.
    """
    known, at = np.unique(column, return_inverse=True)
    if len(known) < 3:
        return None
    ends = np.cumsum(np.bincount(at, weights)) / weights.sum()
    best = (np.inf, 0, 0)
    for i in range(len(known) - 2):
        j = i + 1 + int(np.abs(ends[i + 1 : -1] - (1 + ends[i]) / 2).argmin())
        best = min(best, (float(np.sum(np.diff([0, ends[i], ends[j], 1]) ** 2)), i, j))
    return np.searchsorted(best[1:], at)


def _sampled(verdict: FamilyVerdict, codes: Ints) -> bool:
    """Whether the sample has points of all three parts."""
    return len(np.unique(codes[verdict.sample.chosen])) == 3


def _called(name: str, column: Floats, codes: Ints) -> tuple[str, ...]:
    """What the parts of an axis are called."""
    found = []
    for k, part in enumerate(PARTS):
        low, high = (numbers.dose(float(end)) for end in (column[codes == k].min(), column[codes == k].max()))
        found.append(f"{escaped(name)} {part}: {low if low == high else f'{low} to {high}'}")
    return tuple(found)
