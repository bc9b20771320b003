"""Which MDPs of the challenge does an agent solve? The command that runs it in all its settings and tells."""

from __future__ import annotations

import sys
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
    PackSize,
    Png,
    StoreUrl,
    Workers,
    check_machine,
)
from mohs.cli.output import announce_compilation, check_directory, print_json, slug, tell_failures, tell_interrupted
from mohs.report.terminal import show_challenge, stages

if TYPE_CHECKING:
    from mohs.protocols.challenge.study import ChallengeStudy
    from mohs.runs.store import Store


def run(
    agents: Annotated[
        list[str], typer.Argument(help="Built-in agents (mohs agents lists them), sb3:NAME, or file.py:function.")
    ],
    edition: Annotated[
        str, typer.Option(help="full: all MDPs, 10 million steps; quick: ten with controls, 300 thousand.")
    ] = "full",
    mdps: Annotated[
        str | None, typer.Option(help="Only these MDPs, comma-separated (mohs challenge list has all).")
    ] = None,
    settings: Annotated[
        str | None, typer.Option(help="Only these settings of the agents, comma-separated: 128, 1280, fast, slow ...")
    ] = None,
    budget: Annotated[int | None, typer.Option(help="Environment steps of each run.")] = None,
    seeds: Annotated[int | None, typer.Option(help="Seeds for each setting.")] = None,
    every: Annotated[
        int | None, typer.Option(help="Steps between evaluations: 1,000; with sticky actions 10,000.")
    ] = None,
    sticky: Annotated[float, typer.Option(help="Repeat the action before with this probability.")] = 0.0,
    episodes: Annotated[int | None, typer.Option(help="Episodes of an evaluation: 1; with sticky actions 100.")] = None,
    hyperparameters: Annotated[
        list[str] | None, typer.Option("--set", help="A hyperparameter in all settings, name=value; may be repeated.")
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
    """Find out which MDPs of the challenge agents solve, in the paper's settings. The same command again goes on."""
    from mohs.protocols.challenge.study import ChallengeStudy, plan
    from mohs.report.png import find_browser
    from mohs.runs.execute import execute
    from mohs.runs.execution import Execution
    from mohs.runs.store import open_store

    check_machine(workers, pack_size, device)
    study = ChallengeStudy.make(
        agents,
        edition=edition,
        mdps=None if mdps is None else words.names(mdps),
        settings=None if settings is None else words.names(settings),
        budget=budget,
        seeds=seeds,
        every=every,
        sticky=sticky,
        episodes=episodes,
        hyperparameters=words.settings("--set", hyperparameters or []),
    )
    directory = out or REPORTS / slug(study.name)
    check_directory(directory)
    if png:
        find_browser()
    _open_tables(study)
    planned = plan(study)
    announce_compilation()
    if dry_run:
        show_plan(planned, store, workers, pack_size, device, as_json)
        return 0
    print(f"mohs: {_tries(study)}", file=sys.stderr)
    with open_store(store) as opened:
        summary = execute(planned, opened, Execution(store, workers, pack_size, device))
        if summary.interrupted:
            tell_interrupted(summary)
            return EXIT_INTERRUPTED
        failed = tell_failures(opened, planned.key, summary)
        show_challenge_of(opened, planned.key, directory, png=png, as_json=as_json)
    return EXIT_FAILED_CELLS if failed else 0


def show_challenge_of(store: Store, key: str, directory: Path, *, png: bool, as_json: bool) -> None:
    """Writes the report of a study of the challenge and prints its sentences, or its data."""
    from mohs.protocols.challenge.study import ChallengeStudy, facts
    from mohs.protocols.challenge.verdict import verdict
    from mohs.report.challenge import write_challenge

    planned = store.plan(key)
    study = ChallengeStudy.from_json(planned.options)
    results = dict(store.results(cell.key for cell in planned.cells))
    found = verdict(study, results, facts(study))
    path = write_challenge(found, directory, png=png)
    if as_json:
        print_json({**found.to_json(), "report": str(path)})
    else:
        show_challenge(found, path)


def _open_tables(study: ChallengeStudy) -> None:
    """Builds what is not there yet, before several workers would each do it."""
    from mohs.tables.challenge.cache import stored

    with stages() as say:
        for mdp in study.mdps:
            say(f"opening {mdp}")
            stored(mdp)


def _tries(study: ChallengeStudy) -> str:
    """10 MDPs × (ppo: 128, 1280; dqn: fast, slow) × 3 seeds, 300,000 steps each."""
    settings = "; ".join(f"{c.name}: {', '.join(s.name for s in c.settings)}" for c in study.contenders)
    mdps, seeds = len(study.mdps), study.seeds
    sticky = f", actions stick at {study.sticky:g}" if study.sticky else ""
    tries = f"{mdps} MDP{'s' * (mdps > 1)} × ({settings}) × {seeds} seed{'s' * (seeds > 1)}"
    return f"{tries}, {study.budget:,} steps each{sticky}"
