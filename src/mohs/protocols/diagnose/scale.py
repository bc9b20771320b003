"""By what are the runs of a diagnosis normalised? See `protocols/scale.py` for the two kinds of references."""

from __future__ import annotations

import math

import numpy as np

from mohs.core.point import Point
from mohs.core.score import Reference, Score
from mohs.core.task import Task
from mohs.protocols.diagnose.study import RANDOM, REFERENCE_EPISODES, VANILLA, DiagnosisStudy
from mohs.protocols.scale import Scale, has_references, plain, references, score_of
from mohs.report import numbers
from mohs.runs.results import Results
from mohs.stats import auc, estimate

_UNKNOWN = "unknown"


def find_scale(study: DiagnosisStudy, results: Results) -> Scale:
    """The references of the tasks, or where they have none, those of the study's own runs."""
    return _of_references(study, results) if has_references(study.env) else _of_own_runs(study, results)


def _of_references(study: DiagnosisStudy, results: Results) -> Scale:
    agent = str(study.agent)
    ran = [point for point in study.family if any(results.finished(agent, point.name))]
    vanilla = references(study.task({}))
    low, high = _sources(vanilla) if isinstance(vanilla, Score) else (_UNKNOWN, _UNKNOWN)
    text = f"0 = {low}; 1 = {high}: each of the run's own task, whatever its dose (the numbers are vanilla's)."
    for words, points in _others(ran, vanilla).items():
        text += f" {words}: {'; '.join(points)}."
    return Scale(low, high, text, score_of)


def _others(points: list[Point], vanilla: Score | str) -> dict[str, list[str]]:
    """The points with another kind of optimum than vanilla, or with none, by what there is to say of it."""
    usual = vanilla.high.kind if isinstance(vanilla, Score) and vanilla.high else None
    found: dict[str, list[str]] = {}
    for point in points:
        score = references(point.task)
        where = ", ".join(f"{name} = {value}" for name, value in sorted(point.at)) or VANILLA
        if not isinstance(score, Score):
            found.setdefault(f"Not normalised, because {score.rstrip('.')}", []).append(where)
        elif score.high is not None and score.high.kind != usual:
            found.setdefault(f"1 = {score.high.source}", []).append(where)
    return found


def _sources(score: Score) -> tuple[str, str]:
    return score.low.source if score.low else _UNKNOWN, score.high.source if score.high else _UNKNOWN


def _of_own_runs(study: DiagnosisStudy, results: Results) -> Scale:
    vanilla = study.task({})
    random, own = np.full(study.seeds, np.nan), np.full(study.seeds, np.nan)
    for seed, played in results.finished(RANDOM, VANILLA):
        random[seed] = plain(vanilla, played["random/return"][1], played["random/length"][1])[-1]
    for seed, trained in results.finished(str(study.agent), VANILLA):
        own[seed] = auc(plain(vanilla, trained["train/return"][1], trained["train/length"][1]))
    leads = (own - random)[~np.isnan(own - random)]
    lead = float(leads.mean()) if leads.size else math.nan
    low = f"random policy on the vanilla task with the same seed, {REFERENCE_EPISODES} episodes for each"
    high = "the agent's own vanilla runs, mean training return over all seeds"

    def score(task: Task) -> Score | None:
        zero = float(random[task.seed])
        if not lead > 0 or math.isnan(zero):
            return None
        return Score("return", "reward per episode", True, Reference(zero, low), Reference(zero + lead, high))

    mean = estimate(random)
    found = f"{numbers.estimated(mean)} over {mean.n} seeds" if mean.n else "not run yet"
    text = (
        f"0 = {low}: {found}; 1 = {high}. Rewards are brought back to vanilla's scale first: (return − reward_shift · "
        "length) / reward_scale. What term_state_reward and reward_clip do to a return cannot be undone: their doses "
        "are judged by what is paid."
    )
    return Scale(low, high, text, score, plain=True, random=mean)
