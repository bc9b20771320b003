"""The small pieces of a page as HTML: tiles, tables, places for figures. Every text from outside is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

import plotly.graph_objects as go

from mohs.protocols.diagnose import DialVerdict, Dose
from mohs.report import numbers
from mohs.stats import Estimate

# title, measure, statistic
COLUMNS = (
    ("normalised AUC, mean", "normalised", "mean"),
    ("normalised AUC, IQM", "normalised", "iqm"),
    ("AUC, paper's scaling", "paper", "mean"),
    ("AUC, plain scale", "plain", "mean"),
    ("raw AUC", "raw", "mean"),
    ("final, normalised", "final", "mean"),
    ("greedy evaluation", "eval", "mean"),
    ("noise-free evaluation", "noise_free", "mean"),
)


def place(name: str, figures: Mapping[str, go.Figure]) -> str:
    """Where the page's script draws a figure; as high as the figure, so that nothing jumps."""
    if name not in figures:
        return ""
    return f'<div class="figure" data-figure="{escape(name)}" style="height:{figures[name].layout.height}px"></div>'


def tile(what: str, value: str, details: str) -> str:
    small = " smaller" if len(value) > 18 else " small" if len(value) > 12 else ""
    return (
        f'<div class="tile"><div class="what">{escape(what)}</div><div class="value{small}">{escape(value)}</div>'
        f'<div class="with">{escape(details)}</div></div>'
    )


def table(head: Sequence[str], rows: Iterable[str]) -> str:
    cells = "".join(f"<th>{escape(text)}</th>" for text in head)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def definitions(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f"<dt>{escape(term)}</dt><dd>{escape(text)}</dd>" for term, text in pairs)


def estimate_cell(e: Estimate, ran: bool = False) -> str:
    """A value and its interval. Without runs it is missing; of runs that `ran` all the same it is not known."""
    if not e.n:
        return f"<td>{numbers.UNKNOWN}</td>" if ran else '<td class="missing">missing</td>'
    ends = numbers.interval(e) if e.known else "too few runs"
    return f"<td>{numbers.number(e.value)}<small>{ends}</small></td>"


def dose_table(dial: DialVerdict) -> str:
    """Every measure at every dose, with intervals, n and what is missing."""
    title = f"{dial.name} ({dial.unit})" if dial.unit else dial.name
    level = numbers.level(dial.doses[0].means["normalised"].level)
    columns = [column for column in COLUMNS if column[1] in dial.doses[0].means]
    head = [title, *(name for name, _, _ in columns), "n", "missing"]
    rows = [_dose_row(dose, columns, i == dial.vanilla) for i, dose in enumerate(dial.doses)]
    note = f'<p class="about">Below each value its {level} interval, Bonferroni-corrected within the dial.</p>'
    return table(head, rows) + note


def _dose_row(dose: Dose, columns: Iterable[tuple[str, str, str]], vanilla: bool) -> str:
    n = dose.means["raw"].n
    kind = "missing" if n == 0 else "vanilla" if vanilla else ""
    label = escape(numbers.dose(dose.value)) + ("<small>vanilla</small>" if vanilla else "")
    cells = [estimate_cell((dose.means if s == "mean" else dose.iqms)[m], n > 0) for _, m, s in columns]
    return f'<tr class="{kind}"><td>{label}</td>{"".join(cells)}<td>{n}</td><td>{dose.missing}</td></tr>'
