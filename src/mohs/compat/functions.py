"""How do functions that were written for MDP Playground become parts of a task? Called with what they expect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.core.values import FunctionRef
from mohs.engines.noise import reads_state
from mohs.tables.toys.grid import coordinates
from mohs.tables.toys.toy import toy
from mohs.tables.toys.toy_parameters import transition_array


def sequence_rewards(function: Callable[..., Any], plain: Task) -> Callable[..., list[float]]:
    """A `reward_dist` (rng, sequences so far) -> reward as one of (rng, count) -> rewards; `plain` has none."""

    def rewards(rng: np.random.Generator, count: int) -> list[float]:
        found: dict[tuple[int, ...], float] = {}
        for states in toy(plain).sequences.tolist():
            found[tuple(states)] = float(function(rng, found))
        assert len(found) == count
        return list(found.values())

    return rewards


def reward_table(
    function: Callable[..., Any], transition: Any, states: int, actions: int, noisy: bool
) -> list[list[float]]:
    """A `reward_function` ([state, next state], action) -> reward as rewards [states, actions].

    Where the next state is a matter of chance, the reward must not depend on it.
    """
    if callable(transition):
        transition = [[transition(s, a) for a in range(actions)] for s in range(states)]
    after = np.asarray(transition_array("transition_function", transition))
    table = []
    for s in range(states):
        row = []
        leads = [np.flatnonzero(of) if after.ndim == 3 else of[None] for of in after[s]]
        if noisy:  # to any connected state
            leads = [np.unique(np.concatenate(leads))] * actions
        for a in range(actions):
            following = leads[a].tolist()
            found = {_reward(function, s, following_state, a) for following_state in following}
            if len(found) > 1:
                raise UsageError(
                    f"the reward_function depends on the next state (from state {s} with action {a}), which is a "
                    "matter of chance here: make it depend on state and action, or leave out the noise."
                )
            row.append(found.pop())
        table.append(row)
    return table


def _reward(function: Callable[..., Any], state: int, following: int, action: int) -> float:
    try:
        return float(function([state, following], action))
    except IndexError as error:
        raise UsageError(
            "the reward_function reads more than the last two states, which is all it is handed."
        ) from error


def grid_noise(function: Callable[..., Any], shape: tuple[int, ...]) -> Callable[..., Any]:
    """Noise that takes (cell, move, rng) as one that takes (state, action, rng)."""
    if not reads_state(FunctionRef.of(function)):
        return function
    points = coordinates(shape)

    def noise(state: int, action: int, rng: np.random.Generator) -> Any:
        return function(points[state], move(action, len(shape)), rng)

    return noise


def move(action: int, dimensions: int) -> npt.NDArray[np.int64]:
    """An action of the grid as MDP Playground writes it: −1 or 1 in one dimension, 0 in the others."""
    steps = np.zeros(dimensions, dtype=np.int64)
    steps[action // 2] = 2 * (action % 2) - 1
    return steps


def grid_action(action: Any, dimensions: int, two: bool) -> Any:
    """An action of the grid: as mohs numbers them, or a move such as [0, 1]; with a second grid one move for each."""
    given = np.asarray(action)
    if given.shape != (dimensions * (2 if two else 1),) or (two and dimensions == 1) or given.dtype.kind not in "iu":
        return action
    moves = given.reshape(-1, dimensions)
    if np.any(np.abs(moves).sum(axis=1) != 1):
        raise UsageError(
            f"the action is {given.tolist()}, but a move must be −1 or 1 in one dimension and 0 in the others"
            f"{', of each of the two grids' if two else ''}."
        )
    dimension = np.abs(moves).argmax(axis=1)
    actions = 2 * dimension + (moves[np.arange(len(moves)), dimension] > 0)
    return actions if two else int(actions[0])
