"""How is a training curve kept? As sums over the episodes that ended in each window of steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from mohs.agents.protocol import Points
from mohs.core.cell import Cell


class Windows:
    """The training curve of one cell. A window in which no episode ended has no value (NaN)."""

    def __init__(self, cell: Cell) -> None:
        self.window, self._total = cell.window, cell.steps
        points = count(cell)
        self.step = 0
        self.returns, self.lengths = np.zeros(points), np.zeros(points)
        self.episodes = np.zeros(points, dtype=np.int64)

    @classmethod
    def single(cls) -> Windows:
        """One window for all: the sums of an evaluation."""
        windows = cls.__new__(cls)
        windows.window = windows._total = np.iinfo(np.int64).max
        windows.step = 0
        windows.returns, windows.lengths = np.zeros(1), np.zeros(1)
        windows.episodes = np.zeros(1, dtype=np.int64)
        return windows

    def add(self, gain: float, length: int) -> None:
        """An episode that ended with the step counted last."""
        point = min((self.step - 1) // self.window, len(self.returns) - 1)
        self.returns[point] += gain
        self.lengths[point] += length
        self.episodes[point] += 1

    def points(self) -> Points:
        """The windows that are complete."""
        return curve(self.returns, self.lengths, self.episodes, self.window, self._total, self.step)

    def state(self) -> tuple[Any, ...]:
        return self.step, self.returns.copy(), self.lengths.copy(), self.episodes.copy()

    def restore(self, state: tuple[Any, ...]) -> None:
        self.step, self.returns, self.lengths, self.episodes = state


def count(cell: Cell) -> int:
    """How many windows a cell has; the last one takes what is left over."""
    return max(1, cell.steps // cell.window)


def curve(returns: Any, lengths: Any, episodes: Any, window: int, total: int, step: int) -> Points:
    """Means over the episodes of each complete window, at the step that ends it."""
    ends = (np.arange(len(returns)) + 1) * window
    ends[-1] = total
    done = ends <= step
    with np.errstate(invalid="ignore"):
        means = {"train/return": returns / episodes, "train/length": lengths / episodes}
    return {name: (ends[done], values[done]) for name, values in means.items()}
