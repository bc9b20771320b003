"""How does a user get an environment? From an id and parameters, or from a task."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
from gymnasium.vector import VectorEnv
from gymnasium.wrappers import TimeLimit

from mohs.core.arguments import checked
from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.core.point import Point
from mohs.core.task import EnvFactory, Source, Task, TaskSet

MOST_ENVS = 4096  # copies of a third-party environment


@checked
def make(
    env: str | Source | EnvFactory, /, *, seed: int | None = None, render_mode: str | None = None, **params: Any
) -> gymnasium.Env[Any, Any]:
    """Makes a Gymnasium environment.

    Args:
        env: One of

            - an id, of mohs (`toy/discrete`) or of Gymnasium (`CartPole-v1`),
            - `file.py:attribute` or `module:attribute`, which names a subclass of `gymnasium.Env` or a function that
              returns an environment; or that class or function itself,
            - a `Task`, whose parameters `params` override,
            - a `TaskSet`, one task of which is drawn for every episode.
        seed: The structure seed: it decides what is generated, such as dynamics and rewards; 0 by default.
            `reset(seed=)` seeds start states and noise.
        render_mode: A render mode of the environment.
        **params: Dials and other parameters of the environment (`mohs envs`).

    Returns:
        The environment, with its dials and its time limit.

    Raises:
        UsageError: The environment or a parameter is unknown, a value is not allowed, or the environment cannot be
            made.

    Example:
        >>> import mohs
        >>> env = mohs.make("toy/discrete", delay=2, seed=1)
        >>> observation, info = env.reset(seed=0)
        >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        >>> mohs.make("CartPole-v1", delay=2, reward_noise=1.0).action_space
        Discrete(2)
    """
    if isinstance(env, TaskSet):
        return _make_set(env, seed, render_mode, params)
    task = _task(env, seed, params)
    if task.environment.third_party:
        return task.environment.realisation("face")(source=task, render_mode=render_mode)  # type: ignore[no-any-return]
    made: gymnasium.Env[Any, Any] = gymnasium.make(
        task.environment.gym_id,
        max_episode_steps=task["max_episode_steps"],
        disable_env_checker=True,
        render_mode=render_mode,
        seed=task.seed,
        **{name: value for name, value in task.params if name != "max_episode_steps"},
    )
    return _limited(made, task["max_episode_steps"])


@checked
def make_vec(
    env: str | Task | EnvFactory,
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
    """Makes a vector environment: `num_envs` instances of one task, or one instance for each of `tasks`.

    One compiled kernel steps all instances of a toy. Instance i does exactly what it does alone with its seed.

    Args:
        env: As for `make`, but no `TaskSet`.
        num_envs: The number of instances. Not needed with `tasks`.
        seed: The structure seed; 0 by default.
        tasks: A `Task`, `TaskSet` or `Point` for each instance, or a `Family`. All must have the same spaces.
        autoreset_mode: `"NextStep"` or `"SameStep"`: the step in which a finished episode is reset.
        history: Whether the infos of a toy hold its states.
        vectorization_mode: For third-party environments: `"sync"` (the default) steps one after the other, `"async"`
            gives each a process, `"vector_entry_point"` takes Gymnasium's own vector environment.
        **params: Dials and other parameters of the environment.

    Returns:
        The vector environment.

    Raises:
        UsageError: The arguments contradict each other, or one is not allowed.

    Example:
        >>> import mohs
        >>> envs = mohs.make_vec("toy/discrete", num_envs=3, delay=2)
        >>> observations, infos = envs.reset(seed=0)
        >>> observations.shape
        (3,)
        >>> delays = [mohs.Task.make("toy/discrete", delay=delay) for delay in (0, 2, 4)]
        >>> mohs.make_vec("toy/discrete", tasks=delays).num_envs
        3
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
    if environment.third_party:
        if len(sources) > MOST_ENVS:
            raise UsageError(
                f"num_envs is {len(sources)}, but environments of other packages are made one by one: at most "
                f"{MOST_ENVS} in a vector environment."
            )
        options["vectorization_mode"] = vectorization_mode
    elif vectorization_mode is not None:
        raise UsageError(f"{environment.id} has one vector environment: it takes no vectorization_mode.")
    return environment.realisation("vector_face")(sources=sources, **options)  # type: ignore[no-any-return]


def time_limit(env: gymnasium.Env[Any, Any]) -> int | None:
    """The steps after which an episode is cut off, where known: as registered, or as MiniGrid and Procgen have it."""
    registered = env.spec.max_episode_steps if env.spec is not None else None
    return registered if registered is not None else getattr(env.unwrapped, "max_steps", None)


def _make_set(
    tasks: TaskSet, seed: int | None, render_mode: str | None, params: dict[str, Any]
) -> gymnasium.Env[Any, Any]:
    """An environment that draws one of the tasks for every episode."""
    if params or seed is not None:
        raise UsageError("the tasks of a set have their own parameters and seeds; give none beside it.")
    if all(task.environment.third_party for task in tasks.tasks):
        return tasks.tasks[0].environment.realisation("face")(source=tasks, render_mode=render_mode)  # type: ignore[no-any-return]
    limits = {task["max_episode_steps"] for task in tasks.tasks}
    kinds = {task.env for task in tasks.tasks}
    if len(limits) > 1 or len(kinds) > 1:
        raise UsageError("the tasks of a set must have one environment and one max_episode_steps.")
    face = tasks.tasks[0].environment.realisation("face")
    (limit,) = limits
    return _limited(TimeLimit(face(source=tasks, render_mode=render_mode), limit), limit)


def _limited(env: gymnasium.Env[Any, Any], steps: int) -> gymnasium.Env[Any, Any]:
    """Tells a compiled environment its time limit."""
    from mohs.envs.single import FleetEnv

    if isinstance(env.unwrapped, FleetEnv):
        env.unwrapped.set_limit(steps)
    return env


def _task(env: str | Task | EnvFactory, seed: int | None, params: dict[str, Any]) -> Task:
    return env.replace(seed, **params) if isinstance(env, Task) else Task.make(env, seed=seed or 0, **params)
