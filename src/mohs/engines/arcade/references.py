"""By what is the return of an arcade game normalised? 0 is the random policy, 1 the best return, over a task's levels.

Neither depends on what is seen, on when rewards are paid, or on the probability with which they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.score import Reference, ReferenceKind, Score
from mohs.core.task import Task
from mohs.engines.arcade import cue
from mohs.engines.arcade.avoid import SAFE
from mohs.engines.arcade.boards import CELLS
from mohs.engines.arcade.collect import FRUIT
from mohs.engines.arcade.dig import GEMS
from mohs.engines.arcade.fleet import fleet, game, levels
from mohs.engines.arcade.layout import ACTIONS, AVOID, COLLECT, CUE, DIG, GAMES, INSTANCE
from mohs.engines.arcade.optimum import ROUTES, STATES, course_value, enter, follow, route_value
from mohs.engines.play import returns
from mohs.exact.kept import kept

EPISODES, LEVELS = 4000, 128
LONGEST = 1000  # steps of an episode that is solved
_KIND = f"arcade-2-{EPISODES}-{LEVELS}"
_MATTERS = ("num_levels", "start_level", "quota", "deadly", "max_episode_steps")


_MOST = {COLLECT: FRUIT, CUE: cue.EACH, DIG: GEMS}  # things that pay


@dataclass(frozen=True)
class References:
    """What the random policy gets and the best return: means over episodes and levels, with standard errors."""

    random: float
    random_error: float
    best: float
    best_error: float
    solved: int  # levels
    exact: bool  # or an upper bound


def arcade_score(task: Task) -> Score:
    """From the random policy to the best return."""
    if task["max_episode_steps"] > LONGEST:
        raise UsageError(f"the best return of {task.env} is computed for max_episode_steps up to {LONGEST:,}.")
    plain = Task.make(task.env, **{name: task[name] for name in _MATTERS})
    known = kept(_KIND, plain.key, plain, lambda: _solve(plain), lambda fields: References(**fields))
    low = Reference(
        known.random,
        f"random policy, mean of {EPISODES:,} episodes ± {known.random_error:.2g}",
        ReferenceKind.ESTIMATED,
    )
    whole = known.solved == levels(plain)[1]
    kind = ReferenceKind.ESTIMATED if known.exact else ReferenceKind.BOUND
    words = "best return" if known.exact else "upper bound of the best return"
    over = f"all {known.solved} levels" if whole else f"mean of {known.solved} levels ± {known.best_error:.2g}"
    high = Reference(known.best, f"{words}, {over}", ReferenceKind.EXACT if known.exact and whole else kind)
    return Score("return", "reward per episode", True, low, high)


def bounds(task: Task, chosen: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """A lower and an upper bound of the best return in each of these levels, [levels, 2]; where equal, it is known."""
    number, quota = GAMES.index(game(task)), task["quota"]
    solve = _routes if number in ROUTES else _courses
    start = np.zeros(len(chosen), dtype=INSTANCE)
    enter(start, number, chosen)
    found = solve(task, number, start, False)
    if quota == 0:
        return found
    # What is paid is the whole sum, or nothing where the quota is not met.
    sure = found[:, 0] / (SAFE if number == AVOID else 1.0)  # so many rewards at least, since none is larger
    most = solve(task, number, start, True)[:, 1]
    lower = np.where(sure >= quota, found[:, 0], np.where(most < quota, 0.0, -np.inf))
    upper = np.where(most >= quota, np.maximum(found[:, 1], 0.0), 0.0)
    return np.stack([lower, upper], axis=1)


def _solve(task: Task) -> References:
    rng = np.random.default_rng(1)
    played = returns(fleet([task] * EPISODES), lambda: rng.integers(ACTIONS, size=(EPISODES, 1)))
    first, count = levels(task)
    if count <= LEVELS:
        chosen = np.arange(count)
    else:
        chosen = np.sort(np.random.default_rng(0).choice(count, LEVELS, replace=False))
    lower, upper = bounds(task, first + chosen).T
    error = float(upper.std() / math.sqrt(len(upper)))
    spread = float(played.std() / math.sqrt(EPISODES))
    return References(
        float(played.mean()), spread, float(upper.mean()), error, len(chosen), bool((lower == upper).all())
    )


def _courses(task: Task, number: int, start: npt.NDArray[Any], counted: bool) -> npt.NDArray[np.float64]:
    """Both bounds where they are equal."""
    states = STATES.get(number, CELLS)
    values, after = np.empty(states), np.empty(states)
    course, room = np.zeros(task["max_episode_steps"] + 1, dtype=INSTANCE), np.zeros(1, dtype=INSTANCE)
    best = []
    for one in start:
        course[0] = one
        follow(course, number)
        best.append(course_value(course, room, number, task["deadly"], counted, values, after))
    return np.repeat(np.array(best)[:, None], 2, axis=1)


def _routes(task: Task, number: int, start: npt.NDArray[Any], counted: bool) -> npt.NDArray[np.float64]:
    """Both bounds; the upper one is also that of the number of rewards."""
    scores = np.empty((3, CELLS, 2 ** _MOST[number]), dtype=np.int8)
    horizon, deadly = task["max_episode_steps"], task["deadly"]
    return np.array(
        [[route_value(one, number, horizon, free, deadly, scores) for free in (False, True)] for one in start], float
    )
