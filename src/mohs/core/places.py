"""How does a place on the axes of a family become a point? Each name finds its part: task, context, seed or agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mohs.core.dials import DIALS
from mohs.core.point import AGENT, Point
from mohs.core.registry import Environment
from mohs.core.task import Task
from mohs.core.values import freeze

CONTEXT, SEED = "context", "seed"


def of_agent(params: Mapping[str, Any]) -> dict[str, Any]:
    """The hyperparameters of the agent."""
    return {name: value for name, value in params.items() if name.startswith(AGENT)}


def changed(task: Task, params: Mapping[str, Any]) -> Task:
    """The task with some parameters, the structure seed or parts of its context changed."""
    own, context = _split(task.environment, params)
    if context:
        own[CONTEXT] = {**dict(task[CONTEXT]), **dict(own.get(CONTEXT, {})), **context}
    return task.replace(**own) if own else task


def point(base: Task, fixed: Mapping[str, Any], at: Mapping[str, Any], **parts: Any) -> Point:
    """The point at a place: the base task with what is fixed and with the values on the axes."""
    given = {"name": name_of(at), **parts}
    places = {**at, **of_agent(fixed)}
    task = changed(base, {**fixed, **at})
    return Point(task=task, at=tuple((axis, freeze(value)) for axis, value in places.items()), **given)


def name_of(at: Mapping[str, Any], prefix: str = "") -> str:
    words = [f"{axis}={value}" for axis, value in at.items()]
    return " ".join([prefix, *words] if prefix else words) or "vanilla"


def value_of(task: Task, name: str) -> Any:
    """What a task has on an axis; None where that is whatever the environment has."""
    if name == SEED:
        return task.seed
    return task[name] if name in task.environment.parameters else dict(task.values.get(CONTEXT, ())).get(name)


def check_contexts(tasks: Iterable[Task]) -> None:
    """Makes one environment for every set of names in a context.

    Raises:
        UsageError: A context names what its environment does not have.
    """
    checked = set()
    for task in tasks:
        context = task.values.get(CONTEXT, ())
        kind = task.env, tuple(pair for pair in task.params if pair[0] != CONTEXT), tuple(name for name, _ in context)
        if context and task.environment.check_context is not None and kind not in checked:
            task.environment.realisation("check_context")(task)
            checked.add(kind)


def _split(entry: Environment, params: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of a task, and what is left for its context, if it has one."""
    ours = {name: value for name, value in params.items() if not name.startswith(AGENT)}
    has_context = CONTEXT in entry.parameters and entry.check_context is not None
    known = {*entry.parameters, *entry.refused, *DIALS, SEED}
    context = {name: value for name, value in ours.items() if has_context and name not in known}
    return {name: value for name, value in ours.items() if name not in context}, context
