"""By what is a score normalised? By references of each point itself, never by the best of the methods.

**Known references** (`Environment.score`): 0 is the random policy, 1 the optimum or the best possible return.
**A baseline** (`--baseline AGENT`): 0 is the random policy at the point, 1 the baseline's mean evaluation there.
**None**: raw returns. They weigh points by the size of their returns, which the report says.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from mohs.core.point import Point
from mohs.core.score import Reference, ReferenceKind, Score
from mohs.core.task import Task
from mohs.protocols.family.study import BASELINE, RANDOM, FamilyStudy
from mohs.protocols.scale import Scale, score_of
from mohs.runs.results import Results

# Compiled environments that take the same steps as those of Gymnasium, and have references.
TWINS = {
    "CartPole-v1": "control/cartpole",
    "Pendulum-v1": "control/pendulum",
    "MountainCar-v0": "control/mountain_car",
    "MountainCarContinuous-v0": "control/mountain_car_continuous",
}


def find_scale(study: FamilyStudy, results: Results) -> Scale | None:
    """How the scores of a study are normalised; None where they are raw returns."""
    if study.baseline is not None:
        text = f"0 = random policy, 1 = {study.baseline}, both at the same point."
        return Scale("random policy", str(study.baseline), text, _by_baseline(study, results))
    if not study.normalised:
        return None
    found = score_of(study.evaluated(study.family[0].task))
    low, high = ("random policy", "optimum") if found is None else map(_kind, (found.low, found.high))
    return Scale(low, high, f"0 = {low}, 1 = {high}, both at the same point.", score_of)


def _kind(reference: Reference | None) -> str:
    """What a reference is, without the details that differ between points."""
    return "unknown" if reference is None else reference.source.partition(",")[0]


def _by_baseline(study: FamilyStudy, results: Results) -> Callable[[Task], Score | None]:
    names: dict[Task, list[str]] = {}
    for point in study.points:
        names.setdefault(study.evaluated(point.task), []).append(point.name)
    if study.default is not None:
        names.setdefault(study.evaluated(study.default.task), []).extend(study.default_names)

    def score(task: Task) -> Score | None:
        low, high = (_mean(results, agent, names[task]) for agent in (RANDOM, BASELINE))
        if math.isnan(low) or math.isnan(high):
            return None
        kind = ReferenceKind.BASELINE
        references = Reference(low, "random policy", kind), Reference(high, str(study.baseline), kind)
        return Score("return", "reward per episode", low=references[0], high=references[1])

    return score


def _mean(results: Results, agent: str, names: list[str]) -> float:
    """The mean evaluation of an agent at a point that runs under some names."""
    runs = [float(np.mean(curves["eval/return"][1])) for name in names for _, curves in results.finished(agent, name)]
    return float(np.mean(runs)) if runs else math.nan


def of_point(scale: Scale | None, study: FamilyStudy, point: Point) -> Score | None:
    """The references at a point."""
    return None if scale is None else scale.score(study.evaluated(point.task))


def episodes_for(score: Score | None, share: float) -> float:
    """About how many episodes have a mean return whose standard error is this share of the references' range.

    By the larger of the two references' deviations; 0 where these or the range are not known.
    """
    if score is None or score.low is None or score.high is None or not score.spread > 0:
        return 0.0
    return (max(score.low.deviation, score.high.deviation) / (share * score.spread)) ** 2
