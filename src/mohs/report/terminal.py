"""What is printed of a verdict? Sentences first, then a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from mohs.protocols.compare import Comparison
    from mohs.protocols.diagnose import Verdict

PLAIN_WIDTH = 160  # where there is no terminal to ask


def show_verdict(found: Verdict, path: Path) -> None:
    for line in found.headline:
        print(line)
    show_table(
        "Dials by damage",
        ("dial", "damage", "95% interval", "breaking dose", "95% interval", "n"),
        [
            (
                d.name,
                _number(d.damage.value),
                _interval(d.damage.low, d.damage.high),
                ", ".join(_number(b.dose) if b.status == "reached" else b.status.replace("_", " ") for b in d.breaking),
                ", ".join(_interval(b.low, b.high) for b in d.breaking if b.status == "reached"),
                str(d.damage.n),
            )
            for d in found.dials
        ],
    )
    print(f"Report: {path}")


def show_comparison(found: Comparison, path: Path) -> None:
    a, b = found.a.study.agent.name, found.b.study.agent.name
    p, d = found.overall, found.difference
    print(f"P({a} better than {b}) = {_number(p.value)} {_interval(p.low, p.high)}, n = {p.n}")
    print(f"Mean difference of normalised AUC = {_number(d.value)} {_interval(d.low, d.high)}, n = {d.n}")
    rows = [(name, _number(e.value), _interval(e.low, e.high), str(e.n)) for name, e in found.dials]
    show_table(f"Probability that {a} is better", ("dial", "probability", "95% interval", "n"), rows)
    print(f"Report: {path}")


def _number(value: float) -> str:
    return f"{0.0 if abs(value) < 1e-9 else value:.3g}"


def _interval(low: float, high: float) -> str:
    return f"[{_number(low)}, {_number(high)}]"


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
