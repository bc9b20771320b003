"""What does the store hold? The commands that show, report, compare and export what was run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mohs.cli.challenge_run import show_challenge_of
from mohs.cli.lifelong import show_lifelong_of
from mohs.cli.options import DEFAULT_STORE, REPORTS, AsJson, Png, StoreUrl
from mohs.cli.output import print_json, slug
from mohs.core.errors import UsageError
from mohs.report.terminal import show_comparison, show_experiment, show_table, show_verdict

if TYPE_CHECKING:
    from mohs.protocols.diagnose import Verdict
    from mohs.protocols.studies.verdict import Verdict as Outcome
    from mohs.runs.store import Store


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
    out: Annotated[Path | None, typer.Option(help="Directory of the report.")] = None,
    store: StoreUrl = DEFAULT_STORE,
    png: Png = False,
    as_json: AsJson = False,
) -> None:
    """Write the report of a study from what the store holds, finished or not."""
    from mohs.protocols.challenge.study import PROTOCOL as CHALLENGE
    from mohs.protocols.lifelong.study import PROTOCOL as LIFELONG
    from mohs.protocols.studies.experiment import PROTOCOL
    from mohs.runs.store import open_store

    with open_store(store, create=False) as opened:
        key = _find_study(opened, study)
        planned = next(s for s in opened.studies() if s.key == key)
        directory = out or REPORTS / slug(planned.name)
        if planned.protocol == PROTOCOL:
            show_experiment_of(opened, key, directory, png=png, as_json=as_json)
        elif planned.protocol == LIFELONG:
            show_lifelong_of(opened, key, directory, png=png, as_json=as_json)
        elif planned.protocol == CHALLENGE:
            show_challenge_of(opened, key, directory, png=png, as_json=as_json)
        else:
            show(verdict_of(opened, key), directory, png=png, as_json=as_json)


def compare(
    a: Annotated[str, typer.Argument(help="An agent or study key.")],
    b: Annotated[str, typer.Argument(help="Another one.")],
    out: Annotated[Path, typer.Option(help="Directory of the report.")] = REPORTS / "comparison",
    store: StoreUrl = DEFAULT_STORE,
    png: Png = False,
    as_json: AsJson = False,
) -> None:
    """Compare two diagnosed agents on the same cells: probability of improvement with intervals."""
    from mohs.protocols.compare import compare as find_comparison
    from mohs.protocols.diagnose import PROTOCOL
    from mohs.report.html import write_comparison
    from mohs.runs.store import open_store

    with open_store(store, create=False) as opened:
        comparison = find_comparison(*(verdict_of(opened, _find_study(opened, name, PROTOCOL)) for name in (a, b)))
    path = write_comparison(comparison, out, png=png)
    if as_json:
        print_json({**comparison.to_json(), "report": str(path)})
    else:
        show_comparison(comparison, path)


def export(
    store: StoreUrl = DEFAULT_STORE,
    csv: Annotated[Path | None, typer.Option(help="Write CSV here.")] = None,
    parquet: Annotated[Path | None, typer.Option(help="Write Parquet here.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write every evaluation point: cell, task, agent, seed, metric, step, value, in a stable order."""
    from mohs.runs.export import export_csv, export_parquet, rows
    from mohs.runs.store import open_store

    if csv is None and parquet is None and not as_json:
        raise UsageError("say where to export to: --csv PATH, --parquet PATH or --json.")
    with open_store(store, create=False) as opened:
        if csv is not None:
            export_csv(opened, csv)
        if parquet is not None:
            export_parquet(opened, parquet)
        if as_json:
            print_json([row._asdict() for row in rows(opened)])


def show(found: Verdict, directory: Path, *, png: bool, as_json: bool) -> None:
    """Writes the report of a verdict and prints its sentences, or its data."""
    from mohs.report.html import write_report

    path = write_report(found, directory, png=png)
    if as_json:
        print_json({**found.to_json(), "report": str(path)})
    else:
        show_verdict(found, path)


def show_experiment_of(store: Store, key: str, directory: Path, *, png: bool, as_json: bool) -> None:
    """Writes the report of a study file's runs and prints its sentences, or its data."""
    from mohs.report.experiments import write_experiment

    found = outcome_of(store, key)
    path = write_experiment(found, directory, png=png)
    if as_json:
        print_json({**found.to_json(), "report": str(path)})
    else:
        show_experiment(found, path)


def outcome_of(store: Store, key: str) -> Outcome:
    """What the store holds of a study that `mohs run` made, analysed."""
    from mohs.protocols.studies.experiment import PROTOCOL, Experiment
    from mohs.protocols.studies.verdict import verdict

    planned = store.plan(key)
    if planned.protocol != PROTOCOL:
        raise UsageError(f"{planned.name!r} is a study of `mohs {planned.protocol}`, not of `mohs run`.")
    return verdict(Experiment.from_json(planned.options), dict(store.results(cell.key for cell in planned.cells)))


def verdict_of(store: Store, key: str) -> Verdict:
    """What the store holds of a diagnosis, analysed."""
    from mohs.protocols.diagnose import PROTOCOL, Study, verdict

    planned = store.plan(key)
    if planned.protocol != PROTOCOL:
        raise UsageError(f"{planned.name!r} is no diagnosis, and only diagnoses can be compared.")
    return verdict(Study.from_json(planned.options), dict(store.results(cell.key for cell in planned.cells)))


def _find_study(store: Store, name: str | None, protocol: str = "") -> str:
    """The key of the newest study of an agent, of the one with this key, or of the newest of all."""
    from mohs.runs.status import find

    if name is not None:
        return find(store, name, protocol).key
    studies = store.studies()
    if not studies:
        raise UsageError(f"{store.name} holds no study yet.")
    return studies[-1].key
