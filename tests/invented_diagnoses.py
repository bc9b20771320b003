"""Verdicts of diagnoses from invented and from real runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from mohs.agents.protocol import Points
from mohs.agents.registry import learner
from mohs.core.task import Task
from mohs.protocols.diagnose.study import DiagnosisStudy, plan
from mohs.protocols.diagnose.verdict import Diagnosis, verdict
from mohs.runs.plan import packs
from mohs.runs.results import Results
from mohs.runs.workers.pack import Finished, Pace, run_cells

LENGTH = 50.0  # steps of every invented episode


def judged(study: DiagnosisStudy, found: Mapping[str, Points]) -> Diagnosis:
    """The verdict on these curves by the keys of their cells."""
    return verdict(study, Results.of(plan(study), found))


def invented(
    study: DiagnosisStudy,
    score: Callable[[Task, int], float | None],
    random: Callable[[int], float | None] = lambda seed: 20.0 + seed,
) -> dict[str, Points]:
    """Curves of runs that earn `score(task, seed)`, and of the random policy; None is a run that is missing."""
    found = {}
    for cell in plan(study).cells:
        task: Task = cell.segments[0].source
        value = score(task, cell.seed) if cell.steps else random(cell.seed)
        if value is None:
            continue
        curves = {}
        for metric, level in (("return", float(value)), ("length", LENGTH)):
            if cell.steps:
                curves[f"train/{metric}"] = np.arange(1, 11) * study.budget // 10, np.full(10, level)
            for probe in cell.probes:
                curves[f"{probe.name}/{metric}"] = np.array(probe.at), np.full(len(probe.at), level)
        found[cell.key] = curves
    return found


def trained(study: DiagnosisStudy) -> dict[str, Points]:
    """Curves of the runs themselves."""
    found: dict[str, Points] = {}
    for pack in packs(plan(study).cells, 64):
        for message in run_cells(pack, learner, {}, lambda: False, Pace()):
            if isinstance(message, Finished):
                found |= message.results
    return found
