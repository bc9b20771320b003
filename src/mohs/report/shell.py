"""What do all pages have in common? Head, navigation, downloads, footer, figures and the script that draws them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from string import Template

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

import mohs
from mohs.report import parts
from mohs.report.data import json_text
from mohs.report.files import filled, resource
from mohs.report.theme import DARK, FONT, LIGHT, Theme, exchange, roles


def page(
    title: str,
    body: str,
    sections: list[str],
    figures: Mapping[str, go.Figure],
    files: Mapping[str, tuple[str, str]],
    facts: Mapping[str, str],
) -> str:
    """The whole page: `body` with a navigation of `sections`, figures by name, `files` to download, and `facts`."""
    drawn = ",".join(f"{json.dumps(name)}:{figure.to_json()}" for name, figure in figures.items())
    held = {name: {"type": kind, "text": text} for name, (kind, text) in files.items()}
    names = {"mdp": "MDP"}
    return filled(
        "page.html",
        title=escape(title),
        colours=_colours(),
        style=Template(resource("style.css")).substitute(font=FONT),
        navigation="".join(f'<a href="#{s}">{names.get(s, s.capitalize())}</a>' for s in sections),
        downloads="".join(f'<button type="button" data-file="{escape(n)}">↓ {escape(n)}</button>' for n in files),
        body=body,
        footer=f"<dl>{parts.definitions([*facts.items(), ('made by', f'mohs {mohs.__version__}')])}</dl>",
        figures=_embedded(f"{{{drawn}}}"),
        exchange=_embedded(json.dumps({"light": {}, "dark": exchange(DARK)})),
        files=_embedded(json_text(held)),
        plotly=get_plotlyjs(),
        script=resource("report.js"),
    )


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
