"""How do panels, notes and legends share less room? Panels stack, notes wrap, and the figure gets higher.

The traces stay as they are, except for texts in the cells of maps; so a page holds the data of a figure once, with a
layout for each width.
"""

from __future__ import annotations

import copy
import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import plotly.graph_objects as go

from mohs.report.fit import axes, labels, texts
from mohs.report.fit.cells import fit_cells
from mohs.report.fit.frame import fit_note, legend_height
from mohs.report.fit.polar import fit_polar
from mohs.report.fit.ternary import fit_ternary
from mohs.report.theme import WIDTH

HEADING = 13.0  # font size of the theme
RIGHT = 20  # the least margin, in pixels
NARROWEST = {1: 200, 2: 230}  # pixels of a panel in a figure of so many columns; else SMALL
SMALL = 118
_AXIS = re.compile(r"([xy])axis(\d*)$")


@dataclass(frozen=True)
class Fitting:
    """A layout for one width, without its template, and the texts of maps that change with it, by trace."""

    layout: dict[str, Any]
    cells: dict[int, list[list[str]]] = field(default_factory=dict)


def fitted(figure: go.Figure, width: int) -> go.Figure:
    """A copy of a figure laid out for so many pixels."""
    found = fitting(figure, width)
    plain = figure.to_plotly_json()
    for i, written in found.cells.items():
        plain["data"][i] = {**plain["data"][i], "text": written}
    plain["layout"] = {**found.layout, "template": plain["layout"].get("template"), "width": width}
    return go.Figure(plain)


def fitting(figure: go.Figure, width: int) -> Fitting:
    """What changes of a figure that has only so many pixels."""
    layout = copy.deepcopy({k: v for k, v in figure.layout.to_plotly_json().items() if k != "template"})
    if "polar" in layout:
        fit_polar(figure, layout, width)
        return Fitting(layout)
    if "ternary" in layout:
        fit_ternary(figure, layout, width)
        return Fitting(layout)
    panels = _panels(layout, {f"xaxis{(getattr(trace, 'xaxis', None) or 'x')[1:]}" for trace in figure.data})
    old = {"l": 64, "r": 24, "t": 76, "b": 92} | layout.get("margin", {})
    high = float(layout.get("height", 450)) - old["t"] - old["b"]
    headings = _headings(layout)
    right = labels.fit_beside(layout, width, RIGHT)
    left, columns, room = _grid(layout, panels, headings, width, right)
    if len(panels) == 1:
        room = _widen(layout, panels[0], room, WIDTH - old["l"] - old["r"])
    for i, text in enumerate(layout.get("annotations", ())):
        if i in headings.values():
            text["text"] = texts.wrapped(text["text"], room, labels.size(text, HEADING))
    cells: dict[int, list[list[str]]] = {}
    heights, belows, aboves = [], [], []
    for panel in panels:
        x, y = layout.setdefault(panel.x, {}), layout.setdefault(panel.y, {})
        height = _panel_height(figure, panel, x, y, high, room, cells)
        heights.append(labels.fit_labels(layout, (panel.x, panel.y), headings.values(), room, right, height))
        needed = axes.fit_horizontal(x, room)
        top = x.get("side") == "top"
        belows.append(8.0 if top else needed)
        text = layout["annotations"][headings[panel.x]] if panel.x in headings else None
        above = 0.0 if text is None else 12 + texts.height(text["text"], labels.size(text, HEADING))
        aboves.append(needed if top else above)
    over = labels.fit_strip(layout, layout.get(panels[0].x, {}), left, room, right)
    margin = {
        "l": left,
        "r": right,
        "t": fit_note(layout, left, width) + max([over, *aboves[:columns]]) + 4,
        "b": max(belows[-columns:]) + 8 + legend_height(figure, width - left - right),
    }
    layout["margin"] = margin
    plot = _stack(layout, panels, columns, heights, belows, aboves, width - left - right)
    layout["height"] = math.ceil(plot + margin["t"] + margin["b"])
    return Fitting(layout, cells)


@dataclass(frozen=True)
class _Panel:
    """The names of a panel's axes in the layout, and where it was drawn."""

    x: str
    y: str
    column: float
    share: float  # of the height


def _panels(layout: Mapping[str, Any], used: set[str]) -> list[_Panel]:
    """The panels in which something is drawn, from left to right, from top to bottom."""
    found = []
    for name in [key for key in layout if key.startswith("xaxis") and key in used] or ["xaxis"]:
        x = layout.get(name, {})
        number = _AXIS.match(name).group(2)  # type: ignore[union-attr]
        y = f"yaxis{(x.get('anchor') or f'y{number}')[1:]}"
        below, above = layout.get(y, {}).get("domain") or (0.0, 1.0)
        found.append((-above, _Panel(name, y, (x.get("domain") or (0.0, 1.0))[0], above - below)))
    return [panel for _, panel in sorted(found, key=lambda pair: (pair[0], pair[1].column))]


