"""How is a grid written down? As a map, where it has one or two dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.task import Task
from mohs.tables.toys.grid_parameters import target_point

AGENT, TARGET, TERMINAL, FREE = "A", "T", "x", "."


def grid_text(task: Task, cell: npt.NDArray[Any], step: int) -> str:
    """The step and the cell, and below a map: the agent, the target, terminal cells and free ones; up is up."""
    values = task.values
    shape, target = values["grid_shape"], target_point(values)
    heading = f"step {step}: cell {tuple(cell.tolist())}, target {target}"
    if len(shape) > 2:
        return heading
    flat = (*shape, 1)[:2]
    rows = np.full(flat, FREE)
    for point in values["terminal_states"]:
        rows[(*point, 0)[:2]] = TERMINAL
    rows[(*target, 0)[:2]] = TARGET
    rows[(*cell.tolist(), 0)[:2]] = AGENT
    return "\n".join([heading, *(" ".join(row) for row in rows.T[::-1].tolist())])
