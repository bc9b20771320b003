"""Can a plan run at all? Every kind of cell is constructed once before anything is trained."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import gymnasium

from mohs.agents.registry import check_plays
from mohs.core.cell import Cell
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.core.values import canonical_json
from mohs.envs.make import make, make_vec, time_limit
from mohs.runs.plan import Plan
from mohs.runs.user_code import has_user_code, tasks
from mohs.runs.workers import registrations
from mohs.runs.workers.aside import Aside


def check_plan(plan: Plan, aside: bool = False) -> None:
    """Constructs every task that is trained or evaluated on, and every agent on every kind of task, once.

    Args:
        plan: what is to run.
        aside: try what is the user's own in another process.

    Raises:
        UsageError: a task cannot be made, or an agent cannot play it; the sentence names the agent and the point.
    """
    tried: set[object] = set()
    cells = {cell.key: cell for cell in plan.cells}
    later: dict[str, Cell] = {}
    for track, key in zip(plan.tracks, plan.runs, strict=False):  # the first seed of each
        cell, where = cells[key], " at ".join(name for name in (track.agent, track.point) if name)
        if aside and has_user_code(cell):
            later[where] = cell
        else:
            _check_named(where, cell, tried)
    if later:
        texts = {where: canonical_json(cell.to_json()) for where, cell in later.items()}
        with Aside() as process:
            what = ", ".join(dict.fromkeys(track.agent for track in plan.tracks))
            environments = registrations.pack(later.values())
            process.call(what, f"{__name__}:check_cells", texts, environments=environments)


def check_cells(texts: Mapping[str, str]) -> None:
    """Checks cells as JSON by the names of their places."""
    tried: set[object] = set()
    for where, text in texts.items():
        _check_named(where, Cell.from_json(text), tried)


def _check_named(where: str, cell: Cell, tried: set[object]) -> None:
    try:
        _check_cell(cell, tried)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from error


def _check_cell(cell: Cell, tried: set[object]) -> None:
    for task in tasks(cell):
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
