"""What can be typed after `mohs diagnose`, and what can be passed to `mohs.diagnose`?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import typer

from mohs.core.arguments import checked
from mohs.protocols import words
from mohs.protocols.options import AGENT_HELP, HyperparameterFile, Hyperparameters
from mohs.runs.execution import ExecutionOptions

if TYPE_CHECKING:
    from mohs.core.cell import Agent
    from mohs.core.task import Task
    from mohs.protocols.diagnose.study import DiagnosisStudy
    from mohs.protocols.diagnose.verdict import Diagnosis


def ask(
    agent: Annotated[str, typer.Argument(help=AGENT_HELP)],
    env: Annotated[
        str,
        typer.Option(help="toy/discrete, toy/continuous, toy/grid, any Gymnasium id, or file.py:make_env."),
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
) -> DiagnosisStudy:
    """Find out which dial of hardness breaks an agent, at which dose. The same command resumes it."""
    from mohs.agents.registry import agent as find_agent
    from mohs.protocols.diagnose.study import DiagnosisStudy

    return DiagnosisStudy.make(
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


@checked
def diagnose(
    agent: str | Agent,
    env: str | Task | Any = "toy/discrete",
    *,
    hyperparameters: Mapping[str, Any] | None = None,
    params: Mapping[str, Any] | None = None,
    battery: str = "quick",
    dials: Sequence[str] | None = None,
    doses: Mapping[str, Sequence[Any]] | None = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    seeds: int | None = None,
    budget: int | None = None,
    keep_going: bool = False,
    **execution: Unpack[ExecutionOptions],
) -> Diagnosis:
    """Finds out which dial of hardness breaks an agent, at which dose: `mohs diagnose` in Python.

    Runs that the store holds are not run again, so the same call resumes an interrupted one.

    Args:
        agent: name of an agent (`mohs agents` lists them), `sb3:NAME`, `file.py:function`, or an `Agent`.
        env: an environment id, a `Task`, or a Gymnasium environment class or factory. The seed of a task is ignored:
            every run has its own.
        hyperparameters: of the agent, by name.
        params: parameters of the vanilla task, by name.
        battery: "quick", "standard" or "full".
        dials: only these dials.
        doses: doses of a dial, in place of the battery's.
        pairs: pairs of dials that are turned together.
        seeds: seeds for each dose.
        budget: environment steps of each run.
        keep_going: go on where vanilla is not learnt. By default the diagnosis ends there, and the verdict says so in
            `stopped`.
        **execution: `store`, `workers`, `pack_size`, `device`, `progress`, `label` (see `Execution`).

    Returns:
        The verdict.

    Raises:
        UsageError: the study cannot be run.
        MohsError: every run failed. Where some failed, a warning gives the reasons.

    Example:
        >>> import mohs, tempfile
        >>> verdict = mohs.diagnose(
        ...     "q_learning", dials=["delay"], seeds=3, budget=5000, workers=0, progress="silent",
        ...     store=f"sqlite:///{tempfile.mkdtemp()}/results.db",
        ... )
        >>> [dial.name for dial in verdict.dials]
        ['delay']
    """
    from mohs.agents.registry import as_agent
    from mohs.core.task import Task
    from mohs.protocols.conduct import run
    from mohs.protocols.diagnose.study import DiagnosisStudy

    if not isinstance(env, str):
        env = env if isinstance(env, Task) else Task.make(env)
    name, own = (env.env, dict(env.params)) if isinstance(env, Task) else (env, {})
    made = as_agent(agent, hyperparameters)
    params = {**own, **(params or {})}
    study = DiagnosisStudy.make(made, battery, words.listed(dials), pairs, seeds, budget, name, params, doses)
    found: Diagnosis = run(study, keep_going=keep_going, **execution)
    return found
