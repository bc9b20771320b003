"""How does a user diagnose from Python? One call, from the agent's name to the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mohs.core.cell import Agent
from mohs.core.task import Task
from mohs.protocols.diagnose import Study, Verdict, plan, verdict
from mohs.runs.execute import execute
from mohs.runs.learners import agent as find_agent
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
) -> Verdict:
    """What `mohs diagnose` finds: which dial breaks the agent, at which dose.

    The arguments are those of the command. A `Task` in place of an id gives its parameters too; its seed does not
    count, since every run has one of its own. Runs that the store holds are not run again, so a call after a break
    goes on.
    """
    name, own = (env.env, dict(env.params)) if isinstance(env, Task) else (env, {})
    made = find_agent(agent, **(hyperparameters or {})) if isinstance(agent, str) else agent
    study = Study.make(made, battery, dials, pairs, seeds, budget, name, {**own, **(params or {})}, doses)
    planned = plan(study)
    with open_store(store) as opened:
        summary = execute(planned, opened, workers=workers, pack_size=pack_size, device=device, progress=progress)
        if summary.interrupted:
            raise KeyboardInterrupt
        return verdict(study, dict(opened.results(cell.key for cell in planned.cells)))
