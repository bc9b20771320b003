"""What does a grid task consist of? The parts of a discrete toy whose states are the cells of a grid.

Cells are numbered in reading order: from left to right (the first coordinate grows), from top to bottom (the second
one falls), then page after page. So a picture of the grid and a list of its states have the same order.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mohs.core.task import Task
from mohs.tables.toys.grid_parameters import Cell, target_point
from mohs.tables.toys.toy import Toy

Int = npt.NDArray[np.int64]
_NAMES = ("left", "right", "down", "up")


@lru_cache(maxsize=128)
def grid(task: Task) -> Toy:
    """The parts of a task. The target ends the episode as terminal cells do."""
    values = task.values
    shape: Cell = values["grid_shape"]
    target = target_point(values)
    point = coordinates(shape)
    succ = moves(shape)
    states, actions = succ.shape
    goal = numbers([target], shape)[0]
    terminal = np.zeros(states, dtype=np.bool_)
    terminal[goal] = True
    terminal[numbers(values["terminal_states"], shape)] = True
    if values["make_denser"]:
        distance = np.abs(point - np.array(target)).sum(axis=1)
        reward = (distance[:, None] - distance[succ]).astype(np.float64)
    else:
        reward = (succ == goal).astype(np.float64)
    initial = (~terminal).astype(np.float64)
    if values["start_point"] is not None:
        initial = (np.arange(states) == numbers([values["start_point"]], shape)[0]).astype(np.float64)
    return Toy(
        num_states=states,
        num_actions=actions,
        set_size=states,
        sets=1,
        succ=succ.astype(np.int32),
        probs=None,
        terminal=terminal,
        initial=initial / initial.sum(),
        sequences=np.empty((0, 1), dtype=np.int64),
        sequence_rewards=np.empty(0),
        automaton=None,
        reward=reward,
        irrelevant=succ.astype(np.int32) if values["irrelevant_features"] else None,
        possible_sequences=0,
        noise_on_actions=True,
        action_names=action_names(len(shape)),
        renderer=f"grid {shape[1] if len(shape) > 1 else 1} {shape[0]}" if len(shape) < 3 else "",
    )


def coordinates(shape: Cell) -> Int:
    """The coordinates [cells, dimensions] of every cell, in the order of their numbers."""
    points: Int = np.indices(shape[::-1], dtype=np.int64).reshape(len(shape), -1)[::-1].T.copy()
    if len(shape) > 1:
        points[:, 1] = shape[1] - 1 - points[:, 1]
    return points


def numbers(points: npt.ArrayLike, shape: Cell) -> Int:
    """The numbers of cells that are given by their coordinates."""
    given = np.array(points, dtype=np.int64).reshape(-1, len(shape))
    if len(shape) > 1:
        given[:, 1] = shape[1] - 1 - given[:, 1]
    found: Int = np.ravel_multi_index(tuple(given.T[::-1]), shape[::-1]).astype(np.int64)
    return found


def moves(shape: Cell) -> Int:
    """Where every action leads from every cell: 2i goes back along dimension i, 2i + 1 forth, never off the grid."""
    point = coordinates(shape)
    led = np.repeat(point[:, None], 2 * len(shape), axis=1)
    for i, size in enumerate(shape):
        led[:, 2 * i, i] = np.maximum(point[:, i] - 1, 0)
        led[:, 2 * i + 1, i] = np.minimum(point[:, i] + 1, size - 1)
    return numbers(led, shape).reshape(led.shape[:2])


def action_names(dimensions: int) -> tuple[str, ...]:
    """The names of the actions: directions in the first two dimensions, signs in the others."""
    further = [f"{sign} along dimension {i + 1}" for i in range(2, dimensions) for sign in ("−1", "+1")]
    return (*_NAMES[: 2 * dimensions], *further)
