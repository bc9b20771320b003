"""Which tasks are hard? Effective horizon against size, as in Figure 1 of the Effective Horizon Challenge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from mohs.protocols.card.figures.horizons import length_text, why_no_length
from mohs.report import numbers
from mohs.report.theme import LIGHT, WIDTH, blank
from mohs.stats.counts import LEVEL

if TYPE_CHECKING:
    from mohs.protocols.card.record import Card, Length

PREFERRED = ("gorp", "tight", "simple", "stochastic")  # what was measured before what is only bounded
KINDS = {
    "gorp": (f"measured by GORP, with {numbers.level(LEVEL)} interval", LIGHT.accent, "circle"),
    "bound": ("at most (a bound)", LIGHT.accent, "circle-open"),
    "stochastic": ("stochastic effective horizon", LIGHT.second, "diamond"),
}
LETTER, LINE = 6.9, 15.0  # pixels of a label
ARROW = 34.0  # pixels that the arrow of a bound reaches down
LONGEST_NAME = 34
HEIGHT = 520
CLOSE = 2.0  # powers of ten between the ends of the axis
MARGIN = {"l": 64, "r": 24, "t": 46, "b": 96}

Box = tuple[float, float, float, float]  # left, right, bottom, top


@dataclass(frozen=True)
class Task:
    """`kind` is "gorp", "bound" or "stochastic"."""

    name: str
    states: int
    way: str
    length: Length

    @property
    def kind(self) -> str:
        return self.way if self.way in KINDS else "bound"


@dataclass(frozen=True)
class Scatter:
    tasks: tuple[Task, ...]
    absent: tuple[tuple[str, str], ...]  # tasks that have no place, and why


def best_length(card: Card) -> tuple[str, Length] | None:
    """The effective horizon that says most: measured, else the lowest bound, else the stochastic one."""
    for way in PREFERRED:
        length = card.effective_horizon.get(way)
        if length is not None and math.isfinite(length.value):
            return way, length
    return None


def expected_way(card: Card) -> str:
    """The measure that a task without any ought to have, by which it can be told why there is none."""
    return "stochastic" if card.deterministic is False else "gorp"


def scatter(cards: Sequence[Card]) -> Scatter:
    tasks, absent = [], []
    for card in cards:
        found = best_length(card)
        if found is None or card.states is None:
            reason = card.undefined.get("states") if card.states is None else why_no_length(card, expected_way(card))
            absent.append((card.name, reason or "its number of states is not known"))
        else:
            tasks.append(Task(card.name, card.states, *found))
    return Scatter(tuple(tasks), tuple(absent))


def scatter_figure(data: Scatter) -> go.Figure:
    count = f"{len(data.tasks)} of {len(data.tasks) + len(data.absent)} tasks"
    figure = blank(HEIGHT, f"{count} · further up is harder for look-ahead over random play")
    (left, right), (bottom, top) = _ranges(data.tasks)
    for kind, (name, colour, symbol) in KINDS.items():
        tasks = [task for task in data.tasks if task.kind == kind]
        if not tasks:
            continue
        highs = [min(_interval(task)[1], top) for task in tasks]
        lows = [_interval(task)[0] for task in tasks]
        figure.add_scatter(
            x=[task.states for task in tasks], y=[task.length.value for task in tasks], mode="markers", name=name,
            marker={"size": 11, "color": colour, "symbol": symbol, "line": {"width": 1.8, "color": colour}},
            customdata=[_described(task) for task in tasks], hovertemplate="%{customdata}<extra></extra>",
            error_y={
                "type": "data", "symmetric": False, "color": colour, "thickness": 1.4, "width": 5,
                "array": [high - task.length.value for high, task in zip(highs, tasks, strict=True)],
                "arrayminus": [task.length.value - low for low, task in zip(lows, tasks, strict=True)],
                "visible": kind == "gorp",
            },
        )  # fmt: skip
    for task in data.tasks:
        if task.kind == "bound":
            figure.add_annotation(
                x=math.log10(task.states), y=task.length.value, ax=0, ay=6 - ARROW, text="", showarrow=True,
                arrowhead=2, arrowwidth=1.4, arrowcolor=LIGHT.accent, yshift=-ARROW,
            )  # fmt: skip
    _draw_names(figure, data.tasks, (left, right), (bottom, top))
    figure.update_xaxes(
        type="log", range=[left, right], title={"text": "number of states, log scale"}, **_ticks(left, right),
    )  # fmt: skip
    figure.update_yaxes(title={"text": "effective horizon"}, range=[bottom, top])
    figure.update_layout(margin=MARGIN, showlegend=True)
    return figure


def _ticks(left: float, right: float) -> dict[str, object]:
    """Powers of ten; between close ends, of which few may lie inside, also two and five times these."""
    if right - left >= CLOSE:
        return {"dtick": 1, "exponentformat": "power"}
    found = [f * 10**power for power in range(math.floor(left), math.ceil(right)) for f in (1, 2, 5)]
    inside = [value for value in found if left <= math.log10(value) <= right]
    return {"tickvals": inside, "ticktext": [f"{value:,g}" for value in inside]}


def _interval(task: Task) -> tuple[float, float]:
    return task.length.interval or (task.length.value, task.length.value)


def _described(task: Task) -> str:
    name = escape(task.name, quote=False)
    return f"{name}<br>{task.states:,} states, effective horizon {length_text(task.length, task.way)}"


def _ranges(tasks: Sequence[Task]) -> tuple[tuple[float, float], tuple[float, float]]:
    """The ends of both axes, the first as exponents, with room for arrows and names."""
    sizes = [math.log10(task.states) for task in tasks] or [0.0]
    ends = [end for task in tasks for end in (task.length.value, *_interval(task)) if math.isfinite(end)] or [1.0]
    wide = max(sizes) - min(sizes) or 1.0
    return (min(sizes) - 0.08 * wide - 0.1, max(sizes) + 0.16 * wide + 0.1), (min(0.0, *ends), 1.14 * max(ends) + 0.3)


def _draw_names(figure: go.Figure, tasks: Sequence[Task], across: tuple[float, float], up: tuple[float, float]) -> None:
    wide, high = WIDTH - MARGIN["l"] - MARGIN["r"], HEIGHT - MARGIN["t"] - MARGIN["b"]
    points = [
        (
            (math.log10(task.states) - across[0]) / (across[1] - across[0]) * wide,
            (task.length.value - up[0]) / (up[1] - up[0]) * high,
        )
        for task in tasks
    ]
    names = [task.name if len(task.name) <= LONGEST_NAME else f"{task.name[: LONGEST_NAME - 1]}…" for task in tasks]
    drawn = [
        (x - 8, x + 8, y - (ARROW if task.kind == "bound" else 8), y + 8)
        for (x, y), task in zip(points, tasks, strict=True)
    ]
    for task, name, place in zip(tasks, names, free_places(points, names, drawn, wide), strict=True):
        led = abs(place.up) > 2 * LINE  # a name that far off needs a line to its point
        figure.add_annotation(
            x=math.log10(task.states), y=task.length.value, text=escape(name, quote=False), xanchor=place.anchor,
            yanchor="middle", font={"size": 11.5, "color": LIGHT.ink}, showarrow=led,
            **({"ax": place.right, "ay": -place.up, "arrowhead": 0, "arrowwidth": 1, "arrowcolor": LIGHT.muted}
               if led else {"xshift": place.right, "yshift": place.up}),
        )  # fmt: skip


@dataclass(frozen=True)
class Place:
    """Of a name, in pixels from its point to the name's left end, middle or right end, by `anchor`."""

    anchor: str
    right: float
    up: float

    def box(self, point: tuple[float, float], name: str) -> Box:
        x, y, width = point[0] + self.right, point[1] + self.up, LETTER * len(name)
        left = {"left": x, "center": x - width / 2, "right": x - width}[self.anchor]
        return left, left + width, y - LINE / 2, y + LINE / 2


PLACES = (
    *(Place(anchor, side * 11.0, up) for up in (0.0, 14.0, -14.0) for anchor, side in (("left", 1), ("right", -1))),
    *(Place("center", 0.0, up) for up in (18.0, -18.0, 33.0, -44.0)),
)


def free_places(
    points: Sequence[tuple[float, float]], names: Sequence[str], drawn: Sequence[Box], wide: float
) -> list[Place]:
    """Where each name covers least of what is drawn, of the names before it, and of what is out of the figure."""
    taken = list(drawn)
    found = []
    for point, name in zip(points, names, strict=True):
        boxes = [place.box(point, name) for place in PLACES]
        costs = [
            LINE * (max(0.0, -box[0]) + max(0.0, box[1] - wide)) + sum(_shared(box, other) for other in taken)
            for box in boxes
        ]
        best = costs.index(min(costs))
        taken.append(boxes[best])
        found.append(PLACES[best])
    return found


def _shared(a: Box, b: Box) -> float:
    """The area that two boxes have in common."""
    return max(0.0, min(a[1], b[1]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[2], b[2]))
