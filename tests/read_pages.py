"""How tests read a report: its elements, what a browser would fetch, and what a browser says of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

from mohs.protocols.verdict import Verdict
from mohs.report import pictures
from mohs.report.page import page_html

BROWSER = next((b for b in (os.environ.get("BROWSER_PATH"), *map(shutil.which, pictures.BROWSERS)) if b), None)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
EVIL = "<script>alert(1)</script>&\"'"


def html(verdict: Verdict) -> str:
    """The report of a verdict as text."""
    return page_html(verdict.page(), verdict.to_json())


class Reader(HTMLParser):
    """Every element with its attributes, and the text of scripts by id."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, str] = {}
        self._inside: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = dict(attrs).get("id") if tag == "script" else None

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.scripts[self._inside] = self.scripts.get(self._inside, "") + data

    def embedded(self, name: str) -> Any:
        """The data of a script by its id: the figures, or the files."""
        return json.loads(self.scripts[name])


def loads(text: str) -> list[str]:
    """What a browser would fetch: sources, style sheets, imports."""
    found = [
        value
        for tag, attributes in Reader(text).elements
        for name, value in attributes.items()
        if value and (name in ("src", "srcset", "poster", "data") or (tag == "link" and name == "href"))
    ]
    styles = "".join(re.findall(r"<style>(.*?)</style>", text, re.S))
    return [v for v in found if not v.startswith("data:")] + re.findall(r"@import|url\(", styles)


def opened(path: Path, folder: Path) -> tuple[str, str]:
    """The page's elements after its scripts have run, and what the browser's console said of it."""
    command: list[Any] = [
        BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
        f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=3000", "--enable-logging=stderr",
        "--window-size=1200,2000", "--dump-dom", path.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


def texts(figure: go.Figure) -> str:
    """All that a figure writes."""
    traces = [str(t.text) for t in figure.data if t.text is not None]
    written = [figure.layout.title.text or "", *(a.text for a in figure.layout.annotations), *traces]
    return " ".join([*written, str(figure.layout.xaxis.ticktext)])
