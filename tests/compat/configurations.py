"""Configurations of MDP Playground to test with: one of each kind, and one with dynamics of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

DISCRETE: dict[str, Any] = {"state_space_type": "discrete", "action_space_size": 8, "seed": 0}
CONTINUOUS: dict[str, Any] = {
    "state_space_type": "continuous", "state_space_dim": 2, "state_space_max": 10, "action_space_max": 1, "seed": 0,
}  # fmt: skip
GRID: dict[str, Any] = {"state_space_type": "grid", "grid_shape": (5, 4), "target_point": [3, 2], "seed": 0}
P = np.random.default_rng(0).integers(6, size=(6, 3))
CUSTOM: dict[str, Any] = {
    "state_space_type": "discrete", "state_space_size": 6, "action_space_size": 3, "seed": 0, "use_custom_mdp": True,
    "transition_function": P, "reward_function": np.arange(18).reshape(6, 3),
}  # fmt: skip
