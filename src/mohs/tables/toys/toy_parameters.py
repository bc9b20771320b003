"""Which parameters of a discrete toy are consistent, and which others do they imply?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mohs.core import images
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.core.values import FunctionRef, freeze

MAX_TRANSITIONS = 10_000_000


def check(values: dict[str, Any], given: frozenset[str]) -> dict[str, Any]:
    """The implied parameters; raises `UsageError` where parameters contradict each other."""
    implied: dict[str, Any] = {}
    relevant, irrelevant = action_sizes(values)
    custom = values["transition_function"] is not None
    if custom:
        states = _custom_sizes(values, relevant, "action_space_size" in given)
        implied["state_space_size"] = states[0]
        implied["action_space_size"] = states[1] if not irrelevant else (states[1], irrelevant)
        if values["diameter"] != 1:
            raise UsageError("diameter must be 1 with a transition_function: only generated dynamics have sets.")
        num_states, set_size = states[0], states[0]
    else:
        num_states, set_size = relevant * values["diameter"], relevant
        size = values["state_space_size"]
        if size is not None and size != num_states:
            raise UsageError(
                f"state_space_size is {size}, but generated dynamics have action_space_size × diameter = "
                f"{relevant} × {values['diameter']} = {num_states} states."
            )
        implied["state_space_size"] = None
    for part, size, actions in (
        ("", num_states, relevant),
        ("irrelevant ", irrelevant * values["diameter"], irrelevant),
    ):
        if size * actions > MAX_TRANSITIONS:
            raise UsageError(
                f"{size:,} {part}states × {actions:,} actions are {size * actions:,} transitions; at most "
                f"{MAX_TRANSITIONS:,} are allowed."
            )
    if not math.isfinite(values["reward_scale"] * values["term_state_reward"]):
        raise UsageError("reward_scale × term_state_reward must be finite.")
    if values["transition_noise"] > 0 and set_size < 2:
        raise UsageError("transition_noise must be 0 where a set has a single state: there is no other to land in.")
    if values["transition_noise"] > 0 and irrelevant == 1:
        raise UsageError("transition_noise must be 0 where the irrelevant part has a single action.")
    terminals = values["terminal_states"]
    if terminals is not None:
        if "terminal_state_density" in given:
            raise UsageError("give either terminal_states or terminal_state_density, not both.")
        _check_states("terminal_states", terminals, num_states)
        if len(set(terminals)) == num_states:
            raise UsageError("terminal_states names every state; at least one must not be terminal.")
    initial = values["init_state_dist"]
    if initial is not None and len(initial) != num_states:
        raise UsageError(f"init_state_dist has {len(initial)} probabilities for {num_states} states.")
    _check_reward(values, given, num_states, implied)
    images.check(values)
    return implied


def action_sizes(values: dict[str, Any]) -> tuple[int, int]:
    """The number of relevant and of irrelevant actions (0 where there is no irrelevant part)."""
    size = values["action_space_size"]
    if isinstance(size, tuple):
        if not values["irrelevant_features"]:
            raise UsageError("action_space_size has two values, which needs irrelevant_features=True.")
        return int(size[0]), int(size[1])
    return int(size), int(size) if values["irrelevant_features"] else 0


def spaces(task: Task) -> tuple[Any, ...]:
    """The numbers of states, actions, irrelevant states and irrelevant actions, and what images look like."""
    values = task.values
    relevant, irrelevant = action_sizes(values)
    states = values["state_space_size"] or relevant * values["diameter"]
    return states, relevant, irrelevant * values["diameter"], irrelevant, images.signature(values)


def _custom_sizes(values: dict[str, Any], actions: int, actions_given: bool) -> tuple[int, int]:
    function = values["transition_function"]
    if isinstance(function, FunctionRef):
        if values["state_space_size"] is None or not actions_given:
            raise UsageError("a callable transition_function needs state_space_size and action_space_size.")
        return values["state_space_size"], actions
    shape = np.shape(np.asarray(function))
    if values["state_space_size"] not in (None, shape[0]):
        raise UsageError(
            f"state_space_size is {values['state_space_size']}, but transition_function has {shape[0]} states."
        )
    if actions_given and actions != shape[1]:
        raise UsageError(f"action_space_size is {actions}, but transition_function has {shape[1]} actions.")
    return int(shape[0]), int(shape[1])


def _check_reward(values: dict[str, Any], given: frozenset[str], num_states: int, implied: dict[str, Any]) -> None:
    function, sequences = values["reward_function"], values["rewardable_sequences"]
    if function is not None and sequences is not None:
        raise UsageError("give either reward_function or rewardable_sequences, not both.")
    own = "reward_function" if function is not None else "rewardable_sequences" if sequences is not None else None
    if own is not None:
        for name in ("reward_density", "reward_dist"):
            if name in given and values[name] is not None:
                raise UsageError(f"{name} cannot be set with a {own}: it steers generated rewards only.")
    if function is not None and (values["sequence_length"] != 1 or values["make_denser"]):
        raise UsageError("sequence_length must be 1 and make_denser False with a reward_function.")
    if sequences is not None:
        lengths = {len(states) for states, _ in sequences}
        if len(lengths) != 1:
            raise UsageError("rewardable_sequences must be one or more sequences of the same length.")
        length = lengths.pop()
        if "sequence_length" in given and values["sequence_length"] != length:
            raise UsageError(
                f"sequence_length is {values['sequence_length']}, but rewardable_sequences have length {length}."
            )
        implied["sequence_length"] = length
        for states, _ in sequences:
            _check_states("rewardable_sequences", states, num_states)


def _check_states(name: str, states: tuple[int, ...], num_states: int) -> None:
    for state in states:
        if not 0 <= state < num_states:
            raise UsageError(f"{name} names state {state}, but the states are 0 to {num_states - 1}.")


def transition_array(name: str, value: Any) -> tuple[Any, ...]:
    """A transition function as nested tuples: [S, A] next states or [S, A, S] probabilities."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} must be an array of [S, A] next states or [S, A, S] probabilities.") from error
    if array.ndim not in (2, 3) or 0 in array.shape or (array.ndim == 3 and array.shape[0] != array.shape[2]):
        raise UsageError(f"{name} has shape {array.shape}, but must be [S, A] next states or [S, A, S] probabilities.")
    if array.ndim == 2:
        if not np.all(np.isfinite(array)) or np.any(array != np.floor(array)):
            raise UsageError(f"{name} of shape [S, A] must hold whole numbers, the next states.")
        if array.min() < 0 or array.max() >= array.shape[0]:
            wrong = array.min() if array.min() < 0 else array.max()
            raise UsageError(f"{name} leads to state {wrong:g}, but the states are 0 to {array.shape[0] - 1}.")
        return freeze(array.astype(int))  # type: ignore[no-any-return]
    if not np.all(np.isfinite(array)) or array.min() < 0 or np.abs(array.sum(axis=2) - 1).max() > 1e-9:
        raise UsageError(f"the probabilities of {name} must be ≥ 0 and sum to 1 for every state and action.")
    return freeze(array)  # type: ignore[no-any-return]
