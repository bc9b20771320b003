"""Which parameters of a grid are consistent, and which others do they imply?"""

from __future__ import annotations

import math
from typing import Any

from mohs.core import images
from mohs.core.errors import UsageError
from mohs.core.task import Task

Cell = tuple[int, ...]
MAX_TRANSITIONS = 10_000_000
MIN_PIXELS = 3  # of a cell in an image


def check(values: dict[str, Any], given: frozenset[str]) -> dict[str, Any]:
    """The implied parameters in canonical form; raises `UsageError` where parameters contradict each other."""
    shape: Cell = values["grid_shape"]
    cells, actions = math.prod(shape), 2 * len(shape)
    if cells < 2:
        raise UsageError(f"grid_shape is {shape}, but a grid must have at least two cells: a start and a target.")
    if cells * actions > MAX_TRANSITIONS:
        raise UsageError(
            f"{cells:,} cells × {actions} actions are {cells * actions:,} transitions; at most {MAX_TRANSITIONS:,} are "
            "allowed."
        )
    target = target_point(values)
    terminals = sorted(set(values["terminal_states"]) - {target})
    for name, points in (("target_point", [target]), ("terminal_states", terminals)):
        for point in points:
            _check_cell(name, point, shape)
    if len(terminals) + 1 == cells:
        raise UsageError("every cell is the target or terminal; at least one must be left to start from.")
    start = values["start_point"]
    if start is not None:
        _check_cell("start_point", start, shape)
        if start == target or start in terminals:
            raise UsageError(f"start_point is {start}, which ends the episode: it is the target or terminal.")
    if not math.isfinite(values["reward_scale"] * values["term_state_reward"]):
        raise UsageError("reward_scale × term_state_reward must be finite.")
    images.check(values)
    if values["image_representations"]:
        _check_frame(shape, values["image_width"], values["image_height"])
    return {"target_point": None if target == last_cell(shape) else target, "terminal_states": terminals}


def target_point(values: dict[str, Any]) -> Cell:
    """The target cell: by default the last one, which is farthest from the first."""
    point: Cell | None = values["target_point"]
    return last_cell(values["grid_shape"]) if point is None else point


def last_cell(shape: Cell) -> Cell:
    return tuple(size - 1 for size in shape)


def spaces(task: Task) -> tuple[Any, ...]:
    """The shape of the grid, whether there is a second one, and how large images are."""
    values = task.values
    return values["grid_shape"], values["irrelevant_features"], images.signature(values)


def _check_frame(shape: Cell, width: int, height: int) -> None:
    """Images show grids with two dimensions, and every cell large enough to be seen."""
    if len(shape) != 2:
        raise UsageError(f"image_representations needs a grid with 2 dimensions, not {len(shape)}.")
    for name, pixels, cells in (("image_width", width, shape[0]), ("image_height", height, shape[1])):
        if pixels < MIN_PIXELS * cells:
            raise UsageError(
                f"{name} is {pixels} for {cells} cells, but must be at least {MIN_PIXELS * cells}: {MIN_PIXELS} pixels "
                "for each."
            )


def _check_cell(name: str, point: Cell, shape: Cell) -> None:
    if len(point) != len(shape) or any(x >= size for x, size in zip(point, shape, strict=True)):
        raise UsageError(
            f"{name} names the cell {point}, but the cells of this grid have {len(shape)} coordinates, from 0 to "
            f"{' and '.join(str(size - 1) for size in shape)}."
        )
