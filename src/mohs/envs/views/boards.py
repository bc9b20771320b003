"""What is seen of the state of a puzzle or a game? Its board: one-hot in one vector or in planes, or as codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.engines.table.boards import copy_boards, mark_boards
from mohs.engines.table.fleet import TableFleet
from mohs.envs.fleets import Address, View


def board_view(fleet: TableFleet) -> View | None:
    """What is seen of states; None where it is their numbers."""
    _, seen, *sizes = fleet.spaces
    if seen == "state":
        return None
    return Codes(fleet, *sizes) if seen == "cells" else OneHot(fleet, seen == "planes", *sizes)


class OneHot:
    """Of every cell which code it has: the codes of a cell side by side, or a plane of all cells for each code."""

    def __init__(self, fleet: TableFleet, planes: bool, rows: int, columns: int, codes: int) -> None:
        self._fleet, cells = fleet, rows * columns
        self._shape = (codes, rows, columns) if planes else (cells * codes,)
        self._steps = (1, cells) if planes else (codes, 1)  # from a cell to the next, and from a code
        self.space: spaces.Space[Any] = spaces.MultiBinary(cells * codes)
        if planes:
            self.space = spaces.Box(0, 1, self._shape, np.uint8)

    def __call__(self, states: npt.NDArray[np.int64], address: Address) -> npt.NDArray[Any]:
        seen = np.zeros((len(states), *self._shape), dtype=self.space.dtype)
        marks = seen.view(np.uint8).reshape(len(states), -1)
        mark_boards(self._fleet.tasks, address.task, states[:, 0], *self._steps, marks)
        return seen


class Codes:
    """The code of every cell."""

    def __init__(self, fleet: TableFleet, rows: int, columns: int, codes: int) -> None:
        self._fleet, self._cells = fleet, rows * columns
        self.space: spaces.Space[Any] = spaces.MultiDiscrete(np.full(self._cells, codes), dtype=np.uint8)

    def __call__(self, states: npt.NDArray[np.int64], address: Address) -> npt.NDArray[Any]:
        seen = np.empty((len(states), self._cells), dtype=np.uint8)
        copy_boards(self._fleet.tasks, address.task, states[:, 0], seen)
        return seen
