"""A probe with pictures: a bright cell in the left or the right half of the screen, and the action must name the half.

Shown as pixels [24, 24, 3], as planes [5, 24, 24] of 0 and 1, of which one holds the cell, as planes of counts up to
4, or as one number in three channels.
"""

from __future__ import annotations

import gymnasium
import numpy as np
from gymnasium import spaces

from mohs import Cell, Probe, Segment, Task
from mohs.agents.registry import agent

SIZE = 24


class Picture(gymnasium.Env):
    """Episodes of three steps, each of which pays 1 for the right half and -1 for the wrong one."""

    def __init__(self, view: str = "pixels") -> None:
        self.view = view
        self.top = {"planes": 1, "counts": 4}.get(view, 255)
        shape = (5, SIZE, SIZE) if self.top < 255 else (SIZE, SIZE, 3)
        self.observation_space = spaces.Box(0, self.top, shape, np.uint8)
        self.action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 3
        return self.shown(), {}

    def step(self, action):
        reward = 1.0 if int(action) == self.half else -1.0
        self.left -= 1
        return self.shown(), reward, self.left == 0, False, {}

    def shown(self):
        row, column = (int(n) for n in self.np_random.integers(6, size=2))
        self.half = int(column >= 3)
        where = (slice(4 * row, 4 * row + 4), slice(4 * column, 4 * column + 4))
        seen = np.zeros(self.observation_space.shape, dtype=np.uint8)
        if self.top < 255:
            seen[(2, *where)] = self.top
        elif self.view == "pixels":
            seen[:] = self.np_random.integers(60, size=seen.shape)
            seen[where] = (200, 120, 40)
        else:
            seen[where] = 153
        return seen


VIEWS = ("pixels", "planes", "counts", "scalar")
gymnasium.register("probe/Picture-v0", Picture)


def cells(name, view, steps, seeds=(0, 1), **hyperparameters):
    task, made = Task.make("probe/Picture-v0", view=view), agent(name, **hyperparameters)
    probe = Probe("eval", task, (steps,), 5)
    return [Cell(made, seed, (Segment(task, steps),), (probe,), max(1, steps // 4)) for seed in seeds]
