"""Which attributes do users of MDP Playground read from a toy? Its settings and sizes, by the names they have there."""

from __future__ import annotations

from typing import Any

import numpy as np

from mohs.core.task import Task
from mohs.engines.continuous.parameters import spaces
from mohs.tables.toys.grid_parameters import target_point
from mohs.tables.toys.point_mass import point_mass
from mohs.tables.toys.toy import Toy
from mohs.tables.toys.toy_parameters import action_sizes

# Settings that are parameters of the same name. Those of another kind of state space are left out.
_SAME = (
    "delay", "sequence_length", "reward_scale", "reward_shift", "reward_noise", "transition_noise", "make_denser",
    "term_state_reward", "irrelevant_features", "image_representations", "image_width", "image_height",
    "image_transforms", "image_sh_quant", "image_ro_quant", "image_scale_range", "reward_density", "reward_dist",
    "diameter", "terminal_state_density", "inertia", "time_unit", "target_radius", "action_loss_weight",
    "term_state_edge", "grid_shape",
)  # fmt: skip


def attributes(task: Task) -> dict[str, Any]:
    """The settings of a toy that hold for its life."""
    values = task.values
    length = values.get("sequence_length", 1)
    found = {name: values[name] for name in _SAME if name in values}
    found |= {
        "sequence_length": length,
        "augmented_state_length": values["delay"] + length + 1,
        "reward_every_n_steps": length if values.get("reward_every_n_steps", False) else 1,
        "use_custom_mdp": values.get("transition_function") is not None,
    }
    if task.env == "toy/continuous":
        dims, states, actions = spaces(task)
        found |= {
            "state_space_dim": dims, "action_space_dim": dims, "state_space_max": states, "action_space_max": actions,
            "dynamics_order": values["transition_dynamics_order"], "target_point": point_mass(values).target,
            "irrelevant_features": values["relevant_indices"] is not None,
        }  # fmt: skip
    elif task.env == "toy/grid":
        found["target_point"] = list(target_point(values))
    return found


def discrete_attributes(task: Task, parts: Toy) -> dict[str, Any]:
    """What a discrete toy has beside: sizes as lists, the irrelevant part second, and what was generated or given."""
    sizes = [size for size in action_sizes(task.values) if size]
    states = [parts.num_states] + ([len(parts.irrelevant)] if parts.irrelevant is not None else [])
    found: dict[str, Any] = {
        "action_space_size": sizes,
        "state_space_size": np.array(states),
        "num_terminal_states": int(parts.terminal.sum()) // parts.sets,  # of each independent set
        "transition_matrix": (parts.succ if parts.succ is not None else parts.probs).copy(),  # type: ignore[union-attr]
    }
    if parts.reward is not None:
        found["reward_matrix"] = parts.reward.copy()
    return found


def start_distributions(parts: Toy) -> dict[str, Any]:
    """The start distributions of a discrete toy, as MDP Playground adds them to its configuration."""
    found = {"relevant_init_state_dist": parts.initial.copy()}
    if parts.irrelevant is not None:
        count = len(parts.irrelevant)
        found["irrelevant_init_state_dist"] = np.full(count, 1 / count)
    return found
