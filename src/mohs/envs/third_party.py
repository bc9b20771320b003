"""How is a task of a third-party environment played? Gymnasium makes the environment, and mohs injects the dials."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces as gym_spaces
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv

from mohs.core.dials import DIALS
from mohs.core.domain import Choice
from mohs.core.errors import UsageError
from mohs.core.seeding import child, seed_of
from mohs.core.task import Source, Task, TaskSet, members
from mohs.core.values import resolve
from mohs.core.views import VIEW_PARAMETERS, Classes, View
from mohs.envs.contexts.attributes import OF_SPACES
from mohs.envs.contexts.wrapper import ContextEnv, check_names, context_value
from mohs.envs.entries.custom import SOURCE, version
from mohs.envs.fleets import Info, autoreset
from mohs.envs.inject import inject, inject_vec
from mohs.envs.suites.packages import suite_of
from mohs.envs.views.screens import Eyes, Offered, ViewEnv

Env = gymnasium.Env[Any, Any]
_ALIKE = "tasks that are played together must have the same spaces"
# Vector environments of Gymnasium's that are the same task as the single one; that of ALE has other preprocessing.
_NATIVE = ("CartPole-v0", "CartPole-v1")
_OF_SPACES = ("action_space_max", "irrelevant_features", "observation_noise")  # the dials that change a space


def face(*, source: Source, render_mode: str | None = None) -> Env:
    """The environment of a task, or one that draws a task of a set for every episode."""
    _check_members(source)
    return _made(source, render_mode) if isinstance(source, Task) else DrawnEnv(source, render_mode)


def bare(task: Task, render_mode: str | None = None) -> Env:
    """The environment of a task without its dials: with its arguments, context, time limit and the suite's view."""
    try:
        env: Env = gymnasium.make(
            version(task) if SOURCE in task.environment.parameters else task.environment.gym_id,
            max_episode_steps=task["max_episode_steps"],
            disable_env_checker=True,
            **({} if render_mode is None else {"render_mode": render_mode}),
            **_arguments(task),
        )
        if task["context"]:
            env = ContextEnv(env, dict(task["context"]))
        return _viewed(_wrapped(env, task, suite_of(task.environment.gym_id).inner), task)
    except UsageError:
        raise
    except Exception as error:  # a third-party environment may raise anything
        said = " ".join(str(error).split()) or type(error).__name__
        raise UsageError(f"{task.env} cannot be made: {said}") from error


def _made(task: Task, render_mode: str | None) -> Env:
    env, dials = bare(task, render_mode), _dials(task)
    return _wrapped(inject(env, **dials) if dials else env, task, suite_of(task.environment.gym_id).outer)


def _wrapped(env: Env, task: Task, wrapper: str | None) -> Env:
    """With a wrapper of the suite, which takes the suite's parameters."""
    if wrapper is None:
        return env
    wrapped: Env = resolve(wrapper)(env, **_of_suite(task))
    return wrapped


def _of_suite(task: Task) -> dict[str, Any]:
    return {name: task[name] for name in suite_of(task.environment.gym_id).parameters}


def _viewed(env: Env, task: Task) -> Env:
    """With what is seen of it as observations."""
    suite = suite_of(task.environment.gym_id)
    if task.environment.classes is None or task["view"] is None:
        return env
    eyes: Eyes | None = None
    if suite.views is not None:
        eyes = resolve(suite.views)(env, **_of_suite(task))
    elif task["view"] != View.PIXELS:
        eyes = Offered(env, task.env)
    return env if eyes is None else ViewEnv(env, eyes, task["view"], task["view_encoding"])


@lru_cache(maxsize=4096)
def offered_classes(task: Task) -> Classes:
    """The classes that the method `views` of a custom environment names."""
    env = bare(task.replace(view=View.PIXELS))
    found = Offered(env, task.env).classes
    env.close()
    return found


def _dials(task: Task) -> dict[str, Any]:
    """The dials as `inject` takes them. All that is generated here is the irrelevant toy: its seed is the task's."""
    dials = {name: value for name, value in task.params if name in DIALS}
    if toy := dials.get("irrelevant_features"):
        dials["irrelevant_features"] = {"seed": task.seed, **dict(() if toy is True else toy)}
    return dials


def _arguments(task: Task) -> dict[str, Any]:
    ours = {*DIALS, *suite_of(task.environment.gym_id).parameters, "max_episode_steps", "context", SOURCE}
    if task.environment.classes is not None:
        ours |= VIEW_PARAMETERS.keys()
    return {name: value for name, value in task.params if name not in ours}


def check_context(task: Task) -> None:
    """Makes the environment without its context and with it.

    Raises:
        UsageError: The context names what the environment does not have, or a value does not fit.
    """
    plain = bare(task.replace(context={}))
    check_names(plain, dict(task["context"]), task.env, also=task.environment.parameters)
    plain.close()
    bare(task).close()


@lru_cache(maxsize=4096)
def default_context(task: Task, name: str) -> Any:
    """The value that the environment of a task has for a name of a context."""
    env = bare(task)
    value = context_value(env, name)
    env.close()
    return value


def spaces(task: Task) -> tuple[Any, ...]:
    """Equal for tasks of one environment that have the same spaces, whatever their arguments and contexts are."""
    dials = [(name, value) for name, value in task.params if name in _OF_SPACES]
    context = {name: value for name, value in task["context"] if name in OF_SPACES}
    own = {name: value for name, value in task.params if name not in DIALS and name != "max_episode_steps"}
    return task.env, _signature(Task.make(task.env, **{**own, "context": context})), *dials


