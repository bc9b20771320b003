"""What is kept, what transfers, and how near is that to what is possible? What follows from lifelong runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mohs.core.cell import Agent
from mohs.core.score import Score
from mohs.core.task import Task
from mohs.core.values import Json
from mohs.protocols.lifelong.ceiling import ceiling
from mohs.protocols.lifelong.scale import performances
from mohs.protocols.lifelong.sentences import findings
from mohs.protocols.lifelong.similarity import similarities
from mohs.protocols.lifelong.study import PROTOCOL, LifelongStudy, expert_of, probe_name
from mohs.protocols.ranges import UNKNOWN, returns_of
from mohs.protocols.scale import between
from mohs.protocols.scores import Scores
from mohs.protocols.verdict import Verdict
from mohs.report.findings import Finding
from mohs.runs.results import Results
from mohs.stats import Estimate, estimate, estimates
from mohs.stats.lifelong import METRICS, LifelongRun, backward_pairs, first_areas, forward_pairs
from mohs.stats.ranges import Range

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.95
START = "start"  # the evaluations before the first block
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Transfer:
    """What learning one task did to another: the change of its performance, over seeds.

    `forward` where the other was not learnt yet. `similarity` by every measure that is defined for the curriculum.
    """

    learnt: str
    other: str
    forward: bool
    change: Estimate
    similarity: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class LifelongResult:
    """One agent: its metrics, and performances [seeds, boundaries, tasks] with their means [boundaries][tasks].

    `curves` are the performances in training [seeds, points], a nan where no episode ended; `experts` the same of those
    that learnt one task only.
    """

    agent: Agent
    label: str
    samples: Mapping[str, Floats] = field(repr=False)
    metrics: Mapping[str, Estimate]
    evaluations: Floats = field(repr=False)
    matrix: tuple[tuple[Estimate, ...], ...] = field(repr=False)
    range: Range  # within which all performances lie
    steps: npt.NDArray[np.int64] = field(repr=False)
    curves: Floats = field(repr=False)
    experts: Mapping[str, tuple[npt.NDArray[np.int64], Floats]] = field(repr=False)
    transfers: tuple[Transfer, ...] = field(repr=False)
    gains: Mapping[str, Estimate]  # of each task: its performance while it is first learnt, less its expert's
    missing: int  # lifelong runs

    def average(self, tasks: list[int]) -> list[Estimate]:
        """The mean performance over some tasks, at every boundary."""
        return estimates(self.evaluations[:, :, tasks].mean(2).T, "mean", LEVEL, bounds=self.range)


@dataclass(frozen=True, eq=False, repr=False)
class LifelongVerdict(Verdict):
    """What lifelong runs kept and transferred."""

    protocol = PROTOCOL

    study: LifelongStudy
    performance: Mapping[str, Score]  # of each task: what 0 and 1 are
    scores: Scores = field(repr=False)  # performances; the measures are `START` and `after_block_1` ...
    agents: tuple[LifelongResult, ...]
    ceiling: float | None
    similarity: Mapping[str, Floats]
    findings: tuple[Finding, ...]
    runs: int  # that were planned
    missing: int

    def frame(self) -> pd.DataFrame:
        """One row for each agent and seed, with every metric of the lifelong run.

        A metric is of a whole lifelong run, so it has no task: performances on each task are in `scores.frame()`.
        """
        import pandas as pd

        return pd.concat(
            [
                pd.DataFrame({"agent": result.label, "seed": range(self.study.seeds), **result.samples})
                for result in self.agents
            ],
            ignore_index=True,
        )

    @property
    def after(self) -> tuple[str, ...]:
        """What the evaluations at every boundary come after: the start, then the task of each block."""
        return START, *(block.task for block in self.study.curriculum.blocks)

    def to_json(self) -> dict[str, Json]:
        """All of it as plain data."""
        return {
            "study": self.study.to_json(),
            "headline": list(self.sentences),
            "performance": {name: score.to_json() for name, score in self.performance.items()},
            "ceiling_without_task_id": self.ceiling,
            "similarity": {name: matrix.tolist() for name, matrix in self.similarity.items()},
            "runs": self.runs,
            "missing": self.missing,
            "agents": [_agent_json(self, result) for result in self.agents],
        }


def verdict(study: LifelongStudy, results: Results) -> LifelongVerdict:
    """The verdict on the runs that have finished."""
    performance = performances(study, results)
    scores = _scores(study, performance, results)
    alike = similarities(study.curriculum)
    agents = tuple(_agent(study, i, performance, scores, alike, results) for i in range(len(study.agents)))
    course = study.curriculum
    top = None if study.task_id else ceiling([course.task(name) for name in course.learnt])
    said = findings(study, agents, performance, top)
    return LifelongVerdict(study, performance, scores, agents, top, alike, said, results.planned, results.missing)


def _scores(study: LifelongStudy, performance: Mapping[str, Score], results: Results) -> Scores:
    """The performance on every task at every boundary. One run scores at all points, so `Scores.of` cannot read it."""
    course = study.curriculum
    measures = START, *(f"after_block_{i}" for i in range(1, len(course.boundaries)))
    values = np.full((len(study.agents), len(course.names), study.seeds, len(measures)), np.nan)
    for i, label in enumerate(study.labels):
        for seed, points in results.finished(label):
            for j, name in enumerate(course.names):
                values[i, j, seed] = between(performance[name], points[f"{probe_name(j, name)}/return"][1])
    return Scores(study.family, study.labels, measures, values)


def _agent(
    study: LifelongStudy,
    number: int,
    performance: Mapping[str, Score],
    scores: Scores,
    alike: Mapping[str, Floats],
    results: Results,
) -> LifelongResult:
    course, label, runs = study.curriculum, study.labels[number], {}
    ranges = [_range(course.task(name), performance[name]) for name in course.names]
    evaluations = np.ascontiguousarray(scores.values[number].transpose(1, 2, 0))  # [seeds, boundaries, tasks]
    steps = np.arange(study.window, course.boundaries[-1] + 1, study.window)
    curves = np.full((study.seeds, len(steps)), np.nan)
    experts = {name: _expert_curves(results, label, name, performance[name]) for name in course.learnt}
    for seed, points in results.finished(label):
        steps, returns = points["train/return"]
        inside = list(course.inside(steps, study.window))
        for block, at in inside:
            curves[seed, at] = between(performance[block.task], returns[at])
        alone = {course.names.index(name): of[1][seed] for name, of in experts.items()}
        runs[seed] = LifelongRun(
            tuple(course.names.index(block.task) for block in course.blocks),
            evaluations[seed],
            tuple(curves[seed, at] for _, at in inside),
            {task: curve for task, curve in alone.items() if not np.isnan(curve).all()},
        )
    samples = {
        name: np.array([metric.of(runs[seed]) if seed in runs else np.nan for seed in range(study.seeds)])
        for name, metric in METRICS.items()
    }
    return LifelongResult(
        study.agents[number],
        label,
        samples,
        {name: estimate(values, "mean", LEVEL, bounds=_metric_range(name, ranges)) for name, values in samples.items()},
        evaluations,
        tuple(
            tuple(estimate(row, "mean", LEVEL, bounds=ends) for row, ends in zip(at.T, ranges, strict=True))
            for at in evaluations.transpose(1, 0, 2)
        ),
        _hull(ranges),
        steps,
        curves,
        experts,
        _transfers(study, runs, alike),
        _gains(study, runs),
        study.seeds - len(runs),
    )


def _range(task: Task, score: Score) -> Range:
    """Within which the mean performance on a task lies."""
    low, high = (between(score, end) for end in returns_of(task))
    return (low, high) if math.isfinite(low) and math.isfinite(high) else UNKNOWN


def _hull(ranges: Sequence[Range]) -> Range:
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def _metric_range(name: str, ranges: Sequence[Range]) -> Range:
    """Within which the mean of a metric lies: performances, their differences, or differences by sums."""
    low, high = _hull(ranges)
    if name == "average_performance":
        return low, high
    if name in ("forgetting", "performance_maintenance"):
        return low - high, high - low
    return (-1.0, 1.0) if name.endswith("transfer_contrast") and low >= 0 else UNKNOWN


def _expert_curves(results: Results, label: str, name: str, score: Score) -> tuple[npt.NDArray[np.int64], Floats]:
    """Training steps, and performances [seeds, points] at them; nan where the run is missing."""
    ran = results.at(expert_of(label), name)
    first = next((points for points in ran if points is not None), None)
    steps = np.zeros(0, dtype=np.int64) if first is None else first["train/return"][0]
    missing = np.full(len(steps), np.nan)
    return steps, np.array([missing if points is None else between(score, points["train/return"][1]) for points in ran])


def _gains(study: LifelongStudy, runs: Mapping[int, LifelongRun]) -> dict[str, Estimate]:
    found = {}
    for name in study.curriculum.learnt:
        task = study.curriculum.names.index(name)
        samples = np.full(study.seeds, np.nan)
        for seed, run in runs.items():
            if task in run.experts:
                mine, expert = first_areas(run, task)
                samples[seed] = mine - expert
        found[name] = estimate(samples, "mean", LEVEL)
    return found


def _transfers(
    study: LifelongStudy, runs: Mapping[int, LifelongRun], alike: Mapping[str, Floats]
) -> tuple[Transfer, ...]:
    """Changes of every pair of tasks, each the mean over the times that it can be seen in a lifelong run."""
    names, found = study.curriculum.names, []
    for forward, pairs in ((True, forward_pairs), (False, backward_pairs)):
        changes: dict[tuple[int, int], dict[int, list[float]]] = {}
        for seed, run in runs.items():
            for learnt, other, before, after in pairs(run):
                changes.setdefault((learnt, other), {}).setdefault(seed, []).append(after - before)
        for (learnt, other), of_seeds in changes.items():
            means = np.array([np.mean(values) for values in of_seeds.values()])
            similarity = {name: float(matrix[learnt, other]) for name, matrix in alike.items()}
            found.append(Transfer(names[learnt], names[other], forward, estimate(means, "mean", LEVEL), similarity))
    return tuple(found)


def _agent_json(verdict: LifelongVerdict, result: LifelongResult) -> dict[str, Json]:
    course = verdict.study.curriculum
    return {
        "agent": result.agent.to_json(),
        "label": result.label,
        "missing_runs": result.missing,
        "metrics": {name: e.to_dict() for name, e in result.metrics.items()},
        "matrix": [
            {"after": name, "step": step, "tasks": {t: e.to_dict() for t, e in zip(course.names, row, strict=True)}}
            for name, step, row in zip(verdict.after, course.boundaries, result.matrix, strict=True)
        ],
        "gains_over_experts": {name: e.to_dict() for name, e in result.gains.items()},
        "transfers": [
            {**vars(t), "change": t.change.to_dict(), "similarity": dict(t.similarity)} for t in result.transfers
        ],
    }
