"""Where is a dial read in an environment? In the places (`core.dial.Applies`) that the environment belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from gymnasium import spaces

from mohs.core.dial import WRAPPERS, Applies, Dial
from mohs.core.dials import DIALS, dial
from mohs.core.errors import UsageError
from mohs.core.registry import configuration, environments
from mohs.core.task import Task
from mohs.envs.make import make

_TOYS: dict[str, Applies] = {
    "toy/discrete": "discrete toy",
    "toy/continuous": "continuous toy",
    "toy/grid": "grid toy",
}


def canonical(env: str) -> tuple[str, Mapping[str, Any]]:
    """The id under which mohs knows an environment that was named by its Gymnasium id, or by a configuration of it.

    A configuration comes with parameters.
    """
    return configuration({e.gym_id: e.id for e in environments()}.get(env, env))


def is_toy(env: str) -> bool:
    return env in _TOYS


def kind(env: str) -> Applies:
    """What sort of environment it is: one of the toys, or any other, whose dials are injected by a wrapper."""
    return _TOYS.get(env, "wrapper")


@lru_cache(maxsize=1000)
def dial_of(task: Task, name: str) -> Dial:
    """The dial as it is read in this task's environment; an error where there is no such dial."""
    declared, parameters = dial(name), task.environment.parameters
    places = WRAPPERS if kind(task.env) == "wrapper" else (kind(task.env),)
    if name in parameters:
        for place in places:
            if place in declared.applies:
                return _of_actions(task, declared.at(place))
    there = sorted(d.name for d in DIALS.values() if d.name in parameters and set(places) & set(d.applies))
    raise UsageError(
        f"{name} is no dial of {task.env}: it applies to {' and '.join(declared.applies)}. Dials of {task.env}: "
        f"{', '.join(there)}."
    )


def _of_actions(task: Task, declared: Dial) -> Dial:
    """A wrapper's transition noise is a probability where actions are chosen, a deviation where they are set."""
    units = declared.unit.split(" or ")
    if len(units) == 1:
        return declared
    env = make(task)
    are_set = isinstance(env.action_space, spaces.Box)
    env.close()
    return replace(declared, unit=units[1] if are_set else units[0])
