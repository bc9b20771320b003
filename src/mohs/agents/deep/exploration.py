"""How does a deterministic policy explore? By random actions (ε-greedy), or by noise added to its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


def linear_schedule(start: float, end: float, progress: float) -> float:
    """A value that goes linearly from `start` to `end` as progress goes from 0 to 1, and stays there."""
    return start + min(progress, 1.0) * (end - start)


@dataclass(frozen=True)
class Noise:
    """Each value is what is left of the one before, and `spread` normals.

    Nothing is left in white noise. The Ornstein-Uhlenbeck process (as in DDPG, Lillicrap et al. 2016) wanders: it
    returns to 0 at a rate `pull` and is seen at an `interval` of its time.
    """

    left: float
    spread: float

    @classmethod
    def white(cls, scale: float) -> Noise:
        return cls(0.0, scale)

    @classmethod
    def ornstein_uhlenbeck(cls, scale: float, pull: float, interval: float) -> Noise:
        return cls(1 - pull * interval, scale * interval**0.5)

    def following(self, before: Floats, normals: Floats) -> Floats:
        return np.float32(self.left) * before + np.float32(self.spread) * normals


class NoiseState:
    """The noise under way in each cell, zero at the start of an episode."""

    def __init__(self, cells: int, width: int) -> None:
        self.value: Floats = np.zeros((cells, width), dtype=np.float32)

    def save(self, i: int) -> Floats:
        kept: Floats = self.value[i].copy()
        return kept

    def load(self, i: int, state: Floats) -> None:
        self.value[i] = state
