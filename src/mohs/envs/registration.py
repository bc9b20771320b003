"""How do mohs and Gymnasium come to know the environments? Each entry is registered in both.

Environments of others are found by their Gymnasium ids when they are asked for.
"""

from __future__ import annotations

from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from mohs.core.registry import Environment, add_finder, register, register_configuration
from mohs.envs.entries.challenge import CHALLENGE
from mohs.envs.entries.continuous import CONTINUOUS
from mohs.envs.entries.ctgraph import CONFIGURATIONS, CTGRAPH
from mohs.envs.entries.discrete import DISCRETE
from mohs.envs.entries.grid import GRID
from mohs.envs.entries.outside import OUTSIDE
from mohs.tables.challenge.grid import candidates

ENTRIES = (CHALLENGE, CONTINUOUS, CTGRAPH, DISCRETE, GRID)


def register_all() -> None:
    add_finder(OUTSIDE)
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


def _register_face(gym_id: str, entry: Environment, horizon: int | None = None, **params: Any) -> None:
    # `gymnasium.register` looks through all ids each time; with some hundreds that takes longer than all else here.
    gymnasium.registry[gym_id] = EnvSpec(
        gym_id,
        entry_point=entry.face,
        vector_entry_point=entry.vector_face,
        max_episode_steps=horizon or entry.parameters["max_episode_steps"].default,
        order_enforce=False,  # the environments check that themselves, in a fifth of the time
        kwargs=params,
    )
