"""What does an auxiliary phase learn from? From the frames of all rollouts before it, and their returns."""

from __future__ import annotations

from typing import Any

import numpy as np

from mohs.agents.deep.buffers.rollouts import Floats
from mohs.agents.deep.networks.policies import Kept
from mohs.agents.stage import Array


class Phase:
    """The rollouts of a policy phase [cells, rollouts × steps, ...], `steps` of each."""

    def __init__(self, cells: int, rollouts: int, steps: int, frame: Kept) -> None:
        self._steps, self.size = steps, 0  # rollouts that are there
        self.seen = np.zeros((cells, rollouts * steps, *frame[0]), dtype=frame[1])
        self.returns: Floats = np.zeros((cells, rollouts * steps), dtype=np.float32)

    @property
    def full(self) -> bool:
        return bool(self.size * self._steps == self.returns.shape[1])

    def add(self, seen: Array, returns: Floats) -> None:
        """Keeps a rollout [cells, steps, ...]."""
        mine = slice(self.size * self._steps, (self.size + 1) * self._steps)
        self.seen[:, mine], self.returns[:, mine] = seen, returns
        self.size += 1

    def clear(self) -> None:
        self.size = 0

    def save(self, i: int) -> dict[str, Any]:
        filled = self.size * self._steps
        return {"size": self.size, "seen": self.seen[i, :filled].copy(), "returns": self.returns[i, :filled].copy()}

    def load(self, i: int, state: dict[str, Any]) -> None:
        self.size = state["size"]
        filled = self.size * self._steps
        self.seen[i, :filled], self.returns[i, :filled] = state["seen"], state["returns"]
