"""What does the store hold? The commands that show, report and export what was run, of any protocol."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from mohs.core.errors import UsageError
from mohs.protocols.options import DEFAULT_STORE, AsJson, Out, Paper, Png, SingleFile, StoreUrl
from mohs.report.terminal import print_json, show_table


def status(store: StoreUrl = DEFAULT_STORE, as_json: AsJson = False) -> None:
    """Show the studies of a store: cells done, pending and failed."""
    from mohs.runs.status import status as find_status
    from mohs.runs.store import open_store

    with open_store(store, create=False) as opened:
        found, name = find_status(opened), opened.name
    if as_json:
        print_json([s.to_json() for s in found])
        return
    columns = ("study", "protocol", "name", "cells", "done", "pending", "failed")
    rows = [
        (s.study.key[:8], s.study.protocol, s.study.name, *map(str, (s.cells, s.done, s.pending, s.failed)))
        for s in found
    ]
    show_table(f"Studies in {name}", columns, rows)
    for s in found:
        for reason in dict.fromkeys(failure.reason for failure in s.failures):
            print(f"failed: {s.study.name}: {reason}", file=sys.stderr)


def report(
    study: Annotated[
        str | None,
        typer.Argument(
            help="An agent (with 'on ENV' outside toy/discrete), a study's name or key; the newest by default."
        ),
    ] = None,
    out: Out = None,
    store: StoreUrl = DEFAULT_STORE,
    png: Png = False,
    paper: Paper = None,
    single_file: SingleFile = False,
    as_json: AsJson = False,
) -> None:
    """Write the report of a study from what the store holds, finished or not."""
    from mohs.protocols.conduct import find_study, stored_verdict
    from mohs.protocols.output import Output, deliver
    from mohs.runs.store import open_store

    with open_store(store, create=False) as opened:
        key = find_study(opened, study)
        output = Output.of(out, opened.study(key).name, png, as_json, paper, single_file)
        output.check()
        verdict = stored_verdict(opened, key)
    deliver(verdict, output)


def export(
    study: Annotated[
        str | None, typer.Option(help="Export the runs of one study, by its name, agent or key; all by default.")
    ] = None,
    store: StoreUrl = DEFAULT_STORE,
    csv: Annotated[Path | None, typer.Option(help="Write CSV here.")] = None,
    parquet: Annotated[Path | None, typer.Option(help="Write Parquet here.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write every evaluation point: cell, task, agent, seed, metric, step, value, in a stable order."""
    from mohs.runs.export import export_csv, export_parquet, rows
    from mohs.runs.status import find
    from mohs.runs.store import open_store

    if csv is None and parquet is None and not as_json:
        raise UsageError("say where to export to: --csv PATH, --parquet PATH or --json.")
    with open_store(store, create=False) as opened:
        key = None if study is None else find(opened, study).key
        if csv is not None:
            export_csv(opened, csv, key)
        if parquet is not None:
            export_parquet(opened, parquet, key)
        if as_json:
            print_json([row._asdict() for row in rows(opened, key)])
