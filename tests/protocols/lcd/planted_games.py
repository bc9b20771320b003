"""Results of games whose challenges are planted: curves with known areas, without training."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mohs.core.cell import Agent
from mohs.core.task import Task, members
from mohs.protocols.lcd.conditions import OTHER_SEEDS, PERMUTED, PIXELS, SEMANTIC, held_out
from mohs.protocols.lcd.study import PROBE, LcdStudy, plan, point_name
from mohs.runs.plan import Track
from mohs.runs.results import Results

REACHED = 0.6  # the area in the semantic view at full reward
SPREAD = 0.015
# Of every game, what pixels and what rewards with probability 1/4 cost.
COSTS = {
    "arcade/collect": (0.0, 0.0),
    "arcade/avoid": (0.5, 0.0),
    "arcade/dig": (0.0, 0.5),
    "arcade/chase": (0.5, 0.5),
}


def study(*agents: str, games: tuple[str, ...] = tuple(COSTS), seeds: int = 8, **options) -> LcdStudy:
    """A study of the arcade."""
    made = [Agent.make(name) for name in agents or ("ppo",)]
    tasks = {game: Task.make(game, num_levels=10) for game in games}
    return LcdStudy.make(made, tasks, seeds=seeds, steps=1000, **options)


def area(game: str, condition: str) -> float:
    """The planted area of a condition."""
    see, learn = COSTS[game]
    if condition in (SEMANTIC, PERMUTED, OTHER_SEEDS):
        return REACHED
    if condition.startswith(f"{SEMANTIC} p="):
        return REACHED * (1 - learn * np.log2(1 / float(condition.partition("p=")[2])) / 2)
    return REACHED * (1 - see * (1.0 if condition == PIXELS else 0.5))


def results(asked: LcdStudy, of: Callable[[str, str], float] = area, spread: float = SPREAD, seed: int = 0) -> Results:
    """Curves that rise to the planted area, one for each track and seed."""
    rng = np.random.default_rng(seed)
    steps = np.array(asked.at)
    shape = np.minimum(1.0, np.arange(len(steps)) / 2)
    shape = shape / np.trapezoid(shape, steps) * (steps[-1] - steps[0])
    curves = {}
    for game, task in asked.games:
        score = task.environment.realisation("score")(members(held_out(task))[0][0])
        for label in asked.labels:
            for condition in asked.conditions(task):
                mean = of(game, condition.name)
                runs = []
                for _ in range(asked.seeds):
                    value = score.low.value + score.spread * shape * (mean + spread * rng.standard_normal())
                    runs.append({f"{PROBE}/return": (steps, value), f"{PROBE}/length": (steps, np.ones(len(steps)))})
                curves[Track(label, point_name(game, condition.name))] = tuple(runs)
    assert set(curves) == set(plan(asked).tracks)
    return Results(asked.seeds, curves, len(curves) * asked.seeds, 0)


def without(found: Results, lost: Callable[[Track, int], bool]) -> Results:
    """The same without some runs."""
    curves = {
        track: tuple(None if lost(track, seed) else points for seed, points in enumerate(runs))
        for track, runs in found.curves.items()
    }
    missing = sum(points is None for runs in curves.values() for points in runs)
    return Results(found.seeds, curves, found.planned, missing)
