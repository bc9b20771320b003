"""What did every run earn on held-out levels? Its curve on the scale of its game, and the area under it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mohs.agents.protocol import Points
from mohs.core.score import Score
from mohs.core.task import Task
from mohs.protocols.lcd.conditions import SEMANTIC
from mohs.protocols.lcd.scale import game_score, unlearnt
from mohs.protocols.lcd.study import PROBE, LcdStudy, point_name
from mohs.runs.results import Results
from mohs.stats.lcd import curve_area

Floats = npt.NDArray[np.float64]
AREA, FINAL, RAW = "area", "final", "return_area"
MEASURES = (AREA, FINAL, RAW)


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of an agent on a game: normalised curves [seeds, evaluations] and areas [seeds] by condition.

    NaN marks what is missing; without a score all is. Where no agent clearly beats chance all is 0.
    """

    agent: str
    game: str
    score: Score | None
    steps: npt.NDArray[np.int64]
    curves: Mapping[str, Floats]
    areas: Mapping[str, Floats]


def runs_of(study: LcdStudy, results: Results, agent: str, game: str, task: Task) -> Runs:
    """Reads the curves of all conditions."""
    score, steps = game_score(study, results, game, task), np.array(study.at)
    lost = unlearnt(study, results, game, task)
    curves = {c.name: np.full((study.seeds, len(steps)), np.nan) for c in study.conditions(task)}
    for condition, curve in curves.items():
        for seed, points in results.finished(agent, point_name(game, condition)):
            if lost:
                curve[seed] = 0.0
            elif score is not None:
                curve[seed] = score.normalise(np.asarray(points[f"{PROBE}/return"][1], dtype=np.float64))
    areas = {name: np.array([curve_area(steps, run) for run in curve]) for name, curve in curves.items()}
    return Runs(agent, game, score, steps, curves, areas)


def semantic_areas(study: LcdStudy, results: Results) -> Iterator[Floats]:
    """The areas that every agent reached on every game in the semantic view at full reward."""
    for name, task in study.games:
        for agent in study.labels:
            yield runs_of(study, results, agent, name, task).areas[SEMANTIC]


def measured(score: Score | None, points: Points) -> dict[str, float]:
    """The measures of a run."""
    steps, returns = points[f"{PROBE}/return"]
    raw = curve_area(steps, returns)
    if score is None:
        return {AREA: np.nan, FINAL: np.nan, RAW: raw}
    return {AREA: score.normalise(raw), FINAL: float(score.normalise(float(returns[-1]))), RAW: raw}
