"""What is an MDP with pictures? A deterministic table, and the board of each of its states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.tables.table import Table


@dataclass(frozen=True, eq=False)
class Mdp:
    """A complete deterministic MDP and the boards of its states.

    `cells[state]` has a code for what lies on each cell of a board of `shape` (rows, columns), row by row; `codes` has
    one character for each code, for pictures as text.
    """

    table: Table
    cells: npt.NDArray[np.uint8]
    shape: tuple[int, int]
    codes: str

    def __post_init__(self) -> None:
        if not self.table.deterministic:
            raise UsageError("the table of an Mdp must be deterministic.")
        starts = np.count_nonzero(self.table.initial)
        if starts != 1:
            raise UsageError(f"the table of an Mdp must have one start, but has {starts}.")
        rows, columns = self.shape
        if self.cells.dtype != np.uint8:
            raise UsageError(f"cells must be an array of uint8, not {self.cells.dtype}.")
        if self.cells.shape != (self.table.states, rows * columns):
            raise UsageError(
                f"cells has shape {self.cells.shape}, but {self.table.states} states with boards of {rows} × {columns} "
                f"need {(self.table.states, rows * columns)}."
            )
        largest = int(self.cells.max(initial=0))
        if largest >= len(self.codes):
            raise UsageError(f"cells holds the code {largest}, but codes has {len(self.codes)} characters.")

    @property
    def start(self) -> int:
        """The state in which every episode begins."""
        return int(np.argmax(self.table.initial))
