"""How do an agent's runs compare along one axis of a study? Bars with intervals, one panel for each measure."""

from __future__ import annotations

import math
from dataclasses import dataclass

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.report import numbers
from mohs.report.figures.marks import bar_marker, error_bars, missing_bar
from mohs.report.theme import LIGHT, dress, heading
from mohs.stats import Estimate

MOST_COLUMNS = 2
ROOM = 60  # characters that labels may have beside each other


@dataclass(frozen=True)
class BarPanel:
    """One measure: a mean for each level of the axis."""

    title: str
    means: tuple[Estimate, ...]


@dataclass(frozen=True)
class Bars:
    axis: str
    labels: tuple[str, ...]
    seeds: int
    panels: tuple[BarPanel, ...]

    @property
    def turned(self) -> bool:
        """Whether labels are slanted, because they would touch."""
        return sum(len(label) + 2 for label in self.labels) > ROOM

    def note(self) -> str:
        first = self.panels[0].means
        text = f"{numbers.count(e.n for e in first)} · intervals at {numbers.level(first[0].level)} each"
        text += ", 95% together (Bonferroni)" if len(first) > 2 else ""
        lost = sum(self.seeds - e.n for e in first)
        return text + (f" · {lost} runs missing" if lost else "")


def bars_figure(data: Bars) -> go.Figure:
    columns = min(MOST_COLUMNS, len(data.panels))
    lines = -(-len(data.panels) // columns)
    high, gap = (330, 0.5) if data.turned else (280, 0.34)  # turned labels need more room below
    figure = make_subplots(rows=lines, cols=columns, horizontal_spacing=0.1, vertical_spacing=gap / lines)
    dress(figure, 110 + high * lines, data.note())
    figure.update_layout(showlegend=False, margin={"b": 64})
    for i, panel in enumerate(data.panels):
        cell = {"row": i // columns + 1, "col": i % columns + 1}
        name = "" if i == 0 else str(i + 1)
        _draw(figure, data, panel, cell)
        figure.add_annotation(heading(panel.title, 0, 1, f"x{name} domain", f"y{name} domain"))
    return figure


def _draw(figure: go.Figure, data: Bars, panel: BarPanel, cell: dict[str, int]) -> None:
    ends = [x for e in panel.means for x in (e.value, e.low, e.high) if math.isfinite(x)]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    span = high - low or 1.0
    for i, (label, e) in enumerate(zip(data.labels, panel.means, strict=True)):
        drawn = {"y": [e.value], "marker": bar_marker(LIGHT.accent, missing=False)} if e.n else missing_bar(span)
        figure.add_bar(
            x=[i], width=0.62, error_y=error_bars([e]), **drawn,
            hovertemplate=f"{data.axis} = {label}<br>{numbers.estimated(e)}, n = {e.n}<extra></extra>", **cell,
        )  # fmt: skip
    counts = {e.n for e in panel.means}
    labels = [
        label if len(counts) == 1 and data.seeds in counts else f"{label}<br>n = {e.n}"
        for label, e in zip(data.labels, panel.means, strict=True)
    ]
    figure.update_xaxes(
        tickvals=list(range(len(labels))), ticktext=labels, title={"text": data.axis}, showgrid=False,
        range=[-0.6, len(labels) - 0.4], tickangle=-30 if data.turned else 0, **cell,
    )  # fmt: skip
    figure.update_yaxes(range=[low - (0.06 * span if low < 0 else 0), high + (0.07 * span if high > 0 else 0)], **cell)
    if low < 0:
        figure.add_hline(y=0, line={"color": LIGHT.rule, "width": 1}, **cell)
