"""How is a training curve kept? As sums over the episodes that ended in each window of steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from mohs.agents.protocol import Points


class Windows:
    """The training curve of one cell. A window in which no episode ended has no value (NaN)."""

    def __init__(self, window: int, total: int) -> None:
        self.window, self.total = window, total
        points = count(window, total)
        self.step = 0
        self.returns, self.lengths = np.zeros(points), np.zeros(points)
        self.episodes = np.zeros(points, dtype=np.int64)

    def add(self, episode_return: float, length: int) -> None:
        """An episode that ended with the step counted last."""
        point = min((self.step - 1) // self.window, len(self.returns) - 1)
        self.returns[point] += episode_return
        self.lengths[point] += length
        self.episodes[point] += 1

    def points(self) -> Points:
        """The windows that are complete."""
        return curve(self.returns, self.lengths, self.episodes, self.window, self.total, self.step)

    def state(self) -> tuple[Any, ...]:
        return self.step, self.returns.copy(), self.lengths.copy(), self.episodes.copy()

    def restore(self, state: tuple[Any, ...]) -> None:
        self.step, returns, lengths, episodes = state
        self.returns[:], self.lengths[:], self.episodes[:] = returns, lengths, episodes


def count(window: int, total: int) -> int:
    """How many windows there are in all steps; the last one takes what is left over."""
    return max(1, total // window)


def curve(returns: Any, lengths: Any, episodes: Any, window: int, total: int, step: int) -> Points:
    """Means over the episodes of each complete window, at the step that ends it."""
    ends = (np.arange(len(returns)) + 1) * window
    ends[-1] = total
    done = ends <= step
    with np.errstate(invalid="ignore"):
        means = {"train/return": returns / episodes, "train/length": lengths / episodes}
    return {name: (ends[done], values[done]) for name, values in means.items()}
