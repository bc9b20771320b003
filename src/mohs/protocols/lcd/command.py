"""What can be typed after `mohs lcd`, and what can be passed to `mohs.lcd`?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import typer

from mohs.core.arguments import checked
from mohs.core.cell import Mode
from mohs.protocols import words
from mohs.protocols.lcd.study import EPISODES, EVALUATIONS, FLOOR, SEEDS, STEPS
from mohs.protocols.options import AGENT_HELP, HyperparameterFile, Hyperparameters
from mohs.protocols.protocol import Request
from mohs.runs.execution import ExecutionOptions

if TYPE_CHECKING:
    from mohs.core.cell import Agent
    from mohs.core.task import Task
    from mohs.protocols.lcd.study import LcdStudy
    from mohs.protocols.lcd.verdict import LcdVerdict


def ask(
    agents: Annotated[
        list[str] | None, typer.Argument(help=f"Agents to compare; an edition has its own. {AGENT_HELP}")
    ] = None,
    games: Annotated[
        list[str] | None,
        typer.Option(
            "--game",
            "--games",
            help="A game with views: arcade/maze, procgen:bigfish,leaper, arcade for all; may be repeated.",
        ),
    ] = None,
    edition: Annotated[
        str | None, typer.Option(help="A study that comes with mohs: arcade, procgen (reduced), paper (200M steps).")
    ] = None,
    params: Annotated[
        list[str] | None, typer.Option("--param", help="A parameter of all games, name=value; may be repeated.")
    ] = None,
    levels: Annotated[int | None, typer.Option(help="Training levels; 500 by default.")] = None,
    steps: Annotated[int | None, typer.Option(help=f"Environment steps of each run; {STEPS:,} by default.")] = None,
    seeds: Annotated[
        int | None, typer.Option(help=f"Runs of each agent under each condition; {SEEDS} by default.")
    ] = None,
    probabilities: Annotated[
        str | None, typer.Option(help="Reward probabilities, comma-separated; 1,.75,.5,.25 by default.")
    ] = None,
    remedies: Annotated[
        list[str] | None,
        typer.Option(
            "--remedy", help="What may help: shaping, motion (a front-end that learns objects from motion), generic."
        ),
    ] = None,
    figure_ground: Annotated[
        bool, typer.Option("--figure-ground/--no-figure-ground", help="Run figure and ground as a third view.")
    ] = True,
    controls: Annotated[
        bool | None, typer.Option("--controls/--no-controls", help="Run conditions that should make no difference.")
    ] = None,
    evaluations: Annotated[
        int | None, typer.Option(help=f"Evaluations on held-out levels during training; {EVALUATIONS} by default.")
    ] = None,
    episodes: Annotated[int | None, typer.Option(help=f"Episodes of an evaluation; {EPISODES} by default.")] = None,
    mode: Annotated[str, typer.Option(help="Policy of evaluations: sample as in training, or greedy.")] = "sample",
    best: Annotated[
        list[str] | None,
        typer.Option(help="The largest return of a game that does not state it, GAME=NUMBER; may be repeated."),
    ] = None,
    floor: Annotated[
        float | None,
        typer.Option(help=f"Share of the range that must be reached before a loss is judged; {FLOOR} by default."),
    ] = None,
    hyperparameters: Hyperparameters = None,
    hyperparameter_file: HyperparameterFile = None,
) -> Request:
    """Find out whether games are hard to see or hard to learn, and what helps.

    Agents with a preset `arcade` (a small encoder) take it unless --set preset=NAME says otherwise.
    """
    from mohs.protocols.lcd.asked import make_study

    study = make_study(
        edition,
        agents=agents,
        games=games,
        params=words.settings("--param", params or []),
        levels=levels,
        hyperparameters=words.hyperparameters(hyperparameter_file, hyperparameters),
        steps=steps,
        seeds=seeds,
        probabilities=None if probabilities is None else _numbers(probabilities),
        remedies=[name for word in remedies or [] for name in words.names(word)],
        figure_ground=figure_ground,
        controls=controls,
        evaluations=evaluations,
        episodes=episodes,
        mode=mode,
        best=words.settings("--best", best or []),
        floor=floor,
    )
    return Request(study, note=_note(study))


@checked
def lcd(
    agents: str | Agent | Sequence[str | Agent] | None = None,
    games: str | Task | Sequence[str | Task] | None = None,
    *,
    edition: str | None = None,
    params: Mapping[str, Any] | None = None,
    levels: int | None = None,
    steps: int | None = None,
    seeds: int | None = None,
    probabilities: Sequence[float] | None = None,
    remedies: Sequence[str] = (),
    figure_ground: bool = True,
    controls: bool | None = None,
    evaluations: int | None = None,
    episodes: int | None = None,
    mode: Mode = "sample",
    best: Mapping[str, float] | None = None,
    floor: float | None = None,
    hyperparameters: Mapping[str, Any] | None = None,
    keep_going: bool = False,
    **execution: Unpack[ExecutionOptions],
) -> LcdVerdict:
    """Finds out whether games are hard to see or hard to learn: `mohs lcd` in Python.

    Args:
        agents: agents by name, or as `Agent`s.
        games: games by name, as on the command line, or as `Task`s.
        edition: a study that comes with mohs: "arcade", "procgen" or "paper". What is given overrides it.
        params: parameters of all games that are given by name.
        levels: training levels, where a game has levels to choose from; 500 by default.
        steps: environment steps of each run; 100,000 by default.
        seeds: runs of each agent under each condition; 5 by default.
        probabilities: of a reward being paid; 1, .75, .5 and .25 by default.
        remedies: what may help: "shaping", "motion", "generic".
        figure_ground: whether figure and ground is run as a third view.
        controls: whether conditions are run that should make no difference.
        evaluations: on held-out levels during training; 10 by default.
        episodes: of an evaluation; 16 by default.
        mode: policy of evaluations, "sample" or "greedy".
        best: the largest return per episode, of games that do not state it.
        floor: the share of the range that must be reached before a loss is judged; 0.05 by default.
        hyperparameters: set in all agents that have them; `AGENT.NAME` sets one of one agent.
        keep_going: run all, also where nothing is learnt in the semantic view.
        **execution: `store`, `workers`, `pack_size`, `device`, `progress`, `label` (see `Execution`).

    Returns:
        What perception and rarer rewards cost on every game, with intervals.

    Raises:
        UsageError: the study cannot be run.
        MohsError: every run failed. Where some failed, a warning gives the reasons.

    Example:
        >>> import mohs, tempfile
        >>> verdict = mohs.lcd(
        ...     "random", "arcade/collect", seeds=3, steps=400, evaluations=4, episodes=2, workers=0,
        ...     progress="silent", keep_going=True, store=f"sqlite:///{tempfile.mkdtemp()}/results.db",
        ... )
        >>> str(verdict.results[0].challenge)
        'unknown'
    """
    from mohs.protocols.conduct import run
    from mohs.protocols.lcd.asked import make_study

    study = make_study(
        edition,
        agents=_listed(agents),
        games=_listed(games),
        params=params or {},
        levels=levels,
        hyperparameters=hyperparameters or {},
        steps=steps,
        seeds=seeds,
        probabilities=probabilities,
        remedies=remedies,
        figure_ground=figure_ground,
        controls=controls,
        evaluations=evaluations,
        episodes=episodes,
        mode=mode,
        best=best,
        floor=floor,
    )
    found: LcdVerdict = run(study, keep_going=keep_going, **execution)
    return found


def _listed(given: Any) -> list[Any] | None:
    """One, several or none as a list."""
    return None if given is None else list(given) if isinstance(given, list | tuple) else [given]


def _numbers(text: str) -> list[Any]:
    """Numbers with commas between them; .5 is one too."""
    return [words.read_value(f"0{word}" if word.startswith(".") else word) for word in words.names(text)]


def _note(study: LcdStudy) -> str:
    """1 agent × 8 games × 7 to 8 conditions × 5 seeds, 100,000 steps each."""
    counts = sorted({len(study.conditions(task)) for _, task in study.games})
    conditions = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    agents, games = len(study.agents), len(study.games)
    return (
        f"{agents} agent{'s' * (agents > 1)} × {games} game{'s' * (games > 1)} × {conditions} conditions × "
        f"{study.seeds} seeds, {study.steps:,} steps each"
    )
