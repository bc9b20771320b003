"""What is left to run, and what will it take? Said before anything is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mohs.cli.output import print_json

if TYPE_CHECKING:
    from mohs.core.cell import Cell
    from mohs.protocols.studies.cost import Cost
    from mohs.runs.plan import Plan


def left_of(planned: Plan, url: str) -> list[Cell]:
    """The cells that the store does not have yet; a store that is not there has none."""
    from mohs.runs.database import file_of, parse_url
    from mohs.runs.store import open_store

    path = file_of(parse_url(url))
    if path is not None and not path.exists():
        return list(planned.cells)
    with open_store(url, create=path is None) as opened:
        statuses = opened.statuses(cell.key for cell in planned.cells)
    return [cell for cell in planned.cells if statuses.get(cell.key) != "done"]


def show_plan(planned: Plan, url: str, workers: int | None, pack_size: int | None, device: str, as_json: bool) -> None:
    """Only the plan, with the time and disk that what is left of it needs."""
    from mohs.protocols.studies.cost import cost
    from mohs.runs.execute import default_workers

    count = default_workers() if workers is None else workers
    show_cost(planned, cost(left_of(planned, url), count, pack_size, device), as_json)


def show_cost(planned: Plan, needed: Cost, as_json: bool) -> None:
    if as_json:
        print_json({"study": planned.name, "all_cells": len(planned.cells), **needed.to_json()})
        return
    print(f"{planned.name}: {len(planned.cells):,} cells, {len(planned.cells) - needed.cells:,} of them done")
    print(f"To run: {cost_sentence(needed)}")


def cost_sentence(needed: Cost) -> str:
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
