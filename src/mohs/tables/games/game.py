"""What does the package need to know of a two-player game? A start, the moves, and the board.

A position is an integer, always seen from the player to move. Rules are kernels on arrays of positions, so nothing else
needs to know how a board is packed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError

Keys = npt.NDArray[np.int64]

NONE = -1  # no move
ONGOING = 2  # the outcome of a game that is not over
BATCH = 1 << 16
_SCRATCH = 256  # numbers that a kernel may use as it likes


@dataclass(frozen=True, eq=False)
class Game:
    """The rules of a game.

    `expand(setup, keys, children, outcomes, scratch)` writes where each move leads, `children[i, move]`, in a fixed
    order with NONE where there is no such move, and how the game ended for the player to move, or ONGOING.
    `look(setup, keys, cells)` writes what lies on the board, `advantage(setup, keys, ahead)` how far the player to move
    is ahead, between -1 and 1. `room` is for more moves than any position has, `actions` for as many as one has.
    """

    name: str
    start: int
    room: int
    actions: int
    setup: Keys
    expand: Callable[..., Any]
    look: Callable[..., Any]
    advantage: Callable[..., Any]
    shape: tuple[int, int]
    codes: str  # a character for each code of a cell
    action_names: tuple[str, ...] = ()  # where a move has a number of its own, and is not the n-th legal one

    def children(self, keys: Keys) -> tuple[Keys, npt.NDArray[np.int8]]:
        """Where the moves of these positions lead, and how they ended."""
        children = np.empty((len(keys), self.room), dtype=np.int64)
        outcomes = np.empty(len(keys), dtype=np.int8)
        self.expand(self.setup, keys, children, outcomes, np.empty(_SCRATCH, dtype=np.int64))
        if np.any(children[:, self.actions :] != NONE):
            raise UsageError(f"a position of {self.name} has more than {self.actions} moves.")
        return children[:, : self.actions], outcomes

    def cells(self, keys: Keys) -> npt.NDArray[np.uint8]:
        """What lies on the boards of these positions, [position, cell]."""
        cells = np.empty((len(keys), self.shape[0] * self.shape[1]), dtype=np.uint8)
        self.look(self.setup, keys, cells)
        return cells

    def ahead(self, keys: Keys) -> npt.NDArray[np.float64]:
        """How far the player to move is ahead in each position."""
        ahead = np.empty(len(keys))
        self.advantage(self.setup, keys, ahead)
        return ahead
