"""What can be typed after `mohs challenge run`, and what can be passed to `mohs.challenge`?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import typer

from mohs.core.arguments import checked
from mohs.protocols import words
from mohs.protocols.options import HyperparameterFile, Hyperparameters
from mohs.protocols.protocol import Request
from mohs.runs.execution import ExecutionOptions

if TYPE_CHECKING:
    from mohs.protocols.challenge.study import ChallengeStudy
    from mohs.protocols.challenge.verdict import ChallengeVerdict


def ask(
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
    sticky: Annotated[float, typer.Option(help="Probability that the previous action is repeated.")] = 0.0,
    episodes: Annotated[int | None, typer.Option(help="Episodes of an evaluation: 1; with sticky actions 100.")] = None,
    hyperparameters: Hyperparameters = None,
    hyperparameter_file: HyperparameterFile = None,
) -> Request:
    """Find out which MDPs of the challenge agents solve, in the paper's settings. The same command resumes it.

    Hyperparameters are set in all settings of all agents.
    """
    from mohs.protocols.challenge.study import ChallengeStudy

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
        hyperparameters=words.hyperparameters(hyperparameter_file, hyperparameters),
    )
    return Request(study, note=_tries(study))


@checked
def challenge(
    agents: str | Sequence[str],
    *,
    edition: str = "full",
    mdps: Sequence[str] | None = None,
    settings: Sequence[str] | None = None,
    budget: int | None = None,
    seeds: int | None = None,
    every: int | None = None,
    sticky: float = 0.0,
    episodes: int | None = None,
    hyperparameters: Mapping[str, Any] | None = None,
    **execution: Unpack[ExecutionOptions],
) -> ChallengeVerdict:
    """Finds out which MDPs of the challenge agents solve: `mohs challenge run` in Python.

    Args:
        agents: one agent or several, by name.
        edition: "full" (all MDPs, 10 million steps) or "quick" (ten with controls, 300 thousand).
        mdps: only these MDPs.
        settings: only these settings of the agents.
        budget: environment steps of each run.
        seeds: seeds for each setting.
        every: steps between evaluations.
        sticky: probability that the previous action is repeated.
        episodes: episodes of an evaluation.
        hyperparameters: set in all settings of all agents, by name.
        **execution: `store`, `workers`, `pack_size`, `device`, `progress`, `label` (see `Execution`).

    Returns:
        What was solved, after how many steps, beside GORP and random guessing.

    Raises:
        UsageError: the study cannot be run.
        MohsError: every run failed. Where some failed, a warning gives the reasons.

    Example:
        >>> import mohs, tempfile
        >>> verdict = mohs.challenge(
        ...     "q_learning", mdps=["hanoi-3"], settings=["fast"], budget=20_000, seeds=1, workers=0, progress="silent",
        ...     store=f"sqlite:///{tempfile.mkdtemp()}/results.db",
        ... )
        >>> verdict.agents[0].outcomes[0].solved
        True
    """
    from mohs.protocols.challenge.study import ChallengeStudy
    from mohs.protocols.conduct import run

    study = ChallengeStudy.make(
        [agents] if isinstance(agents, str) else agents,
        edition=edition,
        mdps=mdps,
        settings=settings,
        budget=budget,
        seeds=seeds,
        every=every,
        sticky=sticky,
        episodes=episodes,
        hyperparameters=hyperparameters,
    )
    found: ChallengeVerdict = run(study, **execution)
    return found


def _tries(study: ChallengeStudy) -> str:
    """10 MDPs × (ppo: 128, 1280; dqn: fast, slow) × 3 seeds, 300,000 steps each."""
    settings = "; ".join(f"{agent.name}: {', '.join(s.name for s in agent.settings)}" for agent in study.agents)
    mdps, seeds = len(study.mdps), study.seeds
    sticky = f", sticky actions {study.sticky:g}" if study.sticky else ""
    tries = f"{mdps} MDP{'s' * (mdps > 1)} × ({settings}) × {seeds} seed{'s' * (seeds > 1)}"
    return f"{tries}, {study.budget:,} steps each{sticky}"
