"""What does the store hold? The commands that show, report and export what was run, of any protocol."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mohs.core.errors import UsageError
from mohs.core.printing import printable
from mohs.core.values import sealed
from mohs.protocols.options import DEFAULT_STORE, AsJson, Out, Paper, Png, SingleFile, StoreUrl
from mohs.report.terminal import print_json, show_table

if TYPE_CHECKING:
    from mohs.runs.status import StudyStatus

MOST_ENVS = 2  # that are named of a study


def status(store: StoreUrl = DEFAULT_STORE, as_json: AsJson = False) -> None:
    """Show the studies of a store: what each ran, when, its label, the version of its agents, and how far it is."""
    from mohs.runs.places import sentence
    from mohs.runs.status import status as find_status
    from mohs.runs.store import open_store

    with sealed(), open_store(store, create=False) as opened:
        found, name, hashed = find_status(opened), opened.name, opened.sealed
    if not hashed:
        print(f"mohs: an older version wrote {name}, without hashes: damage in it may not be noticed.", file=sys.stderr)
    if as_json:
        print_json([s.to_json() for s in found])
        return
    columns = ("study", "name", "env", "runs", "date", "done")
    show_table(f"Studies in {name} (runs: seeds×steps)", columns, [_row(s) for s in found])
    for s in found:
        for reason in dict.fromkeys(failure.reason for failure in s.failures):
            print(printable(f"failed: {s.study.name}: {reason}"), file=sys.stderr)
        if differ := sentence(s.places):
            print(printable(f"note: {s.study.name}: {differ}"), file=sys.stderr)


def _row(s: StudyStatus) -> tuple[str, ...]:
    """A study in few columns: what is known beside its name stands below it."""
    from mohs.runs.progress import short
    from mohs.runs.status import SHOWN_KEY, without_folders

    (*envs,), key = s.about.envs, s.study.key[:SHOWN_KEY]
    where = ", ".join(envs[:MOST_ENVS]) + (f" and {len(envs) - MOST_ENVS} others" if len(envs) > MOST_ENVS else "")
    more = [s.study.protocol, *([f"label {s.study.label}"] if s.study.label else [])]
    more += [f"version {version[:SHOWN_KEY]}" for version in s.about.versions]
    name = without_folders(s.study.name)
    runs = f"{s.about.seeds}×{'–'.join(map(short, s.about.budget))}"
    day = time.strftime("%Y-%m-%d", time.localtime(s.study.created))
    return key, "\n".join([name, *more]), where, runs, day, f"{s.done}/{s.cells}"


def report(
    study: Annotated[
        str | None,
        typer.Argument(
            help="A study's label, name or key, or its agent (with 'on ENV' outside toy/discrete); newest by default."
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

    with sealed(), open_store(store, create=False) as opened:
        key = find_study(opened, study)
        found = opened.study(key)
        output = Output.of(out, found.name, png, as_json, paper, single_file, label=found.label, key=key)
        output.check()
        verdict = stored_verdict(opened, key)
    deliver(verdict, output)


def export(
    study: Annotated[
        str | None, typer.Option(help="Export the runs of one study, by its label, name, agent or key; all by default.")
    ] = None,
    store: StoreUrl = DEFAULT_STORE,
    csv: Annotated[Path | None, typer.Option(help="Write CSV here.")] = None,
    parquet: Annotated[Path | None, typer.Option(help="Write Parquet here.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write every evaluation point: cell, task, agent, seed, metric, step, value, in a stable order."""
    from mohs.runs.export import export_csv, export_parquet, rows
    from mohs.runs.status import find
    from mohs.runs.store import damage_text, open_store

    if csv is None and parquet is None and not as_json:
        raise UsageError("say where to export to: --csv PATH, --parquet PATH or --json.")
    with sealed(), open_store(store, create=False) as opened:
        key = None if study is None else find(opened, study).key
        damaged: list[str] = []
        if csv is not None:
            damaged = export_csv(opened, csv, key)
        if parquet is not None:
            damaged = export_parquet(opened, parquet, key)
        if as_json:
            damaged = []
            print_json([row._asdict() for row in rows(opened, key, damaged)])
    if damaged:
        print(f"mohs: {damage_text(damaged)} and left out.", file=sys.stderr)


def recover(
    new: Annotated[Path, typer.Argument(help="The file of the new store.")],
    store: StoreUrl = DEFAULT_STORE,
    as_json: AsJson = False,
) -> None:
    """Copy what is sound in a damaged store to a new one. The damaged store stays as it is."""
    from mohs.runs.store import recover as copy_sound

    found = copy_sound(store, new)
    if as_json:
        print_json(asdict(found))
        return
    print(f"{new} has {found.cells:,} cells of {found.studies:,} studies.")
    for kind, lost in (("cells", found.lost_cells), ("studies", found.lost_studies)):
        if lost:
            print(f"{len(lost):,} {kind} are lost; the commands that made them run them again: {', '.join(lost)}")


def merge(
    out: Annotated[str, typer.Argument(help="The store that is written: a file or a URL. It is made if need be.")],
    sources: Annotated[list[str], typer.Argument(metavar="IN...", help="The stores that are read: files or URLs.")],
    as_json: AsJson = False,
) -> None:
    """Merge stores, such as those of --shard, into one. Merging again changes nothing."""
    from mohs.runs.store import merge as merge_stores

    urls = [text if "://" in text else f"sqlite:///{text}" for text in (out, *sources)]
    found = merge_stores(urls[0], urls[1:])
    if as_json:
        print_json(asdict(found))
        return
    cells = ", ".join(f"{number:,} {status}" for status, number in found.cells.items())
    print(f"{out} has {found.studies:,} studies; cells: {cells}.")
    if found.damaged:
        print(f"mohs: {found.damaged:,} damaged cells were left out; they run again.", file=sys.stderr)
