"""What are the scores of one run? Raw, in the paper's scaling, and normalised by exact references."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from mohs.agents.protocol import Points
from mohs.core.cell import Cell
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.exact.references import return_score
from mohs.stats import auc, final, paper_scale


@dataclass(frozen=True)
class Measure:
    """A score of a run as people read it."""

    name: str
    title: str
    text: str


MEASURES: Mapping[str, Measure] = {
    m.name: m
    for m in (
        Measure(
            "normalised", "normalised AUC",
            "Mean training return over the whole run; 0 = random policy, 1 = exact noise-free optimum.",
        ),
        Measure(
            "paper", "AUC, paper's scaling",
            "Mean training return × 100 / (100 − delay) × sequence length, as in section 6.1.2 of MDP Playground.",
        ),
        Measure("raw", "raw AUC", "Mean training return over the whole run, in units of reward."),
        Measure("final", "final, normalised", "Mean training return over the last tenth of the run, normalised."),
        Measure("eval", "greedy evaluation, normalised", "Return of the learnt greedy policy on its own task."),
        Measure(
            "noise_free", "noise-free evaluation, normalised",
            "Return of the learnt greedy policy on the task with all noise switched off (section 6.2.4).",
        ),
    )
}  # fmt: skip


def measure(cell: Cell, curves: Points) -> dict[str, float]:
    """Every measure of a finished run. Normalised ones are NaN where the task has no exact table or no range."""
    task = cell.segments[0].source
    if not isinstance(task, Task):
        raise UsageError("a diagnosis measures runs on single tasks, not on sets of tasks.")
    training = curves["train/return"][1]
    raw = float(auc(training))
    values = {
        "raw": raw,
        "paper": raw * paper_scale(task["delay"], task["sequence_length"], task["max_episode_steps"]),
    }
    normal = {"normalised": raw, "final": float(final(training))}
    normal |= {name: float(curves[f"{name}/return"][1][-1]) for name in ("eval", "noise_free")}
    try:
        score = return_score(task)
    except UsageError:  # its table would be too large
        return values | dict.fromkeys(normal, math.nan)
    return values | {name: score.normalise(v) if score.spread > 0 else math.nan for name, v in normal.items()}
