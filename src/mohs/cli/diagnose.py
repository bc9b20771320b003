"""What breaks an agent, and at which dose? The command that trains it at every dose and tells."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mohs.cli import words
from mohs.cli.cost import show_plan
from mohs.cli.options import (
    DEFAULT_STORE,
    EXIT_FAILED_CELLS,
    EXIT_INTERRUPTED,
    REPORTS,
    AsJson,
    Device,
    DryRun,
    HyperparameterFile,
    Hyperparameters,
    PackSize,
    Png,
    StoreUrl,
    Workers,
    check_machine,
)
from mohs.cli.output import announce_compilation, check_directory, slug, tell_failures, tell_interrupted
from mohs.cli.studies import show, verdict_of


def diagnose(
    agent: Annotated[
        str,
        typer.Argument(help="A built-in agent (mohs agents lists them), sb3:NAME, or file.py:function."),
    ],
    env: Annotated[
        str, typer.Option(help="toy/discrete, toy/continuous, toy/grid, or any Gymnasium id: CartPole-v1.")
    ] = "toy/discrete",
    params: Annotated[
        list[str] | None, typer.Option("--param", help="A parameter of the base task, name=value; may be repeated.")
    ] = None,
    battery: Annotated[str, typer.Option(help="quick, standard or full.")] = "quick",
    dials: Annotated[str | None, typer.Option(help="Only these dials, comma-separated.")] = None,
    doses: Annotated[
        list[str] | None, typer.Option(help="The doses to try of a dial, name=v1,v2,...; may be repeated.")
    ] = None,
    pairs: Annotated[str | None, typer.Option(help="Two dials together, a:b, comma-separated.")] = None,
    seeds: Annotated[int | None, typer.Option(help="Seeds for each dose.")] = None,
    budget: Annotated[int | None, typer.Option(help="Environment steps of each run.")] = None,
    hyperparameters: Hyperparameters = None,
    hyperparameter_file: HyperparameterFile = None,
    dry_run: DryRun = False,
    out: Annotated[Path | None, typer.Option(help="Directory of the report.")] = None,
    store: StoreUrl = DEFAULT_STORE,
    workers: Workers = None,
    pack_size: PackSize = None,
    device: Device = "cpu",
    png: Png = False,
    as_json: AsJson = False,
) -> int:
    """Find out which dial of hardness breaks an agent, at which dose. The same command again goes on."""
    from mohs.protocols.diagnose import Study, plan
    from mohs.runs.execute import execute
    from mohs.runs.execution import Execution
    from mohs.runs.learners import agent as find_agent
    from mohs.runs.store import open_store

    check_machine(workers, pack_size, device)
    study = Study.make(
        find_agent(agent, **words.hyperparameters(hyperparameter_file, hyperparameters)),
        battery,
        None if dials is None else words.names(dials),
        None if pairs is None else words.pairs(pairs),
        seeds,
        budget,
        env,
        words.settings("--param", params or []),
        words.doses(doses or []),
    )
    directory = out or REPORTS / slug(study.name)
    planned = plan(study)
    announce_compilation()
    if dry_run:
        show_plan(planned, store, workers, pack_size, device, as_json)
        return 0
    with open_store(store) as opened:
        check_directory(directory)
        summary = execute(planned, opened, Execution(store, workers, pack_size, device))
        if summary.interrupted:
            tell_interrupted(summary)
            return EXIT_INTERRUPTED
        found = verdict_of(opened, planned.key)
        failed = tell_failures(opened, planned.key, summary)
    show(found, directory, png=png, as_json=as_json)
    return EXIT_FAILED_CELLS if failed else 0
