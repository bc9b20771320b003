"""Which task is a card asked for? Words become a table, or an environment that has none."""

from __future__ import annotations

import ast
import itertools
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gymnasium

from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.core.registry import configuration, environments
from mohs.core.task import Task
from mohs.envs.make import make
from mohs.tables.build import table
from mohs.tables.table import Table

_WORDS = {"True": "true", "yes": "true", "False": "false", "no": "false", "None": "null"}


@dataclass(frozen=True, eq=False)
class Target:
    """A name, and a table with what to know of it; or an environment and the reason why it has no table."""

    name: str
    table: Table | None = None
    env: gymnasium.Env[Any, Any] | None = None
    reason: str = ""
    note: str = ""
    task: Task | None = None  # that the table was made from


def read_targets(words: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """Ids and paths, each with the `name=value` words that follow it."""
    found: list[tuple[str, dict[str, Any]]] = []
    for word in itertools.chain.from_iterable([given] if Path(given).is_file() else given.split() for given in words):
        name, equals, value = word.partition("=")
        if not equals or Path(word).is_file():
            found.append((word, {}))
        elif not found:
            raise UsageError(
                f"{word!r} sets a parameter, but no task comes before it: an id, or the path of an npz file."
            )
        elif name in found[-1][1]:
            raise UsageError(f"{name} is given twice for {found[-1][0]}.")
        else:
            found[-1][1][name] = read_value(value)
    if not found:
        raise UsageError("name a task: an id with name=value words, a Gymnasium id, or the path of an npz file.")
    return found


def resolve(
    what: str | os.PathLike[str] | Task | Table | gymnasium.Env[Any, Any] | Target,
    params: Mapping[str, Any] | None = None,
    *,
    explore: int = 0,
) -> Target:
    """The target that a name, a path, a task, a table or an environment stands for."""
    given, limit = dict(params or {}), Integer(0).parse("explore", explore)
    if not isinstance(what, str | os.PathLike):
        if given:
            raise UsageError(f"only an id takes parameters, and {', '.join(given)} was given with {what!r}.")
        return _made(what, limit)
    name = os.fspath(what)
    if name.endswith(".npz") or Path(name).is_file():
        if given:
            raise UsageError(f"{name} is a file: it takes no parameters ({', '.join(given)}).")
        return Target(Path(name).name, Table.load(name))
    ours = {e.gym_id: e.id for e in environments()}
    task = Task.make(ours.get(name, name), **given)
    if configuration(name)[0] == name:
        return _of_task(task, limit)
    asked = Task(name, tuple((key, task[key]) for key in sorted(given.keys() - {"seed"})), task.seed)
    return replace(_of_task(task, limit), name=str(asked))  # called as it was asked for


def _made(what: Task | Table | gymnasium.Env[Any, Any] | Target, explore: int) -> Target:
    if isinstance(what, Target):
        return what
    if isinstance(what, Table):
        return Target(repr(what), what)
    if isinstance(what, Task):
        return _of_task(what, explore)
    if isinstance(what, gymnasium.Env):
        return _gymnasium(what, str(what.spec.id if what.spec else what), explore)
    raise UsageError(f"a card is of an id, a path, a Task, a Table or a Gymnasium environment, not of {what!r}.")


def _of_task(task: Task, explore: int) -> Target:
    """Its table, if it has one; else the environment with its dials."""
    name, reason = str(task), ""
    if task.environment.third_party:
        name = name.removesuffix(" seed=0")
    if task.environment.table is None:
        return _gymnasium(make(task), name, explore)
    note = "rewards are taken at their mean: reward noise is left out" if task.values.get("reward_noise") else ""
    try:
        return Target(name, table(task), note=note, task=task)
    except UsageError as error:
        if not task.environment.third_party:
            raise
        reason = str(error).rstrip(".")
    return Target(name, env=make(task), reason=reason)


def read_value(text: str) -> Any:
    """A value as JSON, and as text where it is none; yes, no, Python's words and its tuples count too."""
    try:
        return json.loads(_WORDS.get(text, text))
    except json.JSONDecodeError:
        return _tuple(text)


def _tuple(text: str) -> Any:
    """The values of a tuple as Python writes it, (64, 64); the text where it is none."""
    if not text.startswith("("):
        return text
    try:
        read = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    return list(read) if isinstance(read, tuple) else text


def _gymnasium(env: gymnasium.Env[Any, Any], name: str, explore: int) -> Target:
    """Its table where it exposes its dynamics, or where it is to be explored; else the environment itself."""
    if hasattr(env.unwrapped, "P") and hasattr(env.unwrapped, "initial_state_distrib"):
        return Target(name, Table.from_gymnasium(env))
    if explore:
        alone = "it was explored from the start after reset(seed=0) alone"
        return Target(name, Table.from_gymnasium(env, limit=explore), note=alone)
    reason = "it has no table: its states are not listed anywhere"
    if isinstance(env.action_space, gymnasium.spaces.Discrete):
        reason += " (--explore N lists up to N of them, if it is deterministic)"
    return Target(name, env=env, reason=reason)
