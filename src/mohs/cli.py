"""What can be typed? The commands; each one calls a layer below and prints what it returns."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mohs.core.domain import Integer
from mohs.core.errors import MohsError, UsageError
from mohs.core.values import Json
from mohs.report.terminal import show_cards, show_comparison, show_table, show_verdict, stages

if TYPE_CHECKING:
    from mohs.protocols.diagnose import Verdict
    from mohs.runs.execute import Summary
    from mohs.runs.store import Store

app = typer.Typer(
    name="mohs",
    add_completion=False,
    pretty_exceptions_enable=False,
)

DEFAULT_STORE = "sqlite:///mohs.db"
REPORTS = Path("mohs-report")
AsJson = Annotated[bool, typer.Option("--json", help="Print data as JSON.")]
StoreUrl = Annotated[str, typer.Option("--store", help="Database of results: sqlite:///PATH or a PostgreSQL URL.")]
Png = Annotated[bool, typer.Option("--png", help="Also write every figure as PNG (needs Chromium).")]

EXIT_FAILED_CELLS, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> None:
    """The entry point: an error of ours is one sentence and exit code 2."""
    try:
        code = app(args=None if arguments is None else list(arguments), standalone_mode=False)
    except MohsError as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"{error.filename or 'a file'} cannot be used: {error.strerror or error}.")
    except KeyboardInterrupt:
        print("mohs: stopped", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)
    except Exception as error:
        # typer's own errors (an unknown option, a missing argument) know how to show themselves.
        if not hasattr(error, "format_message"):
            raise
        _fail(str(error.format_message()))
    else:
        sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> None:
    print(f"mohs: {message}", file=sys.stderr)
    sys.exit(EXIT_USAGE)


@app.callback(invoke_without_command=True)
def mohs(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Measures what makes a reinforcement-learning task hard and where an agent breaks."""
    if version:
        from mohs import __version__

        print(__version__)
    elif context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def envs(as_json: AsJson = False) -> None:
    """List the environments and their parameters."""
    from mohs.core.registry import environments
    from mohs.core.values import to_json

    rows = [
        {
            "id": e.id,
            "gymnasium": e.gym_id,
            "title": e.title,
            "table": e.table is not None,
            "parameters": {
                name: {"allowed": p.domain.describe(), "default": to_json(p.default), "text": p.text}
                for name, p in e.parameters.items()
            },
        }
        for e in environments()
    ]
    if as_json:
        _print_json(rows)
        return
    for e in environments():
        show_table(
            f"{e.id}  ({e.gym_id}): {e.title}",
            ("parameter", "default", "allowed", ""),
            [(name, str(p.default), p.domain.describe(), p.text) for name, p in e.parameters.items()],
        )


@app.command()
def dials(as_json: AsJson = False) -> None:
    """List the dials of hardness: domain, off-value, what each touches, where it applies."""
    from mohs.core.dials import DIALS

    if as_json:
        _print_json([dial.to_json() for dial in DIALS.values()])
        return
    arrows = {"up": "↑", "down": "↓", "both": "↕", "none": "–"}
    show_table(
        "Dials of hardness",
        ("dial", "domain", "vanilla", "off", "harder", "touches", "applies to", ""),
        [
            (
                d.name,
                d.domain.describe(),
                str(d.vanilla),
                str(d.off),
                arrows[d.harder],
                " ".join(d.touches),
                ", ".join(d.applies),
                d.text,
            )
            for d in DIALS.values()
        ],
    )


@app.command()
def card(
    target: Annotated[
        list[str],
        typer.Argument(help="An id with name=value words, a Gymnasium id, or the path of an npz file; or several."),
    ],
    horizon: Annotated[int | None, typer.Option(help="Steps of an episode.")] = None,
    gamma: Annotated[float | None, typer.Option(help="Discount of the learner; returns are judged without.")] = None,
    sticky: Annotated[float | None, typer.Option(help="Also with sticky actions of this probability.")] = None,
    explore: Annotated[int, typer.Option(help="List up to so many states of a Gymnasium environment.")] = 0,
    runs: Annotated[int, typer.Option(help="Runs of GORP for each probe.")] = 100,
    budget: Annotated[int, typer.Option(help="Most steps that a run of GORP may be charged.")] = 10_000_000,
    seed: Annotated[int, typer.Option(help="Seed of GORP and of rollouts.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Directory of the HTML card.")] = None,
    png: Png = False,
    as_json: AsJson = False,
) -> None:
    """Tell how hard a task is and why, before any training: exact where it is finite."""
    from mohs.protocols.card import card as find_card
    from mohs.protocols.targets import read_targets, resolve
    from mohs.report.cards import write_cards

    targets = [resolve(name, params, explore=explore) for name, params in read_targets(target)]
    directory = out or REPORTS / _slug("-".join(["card", *(found.name.removesuffix(".npz") for found in targets)]))
    _check_directory(directory)
    _announce_compilation()
    with stages() as say:
        cards = [
            find_card(
                found, horizon=horizon, gamma=gamma, sticky=sticky, runs=runs, budget=budget, play_seed=seed, say=say
            )
            for found in targets
        ]
    path = write_cards(cards, directory, png=png)
    if as_json:
        found = [made.to_json() for made in cards]
        _print_json(found[0] if len(found) == 1 else found)
    else:
        show_cards(cards, path)


