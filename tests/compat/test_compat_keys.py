"""Does a configuration of MDP Playground become the task it asks for, or a sentence that says why not?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from configurations import CONTINUOUS, CUSTOM, DISCRETE, GRID, P

from mohs import Task, UsageError
from mohs.compat import RLToyEnv, wrapper
from mohs.compat.configuration import task_of
from mohs.compat.keys import ALIASES, KEYS, WITHOUT_EFFECT


def parameters(**config: Any) -> dict[str, Any]:
    return dict(task_of(config).params)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, Task.make("toy/discrete")),
        ({**DISCRETE, "state_space_type": "Discrete", "seed": 7}, Task.make("toy/discrete", 7)),
        ({**DISCRETE, "delay": 2, "sequence_length": 3}, Task.make("toy/discrete", delay=2, sequence_length=3)),
        (
            {**DISCRETE, "sequence_length": 3, "reward_every_n_steps": 1, "state_space_size": 8},
            Task.make("toy/discrete", sequence_length=3, reward_every_n_steps=False),
        ),
        ({**DISCRETE, "sequence_length": 3, "reward_every_n_steps": 3}, Task.make("toy/discrete", sequence_length=3)),
        (
            {**DISCRETE, "action_space_size": [8, 4], "state_space_size": [24, 12], "diameter": 3,
             "irrelevant_features": True},
            Task.make("toy/discrete", action_space_size=(8, 4), diameter=3, irrelevant_features=True),
        ),
        (
            {**DISCRETE, "image_representations": True, "image_transforms": "none", "image_width": 40},
            Task.make("toy/discrete", image_representations=True, image_width=40),
        ),
        (
            {**DISCRETE, "image_representations": True, "image_transforms": "rotate,shift", "sh_quant": 4,
             "ro_quant": 30, "scale_range": (0.5, 2.0)},
            Task.make("toy/discrete", image_representations=True, image_transforms="shift,rotate", image_sh_quant=4,
                      image_ro_quant=30, image_scale_range=(0.5, 2.0)),
        ),
        (CONTINUOUS, Task.make("toy/continuous", make_denser=True)),
        (
            {**CONTINUOUS, "make_denser": False, "inertia": [1.0, 2.0], "action_space_dim": 2, "dtype_s": np.float32},
            Task.make("toy/continuous", inertia=(1.0, 2.0)),
        ),
        (
            {**CONTINUOUS, "state_space_dim": 4, "state_space_relevant_indices": [0, 2],
             "action_space_relevant_indices": [0, 2], "irrelevant_features": True, "target_point": [1, 2]},
            Task.make("toy/continuous", state_space_dim=4, relevant_indices=(0, 2), target_point=(1, 2),
                      make_denser=True),
        ),
        (
            {**CONTINUOUS, "reward_function": "move_along_a_line", "sequence_length": 10},
            Task.make("toy/continuous", reward_function="move_along_a_line", sequence_length=10),
        ),
        (
            {**GRID, "reward_function": "move_to_a_point", "make_denser": True, "irrelevant_features": True},
            Task.make("toy/grid", grid_shape=(5, 4), target_point=(3, 2), make_denser=True, irrelevant_features=True),
        ),
    ],
    ids=lambda value: value.env if isinstance(value, Task) else "",
)  # fmt: skip
def test_a_configuration_is_a_task(config: dict[str, Any], expected: Task) -> None:
    task = task_of(config)
    assert task.params == expected.params
    assert task.env == expected.env
    assert not config or task.seed == expected.seed


def test_what_the_experiments_of_the_paper_hand_to_every_environment() -> None:
    """Keys of the runner and logs, an older name, and dials of other kinds of environments at their off-values."""
    runner = {"log_level": 10, "log_filename": "/nowhere", "dummy_seed": 3, "dummy_eval": True}
    older = {"completely_connected": True, "repeats_in_sequences": False, "generate_random_mdp": True}
    assert task_of({**DISCRETE, **runner, **older, "action_loss_weight": 0.0}) == Task.make("toy/discrete")
    assert task_of({**GRID, **runner, "sequence_length": 1, "inertia": 1}) == task_of(GRID)
    assert parameters(**DISCRETE, sequence_length=2, reward_every_n_steps=True) == {"sequence_length": 2}


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"action_space_size": 8}, "state_space_type is None, but must be one of"),
        ({**DISCRETE, "dealy": 1}, "Did you mean 'delay'"),
        (
            {**DISCRETE, "inertia": 2.0},
            "inertia is a key of continuous environments, but state_space_type is 'discrete'",
        ),
        ({**GRID, "sequence_length": 2}, "sequence_length is a key of discrete and continuous"),
        ({**CONTINUOUS, "image_transforms": "shift"}, "image_transforms is a key of discrete"),
        ({**DISCRETE, "sequence_length": 3, "reward_every_n_steps": 2}, "must be 1 .* or sequence_length, 3"),
        ({**CONTINUOUS, "reward_every_n_steps": 2}, "must be 1: only discrete"),
        ({**DISCRETE, "maximally_connected": False}, "maximally_connected must be True"),
        ({**DISCRETE, "repeats_in_sequences": True}, "repeats_in_sequences must be False"),
        ({**DISCRETE, "generate_random_mdp": False}, "needs use_custom_mdp"),
        ({**DISCRETE, "transition_function": P}, "needs use_custom_mdp=True"),
        ({**DISCRETE, "state_space_size": 9}, "state_space_size is 9, but generated dynamics have"),
        ({**DISCRETE, "dtype_s": np.int32}, "dtype_s is int32, but these environments return int64"),
        ({**DISCRETE, "image_representations": True, "dtype_o": np.float32}, "return uint8"),
        ({**DISCRETE, "action_space_type": "continuous"}, "action_space_type"),
        ({**DISCRETE, "seed": {"state_space": 3}}, "without 'env'"),
        ({**DISCRETE, "seed": -1}, "seed is -1"),
        ({**DISCRETE, "sh_quant": 2, "image_sh_quant": 3}, "image_sh_quant twice"),
        ({**DISCRETE, "reward_noise": lambda state, rng: 0.0}, "takes 2 arguments"),
        ({**CUSTOM, "reward_function": None}, "needs a reward_function"),
        ({**CUSTOM, "sequence_length": 2}, "sequence_length must be 1 with a reward_function"),
        ({**CUSTOM, "reward_function": lambda states, action: states[-3]}, "more than the last two states"),
        ({**CUSTOM, "reward_function": lambda s, a: s[-1], "transition_noise": 0.1}, "depends on the next state"),
        ({**CONTINUOUS, "use_custom_mdp": True}, "write it as a gymnasium.Env"),
        ({**CONTINUOUS, "action_space_dim": 3}, "action_space_dim must be state_space_dim, 2"),
        ({**CONTINUOUS, "irrelevant_features": True}, "need relevant_indices"),
        ({**CONTINUOUS, "action_space_relevant_indices": [0]}, "must be relevant_indices"),
        ({**CONTINUOUS, "terminal_states": lambda state: False}, "centres of cubes"),
        ({**GRID, "reward_function": "move_along_a_line"}, "reward_function"),
    ],
)
def test_what_cannot_be_is_said(config: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        RLToyEnv(**config)


def test_every_key_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "compat.md").read_text()
    keys = {*KEYS["discrete"], *KEYS["continuous"], *KEYS["grid"], *ALIASES, *WITHOUT_EFFECT}
    assert not {key for key in keys | {*wrapper.KEYS, *wrapper.BELOW} if f"`{key}`" not in page}
