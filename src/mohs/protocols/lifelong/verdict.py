"""What is kept, what transfers, and how near is that to what is possible? What follows from the lives of a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mohs.agents.protocol import Points
from mohs.core.cell import Agent
from mohs.core.values import Json
from mohs.protocols.lifelong.ceiling import ceiling
from mohs.protocols.lifelong.scale import Span, spans
from mohs.protocols.lifelong.sentences import headline
from mohs.protocols.lifelong.similarity import similarities
from mohs.protocols.lifelong.study import LifelongStudy, plan, probe_name
from mohs.stats import Estimate, estimate, estimates
from mohs.stats.lifelong import METRICS, LifelongRun, backward_pairs, first_areas, forward_pairs

LEVEL = 0.95
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
class Lived:
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
    steps: npt.NDArray[np.int64] = field(repr=False)
    curves: Floats = field(repr=False)
    experts: Mapping[str, tuple[npt.NDArray[np.int64], Floats]] = field(repr=False)
    transfers: tuple[Transfer, ...] = field(repr=False)
    gains: Mapping[str, Estimate]  # of each task: its performance while it is first learnt, less its expert's
    missing: int  # lives

    def average(self, tasks: list[int]) -> list[Estimate]:
        """The mean performance over some tasks, at every boundary."""
        return estimates(self.evaluations[:, :, tasks].mean(2).T, "mean", LEVEL)


@dataclass(frozen=True, eq=False)
class Verdict:
    study: LifelongStudy
    spans: Mapping[str, Span]
    agents: tuple[Lived, ...]
    ceiling: float | None
    similarity: Mapping[str, Floats]
    headline: tuple[str, ...]
    missing: int  # runs of all that were planned

    def to_json(self) -> dict[str, Json]:
        return {
            "study": self.study.to_json(),
            "headline": list(self.headline),
            "spans": {name: span.to_json() for name, span in self.spans.items()},
            "ceiling_of_the_untold": self.ceiling,
            "similarity": {name: matrix.tolist() for name, matrix in self.similarity.items()},
            "missing_cells": self.missing,
            "agents": [_lived_json(self.study, lived) for lived in self.agents],
        }


def verdict(study: LifelongStudy, results: Mapping[str, Points]) -> Verdict:
    """The verdict on a study; `results` maps cell keys to the curves of finished runs."""
    found = spans(study, results)
    alike = similarities(study.curriculum)
    agents = tuple(
        _lived(study, agent, label, found, alike, results)
        for agent, label in zip(study.agents, study.labels, strict=True)
    )
    course = study.curriculum
    top = None if study.told else ceiling([course.task(name) for name in course.learnt])
    missing = sum(cell.key not in results for cell in plan(study).cells)
    return Verdict(study, found, agents, top, alike, headline(study, agents, found, top), missing)


def _lived(
    study: LifelongStudy,
    agent: Agent,
    label: str,
    found: Mapping[str, Span],
    alike: Mapping[str, Floats],
    results: Mapping[str, Points],
) -> Lived:
    course, lives = study.curriculum, {}
    shape = study.seeds, len(course.boundaries), len(course.names)
    evaluations = np.full(shape, np.nan)
    ends = course.boundaries
    steps = np.arange(study.window, ends[-1] + 1, study.window)
    curves = np.full((study.seeds, len(steps)), np.nan)
    experts = {name: _expert_curves(study, agent, name, found[name], results) for name in course.learnt}
    for seed in range(study.seeds):
        points = results.get(study.life(agent, seed).key)
        if points is None:
            continue
        for i, name in enumerate(course.names):
            evaluations[seed, :, i] = found[name].performance(points[f"{probe_name(i, name)}/return"][1])
        steps, returns = points["train/return"]
        inside = list(course.inside(steps, study.window))
        for block, at in inside:
            curves[seed, at] = found[block.task].performance(returns[at])
        alone = {course.names.index(name): of[1][seed] for name, of in experts.items()}
        lives[seed] = LifelongRun(
            tuple(course.names.index(block.task) for block in course.blocks),
            evaluations[seed],
            tuple(curves[seed, at] for _, at in inside),
            {task: curve for task, curve in alone.items() if not np.isnan(curve).all()},
        )
    samples = {
        name: np.array([metric.of(lives[seed]) if seed in lives else np.nan for seed in range(study.seeds)])
        for name, metric in METRICS.items()
    }
    return Lived(
        agent,
        label,
        samples,
        {name: estimate(values, "mean", LEVEL) for name, values in samples.items()},
        evaluations,
        tuple(tuple(estimates(evaluations[:, i].T, "mean", LEVEL)) for i in range(shape[1])),
        steps,
        curves,
        experts,
        _transfers(study, lives, alike),
        _gains(study, lives),
        study.seeds - len(lives),
    )


def _expert_curves(
    study: LifelongStudy, agent: Agent, name: str, span: Span, results: Mapping[str, Points]
) -> tuple[npt.NDArray[np.int64], Floats]:
    """Training steps, and performances [seeds, points] at them; nan where the run is missing."""
    ran = [results.get(study.expert(agent, name, seed).key) for seed in range(study.seeds)]
    first = next((points for points in ran if points is not None), None)
    steps = np.zeros(0, dtype=np.int64) if first is None else first["train/return"][0]
    missing = np.full(len(steps), np.nan)
    return steps, np.array(
        [missing if points is None else span.performance(points["train/return"][1]) for points in ran]
    )


def _gains(study: LifelongStudy, lives: Mapping[int, LifelongRun]) -> dict[str, Estimate]:
    found = {}
    for name in study.curriculum.learnt:
        task = study.curriculum.names.index(name)
        samples = np.full(study.seeds, np.nan)
        for seed, life in lives.items():
            if task in life.experts:
                mine, expert = first_areas(life, task)
                samples[seed] = mine - expert
        found[name] = estimate(samples, "mean", LEVEL)
    return found


def _transfers(
    study: LifelongStudy, lives: Mapping[int, LifelongRun], alike: Mapping[str, Floats]
) -> tuple[Transfer, ...]:
    """Changes of every pair of tasks, each the mean over the times that it can be seen in a life."""
    names, found = study.curriculum.names, []
    for forward, pairs in ((True, forward_pairs), (False, backward_pairs)):
        changes: dict[tuple[int, int], dict[int, list[float]]] = {}
        for seed, life in lives.items():
            for learnt, other, before, after in pairs(life):
                changes.setdefault((learnt, other), {}).setdefault(seed, []).append(after - before)
        for (learnt, other), of_seeds in changes.items():
            means = np.array([np.mean(values) for values in of_seeds.values()])
            similarity = {name: float(matrix[learnt, other]) for name, matrix in alike.items()}
            found.append(Transfer(names[learnt], names[other], forward, estimate(means, "mean", LEVEL), similarity))
    return tuple(found)


def _lived_json(study: LifelongStudy, lived: Lived) -> dict[str, Json]:
    course = study.curriculum
    after = ["start", *(block.task for block in course.blocks)]
    return {
        "agent": lived.agent.to_json(),
        "label": lived.label,
        "missing_lives": lived.missing,
        "metrics": {name: e.to_dict() for name, e in lived.metrics.items()},
        "matrix": [
            {"after": name, "step": step, "tasks": {t: e.to_dict() for t, e in zip(course.names, row, strict=True)}}
            for name, step, row in zip(after, course.boundaries, lived.matrix, strict=True)
        ],
        "gains_over_experts": {name: e.to_dict() for name, e in lived.gains.items()},
        "transfers": [
            {
                "learnt": t.learnt,
                "other": t.other,
                "forward": t.forward,
                "change": t.change.to_dict(),
                "similarity": dict(t.similarity),
            }
            for t in lived.transfers
        ],
    }