@app.command()
def diagnose(
    agent: Annotated[
        str,
        typer.Argument(help="q_learning, double_q_learning, sarsa, random, gorp, sqirl, optimal, or file.py:function."),
    ],
    battery: Annotated[str, typer.Option(help="quick, standard or full.")] = "quick",
    dials: Annotated[str | None, typer.Option(help="Only these dials, comma-separated.")] = None,
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
        find_agent(agent, **_hyperparameters(hyperparameters or [])),
        battery,
        None if dials is None else [name.strip() for name in dials.split(",") if name.strip()],
        None if pairs is None else _pairs(pairs),
        seeds,
        budget,
    )
    if workers is not None:
        Integer(0).parse("workers", workers)
    directory = out or REPORTS / _slug(str(study.agent))
    planned = plan(study)
    _announce_compilation()
    with open_store(store) as opened:
        _check_directory(directory)
        summary = execute(planned, opened, workers=workers)
        if summary.interrupted:
            print(
                f"mohs: stopped with {summary.done} of {summary.cells} cells done; the same command goes on from here.",
                file=sys.stderr,
            )
            return EXIT_INTERRUPTED
        found = _verdict(opened, planned.key)
        failed = _failures(opened, planned.key, summary)
    path = _write(found, directory, png)
    if as_json:
        _print_json({**found.to_json(), "report": str(path)})
    else:
        show_verdict(found, path)
    return EXIT_FAILED_CELLS if failed else 0


@app.command()
def status(store: StoreUrl = DEFAULT_STORE, as_json: AsJson = False) -> None:
    """Show the studies of a store: cells done, pending and failed."""
    from mohs.runs.status import status as find_status
    from mohs.runs.store import open_store

    with open_store(store, create=False) as opened:
        found, name = find_status(opened), opened.name
    if as_json:
        _print_json([s.to_json() for s in found])
        return
    columns = ("study", "protocol", "agent", "cells", "done", "pending", "failed")
    rows = [
        (s.study.key[:8], s.study.protocol, s.study.name, *map(str, (s.cells, s.done, s.pending, s.failed)))
        for s in found
    ]
    show_table(f"Studies in {name}", columns, rows)
    for s in found:
        for reason in dict.fromkeys(failure.reason for failure in s.failures):
            print(f"failed: {s.study.name}: {reason}", file=sys.stderr)


@app.command()
def report(
    study: Annotated[str | None, typer.Argument(help="An agent, or a study key; the newest study by default.")] = None,
    out: Annotated[Path | None, typer.Option(help="Directory of the report.")] = None,
    store: StoreUrl = DEFAULT_STORE,
    png: Png = False,
    as_json: AsJson = False,
) -> None:
    """Write the report of a study from what the store holds, finished or not."""
    from mohs.runs.store import open_store

    with open_store(store, create=False) as opened:
        found = _verdict(opened, _find_study(opened, study))
    path = _write(found, out or REPORTS / _slug(str(found.study.agent)), png)
    if as_json:
        _print_json({**found.to_json(), "report": str(path)})
    else:
        show_verdict(found, path)


@app.command()
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
    from mohs.report.html import write_comparison
    from mohs.runs.store import open_store

    with open_store(store, create=False) as opened:
        comparison = find_comparison(*(_verdict(opened, _find_study(opened, name)) for name in (a, b)))
    path = write_comparison(comparison, out, png=png)
    if as_json:
        _print_json({**comparison.to_json(), "report": str(path)})
    else:
        show_comparison(comparison, path)


@app.command()
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
            _print_json([row._asdict() for row in rows(opened)])


def _verdict(store: Store, key: str) -> Verdict:
    from mohs.protocols.diagnose import Study, verdict

    planned = store.plan(key)
    return verdict(Study.from_json(planned.options), dict(store.results(cell.key for cell in planned.cells)))


def _find_study(store: Store, name: str | None) -> str:
    """The key of the newest study of an agent, of the one with this key, or of the newest of all."""
    from mohs.runs.status import find

    if name is not None:
        return find(store, name).key
    studies = store.studies()
    if not studies:
        raise UsageError(f"{store.name} holds no study yet.")
    return studies[-1].key


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


def _write(found: Verdict, directory: Path, png: bool) -> Path:
    from mohs.report.html import write_report

    return write_report(found, directory, png=png)


def _hyperparameters(words: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"--set is {word!r}, but must be name=value.")
        try:
            found[name] = json.loads(value)
        except json.JSONDecodeError:
            found[name] = value
    return found


def _pairs(text: str) -> list[tuple[str, str]]:
    pairs = []
    for word in text.split(","):
        a, colon, b = word.strip().partition(":")
        if not colon or not a or not b:
            raise UsageError(f"--pairs is {word!r}, but must be two dials as a:b.")
        pairs.append((a, b))
    return pairs


def _announce_compilation() -> None:
    from mohs.core.kernel import cache_directory

    if not any(cache_directory().iterdir()):
        print("mohs: compiling kernels for the first time; later runs start at once", file=sys.stderr)


def _check_directory(path: Path) -> None:
    """Before any long work: can the report be written there? Nothing is made yet."""
    there = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not there.is_dir():
        raise UsageError(f"the report cannot be written to {str(path)!r}: {str(there)!r} is not a directory.")
    if not os.access(there, os.W_OK):
        raise UsageError(f"the report cannot be written to {str(path)!r}: permission denied.")


def _slug(text: str) -> str:
    return "".join(c if c.isalnum() or c in "_-" else "-" for c in text).strip("-")


def _print_json(data: Json | Any) -> None:
    from mohs.report.data import json_text

    print(json_text(data, indent=1))
