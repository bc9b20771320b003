"""What can be typed after `mohs lifelong` and `mohs curricula`, and what can be passed to `mohs.lifelong`?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import typer

from mohs.core.arguments import checked
from mohs.core.cell import Mode
from mohs.protocols import words
from mohs.protocols.lifelong.study import EPISODES, SEEDS
from mohs.protocols.options import AGENT_HELP, AsJson, HyperparameterFile, Hyperparameters
from mohs.protocols.protocol import Request
from mohs.runs.execution import ExecutionOptions

if TYPE_CHECKING:
    from mohs.core.cell import Agent
    from mohs.protocols.lifelong.curriculum import Curriculum
    from mohs.protocols.lifelong.verdict import LifelongVerdict


def ask(
    agent: Annotated[str, typer.Argument(help=AGENT_HELP)],
    curriculum: Annotated[
        str, typer.Option(help="A shipped curriculum (mohs curricula lists them), or a TOML, YAML or JSON file.")
    ],
    methods: Annotated[
        str | None,
        typer.Option(
            help="What a deep agent does when another task begins, comma-separated to compare: "
            "finetune, reset, separate, ewc."
        ),
    ] = None,
    task_id: Annotated[bool, typer.Option("--task-id", help="The task id is part of the observation.")] = False,
    seeds: Annotated[int, typer.Option(help="Lifelong runs of each agent.")] = SEEDS,
    steps: Annotated[int | None, typer.Option(help="Steps of every block, in place of the curriculum's.")] = None,
    episodes: Annotated[int, typer.Option(help="Episodes of an evaluation.")] = EPISODES,
    mode: Annotated[str, typer.Option(help="Policy of evaluations: greedy, or sample as in training.")] = "greedy",
    hyperparameters: Hyperparameters = None,
    hyperparameter_file: HyperparameterFile = None,
    logs: Annotated[Path | None, typer.Option(help="Also write logs in the layout of l2logger here.")] = None,
) -> Request:
    """Train an agent on the tasks of a curriculum one after the other: what does it keep, what transfers?"""
    from mohs.agents.registry import agent as find_agent
    from mohs.protocols.lifelong.curriculum import read_curriculum
    from mohs.protocols.lifelong.l2logger import write_logs
    from mohs.protocols.lifelong.study import LifelongStudy, with_methods

    made = find_agent(agent, **words.hyperparameters(hyperparameter_file, hyperparameters))
    study = LifelongStudy.make(
        read_curriculum(curriculum),
        with_methods(made, None if methods is None else words.names(methods)),
        seeds=seeds,
        task_id=task_id,
        steps=steps,
        episodes=episodes,
        mode=mode,  # type: ignore[arg-type]  # checked there
    )
    if logs is None:
        return Request(study)
    return Request(study, (logs,), partial(write_logs, directory=logs))


def curricula(as_json: AsJson = False) -> None:
    """List the curricula that come with mohs; `mohs lifelong AGENT --curriculum NAME` runs one."""
    from mohs.core.data_files import shipped
    from mohs.protocols.lifelong.curriculum import SHIPPED, read_curriculum
    from mohs.report.terminal import print_json, show_table

    found = [read_curriculum(name) for name in shipped(SHIPPED)]
    if as_json:
        print_json([curriculum.to_json() for curriculum in found])
        return
    rows = [
        (c.name, c.title, str(len(c.names)), ", ".join(b.task for b in c.blocks), f"{c.boundaries[-1]:,}")
        for c in found
    ]
    show_table("Curricula", ("curriculum", "title", "tasks", "blocks", "steps"), rows)


@checked
def lifelong(
    agent: str | Agent,
    curriculum: str | Curriculum,
    *,
    hyperparameters: Mapping[str, Any] | None = None,
    methods: Sequence[str] | None = None,
    task_id: bool = False,
    seeds: int = SEEDS,
    steps: int | None = None,
    episodes: int = EPISODES,
    mode: Mode = "greedy",
    **execution: Unpack[ExecutionOptions],
) -> LifelongVerdict:
    """Trains an agent on the tasks of a curriculum one after the other: `mohs lifelong` in Python.

    Args:
        agent: name of an agent, `sb3:NAME`, `file.py:function`, or an `Agent`.
        curriculum: name of a shipped curriculum, path of a file, or a `Curriculum`.
        hyperparameters: of the agent, by name.
        methods: what a deep agent does when another task begins, to compare: "finetune", "reset", "separate", "ewc".
        task_id: whether the task id is part of the observation.
        seeds: lifelong runs of each agent.
        steps: steps of every block, in place of the curriculum's.
        episodes: episodes of an evaluation.
        mode: policy of evaluations, "greedy" or "sample".
        **execution: `store`, `workers`, `pack_size`, `device`, `progress`, `label` (see `Execution`).

    Returns:
        Metrics of forgetting and transfer, with intervals.

    Raises:
        UsageError: the study cannot be run.
        MohsError: every run failed. Where some failed, a warning gives the reasons.

    Example:
        >>> import mohs, tempfile
        >>> verdict = mohs.lifelong(
        ...     "random", "near_goals", seeds=3, steps=200, workers=0, progress="silent",
        ...     store=f"sqlite:///{tempfile.mkdtemp()}/results.db",
        ... )
        >>> "forgetting" in verdict.agents[0].metrics
        True
    """
    from mohs.agents.registry import as_agent
    from mohs.protocols.conduct import run
    from mohs.protocols.lifelong.curriculum import read_curriculum
    from mohs.protocols.lifelong.study import LifelongStudy, with_methods

    made = as_agent(agent, hyperparameters)
    tasks = read_curriculum(curriculum) if isinstance(curriculum, str) else curriculum
    agents = with_methods(made, methods)
    study = LifelongStudy.make(tasks, agents, seeds=seeds, task_id=task_id, steps=steps, episodes=episodes, mode=mode)
    found: LifelongVerdict = run(study, **execution)
    return found
