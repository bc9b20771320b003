"""Whose fault is the loss at every dose of a dial? One stacked bar for each dose."""

from __future__ import annotations

import math
from dataclasses import dataclass

import plotly.graph_objects as go

from mohs.protocols.diagnose.attribution import Attribution
from mohs.protocols.diagnose.verdict import DialVerdict
from mohs.report import numbers
from mohs.report.figures.marks import error_bars
from mohs.report.theme import LIGHT, blank
from mohs.stats import Estimate

ROW = 34  # pixels


@dataclass(frozen=True)
class DialLosses:
    """The doses of a dial whose losses are attributed, the easiest first."""

    name: str
    unit: str
    doses: tuple[str, ...]
    found: tuple[Attribution, ...]


def dial_losses(dial: DialVerdict) -> DialLosses | None:
    """The figure's data; None where no loss of the dial is attributed."""
    doses = [(numbers.dose(d.value), d.attribution) for d in dial.doses if d.attribution is not None]
    known = [(text, found) for text, found in doses if not math.isnan(found.parts.total.value)]
    if not known:
        return None
    labels, found = zip(*(known[::-1] if dial.harder == "down" else known), strict=True)
    return DialLosses(dial.name, dial.unit, labels, found)


def losses_figure(data: DialLosses) -> go.Figure:
    """Parts beside each other: they add up to the total, which is marked with its interval."""
    totals = [found.parts.total for found in data.found]
    figure = blank(ROW * len(totals) + 140, _note(data))
    for name, colour, pattern, values, hovers in _series(data.found):
        if not any(values):
            continue
        figure.add_bar(
            x=[100 * value for value in values],
            y=list(range(len(values))),
            orientation="h",
            width=0.58,
            name=name,
            marker={"color": colour, "pattern": {"shape": pattern, "fgcolor": LIGHT.paper, "size": 6}},
            text=hovers,
            textposition="none",
            hovertemplate=f"{data.name} = %{{customdata}}<br>{name}: %{{text}}<extra></extra>",
            customdata=list(data.doses),
        )
    figure.add_scatter(
        x=[100 * e.value for e in totals], y=list(range(len(totals))), mode="markers", name="total with its interval",
        marker={"symbol": "line-ns", "size": 15, "line": {"color": LIGHT.ink, "width": 2.4}},
        error_x=error_bars(totals, unit=100),
        text=[f"{numbers.share(e)}, n = {e.n}" for e in totals], hovertemplate="total: %{text}<extra></extra>",
    )  # fmt: skip
    ends = [100 * x for e in totals for x in (e.value, e.low, e.high) if math.isfinite(x)]
    ends += [100 * x for found in data.found for x in _span(found)]
    low, high = min([0.0, *ends]), max([10.0, *ends])
    figure.update_layout(
        barmode="relative",
        legend={"traceorder": "normal"},
        xaxis={"range": [low - 0.03 * (high - low), high + 0.03 * (high - low)], "ticksuffix": "%", "nticks": 6},
        yaxis={
            "tickvals": list(range(len(totals))), "ticktext": list(data.doses), "showgrid": False, "ticks": "",
            "range": [len(totals) - 0.45, -0.55],
        },
        margin={"t": 56, "b": 96, "l": 70, "r": 16},
    )  # fmt: skip
    figure.add_vline(x=0, line={"color": LIGHT.rule, "width": 1})
    return figure


Series = tuple[str, str, str, list[float], list[str]]  # name, colour, pattern, values, texts


def _series(found: tuple[Attribution, ...]) -> list[Series]:
    def part(name: str, of: str, colour: str) -> Series:
        estimates: list[Estimate] = [getattr(each.parts, of) for each in found]
        return (
            name,
            colour,
            "",
            [_drawn(e.value) for e in estimates],
            [f"{numbers.share(e)}, n = {e.n}" for e in estimates],
        )

    wide = [each.parts.memory.value - each.least_memory if each.bracketed else 0.0 for each in found]
    memory = part("needs memory", "memory", LIGHT.second)
    certain = [value - less for value, less in zip(memory[3], wide, strict=True)]
    bracket = [f"up to {numbers.percent(x)} more" for x in wide]
    shared = any(each.reason for each in found)
    cut = all(each.cut_known for each in found)
    learning = [part("learnt policy", "policy", LIGHT.accent), part("lost while learning", "training", LIGHT.run)]
    if shared or not cut:
        learning = [part("learning or memory" if shared else "learning", "learning", LIGHT.accent)]
    return [
        part("the task's", "task", LIGHT.neutral),
        (*memory[:3], certain, memory[4]),
        ("may need memory", LIGHT.second, "/", wide, bracket),
        *learning,
    ]


def _span(found: Attribution) -> tuple[float, float]:
    """How far the bars reach to either side."""
    parts = found.parts
    values = [_drawn(e.value) for e in (parts.task, parts.memory, parts.learning, parts.policy, parts.training)]
    task, memory, learning, *cut = values
    drawn = [task, memory, *(cut if found.cut_known else [learning])]
    return sum(min(v, 0.0) for v in drawn), sum(max(v, 0.0) for v in drawn)


def _drawn(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def _note(data: DialLosses) -> str:
    totals = [found.parts.total for found in data.found]
    dial = f"{data.name} ({data.unit})" if data.unit else data.name
    claims = f"{numbers.level(totals[0].level)} intervals, {numbers.count(e.n for e in totals)}"
    return f"{dial}: share of vanilla's gain that is lost · {claims}"
