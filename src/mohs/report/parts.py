"""The small pieces of a page as HTML: tiles, tables, places for figures. Every text from outside is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

import plotly.graph_objects as go

from mohs.report import numbers
from mohs.report.findings import Finding
from mohs.stats import Estimate

_WARNING = ' class="warning"'


def place(name: str, figures: Mapping[str, go.Figure]) -> str:
    """Where the page's script draws a figure; as high as the figure, so that nothing jumps."""
    if name not in figures:
        return ""
    return f'<div class="figure" data-figure="{escape(name)}" style="height:{figures[name].layout.height}px"></div>'


def headline(findings: Sequence[Finding]) -> str:
    """The sentences of a verdict, the first one large; a subject links to the section that shows it."""
    first, *rest = findings or (Finding("No verdict."),)
    items = "".join(f"<li{_WARNING if f.warning else ''}>{_linked(f)}</li>" for f in rest)
    return f'<p class="headline">{_linked(first)}</p>' + (f'<ul class="findings">{items}</ul>' if rest else "")


def _linked(finding: Finding) -> str:
    if not finding.anchor:
        return escape(finding.sentence)
    return f'<a href="#{escape(finding.anchor)}">{escape(finding.subject)}</a> {escape(finding.text)}'


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
