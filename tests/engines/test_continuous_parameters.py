"""Are contradictory parameters of the continuous toy refused in one sentence, and equal tasks equal?"""

from __future__ import annotations

import math
from typing import Any

import pytest

from mohs import Task, UsageError

BAD: list[tuple[dict[str, Any], str]] = [
    ({"relevant_indices": (0,), "irrelevant_dimensions": 1}, "either relevant_indices or irrelevant_dimensions"),
    ({"relevant_indices": ()}, "one or more different dimensions"),
    ({"relevant_indices": (0, 0)}, "one or more different dimensions"),
    ({"relevant_indices": (2,)}, "from 0 to 1"),
    ({"target_point": (1,)}, "target_point has 1 numbers for 2 relevant dimensions"),
    ({"target_point": (1, 2), "relevant_indices": (1,)}, "target_point has 2 numbers for 1 relevant dimensions"),
    ({"target_point": (11, 0)}, "within ±10"),
    ({"start_point": (0.5,)}, "start_point has 1 numbers for 2 dimensions"),
    ({"start_point": (1, 1), "irrelevant_dimensions": 1}, "start_point has 2 numbers for 3 dimensions"),
    ({"start_point": (11, 0)}, "start_point must lie within"),
    ({"start_point": (0.01, 0)}, "start_point is terminal"),
    ({"start_point": (5, 5), "terminal_states": [(5, 5)]}, "start_point is terminal"),
    ({"terminal_states": [(1, 2, 3)]}, "a centre of 3 numbers for 2 relevant dimensions"),
    ({"term_state_edge": 2.0}, "without terminal_states"),
    ({"inertia": (1, 2, 3)}, "inertia has 3 numbers for 2 dimensions"),
    ({"inertia": 0}, "inertia"),
    ({"sequence_length": 3}, "sequence_length must be 1"),
    ({"reward_function": "move_along_a_line"}, "one move is always straight"),
    ({"reward_function": "move_along_a_line", "make_denser": True}, "there is no target"),
    ({"reward_function": "move_along_a_line", "target_point": (1, 1)}, "there is no target"),
    ({"reward_function": "move_along_a_line", "target_radius": 1.0}, "there is no target"),
    ({"reward_function": "move_in_a_circle"}, "move_along_a_line"),
    ({"target_radius": 15.0}, "nowhere to start"),
    ({"terminal_states": [(0, 0)], "term_state_edge": 20.0}, "nowhere to start"),
    ({"terminal_states": [(-5, 0), (5, 0)], "term_state_edge": 20.0}, "nowhere to start"),
    ({"state_space_max": 1e300}, "32-bit"),
    ({"action_space_max": 1e-60}, "32-bit"),
    ({"time_unit": 1e200, "transition_dynamics_order": 2}, "too large"),
    ({"reward_scale": 1e200, "term_state_reward": 1e200}, "finite"),
    ({"transition_noise": -1.0}, "transition_noise"),
    ({"transition_noise": math.nan}, "transition_noise"),
    ({"target_radius": 0}, "target_radius"),
    ({"state_space_dim": 0}, "state_space_dim"),
    ({"delay_at_end": "always"}, "delay_at_end"),
    ({"target_radios": 0.5}, "target_radius"),
]


@pytest.mark.parametrize(
    ("params", "sentence"), BAD, ids=lambda value: "-".join(value) if isinstance(value, dict) else ""
)
def test_bad_combinations(params: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence) as caught:
        Task.make("toy/continuous", **params)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "params",
    [
        {"relevant_indices": (0, 1)}, {"inertia": (1, 1)}, {"irrelevant_dimensions": 0}, {"target_point": None},
        {"terminal_states": []}, {"reward_function": "move_to_a_point"}, {"delay_at_end": "terminated"},
    ],
    ids=lambda params: next(iter(params)),
)  # fmt: skip
def test_what_says_nothing_new_is_the_same_task(params: dict[str, Any]) -> None:
    assert Task.make("toy/continuous", **params) == Task.make("toy/continuous")


def test_tasks_are_data() -> None:
    task = Task.make(
        "toy/continuous", terminal_states=[(1, 2), (3, 4)], term_state_edge=0.5, inertia=(1, 2), start_point=(5, 5)
    )
    assert Task.from_json(task.to_json()) == task
    assert Task.from_json(task.to_json()).key == task.key
    assert task.replace(transition_noise=0.5, reward_noise=1.0).noise_free() == task


def test_a_small_free_share_is_enough() -> None:
    Task.make("toy/continuous", target_radius=13.5)  # only the corners are free
