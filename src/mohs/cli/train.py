"""How does a command that trains run? One way for every protocol: its own options, then those of all of them."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from mohs.core.printing import printable
from mohs.protocols.options import DEFAULT_STORE, AsJson, Label, Out, Paper, Png, SingleFile, StoreUrl, Workers
from mohs.protocols.protocol import Protocol, Request

if TYPE_CHECKING:
    from mohs.runs.cost import Cost
    from mohs.runs.execution import Execution
    from mohs.runs.plan import Plan

EXIT_FAILED_CELLS, EXIT_STOPPED, EXIT_INTERRUPTED = 1, 3, 130

PackSize = Annotated[int | None, typer.Option(help="Most cells of a pack; by default as many as suit the agent.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show the plan, with the time and disk it needs.")]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", help="Run everything, also where the first runs would end the study.")
]
Trust = Annotated[
    bool, typer.Option("--trust", help="Unpickle checkpoints of the store, which can run any code that they hold.")
]
ExecutorName = Annotated[
    str, typer.Option("--executor", help="Where workers run: local, or ray[:ADDRESS] for a Ray cluster.")
]
Shard = Annotated[
    str, typer.Option(help="i/n: run only the i-th of n parts of the cells, into a store of its own; see mohs merge.")
]
Enqueue = Annotated[bool, typer.Option("--enqueue", help="Only enter the plan in the store, for mohs work to run.")]
CellTimeout = Annotated[float | None, typer.Option(help="Seconds that a cell may take before it fails; no limit.")]
WorkerMemory = Annotated[
    float | None, typer.Option(help="GB of memory that a worker may use before its cell fails; no limit.")
]
Device = Annotated[str, typer.Option(help="Where deep agents train: cpu, cuda, mps ...")]


def training_command(protocol: Protocol) -> Callable[..., int]:
    """The command of a protocol: the options that its `ask` declares, and the shared ones after them."""
    ask = protocol.part("ask")
    own, shared = (inspect.signature(function) for function in (ask, train))
    hints = {**_hints(ask), **_hints(train)}
    absent = {"request"} | ({"keep_going"} if protocol.gate is None else set())
    options = [p for p in shared.parameters.values() if p.name not in absent]

    def command(**given: Any) -> int:
        rest = {p.name: given.pop(p.name) for p in options}
        asked = ask(**given)
        return train(asked if isinstance(asked, Request) else Request(asked), **rest)

    parameters = [p.replace(annotation=hints[p.name]) for p in (*own.parameters.values(), *options)]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    command.__doc__ = ask.__doc__
    return command


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The types of a function's parameters; what it returns may be known to type checkers only."""
    bare = {name: hint for name, hint in function.__annotations__.items() if name not in ("return", "request")}
    stand_in = type("Annotations", (), {"__annotations__": bare, "__module__": function.__module__})
    return get_type_hints(stand_in, include_extras=True)


def train(
    request: Request,
    keep_going: KeepGoing = False,
    dry_run: DryRun = False,
    enqueue: Enqueue = False,
    label: Label = "",
    trust: Trust = False,
    out: Out = None,
    store: StoreUrl = DEFAULT_STORE,
    workers: Workers = None,
    pack_size: PackSize = None,
    device: Device = "cpu",
    executor: ExecutorName = "local",
    shard: Shard = "",
    cell_timeout: CellTimeout = None,
    worker_memory: WorkerMemory = None,
    png: Png = False,
    paper: Paper = None,
    single_file: SingleFile = False,
    as_json: AsJson = False,
) -> int:
    """Checks everything, then trains what the store does not hold, and shows the verdict; the exit code."""
    from mohs.protocols.conduct import carry_out, planned
    from mohs.protocols.output import Output, deliver
    from mohs.report.files import check_directory
    from mohs.report.terminal import announce_compilation
    from mohs.runs.execution import Execution

    study = request.study
    output = Output.of(out, study.name, png, as_json, paper, single_file)
    output.check()
    for directory in request.directories:
        check_directory(directory)
    execution = Execution(
        store,
        workers,
        pack_size,
        device,
        label=label,
        trust=trust,
        cell_timeout=cell_timeout,
        worker_memory=worker_memory,
        executor=executor,
        shard=shard,
    )
    plan = planned(study, execution)
    if request.note:
        print(f"mohs: {request.note}", file=sys.stderr)
    announce_compilation()
    if dry_run:
        return _show_cost(plan, execution, as_json)
    if enqueue:
        return _enqueue(plan, execution)
    conducted = carry_out(study, plan, execution, keep_going=keep_going)
    summary = conducted.summary
    if summary.interrupted:
        done = f"{summary.done} of {summary.cells} cells done"
        print(f"mohs: interrupted with {done}; run the same command to resume.", file=sys.stderr)
        return EXIT_INTERRUPTED
    if request.after is not None and conducted.verdict is not None:
        request.after(conducted.verdict)
    if conducted.failed:
        print(f"mohs: {summary.failed} of {summary.cells} cells failed:", file=sys.stderr)
        for failed in conducted.failed:
            print(printable(f"\n{failed.count} × {failed.reason}\n{failed.error}"), file=sys.stderr)
    if conducted.verdict is None:
        print(
            f"mohs: {summary.done} of {summary.cells} cells of the shard {shard} are in {execution.url}; "
            "mohs merge puts the stores of all shards together.",
            file=sys.stderr,
        )
        return EXIT_FAILED_CELLS if conducted.failed else 0
    deliver(conducted.verdict, Output.of(out, plan.name, png, as_json, paper, single_file, label=label, key=plan.key))
    if conducted.failed:
        return EXIT_FAILED_CELLS
    return EXIT_STOPPED if conducted.stopped and not conducted.stopped.answered else 0


def _enqueue(plan: Plan, execution: Execution) -> int:
    """Enters the plan; the exit code."""
    from mohs.runs.pull import enqueue
    from mohs.runs.store import open_store

    with open_store(execution.url) as store:
        pending = enqueue(store, plan)
        print(f"{plan.name}: {pending:,} of {len(plan.cells):,} cells are pending in {store.name}.")
    return 0


def _show_cost(plan: Plan, execution: Execution, as_json: bool) -> int:
    """Shows the plan, with the time and disk that what is left of it needs; the exit code."""
    from mohs.report.terminal import print_json
    from mohs.runs.cost import cost
    from mohs.runs.store import left_to_run

    left = [cell for cell in left_to_run(plan, execution.url) if execution.has(cell.key)]
    needed = cost(left, execution.worker_count, execution.pack_size, execution.device)
    if as_json:
        print_json({"study": plan.name, "all_cells": len(plan.cells), **needed.to_json()})
    else:
        print(f"{plan.name}: {len(plan.cells):,} cells, {len(plan.cells) - needed.cells:,} of them done")
        print(f"To run: {_cost_sentence(needed)}")
    if needed.broken:
        print(f"mohs: {needed.broken:,} cells failed in their trial: {needed.reason}", file=sys.stderr)
    return EXIT_FAILED_CELLS if needed.broken else 0


def _cost_sentence(needed: Cost) -> str:
    from mohs.runs.progress import clock, short

    each = "1 worker" if needed.workers == 1 else f"{needed.workers} workers"
    broken = f"; {needed.broken:,} cells failed in their trial and are not in the time" if needed.broken else ""
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
