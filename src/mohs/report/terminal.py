"""What is printed of a verdict? Sentences first, then a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from mohs.report import numbers

if TYPE_CHECKING:
    from mohs.protocols.compare import Comparison
    from mohs.protocols.diagnose import Verdict

PLAIN_WIDTH = 160  # where there is no terminal to ask


def show_verdict(found: Verdict, path: Path) -> None:
    for line in found.headline:
        print(line)
    show_table(
        "Dials by damage",
        ("dial", "damage with 95% interval", "breaking dose with 95% interval", "n"),
        [
            (
                d.name,
                numbers.estimated(d.damage) if d.damage.n else numbers.UNKNOWN,
                "; ".join(dict.fromkeys(numbers.breaking(b, d.unit, len(d.breaking) > 1) for b in d.breaking))
                or "no harder dose tested",
                str(found.vanilla.means["normalised"].n),
            )
            for d in found.dials
        ],
    )
    print(f"Report: {path}")


def show_comparison(found: Comparison, path: Path) -> None:
    a, b = found.a.study.agent.name, found.b.study.agent.name
    print(f"P({a} better than {b}) = {numbers.estimated(found.overall)}, n = {found.overall.n}")
    print(f"Mean difference of normalised AUC = {numbers.estimated(found.difference)}, n = {found.difference.n}")
    rows = [(name, numbers.estimated(e), str(e.n)) for name, e in found.dials]
    show_table(f"Probability that {a} is better, at the doses other than vanilla", ("dial", "95% interval", "n"), rows)
    print(f"Report: {path}")


def show_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(title=title, title_justify="left", box=None, header_style="bold", pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(column, overflow="fold", no_wrap=i == 0)
    for row in rows:
        table.add_row(*row)
    console = Console()
    if not console.is_terminal:
        console = Console(width=PLAIN_WIDTH)
    console.print(table)
