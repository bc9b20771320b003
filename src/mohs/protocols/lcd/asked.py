"""How does what was asked for become a study? Names of games and agents turn into data here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from mohs.core.cell import Agent
from mohs.core.errors import UsageError
from mohs.core.registry import canonical, environments
from mohs.core.task import Task
from mohs.protocols.agents import agents_of, with_preset
from mohs.protocols.lcd.editions import completed
from mohs.protocols.lcd.study import LEVELS, LcdStudy
from mohs.protocols.words import names

SMALL = "arcade"  # the preset with a small encoder, taken where no preset is set


def make_study(edition: str | None = None, **asked: Any) -> LcdStudy:
    """A study of what was asked for, completed by an edition; what is None is left to the defaults."""
    return _made(**{name: value for name, value in completed(edition, asked).items() if value is not None})


def _made(
    agents: Sequence[str | Agent] = (),
    games: Sequence[str | Task] = (),
    *,
    params: Mapping[str, Any] = MappingProxyType({}),
    levels: int | None = None,
    hyperparameters: Mapping[str, Any] = MappingProxyType({}),
    **options: Any,
) -> LcdStudy:
    """Games by name, with parameters that all of them take and so many training levels."""
    if not agents:
        raise UsageError("name at least one agent, such as ppo.")
    if not games:
        raise UsageError("name at least one game: --game arcade/maze, or --game procgen:bigfish,leaper.")
    tasks: dict[str, Task] = {}
    for given in games:
        for task in [given] if isinstance(given, Task) else [_task(name, params) for name in expanded(given)]:
            name = _unused(task.env, tasks)
            tasks[name] = with_levels(task, levels)
    made = agents_of(agents, with_preset(agents, hyperparameters, SMALL))
    return LcdStudy.make(made, tasks, **options)


def expanded(text: str) -> list[str]:
    """The games that a word names: `arcade/maze`, `procgen:bigfish,leaper`, or `arcade` for all of that name."""
    prefix, colon, listed = text.partition(":")
    if colon and not prefix.endswith(".py") and "/" not in prefix and "." not in listed:
        known = _of(prefix)
        return [_nearest(f"{prefix}/{name}", known) for name in names(listed)]
    found = [name for name in _of(text) if name.startswith(f"{text}/")]
    return found or ([text] if ".py:" in text else names(text))


def _of(prefix: str) -> list[str]:
    """The ids that begin with a prefix: of mohs, or of a suite that is installed."""
    own = [entry.id for entry in environments() if entry.id.startswith(f"{prefix}/")]
    if own or prefix != "procgen":
        return own
    from mohs.envs.suites.procgen.env import GAMES

    return [f"procgen/{game}" for game in GAMES]


def _nearest(name: str, known: Iterable[str]) -> str:
    """The id of this name, whatever its capitals; the name itself where there is none, which is an error later."""
    return next((other for other in known if other.lower() == name.lower()), name)


def _task(name: str, params: Mapping[str, Any]) -> Task:
    env, named = canonical(name)
    return Task.make(env, **{**named, **params})


def _unused(name: str, taken: Mapping[str, Task]) -> str:
    """The id of a game, numbered where a study has it twice."""
    count = sum(other == name or other.startswith(f"{name} #") for other in taken)
    return name if not count else f"{name} #{count + 1}"


def with_levels(task: Task, levels: int | None) -> Task:
    """The game on its first training levels, where they can be chosen and were not."""
    if "num_levels" not in task.environment.parameters:
        if levels is not None:
            raise UsageError(f"{task.env} has no levels to choose from: leave --levels out.")
        return task
    if levels is None and task["num_levels"] != task.environment.parameters["num_levels"].default:
        return task
    return task.replace(num_levels=LEVELS if levels is None else levels)
