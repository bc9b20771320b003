"""What do all cells of a pack have in common? The number of steps they have taken, and will take."""

from __future__ import annotations


class Clock:
    """Counts that all cells of a pack share. `total` is what schedules are stretched over."""

    def __init__(self, total: int = 0) -> None:
        self.steps, self.total = 0, total

    @property
    def left(self) -> float:
        """The share of the training that is still to come."""
        return max(0.0, 1 - self.steps / self.total)

    def save(self, i: int) -> tuple[int, int]:
        return self.steps, self.total

    def load(self, i: int, state: tuple[int, int]) -> None:
        self.steps, self.total = state
