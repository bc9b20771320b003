"""How does a pack play the episodes of an evaluation? All instances in step, until each has played its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from mohs.agents.external import EVALUATION
from mohs.agents.stage import Array, Stage, Step, is_native
from mohs.core.cell import Cell
from mohs.core.task import Source


def most_steps(cells: Sequence[Cell], sources: Sequence[Source]) -> float:
    """After so many steps an instance begins no new episode: third-party environments may fail to end one."""
    native = all(map(is_native, sources))
    return math.inf if native or not cells[0].steps else EVALUATION * cells[0].steps


def episode_sums(
    scene: Stage,
    episodes: int,
    most: float,
    act: Callable[[Array], Array],
    after: Callable[[Step], None] = lambda step: None,
) -> tuple[Array, Array, Array]:
    """For each instance the returns and lengths of its episodes, summed, and how many there were.

    Args:
        scene: where to play. Instances that fail, or have played, rest.
        episodes: for each instance.
        most: no new episode counts after that many steps of an instance.
        act: actions on observations.
        after: called after each step.
    """
    n = len(scene.now)
    episode_return, length = np.zeros(n), np.zeros(n, dtype=np.int64)
    returns, lengths, played, taken = np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64), 0
    counts = np.ones(n, dtype=np.bool_)
    while counts.any():
        step = scene.step(act(scene.now))
        taken += 1
        episode_return += step.reward
        length += 1
        over = step.terminated | step.truncated
        ended = over & counts
        returns[ended] += episode_return[ended]
        lengths[ended] += length[ended]
        played[ended] += 1
        episode_return[over], length[over] = 0.0, 0
        counts[over] &= (played[over] < episodes) & (taken < most)
        counts[list(scene.failed)] = False
        scene.rest(np.flatnonzero(~counts).tolist())
        after(step)
    return returns, lengths, np.maximum(played, 1)
