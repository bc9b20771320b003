"""How do tables, data and progress get to the terminal?"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console, OverflowMethod
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from mohs.report.data import json_text

PLAIN_WIDTH = 80  # where there is no terminal to ask
LONG_NAME = 0.45  # share of the width from which a name in the first column wraps
PLAIN_SECONDS = 5.0  # between two lines about progress


def announce_compilation() -> None:
    """Says so where kernels are compiled for the first time."""
    from mohs.core.kernel import cache_directory

    if not any(cache_directory().iterdir()):
        print("mohs: compiling kernels for the first time; later runs start at once", file=sys.stderr)


def print_json(data: Any) -> None:
    print(json_text(data, indent=1))


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
    console = _console()
    # A table would break its title at its own width.
    console.print(escape(title), style="table.title", highlight=False)
    if not cut and _narrowest(columns, rows) > console.width:
        for row in rows:
            first, *rest = row
            console.print(escape(first), style="bold", highlight=False)
            for head, cell in zip(columns[1:], rest, strict=True):
                _indented(console, f"{head}: {cell}" if head else cell)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    long = max((len(row[0]) for row in rows), default=0) > LONG_NAME * console.width
    for i, cells in enumerate(zip(columns, *rows, strict=True)):
        last = cut and i == len(columns) - 1
        whole = (cut and not last) or (i == 0 and not long)  # wraps nowhere
        least = max(map(len, cells)) if whole else 1 if last else _longest_word(cells)
        overflow: OverflowMethod = "ellipsis" if last else "fold"
        table.add_column(escape(cells[0]), overflow=overflow, no_wrap=last or whole, min_width=least)
    for row in rows:
        table.add_row(*map(escape, row))
    console.print(table)


def show_entries(title: str, entries: Iterable[tuple[str, str]]) -> None:
    """A title, and below it a line for each entry with its text indented."""
    console = _console()
    console.print(escape(title), style="table.title", highlight=False)
    for head, text in entries:
        console.print(escape(head), style="bold", highlight=False)
        _indented(console, text)


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=PLAIN_WIDTH)


def _indented(console: Console, text: str) -> None:
    console.print(Padding(escape(text), (0, 0, 0, 4)), highlight=False)


def _narrowest(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """The width at which no word of a table is broken."""
    return sum(2 + _longest_word(cells) for cells in zip(columns, *rows, strict=True))


def _longest_word(cells: Iterable[str]) -> int:
    return max(len(word) for cell in cells for word in (cell.split() or [""]))
