"""How do mohs and Gymnasium come to know the environments? Each entry is registered in both.

Environments of others are found by their Gymnasium ids when they are asked for.
"""

from __future__ import annotations

from typing import Any

import gymnasium

from mohs.core.registry import Environment, add_finder, register, register_configuration
from mohs.envs.entries.continuous import CONTINUOUS
from mohs.envs.entries.ctgraph import CONFIGURATIONS, CTGRAPH
from mohs.envs.entries.discrete import DISCRETE
from mohs.envs.entries.grid import GRID
from mohs.envs.entries.outside import OUTSIDE

ENTRIES = (CONTINUOUS, CTGRAPH, DISCRETE, GRID)


def register_all() -> None:
    add_finder(OUTSIDE)
    for entry in ENTRIES:
        register(entry)
        _register_face(entry.gym_id, entry)
    for name, params in CONFIGURATIONS.items():
        register_configuration(name, CTGRAPH.id, params)
        _register_face(f"mohs/{name}-v0", CTGRAPH, **params)


def _register_face(gym_id: str, entry: Environment, **params: Any) -> None:
    gymnasium.register(
        gym_id,
        entry_point=entry.face,
        vector_entry_point=entry.vector_face,
        max_episode_steps=entry.parameters["max_episode_steps"].default,
        order_enforce=False,  # the environments check that themselves, in a fifth of the time
        kwargs=params,
    )
