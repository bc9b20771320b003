"""What can be typed after `mohs family`, and what can be passed to `mohs.family`?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import typer

from mohs.core.arguments import checked
from mohs.protocols import words
from mohs.protocols.options import (
    AGENT_HELP,
    AsJson,
    HyperparameterFile,
    Hyperparameters,
    Out,
    Paper,
    Png,
    SingleFile,
)  # fmt: skip
from mohs.protocols.protocol import Request
from mohs.runs.execution import ExecutionOptions

if TYPE_CHECKING:
    from mohs.core.cell import Agent
    from mohs.core.family import Family
    from mohs.protocols.family.study import FamilyStudy
    from mohs.protocols.family.verdict import FamilyVerdict


def ask(
    methods: Annotated[
        list[str] | None, typer.Argument(help=f"Methods to rank; an edition has its own. {AGENT_HELP}")
    ] = None,
    family: Annotated[
        str | None, typer.Option(help="A family that comes with mohs (mohs families lists them), or a file of points.")
    ] = None,
    edition: Annotated[
        str | None, typer.Option(help="Run what the family's file calls so: quick takes minutes, paper takes hours.")
    ] = None,
    env: Annotated[
        str | None,
        typer.Option(help="Make a family of this environment, with --vary; or the environment of a file of points."),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(help="A parameter that varies: m=1,2,4 (values) or m=0.4:4 (a range); may be repeated."),
    ] = None,
    params: Annotated[
        list[str] | None, typer.Option("--param", help="A parameter of all points, name=value; may be repeated.")
    ] = None,
    weights: Annotated[Path | None, typer.Option(help="A CSV file with the columns name and weight.")] = None,
    budget: Annotated[
        int | None,
        typer.Option(help="Trained models of each method: points × seeds. 64 points by default, or all of fewer."),
    ] = None,
    design: Annotated[
        str | None,
        typer.Option(help="How points are chosen: pivotal, assisted, census, cluster, systematic, m1, m2, m3 ..."),
    ] = None,
    seeds: Annotated[int | None, typer.Option(help="Models of each method at each point; 1 by default.")] = None,
    steps: Annotated[int | None, typer.Option(help="Environment steps of each model; 50,000 by default.")] = None,
    episodes: Annotated[int, typer.Option(help="Episodes of the evaluation at the end of training.")] = 20,
    looks: Annotated[
        int, typer.Option(help="After how many shares of the budget to stop if the ranking is decided; 1 runs all.")
    ] = 1,
    draw: Annotated[int, typer.Option(help="Seed of the sample of points.")] = 0,
    evaluate: Annotated[
        list[str] | None,
        typer.Option(help="A parameter of the evaluated task only, such as reward=upright_time; may be repeated."),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="The agent whose score is 1 at each point, where the optimum is not known.")
    ] = None,
    failure: Annotated[
        float | None, typer.Option(help="The normalised score below which a method fails at a point; 0.2 by default.")
    ] = None,
    width: Annotated[
        float | None,
        typer.Option(help="Half-width of intervals to plan a budget for (0.05: ±0.05); half of the present."),
    ] = None,
    default_seeds: Annotated[
        int, typer.Option(help="Models of each method at the default point, beside the budget.")
    ] = 5,
    hyperparameters: Hyperparameters = None,
    hyperparameter_file: HyperparameterFile = None,
) -> Request:
    """Rank methods over a family of tasks, and find out how misleading its default point is.

    The same command resumes it. Hyperparameters are set in all methods that have them.
    """
    from mohs.protocols.family.asked import make_study

    study = make_study(
        methods or [],
        family=family,
        edition=edition,
        env=env,
        vary=vary or (),
        params=words.settings("--param", params or []),
        weights=weights,
        hyperparameters=words.hyperparameters(hyperparameter_file, hyperparameters),
        baseline=baseline,
        budget=budget,
        design=design,
        seeds=seeds,
        steps=steps,
        episodes=episodes,
        looks=looks,
        draw=draw,
        evaluation=words.settings("--evaluate", evaluate or []),
        failure=failure,
        width=width,
        default_seeds=default_seeds,
    )
    return Request(study, note=_note(study))


@checked
def family(
    methods: str | Agent | Sequence[str | Agent] = (),
    family: str | Family | None = None,
    *,
    edition: str | None = None,
    env: str | Any | None = None,
    vary: Mapping[str, Any] | Sequence[str] = (),
    params: Mapping[str, Any] | None = None,
    weights: Path | str | Sequence[float] | None = None,
    budget: int | None = None,
    design: str | None = None,
    seeds: int | None = None,
    steps: int | None = None,
    episodes: int = 20,
    looks: int = 1,
    draw: int = 0,
    evaluation: Mapping[str, Any] | None = None,
    baseline: str | Agent | None = None,
    failure: float | None = None,
    width: float | None = None,
    default_seeds: int = 5,
    hyperparameters: Mapping[str, Any] | None = None,
    keep_going: bool = False,
    **execution: Unpack[ExecutionOptions],
) -> FamilyVerdict:
    """Ranks methods over a weighted family of tasks: `mohs family` in Python.

    Runs that the store holds are not run again, so the same call resumes an interrupted one, and a larger budget keeps
    the runs of a smaller one.

    Args:
        methods: agents by name, or as `Agent`s.
        family: a `Family`, the name of one that comes with mohs, or a file of points.
        edition: `quick` or `paper`: what is run of a named family, where it is not said otherwise.
        env: an environment, to make a family of it with `vary`; or that of the points in a file.
        vary: what varies: lists of values, or ranges as (low, high); or words as on the command line.
        params: parameters of all points.
        weights: one for each point, or a CSV file with the columns name and weight.
        budget: trained models of each method, points × seeds.
        design: how points are chosen; `pivotal` by default, or `census` for all.
        seeds: models of each method at each point; 1 by default.
        steps: environment steps of each model.
        episodes: of the evaluation at the end of training.
        looks: after how many shares of the budget to stop where the ranking is decided.
        draw: seed of the sample of points.
        evaluation: parameters of the evaluated task that differ from the trained one.
        baseline: the agent whose score is 1 at each point, where the optimum is not known.
        failure: the normalised score below which a method fails at a point; 0.2 by default.
        width: the half-width of intervals for which the verdict plans a budget; half of the present one by default.
        default_seeds: models of each method at the default point, beside the budget.
        hyperparameters: set in all methods that have them.
        keep_going: run all of the budget, also where a look decides the ranking.
        **execution: `store`, `workers`, `pack_size`, `device`, `progress`, `label` (see `Execution`).

    Returns:
        The ranking with intervals, and how the default point differs from it.

    Raises:
        UsageError: the study cannot be run.
        MohsError: every run failed. Where some failed, a warning gives the reasons.

    Example:
        >>> import mohs, tempfile
        >>> verdict = mohs.family(
        ...     ["random", "cem"], env="control/cartpole", vary={"length": [0.25, 0.5, 1.0]}, steps=2000, episodes=5,
        ...     workers=0, progress="silent", store=f"sqlite:///{tempfile.mkdtemp()}/results.db",
        ... )
        >>> verdict.order[0]
        'cem'
    """
    from mohs.protocols.conduct import run
    from mohs.protocols.family.asked import make_study

    study = make_study(
        methods if isinstance(methods, Sequence) and not isinstance(methods, str) else [methods],
        family=family,
        edition=edition,
        env=env,
        vary=vary,
        params=params or {},
        weights=weights,
        hyperparameters=hyperparameters or {},
        baseline=baseline,
        budget=budget,
        design=design,
        seeds=seeds,
        steps=steps,
        episodes=episodes,
        looks=looks,
        draw=draw,
        evaluation=evaluation,
        failure=failure,
        width=width,
        default_seeds=default_seeds,
    )
    found: FamilyVerdict = run(study, keep_going=keep_going, **execution)
    return found


def table_command(
    names: Annotated[
        list[str], typer.Argument(help="Tables that come with mohs, or Parquet files of studies; several are ranked.")
    ],
    out: Out = None,
    png: Png = False,
    paper: Paper = None,
    single_file: SingleFile = False,
    as_json: AsJson = False,
) -> None:
    """Report on the trained models of a family from a table, or on ranks over several. Trains nothing."""
    from mohs.protocols.family.ranks import family_ranks
    from mohs.protocols.family.tables import read_table
    from mohs.protocols.output import Output, deliver

    stems = " ".join(Path(name).stem for name in names)
    output = Output.of(out, f"family {stems}", png, as_json, paper, single_file)
    output.check()
    found = [read_table(name) for name in names]
    deliver(found[0] if len(found) == 1 else family_ranks(found), output)


def _note(study: FamilyStudy) -> str:
    """2 methods × 60 of 1,024 points × 1 seed, 50,000 steps each; the default point with 5 seeds besides."""
    from mohs.report.methods import counted

    methods, seeds = counted(len(study.methods), "method"), counted(study.seeds, "seed")
    points = f"{len(study.points):,} of {len(study.members):,} points"
    default = "" if study.default is None else f"; the default point with {len(study.default_names) * study.seeds} runs"
    found = "".join(f"\nmohs: {note}" for note in study.notes)
    return f"{methods} × {points} × {seeds}, {study.steps:,} steps each{default}{found}"
