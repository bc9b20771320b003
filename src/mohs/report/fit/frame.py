"""How much room do the note above a figure and the legend below it take?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

from mohs.report.fit import texts

NOTE, LEGEND = 12.0, 12.0  # font sizes of the theme


def fit_note(layout: dict[str, Any], left: float, width: int) -> float:
    """Breaks the note anew for a figure with this left margin; the height that it needs."""
    note: Mapping[str, Any] = layout.get("title") or {}
    pad = {**(note.get("pad") or {}), "t": 16}
    start = float(pad.get("l", 0)) if note.get("xref") == "container" else left
    text = texts.wrapped(" ".join(texts.lines(str(note.get("text") or ""))), width - start - 4, NOTE)
    layout["title"] = {**note, "pad": pad, "text": text}
    return 20 + texts.height(text, NOTE)


def legend_height(figure: go.Figure, room: float) -> float:
    """The height of the legend below the figure, where there is one."""
    traces = [t for t in figure.data if t.type != "image"]  # pictures have no entries
    named = {t.legendgroup or (i, t.name): t.name for i, t in enumerate(traces) if t.showlegend is not False}
    names = [str(name) for name in named.values() if name]
    shown = figure.layout.showlegend
    if shown is False or not names or (shown is None and len(names) < 2):
        return 0.0
    wide = [46 + texts.width(name, LEGEND) for name in names]
    order = figure.layout.legend.traceorder
    grouped = "grouped" in order if order else any(t.legendgroup for t in traces)
    if not grouped and sum(wide) > room:
        wide = [max(wide)] * len(wide)  # Plotly puts entries of more than one line below each other
    rows, used = 1, 0.0
    for each in wide:
        rows, used = (rows + 1, each) if used and used + each > room else (rows, used + each)
    return 10 + 19.0 * rows
