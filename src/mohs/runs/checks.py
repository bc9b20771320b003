"""Can a plan run at all? Every kind of cell is constructed once before anything is trained."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Any

import gymnasium

from mohs.agents.registry import check_plays
from mohs.core.cell import Cell
from mohs.core.errors import UsageError
from mohs.core.task import Task, members
from mohs.envs.make import make, make_vec, time_limit
from mohs.runs.plan import Plan


def check_plan(plan: Plan) -> None:
    """Constructs every task that is trained or evaluated on, and every agent on every kind of task, once.

    Raises:
        UsageError: a task cannot be made, or an agent cannot play it; the sentence names the agent and the point.
    """
    tried: set[object] = set()
    cells = {cell.key: cell for cell in plan.cells}
    for track, key in zip(plan.tracks, plan.runs, strict=False):  # the first seed of each
        cell = cells[key]
        try:
            _check_cell(cell, tried)
        except UsageError as error:
            where = " at ".join(name for name in (track.agent, track.point) if name)
            raise UsageError(f"{where}: {error}") from error


def _check_cell(cell: Cell, tried: set[object]) -> None:
    for task in dict.fromkeys(task for source in cell.sources for task in members(source)[0]):
        if reason := cannot_be_made(replace(task, seed=0)):
            raise UsageError(reason)
        kind = cell.agent, cell.steps, task.env, task.environment.realisation("spaces")(task)
        if kind not in tried:
            check_plays(cell.agent, task, cell.steps or None)
            tried.add(kind)


@lru_cache(maxsize=1000)
def cannot_be_made(task: Task) -> str:
    """Why an environment cannot be constructed, or its episodes never end; "" where all is well."""
    try:
        if not task.environment.third_party:
            make_vec(task, num_envs=1).close()  # builds the task and compiles nothing
            return ""
        made = make(task)
    except UsageError as error:
        return str(error)
    limit, trouble = time_limit(made), _first_step(made)
    made.close()
    if trouble:
        return f"{task.env} cannot be played: {trouble}."
    if limit is None:
        return f"{task.env} has no time limit, so an episode may never end: set max_episode_steps."
    return ""


def _first_step(env: gymnasium.Env[Any, Any]) -> str:
    """What goes wrong in the first step of an environment, if anything does."""
    try:
        env.reset(seed=0)
        _, reward, *_ = env.step(env.action_space.sample())
        return "" if math.isfinite(reward) else f"its first reward is {reward}"
    except Exception as error:  # code of the user may raise anything
        return f"{type(error).__name__}: {error}"
