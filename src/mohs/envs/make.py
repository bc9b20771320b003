"""How does a user get an environment? From an id and parameters, or from a task."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
from gymnasium.vector import VectorEnv
from gymnasium.wrappers import TimeLimit

from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.core.point import Point
from mohs.core.task import Source, Task, TaskSet


def make(
    env: str | Source, /, *, seed: int | None = None, render_mode: str | None = None, **params: Any
) -> gymnasium.Env[Any, Any]:
    """A Gymnasium environment. `seed` is the structure seed; `reset(seed=)` seeds start states and noise."""
    if isinstance(env, TaskSet):
        return _make_set(env, seed, render_mode, params)
    task = _task(env, seed, params)
    if task.environment.outside:
        return task.environment.realisation("face")(source=task, render_mode=render_mode)  # type: ignore[no-any-return]
    return gymnasium.make(
        task.environment.gym_id,
        max_episode_steps=task["max_episode_steps"],
        disable_env_checker=True,
        render_mode=render_mode,
        seed=task.seed,
        **{name: value for name, value in task.params if name != "max_episode_steps"},
    )


def make_vec(
    env: str | Task,
    /,
    *,
    num_envs: int | None = None,
    seed: int | None = None,
    tasks: Iterable[Source | Point] | None = None,
    autoreset_mode: str = "NextStep",
    history: bool = False,
    vectorization_mode: str | None = None,
    **params: Any,
) -> VectorEnv[Any, Any, Any]:
    """A vector environment: `num_envs` copies of one task, or one instance for each of `tasks` (or a family).

    Toys are stepped by one kernel, with `history` in the infos if asked for. Environments of others are stepped one
    after the other ("sync"), each in a process of its own ("async"), or by "vector_entry_point".
    """
    if tasks is None:
        if num_envs is None:
            raise UsageError("make_vec needs num_envs (or tasks, one for each environment).")
        count = Integer(1, 2**24).parse("num_envs", num_envs)
        sources: Sequence[Source] = [_task(env, seed, params)] * count
    else:
        if params or seed is not None:
            raise UsageError("give either tasks or parameters of one task, not both.")
        sources = [task.task if isinstance(task, Point) else task for task in tasks]
        if not all(isinstance(source, Task | TaskSet) for source in sources):
            raise UsageError("tasks must be Tasks, TaskSets or the points of a family.")
        if not sources or num_envs not in (None, len(sources)):
            raise UsageError(f"num_envs is {num_envs}, but {len(sources)} tasks were given.")
    environment = (env if isinstance(env, Task) else Task.make(env)).environment
    options: dict[str, Any] = {"autoreset_mode": autoreset_mode, "history": history}
    if environment.outside:
        options["vectorization_mode"] = vectorization_mode
    elif vectorization_mode is not None:
        raise UsageError(f"{environment.id} has one vector environment: it takes no vectorization_mode.")
    return environment.realisation("vector_face")(sources=sources, **options)  # type: ignore[no-any-return]


def time_limit(env: gymnasium.Env[Any, Any]) -> int | None:
    """The steps after which an episode is cut off, where that is known: as registered, or as MiniGrid has it."""
    registered = env.spec.max_episode_steps if env.spec is not None else None
    return registered if registered is not None else getattr(env.unwrapped, "max_steps", None)


def _make_set(
    tasks: TaskSet, seed: int | None, render_mode: str | None, params: dict[str, Any]
) -> gymnasium.Env[Any, Any]:
    """An environment that draws one of the tasks for every episode."""
    if params or seed is not None:
        raise UsageError("the tasks of a set have their own parameters and seeds; give none beside it.")
    if all(task.environment.outside for task in tasks.tasks):
        return tasks.tasks[0].environment.realisation("face")(source=tasks, render_mode=render_mode)  # type: ignore[no-any-return]
    limits = {task["max_episode_steps"] for task in tasks.tasks}
    kinds = {task.env for task in tasks.tasks}
    if len(limits) > 1 or len(kinds) > 1:
        raise UsageError("the tasks of a set must have one environment and one max_episode_steps.")
    face = tasks.tasks[0].environment.realisation("face")
    return TimeLimit(face(source=tasks, render_mode=render_mode), limits.pop())


def _task(env: str | Task, seed: int | None, params: dict[str, Any]) -> Task:
    return env.replace(seed, **params) if isinstance(env, Task) else Task.make(env, seed=seed or 0, **params)
