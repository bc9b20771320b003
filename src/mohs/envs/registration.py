"""How do mohs and Gymnasium come to know the environments? Each entry is registered in both."""

from __future__ import annotations

import gymnasium

from mohs.core.registry import register
from mohs.envs.entries.discrete import DISCRETE

ENTRIES = (DISCRETE,)


def register_all() -> None:
    for entry in ENTRIES:
        register(entry)
        gymnasium.register(
            entry.gym_id,
            entry_point=entry.face,
            vector_entry_point=entry.vector_face,
            max_episode_steps=entry.parameters["max_episode_steps"].default,
            order_enforce=False,  # the environments check that themselves, in a fifth of the time
        )
