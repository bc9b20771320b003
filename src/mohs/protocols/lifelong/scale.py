"""By what are the returns of a lifelong run normalised? By what can be earned in each task, so that tasks compare.

0 is earning nothing, or the random policy where that earns less than nothing; 1 is the exact optimum or, where it is
unknown, the mean evaluation of the experts at the end of their training.
"""

from __future__ import annotations

import math

import numpy as np

from mohs.core.score import Reference, ReferenceKind, Score
from mohs.core.task import Task
from mohs.protocols.lifelong.study import RANDOM, LifelongStudy, exact_score, expert_of
from mohs.runs.results import Results

NOTHING = "earning nothing, or the random policy where that earns less"
EXPERTS = "mean of the experts at the end of training"


def exact_performance(task: Task) -> Score | None:
    """The performance in a task with exact references."""
    score = exact_score(task)
    if score is None or score.low is None or score.high is None:
        return None
    return _performance(min(0.0, score.low.value), score.high)


def performances(study: LifelongStudy, results: Results) -> dict[str, Score]:
    """The performance of every task, from its references or from the study's own runs; NaN where these are missing."""
    found = {}
    for name, task in study.curriculum.tasks:
        experts = [value for label in study.labels for value in _last(results, expert_of(label), name, "expert")]
        random = _last(results, RANDOM, name, "random")
        high = Reference(float(np.mean(experts)) if experts else math.nan, EXPERTS, kind=ReferenceKind.BASELINE)
        low = min(0.0, float(np.mean(random))) if random else math.nan
        found[name] = exact_performance(task) or _performance(low, high)
    return found


def _performance(low: float, high: Reference) -> Score:
    return Score("performance", "share of what can be earned", True, Reference(low, NOTHING), high)


def _last(results: Results, agent: str, point: str, probe: str) -> list[float]:
    return [float(curves[f"{probe}/return"][1][-1]) for _, curves in results.finished(agent, point)]
