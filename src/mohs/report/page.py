"""What does a person open? One HTML file that works offline: sentences, figures, tables, methods and the data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Template
from urllib.parse import quote

import plotly.graph_objects as go
from plotly.io.json import to_json_plotly

import mohs
from mohs.core.values import Json
from mohs.report import parts
from mohs.report.data import json_text
from mohs.report.files import filled, resource, write
from mohs.report.findings import Finding
from mohs.report.fit import fitting
from mohs.report.pictures import find_browser, write_pictures
from mohs.report.plotly_js import script, shared_source
from mohs.report.theme import DARK, FONT, LIGHT, Theme, exchange, roles

PAGE, DATA = "report.html", "verdict.json"
EMBEDDED = 3_000_000  # characters of a table in the page; of a longer one there is a link to the file beside it
# Figures are drawn for a wide page. A place narrower than the first number gets a layout for the second, in pixels.
FITS = ((560, 340), (860, 560))


@dataclass(frozen=True)
class Page:
    """A report as data: `body` is HTML with a place for each figure, `tables` are CSV files by name."""

    title: str
    body: str
    sections: Sequence[str]
    figures: Mapping[str, go.Figure]
    tables: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)


def write_page(page: Page, data: Json, directory: Path, *, png: bool = False, single_file: bool = False) -> Path:
    """Writes the page, its data and its tables (with `png`, every figure too); returns the path of the page.

    Reports that lie beside each other share one copy of plotly.js, unless this one is to be a `single_file`.
    """
    if png:
        find_browser()  # before anything is written
    source = None if single_file else shared_source(directory, PAGE)
    write(directory / DATA, json_text(data, indent=1) + "\n")
    for name, text in page.tables.items():
        write(directory / name, text)
    path = write(directory / PAGE, page_html(page, data, source))
    if png:
        write_pictures(page.figures, directory / "png")
    return path


def page_html(page: Page, data: Json, plotly: str | None = None) -> str:
    """The whole page as text; `plotly` is the address of plotly.js where the page does not hold it."""
    drawn = ",".join(f"{json.dumps(name)}:{_drawing(figure)}" for name, figure in page.figures.items())
    files = {DATA: {"type": "application/json", "text": json_text(data, indent=1) + "\n"}}
    files |= {name: {"type": "text/csv", "text": text} for name, text in page.tables.items() if len(text) <= EMBEDDED}
    beside = [name for name in page.tables if name not in files]
    names = {"mdp": "MDP"}
    return filled(
        __package__,
        "assets/page.html",
        title=escape(page.title),
        colours=_colours(),
        style=Template(resource(__package__, "assets/style.css")).substitute(font=FONT),
        navigation="".join(f'<a href="#{s}">{names.get(s, s.capitalize())}</a>' for s in page.sections),
        downloads="".join(f'<button type="button" data-file="{escape(n)}">↓ {escape(n)}</button>' for n in files)
        + "".join(f'<a href="{quote(n)}" download>↓ {escape(n)}</a>' for n in beside),
        body=page.body,
        footer=f"<dl>{parts.definitions([*page.facts.items(), ('made by', f'mohs {mohs.__version__}')])}</dl>",
        figures=_embedded(f"{{{drawn}}}"),
        exchange=_embedded(json.dumps({"light": {}, "dark": exchange(DARK)})),
        files=_embedded(json_text(files)),
        plotly=script(plotly),
        needed=escape((plotly or "").rpartition("/")[2]),
        script=resource(__package__, "assets/report.js"),
    )


def simple_page(
    title: str,
    findings: Sequence[Finding],
    figures: Mapping[str, go.Figure],
    tables: Mapping[str, str] | None = None,
    facts: Mapping[str, str] | None = None,
) -> Page:
    """A page of sentences and figures, for a protocol without a layout of its own."""
    headed = "".join(f"<h3>{escape(name)}</h3>{parts.place(name, figures)}" for name in figures)
    body = (
        f'<section id="verdict"><h1>{escape(title)}</h1>{parts.headline(findings)}</section>'
        f'<section id="figures"><h2>Figures</h2>{headed}</section>'
    )
    return Page(title, body, ("verdict", "figures"), figures, tables or {}, facts or {})


def _drawing(figure: go.Figure) -> str:
    """A figure as JSON, with its layouts for narrow places."""
    fits = []
    for below, width in FITS:
        found = fitting(figure, width)
        fits.append({"below": below, "layout": found.layout, "cells": found.cells})
    text: str = to_json_plotly({**figure.to_plotly_json(), "fits": fits})
    return text


def _embedded(text: str) -> str:
    """JSON inside a script element: no text in it may close the element."""
    return text.replace("<", "\\u003c")


def _colours() -> str:
    def block(theme: Theme) -> str:
        return " ".join(f"--{role}: {colour};" for role, colour in roles(theme).items())

    dark = f"{block(DARK)} color-scheme: dark;"
    return (
        f":root {{ {block(LIGHT)} color-scheme: light; }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) {{ {dark} }} }}\n"
        f":root[data-theme=dark] {{ {dark} }}"
    )
