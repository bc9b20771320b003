"""What is shown of an episode? The task, where it has been lately, and what it has earned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from mohs.core.task import Task

State = npt.NDArray[Any]
KEPT = 65  # states: a rewardable sequence has at most 64, and the start comes before it
TRAIL = 8  # moves that a picture shows


@dataclass(frozen=True, eq=False)
class Episode:
    """`states` are the last ones, oldest first; `reward` is that of the last step, `total` the return so far."""

    task: Task
    states: tuple[State, ...]
    step: int = 0
    reward: float = 0.0
    total: float = 0.0

    def after(self, state: State, reward: float) -> Episode:
        kept = (*self.states, state)[-KEPT:]
        return Episode(self.task, kept, self.step + 1, float(reward), self.total + float(reward))

    @property
    def trail(self) -> tuple[State, ...]:
        """The states of the last moves, oldest first, the present one included."""
        return self.states[-TRAIL - 1 :]
