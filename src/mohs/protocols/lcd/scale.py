"""On what scale are the returns of a game? 0 is the random policy; 1 the most that can be earned.

The scale belongs to the game, so adding a game to a study changes no other game's result. Where a game does not say
what can be earned, `best` of the study does; without it 1 is what the best of the study's agents earns at the end of
training in the semantic view. Shares that are lost do not depend on what 1 is, but whether anything was learnt does:
there an agent must clearly beat the random policy.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mohs.core.score import Reference, ReferenceKind, Score
from mohs.core.task import Task, members
from mohs.protocols.lcd.conditions import SEMANTIC, held_out
from mohs.protocols.lcd.study import PROBE, RANDOM, LcdStudy, point_name
from mohs.protocols.scale import score_of
from mohs.runs.results import Results
from mohs.stats.comparison import paired_difference


def game_score(study: LcdStudy, results: Results, game: str, task: Task) -> Score | None:
    """The references of a game; None where the runs that they rest on are missing, or none earns more than chance."""
    known = score_of(members(held_out(task))[0][0]) if task.environment.score is not None else None
    stated = dict(study.best).get(game)
    if known is not None and stated is None:
        return known
    low = known.low if known is not None else _random(study, results, game)
    high = Reference(stated, "stated", ReferenceKind.BOUND) if stated is not None else _own(study, results, game)
    if low is None or high is None or not high.value > low.value:
        return None
    return Score("return", "reward per episode", low=low, high=high)


def relative(score: Score | None) -> bool:
    """Whether 1 is what an agent reached, so that nobody knows how much more could be earned."""
    return score is not None and score.high is not None and score.high.kind is ReferenceKind.BASELINE


def unlearnt(study: LcdStudy, results: Results, game: str, task: Task) -> bool:
    """Whether all references of a game rest on runs, and no agent clearly beats the random policy in the semantic view.

    Seeds are paired. Without this a policy that learns nothing would lie between 0 and its own luck.
    """
    if task.environment.score is not None or game in dict(study.best):
        return False
    chance = _returns(study, results, RANDOM, game)
    ends = [_returns(study, results, agent, point_name(game, SEMANTIC)) for agent in study.labels]
    clear = [paired_difference(own, chance, comparisons=len(ends)) for own in ends]
    return all(e.known for e in clear) and not any(e.low > 0 for e in clear)


def _random(study: LcdStudy, results: Results, game: str) -> Reference | None:
    value = _mean(_returns(study, results, RANDOM, game))
    return None if math.isnan(value) else Reference(value, "random policy", ReferenceKind.ESTIMATED)


def _own(study: LcdStudy, results: Results, game: str) -> Reference | None:
    ends = {agent: _mean(_returns(study, results, agent, point_name(game, SEMANTIC))) for agent in study.labels}
    known = {agent: value for agent, value in ends.items() if not math.isnan(value)}
    if not known:
        return None
    best = max(known, key=known.__getitem__)
    return Reference(known[best], f"mean of {best} at the end of training, semantic view", ReferenceKind.BASELINE)


def _returns(study: LcdStudy, results: Results, agent: str, point: str) -> npt.NDArray[np.float64]:
    """The return of every seed in the last evaluation; NaN where it is missing."""
    found = np.full(study.seeds, np.nan)
    for seed, points in results.finished(agent, point):
        found[seed] = points[f"{PROBE}/return"][1][-1]
    return found


def _mean(values: npt.NDArray[np.float64]) -> float:
    return math.nan if np.isnan(values).all() else float(np.nanmean(values))
