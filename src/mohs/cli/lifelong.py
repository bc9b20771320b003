"""What does an agent keep when tasks come one after the other? The command that lets it live and tells."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from mohs.cli.output import announce_compilation, check_directory, print_json, slug, tell_failures, tell_interrupted
from mohs.report.terminal import show_lifelong, show_table

if TYPE_CHECKING:
    from mohs.runs.store import Store


def curricula(as_json: AsJson = False) -> None:
    """List the curricula that come with mohs; `mohs lifelong AGENT --curriculum NAME` lives through one."""
    from mohs.protocols.lifelong.curriculum import read_curriculum, shipped

    found = [read_curriculum(name) for name in shipped()]
    if as_json:
        print_json([course.to_json() for course in found])
        return
    rows = [
        (c.name, c.title, str(len(c.names)), ", ".join(b.task for b in c.blocks), f"{c.boundaries[-1]:,}")
        for c in found
    ]
    show_table("Curricula", ("curriculum", "title", "tasks", "blocks", "steps"), rows)


def lifelong(
    agent: Annotated[
        str, typer.Argument(help="A built-in agent (mohs agents lists them), sb3:NAME, or file.py:function.")
    ],
    curriculum: Annotated[
        str, typer.Option(help="A shipped curriculum (mohs curricula lists them), or a TOML, YAML or JSON file.")
    ],
    methods: Annotated[
        str | None,
        typer.Option(
            help="What a deep agent does when another task begins, comma-separated to compare: "
            "go_on, reset, separate, ewc."
        ),
    ] = None,
    told: Annotated[bool, typer.Option("--told", help="Tell the agent which task it plays.")] = False,
    seeds: Annotated[int, typer.Option(help="Lives of each agent.")] = 10,
    steps: Annotated[int | None, typer.Option(help="Steps of every block, in place of the curriculum's.")] = None,
    episodes: Annotated[int, typer.Option(help="Episodes of an evaluation.")] = 20,
    mode: Annotated[str, typer.Option(help="How evaluations are played: greedy, or sample as in training.")] = "greedy",
    hyperparameters: Hyperparameters = None,
    hyperparameter_file: HyperparameterFile = None,
    dry_run: DryRun = False,
    out: Annotated[Path | None, typer.Option(help="Directory of the report.")] = None,
    logs: Annotated[Path | None, typer.Option(help="Also write logs in the layout of l2logger here.")] = None,
    store: StoreUrl = DEFAULT_STORE,
    workers: Workers = None,
    pack_size: PackSize = None,
    device: Device = "cpu",
    png: Png = False,
    as_json: AsJson = False,
) -> int:
    """Let an agent learn the tasks of a curriculum one after the other; tell what it keeps and what transfers."""
    from mohs.protocols.lifelong.curriculum import read_curriculum
    from mohs.protocols.lifelong.study import LifelongStudy, contenders, plan
    from mohs.runs.execute import execute
    from mohs.runs.execution import Execution
    from mohs.runs.learners import agent as find_agent
    from mohs.runs.store import open_store

    check_machine(workers, pack_size, device)
    made = find_agent(agent, **words.hyperparameters(hyperparameter_file, hyperparameters))
    study = LifelongStudy.make(
        read_curriculum(curriculum),
        contenders(made, None if methods is None else words.names(methods)),
        seeds=seeds,
        told=told,
        steps=steps,
        episodes=episodes,
        mode=mode,  # type: ignore[arg-type]  # checked there
    )
    directory = out or REPORTS / slug(study.name)
    planned = plan(study)
    announce_compilation()
    if dry_run:
        show_plan(planned, store, workers, pack_size, device, as_json)
        return 0
    with open_store(store) as opened:
        for place in (directory, *([logs] if logs else [])):
            check_directory(place)
        summary = execute(planned, opened, Execution(store, workers, pack_size, device))
        if summary.interrupted:
            tell_interrupted(summary)
            return EXIT_INTERRUPTED
        failed = tell_failures(opened, planned.key, summary)
        show_lifelong_of(opened, planned.key, directory, logs=logs, png=png, as_json=as_json)
    return EXIT_FAILED_CELLS if failed else 0


def show_lifelong_of(
    store: Store, key: str, directory: Path, *, logs: Path | None = None, png: bool, as_json: bool
) -> None:
    """Writes the report of a study of lifelong learning and prints its sentences, or its data."""
    from mohs.protocols.lifelong.study import LifelongStudy
    from mohs.protocols.lifelong.verdict import verdict
    from mohs.report.l2logger import write_logs
    from mohs.report.lifelong import write_lifelong

    planned = store.plan(key)
    found = verdict(LifelongStudy.from_json(planned.options), dict(store.results(cell.key for cell in planned.cells)))
    path = write_lifelong(found, directory, png=png)
    if logs is not None:
        write_logs(found, logs)
    if as_json:
        print_json({**found.to_json(), "report": str(path)})
    else:
        show_lifelong(found, path)
