"""What does a study file ask, what would it cost, and what comes of it? The commands that list and run studies."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from mohs.cli.cost import cost_sentence, show_cost
from mohs.cli.options import (
    DEFAULT_STORE,
    EXIT_FAILED_CELLS,
    EXIT_INTERRUPTED,
    REPORTS,
    AsJson,
    Device,
    DryRun,
    PackSize,
    Png,
    StoreUrl,
    Workers,
    check_machine,
)
from mohs.cli.output import announce_compilation, check_directory, print_json, slug, tell_failures, tell_interrupted
from mohs.cli.studies import show_experiment_of
from mohs.report.terminal import show_table


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
    dry_run: DryRun = False,
    out: Annotated[Path | None, typer.Option(help="Directory of the report.")] = None,
    store: StoreUrl = DEFAULT_STORE,
    workers: Workers = None,
    pack_size: PackSize = None,
    device: Device = "cpu",
    png: Png = False,
    as_json: AsJson = False,
) -> int:
    """Carry out a study and write its report. The same command again goes on where it stopped."""
    from mohs.protocols.studies.experiment import plan
    from mohs.protocols.studies.files import read_study
    from mohs.report.png import find_browser
    from mohs.runs.cost import cost
    from mohs.runs.execute import execute
    from mohs.runs.execution import Execution
    from mohs.runs.store import left_to_run, open_store

    experiment = read_study(study, size)
    check_machine(workers, pack_size, device)
    count = Execution(workers=workers).worker_count
    directory = out or REPORTS / slug(experiment.title)
    check_directory(directory)
    if png:
        find_browser()
    planned = plan(experiment)
    announce_compilation()
    left = left_to_run(planned, store)
    needed = cost(left, count, pack_size, device)
    if dry_run:
        show_cost(planned, needed, as_json)
        return 0
    if left:
        print(f"mohs: {cost_sentence(needed)}", file=sys.stderr)
    with open_store(store) as opened:
        summary = execute(planned, opened, Execution(store, workers, pack_size, device))
        if summary.interrupted:
            tell_interrupted(summary)
            return EXIT_INTERRUPTED
        failed = tell_failures(opened, planned.key, summary)
        show_experiment_of(opened, planned.key, directory, png=png, as_json=as_json)
    return EXIT_FAILED_CELLS if failed else 0