@lru_cache(maxsize=4096)
def _signature(task: Task) -> str:
    """A hash of the spaces of a task without dials. One that cannot be made is like no other; making it says why."""
    try:
        env = _made(task, None)
    except UsageError:
        return str(task)
    described = _described(env.observation_space), _described(env.action_space)
    env.close()
    return hashlib.sha256(repr(described).encode()).hexdigest()


def _described(space: Any) -> Any:
    """All that tells a space from others; the text of a large box leaves out most of its bounds."""
    if isinstance(space, gym_spaces.Box):
        return "Box", str(space.dtype), space.shape, space.low.tobytes(), space.high.tobytes()
    if isinstance(space, gym_spaces.Dict):
        return "Dict", [(name, _described(part)) for name, part in space.items()]
    return ("Tuple", [_described(part) for part in space]) if isinstance(space, gym_spaces.Tuple) else repr(space)


def _check_members(source: Source) -> None:
    for task in members(source)[0]:
        if not task.environment.third_party:
            raise UsageError(f"{task.env} is a toy, which is not played together with third-party environments.")


def _played(source: Source, render_mode: str | None = None) -> Env:
    """The environment of a source as its entry makes it."""
    _check_members(source)
    made: Env = members(source)[0][0].environment.realisation("face")(source=source, render_mode=render_mode)
    return made


class DrawnEnv(gymnasium.Env[Any, Any]):
    """One of several environments for every episode.

    Which one, and its seed, are drawn by the number of the episode: an episode depends on nothing that came before it.
    """

    def __init__(self, source: TaskSet, render_mode: str | None = None) -> None:
        self.source = source
        self.render_mode = render_mode
        self._members = [_played(task, render_mode) for task in source.tasks]
        first = self._members[0]
        self.observation_space, self.action_space = first.observation_space, first.action_space
        self.metadata = first.metadata
        for task, member in zip(source.tasks, self._members, strict=True):
            if (member.observation_space, member.action_space) != (self.observation_space, self.action_space):
                raise UsageError(
                    f"{_ALIKE}: {source.tasks[0]} has {self.observation_space} and {self.action_space}, "
                    f"{task} has {member.observation_space} and {member.action_space}."
                )
        self._episode = 0
        self._playing: Env | None = None

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        if seed is not None or self._playing is None:
            super().reset(seed=seed)
            _ = self.np_random  # Gymnasium chooses a seed where none was ever given
            self._episode = 0
        assert self.np_random_seed is not None
        address = self.np_random_seed, "episode", self._episode
        drawn = np.random.default_rng(child(*address, "task")).choice(len(self._members), p=self.source.weights)
        self._episode += 1
        self._playing = self._members[drawn]
        return self._playing.reset(seed=seed_of(child(*address, "seed")), options=options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, Info]:
        return self._current().step(action)

    def render(self) -> Any:
        return self._current().render()

    def close(self) -> None:
        for member in self._members:
            member.close()

    def _current(self) -> Env:
        if self._playing is None:
            raise gymnasium.error.ResetNeeded("call reset() first.")
        return self._playing


def vector_face(
    *,
    sources: Sequence[Source],
    autoreset_mode: str = "NextStep",
    history: bool = False,
    vectorization_mode: str | None = None,
) -> VectorEnv[Any, Any, Any]:
    """Single environments side by side, in this process ("sync") or each in its own ("async").

    "vector_entry_point" takes Gymnasium's vector environment of one task, where that is the same task. It has one
    random stream for all instances, so an instance there does not repeat what it does alone.
    """
    if history:
        raise UsageError("history is what toys know of their states; other environments have none.")
    mode = Choice(("sync", "async", "vector_entry_point")).parse("vectorization_mode", vectorization_mode or "sync")
    if mode == "vector_entry_point":
        return _native(sources, autoreset_mode)
    makers: list[Callable[[], Env]] = [partial(_played, source) for source in sources]
    vector = SyncVectorEnv if mode == "sync" else AsyncVectorEnv
    try:
        return vector(makers, autoreset_mode=autoreset(autoreset_mode))
    except RuntimeError as error:  # as both say that spaces differ
        raise UsageError(f"{_ALIKE}: {error}") from error


def _native(sources: Sequence[Source], autoreset_mode: str) -> VectorEnv[Any, Any, Any]:
    task = sources[0]
    if not isinstance(task, Task) or any(other != task for other in sources):
        raise UsageError("vector_entry_point plays one task in all instances; take sync or async for several.")
    if task.environment.gym_id not in _NATIVE:
        raise UsageError(
            f"Gymnasium's vector environment of {task.env} is not known to be the same task, if there is one; take "
            f"sync or async. It is for {', '.join(_NATIVE)}."
        )
    if task["context"]:
        raise UsageError("Gymnasium's vector environments take no context; take sync or async.")
    limit = {name: value for name, value in task.params if name == "max_episode_steps"}
    envs = gymnasium.make_vec(
        task.environment.gym_id, len(sources), vectorization_mode="vector_entry_point", **limit, **_arguments(task)
    )
    mode = autoreset(autoreset_mode)
    if envs.metadata["autoreset_mode"] is not mode:
        raise UsageError(f"Gymnasium's vector environment of {task.env} has no {mode.value}; take sync or async.")
    dials = _dials(task)
    return inject_vec(envs, **dials) if dials else envs
