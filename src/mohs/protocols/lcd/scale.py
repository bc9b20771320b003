"""On what scale are the returns of a game? 0 is the random policy; 1 the most that can be earned.

The scale belongs to the game, so adding a game to a study changes no other game's result. Where a game does not say
what can be earned, `best` of the study does; without it 1 is the agent's own mean at the end of training in the
semantic view. Shares that are lost do not depend on what 1 is.
"""

from __future__ import annotations

import math

import numpy as np

from mohs.core.score import Reference, ReferenceKind, Score
from mohs.core.task import Task, members
from mohs.protocols.lcd.conditions import SEMANTIC, held_out
from mohs.protocols.lcd.study import PROBE, RANDOM, LcdStudy, point_name
from mohs.protocols.scale import score_of
from mohs.runs.results import Results


def game_score(study: LcdStudy, results: Results, agent: str, game: str, task: Task) -> Score | None:
    """The references of a game for an agent; None where the runs that they rest on are missing."""
    known = score_of(members(held_out(task))[0][0]) if task.environment.score is not None else None
    stated = dict(study.best).get(game)
    if known is not None and stated is None:
        return known
    low = known.low if known is not None else _random(results, game)
    high = Reference(stated, "stated", ReferenceKind.BOUND) if stated is not None else _own(results, agent, game)
    if low is None or high is None or not high.value > low.value:
        return None
    return Score("return", "reward per episode", low=low, high=high)


def _random(results: Results, game: str) -> Reference | None:
    played = [float(curves[f"{PROBE}/return"][1][0]) for _, curves in results.finished(RANDOM, game)]
    return Reference(float(np.mean(played)), "random policy", ReferenceKind.ESTIMATED) if played else None


def _own(results: Results, agent: str, game: str) -> Reference | None:
    runs = results.finished(agent, point_name(game, SEMANTIC))
    ends = [float(curves[f"{PROBE}/return"][1][-1]) for _, curves in runs]
    value = float(np.mean(ends)) if ends else math.nan
    return None if math.isnan(value) else Reference(value, "own mean at the end of training, semantic view")
