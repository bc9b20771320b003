"""How is a dial read in an environment? As the entry's `place` says, in the unit that fits the action space."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from gymnasium import spaces

from mohs.core.dial import WRAPPERS, Dial
from mohs.core.dials import DIALS, dial
from mohs.core.errors import UsageError
from mohs.core.registry import Environment
from mohs.core.task import Task
from mohs.envs.make import make


def read_dial(environment: Environment, name: str) -> Dial:
    """A dial as an environment reads it. No environment is made, so the unit may still depend on its actions.

    Args:
        environment: An entry of the registry.
        name: The name of the dial.

    Returns:
        The dial with the domain, vanilla value and unit that it has in the environment's place. Its
        `unit_continuous` is set if the unit depends on the action space.

    Raises:
        UsageError: The environment has no such dial.
    """
    declared, parameters = dial(name), environment.parameters
    places = WRAPPERS if environment.place == "wrapper" else (environment.place,)
    if name in parameters:
        for place in places:
            if place is not None and place in declared.applies:
                return declared.at(place)
    there = sorted(d.name for d in DIALS.values() if d.name in parameters and set(places) & set(d.applies))
    raise UsageError(
        f"{name} is no dial of {environment.id}: it applies to {' and '.join(declared.applies)}. Dials of "
        f"{environment.id}: {', '.join(there) or 'none'}."
    )


def dial_of(task: Task, name: str) -> Dial:
    """A dial as a task reads it, with its unit.

    The environment is made only if the unit depends on its action space, once for each set of its own arguments.

    Raises:
        UsageError: The environment has no such dial.
    """
    found = read_dial(task.environment, name)
    if found.unit_continuous is None:
        return found
    own = tuple((parameter, value) for parameter, value in task.params if parameter not in DIALS)
    return found.for_actions(_has_continuous_actions(task.env, own))


@lru_cache(maxsize=1000)
def _has_continuous_actions(env: str, params: tuple[tuple[str, Any], ...]) -> bool:
    made = make(Task(env, params))
    continuous = isinstance(made.action_space, spaces.Box)
    made.close()
    return continuous
