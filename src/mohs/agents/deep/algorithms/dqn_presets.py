"""Which hyperparameters did others use for DQN and Rainbow? Presets, each with the source of its values.

**mdp_playground** (and `_image`, `_atari`): the tuned values of MDP Playground's experiments (Rajan et al. 2023), in
which RLlib trained the agents. RLlib pads the first two convolutions and keeps values from -10 to 10; here the third
filter covers what is left of 100 × 100 (or 84 × 84) pixels without padding, and toys keep the wider range of values
that their returns need. **stable_baselines3**: its defaults. **atari**: those of RL Baselines3 Zoo for DQN, of Hessel
et al. (2018) for Rainbow. **effective_horizon** (and `_slow`): what the Effective Horizon Challenge used, with ε that
falls over a tenth of the run, or over all of it.
"""

from __future__ import annotations

from typing import Any

_NATURE = {"filters": ((32, 8, 4), (64, 4, 2), (64, 3, 1)), "hidden": (512,)}
_TOY_IMAGES = {"filters": ((16, 8, 4), (32, 4, 2), (64, 11, 1)), "activation": "relu"}
_RLLIB = {"adam_epsilon": 1e-4, "buffer_size": 1_000_000, "exploration_final_eps": 0.01, "max_grad_norm": 40.0}
_RLLIB_ATARI = _RLLIB | {
    "learning_rate": 6.25e-5, "adam_epsilon": 1.5e-4, "filters": ((16, 8, 4), (32, 4, 2), (256, 9, 1)),
    "hidden": (512,), "learning_starts": 20_000, "target_update_interval": 8000, "exploration_steps": 200_000,
}  # fmt: skip
_RLLIB_DQN = _RLLIB | {
    "learning_rate": 1e-4, "hidden": (256, 256), "activation": "tanh", "learning_starts": 1000,
    "target_update_interval": 800,
}  # fmt: skip
_RLLIB_RAINBOW = _RLLIB | {
    "learning_rate": 1e-3, "hidden": (256, 256, 256), "activation": "tanh", "learning_starts": 500,
    "target_update_interval": 80, "n_step": 4, "atoms": 10, "priority_alpha": 0.75, "priority_steps": 20_000,
}  # fmt: skip
_ZOO_ATARI = _NATURE | {
    "learning_rate": 1e-4, "buffer_size": 100_000, "learning_starts": 100_000,
    "target_update_interval": 1000, "exploration_fraction": 0.1, "exploration_final_eps": 0.01,
}  # fmt: skip

# Images of 24 to 32 pixels on cells of 4 pixels: a filter sees one cell, the layers after it the whole screen.
_ARCADE = {
    "filters": ((16, 4, 4),), "hidden": (64,), "exploration_fraction": 0.2, "exploration_final_eps": 0.05,
}  # fmt: skip

DQN_PRESETS: dict[str, dict[str, Any]] = {
    "mdp_playground": _RLLIB_DQN,
    "mdp_playground_image": _RLLIB_DQN | _TOY_IMAGES | {"learning_rate": 1e-5, "hidden": ()},
    "mdp_playground_atari": _RLLIB_ATARI,
    "stable_baselines3": {
        "learning_rate": 1e-4, "buffer_size": 1_000_000, "learning_starts": 100, "target_update_interval": 10_000,
        "exploration_fraction": 0.1, "exploration_final_eps": 0.05,
    },
    "atari": _ZOO_ATARI,
    "arcade": _ARCADE | {"double": True},
    "effective_horizon": _ZOO_ATARI,
    "effective_horizon_slow": _ZOO_ATARI | {"exploration_fraction": 1.0},
}  # fmt: skip

RAINBOW_PRESETS: dict[str, dict[str, Any]] = {
    "mdp_playground": _RLLIB_RAINBOW,
    "mdp_playground_image": _RLLIB_RAINBOW | _TOY_IMAGES | {
        "learning_rate": 1e-4, "hidden": (256,), "target_update_interval": 800, "n_step": 1,
    },
    "mdp_playground_atari": _RLLIB_ATARI | {
        "buffer_size": 500_000, "n_step": 4, "noisy": False, "priority_steps": 2_000_000, "value_max": 10.0,
    },
    "atari": _NATURE | {
        "learning_rate": 6.25e-5, "adam_epsilon": 1.5e-4, "buffer_size": 1_000_000, "learning_starts": 20_000,
        "target_update_interval": 8000, "priority_steps": 10_000_000, "value_max": 10.0,
    },
}  # fmt: skip
