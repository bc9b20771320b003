"""How do tables, data and progress get to the terminal?"""

from __future__ import annotations

import re
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from mohs.core.printing import printable
from mohs.report.data import json_text

_OBEYED = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")  # what JSON itself leaves as it is
PLAIN_WIDTH = 80  # where there is no terminal to ask
LONG_NAME = 0.45  # share of the width from which a name in the first column wraps
PLAIN_SECONDS = 5.0  # between two lines about progress


def announce_compilation() -> None:
    """Says so where kernels are compiled for the first time."""
    from mohs.core.kernel import cache_directory

    if not any(cache_directory().iterdir()):
        print("mohs: compiling kernels for the first time; later runs start at once", file=sys.stderr)


def wrapped(text: str) -> str:
    """A long text in lines that fit the terminal; one line where it is read by a program."""
    console = Console()
    text = printable(text)
    return textwrap.fill(text, console.width, subsequent_indent="  ") if console.is_terminal else text


def print_json(data: Any) -> None:
    """Data as JSON, in which characters that a terminal would obey are escaped."""
    print(_OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", json_text(data, indent=1)))


@contextmanager
def stages() -> Iterator[Callable[[str], None]]:
    """Says what is being done: one live line at a terminal, now and then a plain one elsewhere."""
    console = Console(stderr=True)
    if console.is_terminal:
        with console.status("") as status:
            yield status.update
        return
    last = time.monotonic()

    def say(stage: str) -> None:
        nonlocal last
        if time.monotonic() - last >= PLAIN_SECONDS:
            last = time.monotonic()
            print(f"mohs: {stage}", file=sys.stderr)

    yield say


def show_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, cut: bool = False) -> None:
    """A table as wide as the terminal at most; where not every word has room, each row is a block of lines.

    Args:
        title: the line above it.
        columns: the heads.
        rows: texts; a long one wraps.
        cut: keep every row on one line, and cut the last column.
    """
    console, title = _console(), printable(title)
    columns, rows = [*map(printable, columns)], [[*map(printable, row)] for row in rows]
    # A table would break its title at its own width.
    console.print(escape(title), style="table.title", highlight=False)
    if cut:
        left = console.width - sum(2 + max(map(len, cells)) for cells in list(zip(columns, *rows, strict=True))[:-1])
        rows = [(*row[:-1], row[-1] if len(row[-1]) <= left else f"{row[-1][: left - 1]}…") for row in rows]
    columned = list(zip(columns, *rows, strict=True))
    long = max(map(len, columned[0])) > LONG_NAME * console.width
    least = [max(map(len, columned[0])) if not long else 1, *(_longest_word(cells) for cells in columned[1:])]
    room = console.width - 2 * (len(least) - 1)
    if sum(least) > room and not cut:
        for row in rows:
            console.print(escape(row[0]), style="bold", highlight=False)
            for head, cell in zip(columns[1:], row[1:], strict=True):
                _indented(console, f"{head}: {cell}" if head else cell)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column, width in zip(columns, _widths(least, columned, room), strict=True):
        table.add_column(escape(column), overflow="fold", width=width)
    for row in rows:
        table.add_row(*map(escape, row))
    console.print(table)


def show_entries(title: str, entries: Iterable[tuple[str, str]]) -> None:
    """A title, and below it a line for each entry with its text indented."""
    console = _console()
    console.print(escape(printable(title)), style="table.title", highlight=False)
    for head, text in entries:
        console.print(escape(printable(head)), style="bold", highlight=False)
        _indented(console, text)


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=PLAIN_WIDTH)


def _indented(console: Console, text: str) -> None:
    console.print(Padding(escape(printable(text)), (0, 0, 0, 4)), highlight=False)


def _widths(least: Sequence[int], columned: Sequence[Sequence[str]], room: int) -> list[int]:
    """The widths of columns: what is left of the room goes to those that lack most of what they could use."""
    widths, most = list(least), [max(map(len, cells)) for cells in columned]
    for _ in range(room - sum(widths)):
        lacking = [want - width for want, width in zip(most, widths, strict=True)]
        if max(lacking) <= 0:
            break
        widths[lacking.index(max(lacking))] += 1
    return widths


def _longest_word(cells: Iterable[str]) -> int:
    return max(len(word) for cell in cells for word in (cell.split() or [""]))
