"""What are the scores of one run? Raw, in the paper's scaling where that is defined, and normalised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mohs.agents.protocol import Points
from mohs.core.cell import Cell
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.protocols.scales import Scale, has_references, plain_returns
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
        Measure("normalised", "normalised AUC", "Mean training return over the whole run, normalised."),
        Measure(
            "paper", "AUC, paper's scaling",
            "Mean training return × 100 / (100 − delay) × sequence length, as in section 6.1.2 of MDP Playground.",
        ),
        Measure(
            "plain", "AUC, plain scale",
            "Mean training return over the whole run, with reward_scale and reward_shift undone.",
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


def measures(env: str) -> tuple[str, ...]:
    """The measures of an environment's runs: the paper's scaling is the discrete toy's, the plain scale of others."""
    left_out = set() if env == "toy/discrete" else {"paper"}
    left_out |= {"plain"} if has_references(env) else set()
    return tuple(name for name in MEASURES if name not in left_out)


def returns_measure(env: str) -> str:
    """The measure that is in units of reward and compares over doses as well as such a one can."""
    return next(name for name in ("paper", "plain", "raw") if name in measures(env))


def measure(cell: Cell, curves: Points, scale: Scale) -> dict[str, float]:
    """Every measure of a finished run. Normalised ones are NaN where the task has nothing to normalise by."""
    task = cell.segments[0].source
    if not isinstance(task, Task):
        raise UsageError("a diagnosis measures runs on single tasks, not on sets of tasks.")
    raw, normal = float(auc(curves["train/return"][1])), scale.normalise(task, curves, "train")
    values = {"raw": raw, "normalised": float(auc(normal)), "final": float(final(normal))}
    values |= {name: float(scale.normalise(task, curves, name)[-1]) for name in ("eval", "noise_free")}
    wanted = measures(task.env)
    if "paper" in wanted:
        values["paper"] = raw * paper_scale(task["delay"], task["sequence_length"], task["max_episode_steps"])
    if "plain" in wanted:
        values["plain"] = float(auc(plain_returns(task, curves, "train")))
    return {name: values[name] for name in wanted}
