"""Which tables does a page show? They are read from its HTML, so that each of them can leave it as data."""

from __future__ import annotations

from collections.abc import Iterable
from html.parser import HTMLParser
from itertools import count

from mohs.report.files import slug
from mohs.report.tables import TextTable

_HEADINGS = ("h1", "h2", "h3", "h4", "summary")


def page_tables(body: str) -> list[TextTable]:
    """The tables of a page, each titled by the heading above it."""
    reader = _Reader()
    reader.feed(body)
    found = []
    for title, rows in reader.tables:
        wide = max(map(len, rows), default=0)
        head, *rest = [(*row, *[""] * (wide - len(row))) for row in rows]
        found.append(TextTable(title, head, rest))
    return found


def named(tables: Iterable[TextTable]) -> dict[str, TextTable]:
    """Tables by a name made of their title; equal titles are numbered."""
    found: dict[str, TextTable] = {}
    for table in tables:
        first = slug(table.title.partition(",")[0]).lower() or "table"
        names = (first if i == 1 else f"{first}-{i}" for i in count(1))
        found[next(name for name in names if name not in found)] = table
    return found


class _Reader(HTMLParser):
    """Collects the cells of every table. What is small in a cell stands behind its value."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[tuple[str, list[tuple[str, ...]]]] = []
        self._title = ""
        self._heading: list[str] | None = None
        self._row: list[str] | None = None
        self._cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HEADINGS:
            self._heading = []
        elif tag == "table":
            self.tables.append((self._title, []))
        elif tag == "tr":
            self._row = []
        elif tag in ("td", "th"):
            self._cell = []
        elif tag in ("small", "br", "span") and self._cell is not None:
            self._cell.append(" ")
        elif tag == "span" and self._heading is not None:
            self._heading.append(" · ")

    def handle_data(self, data: str) -> None:
        for part in (self._heading, self._cell):
            if part is not None:
                part.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in _HEADINGS and self._heading is not None:
            self._title, self._heading = _joined(self._heading), None
        elif tag in ("td", "th") and self._cell is not None and self._row is not None:
            self._row.append(_joined(self._cell))
            self._cell = None
        elif tag == "tr" and self._row is not None and self.tables:
            self.tables[-1][1].append(tuple(self._row))
            self._row = None


def _joined(parts: list[str]) -> str:
    return " ".join("".join(parts).split())
