"""What breaks an agent, and at which dose? The command that trains it at every dose and tells."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mohs.cli import words
from mohs.cli.options import DEFAULT_STORE, EXIT_FAILED_CELLS, EXIT_INTERRUPTED, REPORTS, AsJson, Png, StoreUrl
from mohs.cli.output import announce_compilation, check_directory, slug
from mohs.cli.studies import show, verdict_of
from mohs.core.domain import Integer

if TYPE_CHECKING:
    from mohs.runs.execute import Summary
    from mohs.runs.store import Store


def diagnose(
    agent: Annotated[
        str,
        typer.Argument(help="q_learning, double_q_learning, sarsa, random, gorp, sqirl, optimal, or file.py:function."),
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
    hyperparameters: Annotated[
        list[str] | None, typer.Option("--set", help="A hyperparameter of the agent, name=value; may be repeated.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Directory of the report.")] = None,
    store: StoreUrl = DEFAULT_STORE,
    workers: Annotated[int | None, typer.Option(help="Worker processes; all cores by default.")] = None,
    png: Png = False,
    as_json: AsJson = False,
) -> int:
    """Find out which dial of hardness breaks an agent, at which dose. The same command again goes on."""
    from mohs.protocols.diagnose import Study, plan
    from mohs.runs.execute import execute
    from mohs.runs.learners import agent as find_agent
    from mohs.runs.store import open_store

    study = Study.make(
        find_agent(agent, **words.settings("--set", hyperparameters or [])),
        battery,
        None if dials is None else words.names(dials),
        None if pairs is None else words.pairs(pairs),
        seeds,
        budget,
        env,
        words.settings("--param", params or []),
        words.doses(doses or []),
    )
    if workers is not None:
        Integer(0).parse("workers", workers)
    directory = out or REPORTS / slug(study.name)
    planned = plan(study)
    announce_compilation()
    with open_store(store) as opened:
        check_directory(directory)
        summary = execute(planned, opened, workers=workers)
        if summary.interrupted:
            print(
                f"mohs: stopped with {summary.done} of {summary.cells} cells done; the same command goes on from here.",
                file=sys.stderr,
            )
            return EXIT_INTERRUPTED
        found = verdict_of(opened, planned.key)
        failed = _failures(opened, planned.key, summary)
    show(found, directory, png=png, as_json=as_json)
    return EXIT_FAILED_CELLS if failed else 0


def _failures(store: Store, key: str, summary: Summary) -> bool:
    """Shows each different failure once."""
    if not summary.failed:
        return False
    from mohs.runs.status import failures

    found = failures(store, key)
    first = {failure.reason: failure for failure in found}
    print(f"mohs: {summary.failed} of {summary.cells} cells failed:", file=sys.stderr)
    for reason, failure in first.items():
        count = sum(f.reason == reason for f in found)
        print(f"\n{count} × {reason}\n{failure.error}", file=sys.stderr)
    return True
