"""How does a user put an agent to the test from Python? One call, from the agent's name to the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mohs.agents.protocol import Points
from mohs.core.cell import Agent, Mode
from mohs.core.task import Task
from mohs.protocols import diagnose as diagnoses
from mohs.protocols.challenge import study as challenges
from mohs.protocols.challenge.verdict import Verdict as ChallengeVerdict
from mohs.protocols.challenge.verdict import verdict as challenge_verdict
from mohs.protocols.lifelong import study as lives
from mohs.protocols.lifelong.curriculum import Curriculum, read_curriculum
from mohs.protocols.lifelong.verdict import Verdict as LifelongVerdict
from mohs.protocols.lifelong.verdict import verdict as lifelong_verdict
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.learners import agent as find_agent
from mohs.runs.plan import Plan
from mohs.runs.progress import Progress
from mohs.runs.store import open_store


def diagnose(
    agent: str | Agent,
    env: str | Task = "toy/discrete",
    *,
    hyperparameters: Mapping[str, Any] | None = None,
    params: Mapping[str, Any] | None = None,
    battery: str = "quick",
    dials: Sequence[str] | None = None,
    doses: Mapping[str, Sequence[Any]] | None = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    seeds: int | None = None,
    budget: int | None = None,
    store: str = "sqlite:///mohs.db",
    workers: int | None = None,
    pack_size: int | None = None,
    device: str = "cpu",
    progress: str | Progress = "auto",
) -> diagnoses.Verdict:
    """What `mohs diagnose` finds: which dial breaks the agent, at which dose.

    The arguments are those of the command. A `Task` in place of an id gives its parameters too; its seed does not
    count, since every run has one of its own. Runs that the store holds are not run again, so a call after a break
    goes on.
    """
    name, own = (env.env, dict(env.params)) if isinstance(env, Task) else (env, {})
    made = find_agent(agent, **(hyperparameters or {})) if isinstance(agent, str) else agent
    params = {**own, **(params or {})}
    study = diagnoses.Study.make(made, battery, dials, pairs, seeds, budget, name, params, doses)
    results = _run(diagnoses.plan(study), store, workers, pack_size, device, progress)
    return diagnoses.verdict(study, results)


def lifelong(
    agent: str | Agent,
    curriculum: str | Curriculum,
    *,
    hyperparameters: Mapping[str, Any] | None = None,
    methods: Sequence[str] | None = None,
    told: bool = False,
    seeds: int = lives.SEEDS,
    steps: int | None = None,
    episodes: int = lives.EPISODES,
    mode: Mode = "greedy",
    store: str = "sqlite:///mohs.db",
    workers: int | None = None,
    pack_size: int | None = None,
    device: str = "cpu",
    progress: str | Progress = "auto",
) -> LifelongVerdict:
    """What `mohs lifelong` finds: what an agent keeps and carries over. The arguments are those of the command."""
    made = find_agent(agent, **(hyperparameters or {})) if isinstance(agent, str) else agent
    course = read_curriculum(curriculum) if isinstance(curriculum, str) else curriculum
    agents = lives.contenders(made, methods)
    study = lives.LifelongStudy.make(course, agents, seeds=seeds, told=told, steps=steps, episodes=episodes, mode=mode)
    return lifelong_verdict(study, _run(lives.plan(study), store, workers, pack_size, device, progress))


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
    store: str = "sqlite:///mohs.db",
    workers: int | None = None,
    pack_size: int | None = None,
    device: str = "cpu",
    progress: str | Progress = "auto",
) -> ChallengeVerdict:
    """What `mohs challenge run` finds: which MDPs agents solve. The arguments are those of the command."""
    study = challenges.ChallengeStudy.make(
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
    results = _run(challenges.plan(study), store, workers, pack_size, device, progress)
    return challenge_verdict(study, results, challenges.facts(study))


def _run(
    planned: Plan, store: str, workers: int | None, pack_size: int | None, device: str, progress: str | Progress
) -> dict[str, Points]:
    """The results of a plan; those that the store holds are not run again."""
    with open_store(store) as opened:
        summary = execute(planned, opened, Execution(store, workers, pack_size, device, progress))
        if summary.interrupted:
            raise KeyboardInterrupt
        return dict(opened.results(cell.key for cell in planned.cells))