def _headings(layout: Mapping[str, Any]) -> dict[str, int]:
    """The annotation that is the title of a panel, by the name of its horizontal axis."""
    found = {}
    for i, text in enumerate(layout.get("annotations", ())):
        ref = str(text.get("xref"))
        if ref.endswith(" domain") and text.get("yanchor") == "bottom" and text.get("y") == 1:
            found[f"xaxis{ref.removesuffix(' domain')[1:]}"] = i
    return found


def _grid(
    layout: Mapping[str, Any], panels: Sequence[_Panel], headings: Mapping[str, int], width: int, right: float
) -> tuple[float, int, float]:
    """The left margin, how many panels stand beside each other, and how wide one is."""
    drawn = len({panel.column for panel in panels})
    words = [layout["annotations"][i] for i in headings.values()]
    least = max([NARROWEST.get(drawn, SMALL), *(texts.width(w["text"], labels.size(w, HEADING)) for w in words)])
    gap = _beside(layout, panels)
    for first in ([p for p in panels if p.column == min(q.column for q in panels)], panels):
        left = max(axes.fit_vertical(copy.deepcopy(dict(layout.get(p.y, {}))), 160, 0.32 * width) for p in first)
        inner = width - left - right
        columns = max(1, min(drawn, int((inner + gap) // (least + gap))))
        columns = -(-len(panels) // -(-len(panels) // columns))  # no nearly empty last line
        if columns > 1:
            break
    return left, columns, (inner - gap * (columns - 1)) / columns


def _widen(layout: dict[str, Any], panel: _Panel, room: float, drawn: float) -> float:
    """The only panel keeps its width in pixels where it can, with the key of colours beside it."""
    first, last = layout.get(panel.x, {}).get("domain") or (0.0, 1.0)
    share = min(1.0, (last - first) * drawn / room)
    if last - first < 1:
        layout[panel.x]["domain"] = [0.0, share]
    if key := (layout.get("coloraxis") or {}).get("colorbar"):
        key["x"] = share + 0.02
    return room * share


def _beside(layout: Mapping[str, Any], panels: Sequence[_Panel]) -> float:
    """Pixels between two panels: room for labels, unless all share the axis of the first."""
    return 24.0 if all(_unlabelled(layout, p) for p in panels if p.column > 0) else 54.0


def _unlabelled(layout: Mapping[str, Any], panel: _Panel) -> bool:
    return layout.get(panel.y, {}).get("showticklabels", True) is False


def _panel_height(
    figure: go.Figure, panel: _Panel, x: dict[str, Any], y: dict[str, Any], high: float, room: float,
    cells: dict[int, list[list[str]]],
) -> float:  # fmt: skip
    """As high as it was drawn; higher where cells need more lines, lower where its sides are tied together."""
    height = panel.share * high
    tied = y.get("scaleanchor") and x.get("range") and y.get("range")
    if tied:
        up, across = (abs(float(axis["range"][1]) - float(axis["range"][0])) for axis in (y, x))
        height = min(height, room * up / across)
    for i, trace in enumerate(figure.data):
        if trace.type == "heatmap" and trace.texttemplate and _on(trace, panel):
            rows, columns = len(trace.text), len(trace.text[0])
            cells[i], needed = fit_cells(trace.text, room / columns)
            height = height if tied else max(height, rows * needed)
    return height


def _on(trace: Any, panel: _Panel) -> bool:
    return f"xaxis{(trace.xaxis or 'x')[1:]}" == panel.x


def _stack(
    layout: dict[str, Any], panels: Sequence[_Panel], columns: int, heights: Sequence[float],
    belows: Sequence[float], aboves: Sequence[float], inner: float,
) -> float:  # fmt: skip
    """Gives every panel its place; the height of all of them together."""
    rows = [range(i, min(i + columns, len(panels))) for i in range(0, len(panels), columns)]
    tall = [max(heights[i] for i in row) for row in rows]
    gaps = [max(belows[i] for i in row) + max(aboves[i] for i in after) + 6 for row, after in itertools.pairwise(rows)]
    whole = sum(tall) + sum(gaps)
    drawn = len({panel.column for panel in panels})
    shared = columns < drawn and all(_unlabelled(layout, p) == (p.column > 0) for p in panels)
    gap, title = _beside(layout, panels), layout[panels[0].y].get("title")
    wide = (inner - gap * (columns - 1)) / columns
    top = whole
    for r, row in enumerate(rows):
        for c, i in enumerate(row):
            x, y = layout[panels[i].x], layout[panels[i].y]
            if len(panels) > 1:
                x["domain"] = [c * (wide + gap) / inner, min(1.0, (c * (wide + gap) + wide) / inner)]
                y["domain"] = [max(0.0, (top - tall[r]) / whole), top / whole]
            if shared:
                y |= {"showticklabels": c == 0, "title": title if c == 0 else None}
            axes.fit_vertical(y, tall[r], 0.32 * inner)
        top -= tall[r] + (gaps[r] if r < len(gaps) else 0)
    return whole
