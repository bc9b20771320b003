"""What is left to run, and what will it take? Said before anything is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mohs.cli.output import print_json

if TYPE_CHECKING:
    from mohs.runs.cost import Cost
    from mohs.runs.plan import Plan


def show_plan(planned: Plan, url: str, workers: int | None, pack_size: int | None, device: str, as_json: bool) -> None:
    """Only the plan, with the time and disk that what is left of it needs."""
    from mohs.runs.cost import cost
    from mohs.runs.execution import Execution
    from mohs.runs.store import left_to_run

    count = Execution(workers=workers).worker_count
    show_cost(planned, cost(left_to_run(planned, url), count, pack_size, device), as_json)


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
