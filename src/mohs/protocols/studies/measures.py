"""What is measured of a run in a study? Returns and lengths in training and in evaluations, raw and normalised."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mohs.agents.protocol import Points
from mohs.core.cell import Cell
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.protocols.measures import Measure
from mohs.protocols.scales import by_references, has_references
from mohs.stats import auc, final, paper_scale

_WHILE = "mean over the evaluations during training"
_BETWEEN = "0 = random policy, 1 = optimum."
MEASURES: Mapping[str, Measure] = {
    m.name: m
    for m in (
        Measure("auc", "AUC", "Mean training return over the whole run, in units of reward."),
        Measure(
            "paper", "AUC, paper's scaling",
            "Mean training return × 100 / (100 − delay) × sequence length, as in section 6.1.2 of MDP Playground.",
        ),
        Measure("final", "final return", "Mean training return over the last tenth of the run."),
        Measure("length", "episode length", "Mean length of training episodes over the whole run, in steps."),
        Measure("eval", "evaluation", f"Return of the greedy policy on its own task, {_WHILE}."),
        Measure("eval_length", "evaluation length", f"Length of the greedy policy's episodes, {_WHILE}."),
        Measure(
            "noise_free", "noise-free evaluation",
            f"Return of the greedy policy on the task without noise (section 6.2.4), {_WHILE}.",
        ),
        Measure("noise_free_length", "noise-free length", f"Length of the episodes without noise, {_WHILE}."),
        Measure("normalised", "normalised AUC", f"AUC between the references of the run's own task: {_BETWEEN}"),
        Measure("normalised_final", "normalised final return", f"The final return between the references: {_BETWEEN}"),
        Measure("normalised_eval", "normalised evaluation", f"The evaluation between the references: {_BETWEEN}"),
        Measure(
            "normalised_noise_free", "normalised noise-free evaluation",
            f"The noise-free evaluation between the references: {_BETWEEN}",
        ),
    )
}  # fmt: skip


def measures(env: str, noise_free: bool) -> tuple[str, ...]:
    """The measures of an environment's runs."""
    left_out = set() if env == "toy/discrete" else {"paper"}
    left_out |= set() if has_references(env) else {name for name in MEASURES if name.startswith("normalised")}
    left_out |= set() if noise_free else {name for name in MEASURES if "noise_free" in name}
    return tuple(name for name in MEASURES if name not in left_out)


def usual_figures(env: str, noise_free: bool) -> tuple[str, ...]:
    """What is drawn where a file does not say."""
    returns = "paper" if env == "toy/discrete" else "auc"
    return (returns, "noise_free") if noise_free else (returns,)


def measure(cell: Cell, curves: Points) -> dict[str, float]:
    """Every measure of a finished run; NaN where the task has nothing to normalise by."""
    task = cell.segments[0].source
    if not isinstance(task, Task):
        raise UsageError("a study measures runs on single tasks, not on sets of tasks.")
    noise_free = "noise_free/return" in curves
    trained, lengths = curves["train/return"][1], curves["train/length"][1]
    probes = ("eval", "noise_free") if noise_free else ("eval",)
    values = {"auc": float(auc(trained)), "final": float(final(trained)), "length": float(auc(lengths))}
    values |= {name: float(np.mean(curves[f"{name}/return"][1])) for name in probes}
    values |= {f"{name}_length": float(np.mean(curves[f"{name}/length"][1])) for name in probes}
    wanted = measures(task.env, noise_free)
    if "paper" in wanted:
        values["paper"] = values["auc"] * paper_scale(task["delay"], task["sequence_length"], task["max_episode_steps"])
    if "normalised" in wanted:
        sources = ("auc", "final", *probes)
        normal = by_references(task, np.array([values[name] for name in sources]))
        names = ("normalised", *(f"normalised_{name}" for name in sources[1:]))
        values |= dict(zip(names, normal.tolist(), strict=True))
    return {name: values[name] for name in wanted}
