"""How do mohs and Gymnasium come to know the environments? Each entry is registered in both.

Third-party environments are found by their Gymnasium ids when they are asked for. Environments of plugins are loaded
when a name is not known without them.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from mohs.core import plugins
from mohs.core.errors import UsageError
from mohs.core.registry import (
    Environment,
    Finder,
    add_finder,
    defer,
    environments,
    register,
    register_configuration,
)
from mohs.envs.entries.challenge import CHALLENGE
from mohs.envs.entries.ctgraph import CONFIGURATIONS, CTGRAPH
from mohs.envs.entries.custom import CUSTOM
from mohs.envs.entries.third_party import THIRD_PARTY
from mohs.tables.challenge.grid import candidates

# Each module of `entries` holds the entry of the same name, in capitals, or several of them.
NAMES = (
    "acrobot", "arcade", "cartpole", "challenge", "continuous", "ctgraph", "discrete", "grid",
    "intersection", "mountain_car", "mountain_car_continuous", "pendulum", "quad", "sumo",
)  # fmt: skip


def _entries(name: str) -> tuple[Environment, ...]:
    found = getattr(import_module(f"mohs.envs.entries.{name}"), name.upper())
    return found if isinstance(found, tuple) else (found,)


ENTRIES: tuple[Environment, ...] = tuple(entry for name in NAMES for entry in _entries(name))
PLUGINS = "mohs.environments"


def register_all() -> None:
    add_finder(CUSTOM)
    add_finder(THIRD_PARTY)
    for entry in ENTRIES:
        register(entry)
        _register_face(entry.gym_id, entry)
    for name, params in CONFIGURATIONS.items():
        register_configuration(name, CTGRAPH.id, params)
        _register_face(f"mohs/{name}-v0", CTGRAPH, **params)
    for mdp in candidates():
        gym_id = f"mohs/Challenge-{mdp.id}-v0"
        for name in (mdp.id, gym_id):
            register_configuration(name, CHALLENGE.id, {"mdp": mdp.id})
        _register_face(gym_id, CHALLENGE, mdp.horizon, mdp=mdp.id)
    defer(_load_plugins)


def register_environment(entry: Environment) -> None:
    """Adds an environment to mohs, and its id to Gymnasium. An entry of the same id is replaced.

    Args:
        entry: What is known of the environment. Its parts are imported when they are used, not here.

    Raises:
        UsageError: The id is one of mohs's own, `max_episode_steps` is no parameter, or the environment is a
            third-party one whose id Gymnasium does not know.

    Example:
        >>> import mohs
        >>> from mohs.envs.entries.third_party import third_party_entry
        >>> from mohs.envs.registration import register_environment
        >>> register_environment(third_party_entry("CartPole-v1", id="cart", title="a pole on a cart"))
        >>> mohs.make("cart", delay=2).reset(seed=0)[0].shape
        (4,)
    """
    if not isinstance(entry, Environment):
        raise UsageError(f"only an Environment can be registered, not {entry!r}.")
    if entry.id in {ours.id for ours in ENTRIES}:
        raise UsageError(f"{entry.id} is an environment of mohs: give yours another id.")
    if "max_episode_steps" not in entry.parameters:
        raise UsageError(f"{entry.id} needs the parameter max_episode_steps.")
    if not entry.third_party:
        _register_face(entry.gym_id, entry)
    elif entry.gym_id not in gymnasium.registry:
        raise UsageError(f"Gymnasium does not know {entry.gym_id}: register it there first.")
    register(entry)


def registered_environments() -> dict[str, Environment]:
    """The environments that were registered in this process beside those of mohs, by id."""
    ours = {entry.id for entry in ENTRIES}
    return {entry.id: entry for entry in environments() if entry.id not in ours}


def _load_plugins() -> None:
    for name, found in plugins.load(PLUGINS):
        with plugins.skipping(PLUGINS, name):
            for item in _items(found() if callable(found) else found):
                if isinstance(item, Finder):
                    add_finder(item)
                else:
                    register_environment(item)


def _items(found: Environment | Finder | Iterable[Environment | Finder]) -> Iterable[Environment | Finder]:
    return (found,) if isinstance(found, Environment | Finder) else found


def _register_face(gym_id: str, entry: Environment, horizon: int | None = None, **params: Any) -> None:
    # `gymnasium.register` looks through all ids each time; with some hundreds that takes longer than all else here.
    gymnasium.registry[gym_id] = EnvSpec(
        gym_id,
        entry_point=entry.face,
        vector_entry_point=None if entry.third_party else entry.vector_face,  # several are made one by one
        max_episode_steps=horizon or entry.parameters["max_episode_steps"].default,
        order_enforce=False,  # the environments check that themselves, in a fifth of the time
        kwargs=params,
    )
