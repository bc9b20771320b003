"""Do a toy and a complex environment order the doses alike? A panel for each agent and axis, a point for each dose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.protocols.correlate.correlation import Correlation, Row
from mohs.protocols.measures import MEASURES
from mohs.report import numbers
from mohs.report.figures.marks import error_bars, escaped
from mohs.report.figures.ranges import axis_range
from mohs.report.fit import texts
from mohs.report.theme import LIGHT, dress, heading
from mohs.stats import Estimate

HEIGHT = 330  # of a panel
SMALLEST = (220, 200)  # pixels of a panel in which labels must have room


@dataclass(frozen=True)
class DosePoint:
    """One dose: what it is called, and the means of both studies."""

    label: str
    toy: Estimate
    complex: Estimate


@dataclass(frozen=True)
class Plane:
    """All doses of an agent on an axis, in their order; `axes` name what is measured on each side."""

    title: str
    axes: tuple[str, str]
    points: tuple[DosePoint, ...]


def planes(found: Correlation) -> tuple[Plane, ...]:
    other = f"{found.complex.env}: {MEASURES[found.complex_measure].title}"
    return tuple(
        Plane(_title(row), (f"{escaped(row.toy_study)}: {MEASURES[row.toy_measure].title}", other), _points(row))
        for row in found.rows
    )


def agreement_figure(data: Sequence[Plane]) -> go.Figure:
    """Means with intervals on both sides, joined in the order of the doses; planes lie below each other."""
    lines = len(data)
    figure = make_subplots(lines, 1, vertical_spacing=0.3 / lines)
    estimates = [e for plane in data for point in plane.points for e in (point.toy, point.complex)]
    claimed, counts = numbers.level(estimates[0].level), numbers.count(e.n for e in estimates)
    note = f"means over seeds with {claimed} intervals · {counts} · doses joined in their order"
    dress(figure, HEIGHT * lines + 60, note)
    for i, plane in enumerate(data):
        place, name = {"row": i + 1, "col": 1}, "" if i == 0 else str(i + 1)
        figure.add_annotation(heading(plane.title, 0, 1, f"x{name} domain", f"y{name} domain"))
        _draw(figure, plane, place)
        figure.update_xaxes(title={"text": plane.axes[0]}, nticks=5, **place)
        figure.update_yaxes(title={"text": plane.axes[1]}, nticks=6, **place)
    figure.update_layout(showlegend=False, margin={"t": 76, "b": 56})
    return figure


def _draw(figure: go.Figure, plane: Plane, place: dict[str, int]) -> None:
    toys, others = ([getattr(point, side) for point in plane.points] for side in ("toy", "complex"))
    across, up = axis_range(toys), axis_range(others)
    words, sides = _labels(plane, across, up)
    figure.update_xaxes(range=across, **place)
    figure.update_yaxes(range=up, **place)
    figure.add_scatter(
        x=[e.value for e in toys], y=[e.value for e in others], mode="lines+markers+text",
        line={"color": LIGHT.accent_soft, "width": 1.5},
        marker={"size": 9, "color": LIGHT.accent, "symbol": ["diamond", *["circle"] * (len(toys) - 1)]},
        text=words, textposition=sides,
        textfont={"size": 11, "color": LIGHT.muted}, cliponaxis=False,
        error_x=error_bars(toys, LIGHT.run, width=3), error_y=error_bars(others, LIGHT.run, width=3),
        customdata=[
            f"{point.label}<br>toy {numbers.estimated(point.toy)}<br>complex {numbers.estimated(point.complex)}"
            for point in plane.points
        ],
        hovertemplate="%{customdata}<extra></extra>", **place,
    )  # fmt: skip


def _labels(plane: Plane, across: list[float], up: list[float]) -> tuple[list[str], list[str]]:
    """The label of every point and the side of it on which it has room; no label where it has none."""
    taken: list[tuple[float, float, float]] = []  # left end, right end, height
    words, sides = [], []
    for point in plane.points:
        x, y = (
            room * (e.value - low) / (high - low)
            for e, room, (low, high) in ((point.toy, SMALLEST[0], across), (point.complex, SMALLEST[1], up))
        )
        wide = texts.width(point.label, 11) + 4
        for side, left, rise in (
            ("top right", x + 4, 10), ("bottom right", x + 4, -10), ("top left", x - 4 - wide, 10),
            ("bottom left", x - 4 - wide, -10),
        ):  # fmt: skip
            box = (left, left + wide, y + rise)
            if all(box[0] > b[1] or box[1] < b[0] or abs(box[2] - b[2]) > 13 for b in taken):
                taken.append(box)
                words.append(point.label)
                sides.append(side)
                break
        else:
            words.append("")
            sides.append("top right")
    return words, sides


def _title(row: Row) -> str:
    return f"{escaped(row.agent)} · {escaped(row.axis)} · r = {numbers.number(row.correlation.value)}"


def _points(row: Row) -> tuple[DosePoint, ...]:
    return tuple(
        DosePoint(escaped(dose_label(pair.toy_dose, pair.complex_dose)), pair.toy, pair.complex) for pair in row.pairs
    )


def dose_label(toy: object, other: object) -> str:
    """One value where both are equal."""
    return numbers.dose(toy) if toy == other else f"{numbers.dose(toy)} ~ {numbers.dose(other)}"
