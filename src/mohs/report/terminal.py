"""What is printed of a verdict? Sentences first, then a table."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mohs.report import numbers

if TYPE_CHECKING:
    from mohs.protocols.card import Card
    from mohs.protocols.challenge.verdict import Verdict as Challenge
    from mohs.protocols.compare import Comparison
    from mohs.protocols.diagnose import Verdict
    from mohs.protocols.lifelong.verdict import Verdict as Lifelong
    from mohs.protocols.studies.verdict import Verdict as Study
    from mohs.report.card_rows import Entry
    from mohs.stats import Estimate

PLAIN_WIDTH = 160  # where there is no terminal to ask
PLAIN_SECONDS = 5.0  # between two lines about progress


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
                str(found.vanilla.means["raw"].n),
            )
            for d in found.dials
        ],
    )
    print(f"Report: {path}")


def show_experiment(found: Study, path: Path) -> None:
    """Sentences, then for every agent what was drawn, point by point."""
    from mohs.protocols.studies.measures import MEASURES

    print(found.experiment.question)
    for line in found.headline:
        print(f"  {line}")
    names = found.experiment.figures
    for panel in found.panels:
        head = [axis.name for axis in panel.axes] + [MEASURES[name].title for name in names] + ["n"]
        rows = [
            [*(numbers.dose(level.value) for level in spot.point), *(numbers.estimated(spot.means[m]) for m in names),
             str(spot.n)]
            for spot in panel.spots
        ]  # fmt: skip
        show_table(panel.contender.label, head, rows)
    print(f"Report: {path}")


def show_lifelong(found: Lifelong, path: Path) -> None:
    """Sentences, the metrics of all agents, and for each what every task is worth after every block."""
    from mohs.stats.lifelong import METRICS

    for line in found.headline:
        print(line)
    rows = [
        (metric.title, *(_known(lived.metrics[name]) for lived in found.agents),
         numbers.count(lived.metrics[name].n for lived in found.agents).removeprefix("n = "),
         numbers.UNKNOWN if metric.neutral is None else numbers.number(metric.neutral))
        for name, metric in METRICS.items()
    ]  # fmt: skip
    head = ("metric", *(lived.label for lived in found.agents), "n", "no gain, no loss")
    show_table("Metrics with 95% intervals", head, rows)
    course = found.study.curriculum
    after = ["before", *(block.task for block in course.blocks)]
    for lived in found.agents:
        rows = [
            (name, *(numbers.number(e.value) if e.n else numbers.UNKNOWN for e in row))
            for name, row in zip(after, lived.matrix, strict=True)
        ]
        gains = (_known(lived.gains[name]) if name in lived.gains else numbers.UNKNOWN for name in course.names)
        rows.append(("gain over experts", *gains))
        show_table(f"Performance, {lived.label}", ("after block", *course.names), rows)
    print(f"Report: {path}")


def _known(e: Estimate) -> str:
    return numbers.estimated(e) if e.n else "not defined"


def show_challenge(found: Challenge, path: Path) -> None:
    """Sentences, what was solved of every group, and every MDP with its runs solved and its sample complexity."""
    from mohs.protocols.challenge.sentences import counted
    from mohs.protocols.challenge.verdict import GROUPS
    from mohs.report.challenge import steps_text

    for line in found.headline:
        print(line)
    rows = [(GROUPS[name], *(counted(s.shares[name]) for s in found.solvers)) for name in found.groups]
    show_table("MDPs solved", ("", *(s.label for s in found.solvers)), rows)
    rows = [
        (m.id, m.status, m.length,
         *(f"{o.runs_solved}/{o.runs}, {steps_text(o.complexity)}" for o in (s.outcomes[i] for s in found.agents)))
        for i, m in enumerate(found.mdps)
    ]  # fmt: skip
    show_table(
        "Runs that solved it, and sample complexity",
        ("MDP", "status", "effective horizon", *(s.label for s in found.agents)),
        rows,
    )
    print(f"Report: {path}")


def show_comparison(found: Comparison, path: Path) -> None:
    from mohs.protocols.measures import MEASURES

    a, b = found.a.study.agent.name, found.b.study.agent.name
    print(f"P({a} better than {b}) = {numbers.estimated(found.overall)}, n = {found.overall.n}")
    gap = f"{numbers.estimated(found.difference)}, n = {found.difference.n}"
    print(f"Mean difference of {MEASURES[found.measure].title} = {gap}")
    rows = [(name, numbers.estimated(e), str(e.n)) for name, e in found.dials]
    show_table(f"Probability that {a} is better, at the doses other than vanilla", ("dial", "95% interval", "n"), rows)
    print(f"Report: {path}")


def show_cards(cards: Sequence[Card], path: Path) -> None:
    """Sentences and every quantity of each card, or several cards side by side."""
    from mohs.protocols.card_sentences import headline
    from mohs.report.card_rows import columns, groups

    for card in cards:
        print(card.name)
        for line in headline(card):
            print(f"  {line}")
    print()
    shown = columns(cards)
    alone = len(shown) == 1
    for subject, rows in groups(cards):
        cells = [[_cell(row.read(column.card)) for column in shown] for row in rows]
        show_table(
            subject,
            ("", *("" if alone else column.title for column in shown), *(("meaning",) if alone else ())),
            [(row.title, *cell, *((row.meaning,) if alone else ())) for row, cell in zip(rows, cells, strict=True)],
        )
        print()
    for column in shown:
        where = "" if alone else f" for {column.title}"
        missing: dict[str, list[str]] = {}
        for row in (row for _, rows in groups(cards) for row in rows):
            if reason := row.read(column.card).reason:
                missing.setdefault(reason, []).append(row.title)
        for reason, titles in missing.items():
            print(f"Not defined{where}: {', '.join(titles)} ({reason})")
    print(f"Card: {path}")


def _cell(entry: Entry) -> str:
    return f"{entry.text} ({entry.details})" if entry.details else entry.text


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
    table = Table(title=escape(title), title_justify="left", box=None, header_style="bold", pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(escape(column), overflow="fold", no_wrap=i == 0)
    for row in rows:
        table.add_row(*map(escape, row))
    console = Console()
    if not console.is_terminal:
        console = Console(width=PLAIN_WIDTH)
    console.print(table)
