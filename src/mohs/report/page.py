"""What does a person open? One HTML file that needs nothing else: sentences, figures, tables, methods and the data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Template

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

import mohs
from mohs.core.values import Json
from mohs.report import parts
from mohs.report.data import json_text
from mohs.report.files import filled, resource, write
from mohs.report.findings import Finding
from mohs.report.png import find_browser, write_pictures
from mohs.report.theme import DARK, FONT, LIGHT, Theme, exchange, roles

PAGE, DATA = "report.html", "verdict.json"


@dataclass(frozen=True)
class Page:
    """A report as data: `body` is HTML with a place for each figure, `tables` are CSV files by name."""

    title: str
    body: str
    sections: Sequence[str]
    figures: Mapping[str, go.Figure]
    tables: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)


def write_page(page: Page, data: Json, directory: Path, *, png: bool = False) -> Path:
    """Writes the page, its data and its tables (with `png`, every figure too); returns the path of the page."""
    if png:
        find_browser()  # before anything is written
    write(directory / DATA, json_text(data, indent=1) + "\n")
    for name, text in page.tables.items():
        write(directory / name, text)
    path = write(directory / PAGE, page_html(page, data))
    if png:
        write_pictures(page.figures, directory / "png")
    return path


def page_html(page: Page, data: Json) -> str:
    """The whole page as text."""
    drawn = ",".join(f"{json.dumps(name)}:{figure.to_json()}" for name, figure in page.figures.items())
    files = {DATA: {"type": "application/json", "text": json_text(data, indent=1) + "\n"}}
    files |= {name: {"type": "text/csv", "text": text} for name, text in page.tables.items()}
    names = {"mdp": "MDP"}
    return filled(
        __package__,
        "assets/page.html",
        title=escape(page.title),
        colours=_colours(),
        style=Template(resource(__package__, "assets/style.css")).substitute(font=FONT),
        navigation="".join(f'<a href="#{s}">{names.get(s, s.capitalize())}</a>' for s in page.sections),
        downloads="".join(f'<button type="button" data-file="{escape(n)}">↓ {escape(n)}</button>' for n in files),
        body=page.body,
        footer=f"<dl>{parts.definitions([*page.facts.items(), ('made by', f'mohs {mohs.__version__}')])}</dl>",
        figures=_embedded(f"{{{drawn}}}"),
        exchange=_embedded(json.dumps({"light": {}, "dark": exchange(DARK)})),
        files=_embedded(json_text(files)),
        plotly=get_plotlyjs(),
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
