"""Which keys does a configuration of MDP Playground have, and for which state spaces?

A key that is a parameter of mohs keeps its name. What becomes of each of the others is said in docs/compat.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mohs.core.dial import NO_OFF
from mohs.core.dials import DIALS
from mohs.core.errors import UsageError, unknown

# Other names of a key: older ones, which the experiments of MDP Playground still use, and those of its documentation.
ALIASES = {
    "completely_connected": "maximally_connected",
    "relevant_init_state_dist": "init_state_dist",
    "state_space_relevant_indices": "relevant_indices",
    "sh_quant": "image_sh_quant",
    "ro_quant": "image_ro_quant",
    "scale_range": "image_scale_range",
}

# Of the runner and of the logs: they never changed an environment.
WITHOUT_EFFECT = ("log_level", "log_filename", "dummy_seed", "dummy_eval", "ablate")

_COMMON = (
    "state_space_type", "action_space_type", "seed", "render_mode", "dtype_s", "dtype_o", "delay", "transition_noise",
    "reward_noise", "reward_scale", "reward_shift", "reward_every_n_steps", "make_denser", "term_state_reward",
    "terminal_states", "irrelevant_features", "image_representations", "image_width", "image_height",
    "use_custom_mdp", "transition_function", "reward_function",
)  # fmt: skip
KEYS: dict[str, frozenset[str]] = {
    "discrete": frozenset((
        *_COMMON, "sequence_length", "reward_density", "reward_dist", "diameter", "terminal_state_density",
        "state_space_size", "action_space_size", "init_state_dist", "maximally_connected", "repeats_in_sequences",
        "generate_random_mdp", "image_transforms", "image_sh_quant", "image_ro_quant", "image_scale_range",
    )),
    "continuous": frozenset((
        *_COMMON, "sequence_length", "state_space_dim", "action_space_dim", "relevant_indices",
        "action_space_relevant_indices", "state_space_max", "action_space_max", "term_state_edge",
        "transition_dynamics_order", "inertia", "time_unit", "target_point", "target_radius", "action_loss_weight",
    )),
    "grid": frozenset((*_COMMON, "grid_shape", "target_point")),
}  # fmt: skip


def renamed(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration with one name for each key, without those that have no effect."""
    given: dict[str, Any] = {}
    for name, value in config.items():
        if name in WITHOUT_EFFECT:
            continue
        key = ALIASES.get(name, name)
        if key in given and not np.array_equal(given[key], value):
            raise UsageError(f"the configuration has {key} twice, the second time as {name}, with another value.")
        given[key] = "" if key == "image_transforms" and value == "none" else value
    return given


def belonging(given: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The keys of one kind of state space.

    A dial of another kind is passed over where it is off, since MDP Playground's own experiments hand such dials to
    every environment; any other key is an error.
    """
    kept = {}
    for name, value in given.items():
        if name in KEYS[kind]:
            kept[name] = value
        elif not any(name in keys for keys in KEYS.values()):
            raise unknown("key of MDP Playground's configuration", name, {*KEYS[kind], *ALIASES, *WITHOUT_EFFECT})
        elif not _off(name, value):
            owners = " and ".join(owner for owner, keys in KEYS.items() if name in keys)
            raise UsageError(f"{name} is a key of {owners} environments, but state_space_type is {kind!r}.")
    return kept


def _off(name: str, value: Any) -> bool:
    return name in DIALS and DIALS[name].off is not NO_OFF and bool(np.all(value == DIALS[name].off))
