"""What does a study file ask, what would it cost, and what comes of it? The commands that list and run studies."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mohs.cli.options import (
    DEFAULT_STORE,
    EXIT_FAILED_CELLS,
    EXIT_INTERRUPTED,
    REPORTS,
    AsJson,
    Device,
    PackSize,
    Png,
    StoreUrl,
    Workers,
    check_machine,
)
from mohs.cli.output import announce_compilation, check_directory, print_json, slug, tell_failures, tell_interrupted
from mohs.cli.studies import show_experiment_of
from mohs.report.terminal import show_table

if TYPE_CHECKING:
    from mohs.core.cell import Cell
    from mohs.protocols.studies.cost import Cost
    from mohs.runs.plan import Plan


def studies(as_json: AsJson = False) -> None:
    """List the studies that come with mohs; `mohs run NAME` runs one."""
    from mohs.protocols.studies.files import describe, shipped

    found = [describe(name) for name in shipped()]
    if as_json:
        print_json(found)
        return
    rows = [(f["name"], f["question"], ", ".join(f["agents"]), ", ".join(f["sizes"]), f["source"]) for f in found]
    show_table("Studies", ("study", "question", "agents", "sizes", "source"), rows)


def run(
    study: Annotated[str, typer.Argument(help="A study file (TOML, YAML or JSON), or the name of a shipped study.")],
    size: Annotated[
        str | None, typer.Option(help="One of the study's sizes: quick where there is one, or paper.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show the plan, with the time and disk it needs.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Directory of the report.")] = None,
    store: StoreUrl = DEFAULT_STORE,
    workers: Workers = None,
    pack_size: PackSize = None,
    device: Device = "cpu",
    png: Png = False,
    as_json: AsJson = False,
) -> int:
    """Carry out a study and write its report. The same command again goes on where it stopped."""
    from mohs.protocols.studies.cost import cost
    from mohs.protocols.studies.experiment import plan
    from mohs.protocols.studies.files import read_study
    from mohs.report.png import find_browser
    from mohs.runs.execute import default_workers, execute
    from mohs.runs.store import open_store

    experiment = read_study(study, size)
    check_machine(workers, pack_size, device)
    count = default_workers() if workers is None else workers
    directory = out or REPORTS / slug(experiment.title)
    check_directory(directory)
    if png:
        find_browser()
    planned = plan(experiment)
    announce_compilation()
    left = _left(planned, store)
    needed = cost(left, count, pack_size, device)
    if dry_run:
        _show_cost(planned, needed, as_json)
        return 0
    if left:
        print(f"mohs: {_sentence(needed)}", file=sys.stderr)
    with open_store(store) as opened:
        summary = execute(planned, opened, workers=workers, pack_size=pack_size, device=device)
        if summary.interrupted:
            tell_interrupted(summary)
            return EXIT_INTERRUPTED
        failed = tell_failures(opened, planned.key, summary)
        show_experiment_of(opened, planned.key, directory, png=png, as_json=as_json)
    return EXIT_FAILED_CELLS if failed else 0


def _left(planned: Plan, url: str) -> list[Cell]:
    """The cells that the store does not have yet; a store that is not there has none."""
    from mohs.runs.database import file_of, parse_url
    from mohs.runs.store import open_store

    path = file_of(parse_url(url))
    if path is not None and not path.exists():
        return list(planned.cells)
    with open_store(url, create=path is None) as opened:
        statuses = opened.statuses(cell.key for cell in planned.cells)
    return [cell for cell in planned.cells if statuses.get(cell.key) != "done"]


def _show_cost(planned: Plan, needed: Cost, as_json: bool) -> None:
    if as_json:
        print_json({"study": planned.name, "all_cells": len(planned.cells), **needed.to_json()})
        return
    print(f"{planned.name}: {len(planned.cells):,} cells, {len(planned.cells) - needed.cells:,} of them done")
    print(f"To run: {_sentence(needed)}")


def _sentence(needed: Cost) -> str:
    from mohs.runs.progress import clock, short

    each = "1 worker" if needed.workers == 1 else f"{needed.workers} workers"
    broken = f"; {needed.broken:,} cells broke when they were tried and are not in the time" if needed.broken else ""
    return (
        f"{needed.cells:,} cells in {needed.packs:,} packs, {short(needed.steps)} steps, about "
        f"{clock(needed.seconds)} on {each}; disk: {_bytes(needed.results)} of results, up to "
        f"{_bytes(needed.checkpoints)} of checkpoints while it runs{broken}"
    )


def _bytes(number: int) -> str:
    """950 kB, 12 MB, 3.4 GB."""
    for unit, size in (("GB", 1e9), ("MB", 1e6)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number / 1e3:.0f} kB"
