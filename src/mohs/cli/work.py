"""How does a machine help with what others entered in a store? `mohs work`, on as many machines as there are."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from mohs.cli.train import EXIT_FAILED_CELLS, EXIT_INTERRUPTED, CellTimeout, Device, PackSize, WorkerMemory
from mohs.protocols.options import StoreUrl, Workers


def work(
    store: StoreUrl,
    study: Annotated[
        str | None, typer.Option(help="Help with one study, by its label, name, agent or key; with all by default.")
    ] = None,
    workers: Workers = None,
    pack_size: PackSize = None,
    device: Device = "cpu",
    cell_timeout: CellTimeout = None,
    worker_memory: WorkerMemory = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Run code that the store names, and unpickle its checkpoints.")
    ] = False,
) -> int:
    """Train the pending cells of a PostgreSQL store, beside other machines that do the same, until none is left."""
    from mohs.runs.execution import Execution
    from mohs.runs.pull import pull
    from mohs.runs.status import find
    from mohs.runs.store import open_store

    execution = Execution(
        store, workers, pack_size, device, cell_timeout=cell_timeout, worker_memory=worker_memory, trust=trust
    )
    execution.check()
    with open_store(store, create=False) as opened:
        summary = pull(opened, execution, None if study is None else find(opened, study).key)
    done = f"{summary.done:,} cells done, {summary.failed:,} failed"
    print(f"mohs: {'interrupted: ' if summary.interrupted else ''}{done} here.", file=sys.stderr)
    if summary.interrupted:
        return EXIT_INTERRUPTED
    return EXIT_FAILED_CELLS if summary.failed else 0
