"""What do all cells of a pack have in common? The number of steps they have taken."""

from __future__ import annotations


class Clock:
    """Counts that all cells of a pack share."""

    def __init__(self) -> None:
        self.steps = 0

    def save(self, i: int) -> int:
        return self.steps

    def load(self, i: int, state: int) -> None:
        self.steps = state
