"""What lies on the boards of states? Read from the tables that the tasks of a fleet play."""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel
from mohs.engines.common_law import at
from mohs.engines.table.address import byte_at


@kernel
def mark_boards(tasks, which, states, by_cell, by_code, out):
    """Boards of states of the tasks `which`, one-hot: marks out[i, cell · by_cell + code · by_code], all 0 before."""
    for i in range(len(states)):
        task = at(tasks, which[i])
        first = states[i] * task.width
        for cell in range(task.width):
            code = np.int64(byte_at(task.cells, first + cell))
            out[i, cell * by_cell + code * by_code] = 1


@kernel
def copy_boards(tasks, which, states, out):
    """Boards of states of the tasks `which`: the code of what lies on each cell."""
    for i in range(len(states)):
        task = at(tasks, which[i])
        first = states[i] * task.width
        for cell in range(task.width):
            out[i, cell] = byte_at(task.cells, first + cell)
