"""How do tables, data and progress get to the terminal?"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mohs.report.data import json_text

PLAIN_WIDTH = 160  # where there is no terminal to ask
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


def show_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(escape(column), overflow="fold", no_wrap=i == 0)
    for row in rows:
        table.add_row(*map(escape, row))
    console = Console()
    if not console.is_terminal:
        console = Console(width=PLAIN_WIDTH)
    # A table would break its title at its own width.
    console.print(escape(title), style="table.title", highlight=False)
    console.print(table)
