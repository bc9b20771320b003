"""What do the control problems share? How an episode begins and ends, and a fleet that observes numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mohs.core.kernel import law
from mohs.engines.common_law import draw_task
from mohs.engines.draws import LANE_START, as_uniform, bits, nth
from mohs.engines.fleets import Fleet


@law
def open_episode(inst, ints, floats):
    """Opens the next episode and draws its task: the random bits of its start state."""
    episode = inst.episode + 1
    draw_task(inst, ints, floats, episode)
    inst.episode = episode
    inst.t = 0
    inst.over = 0
    return bits(inst.key, episode, 0, LANE_START)


@law
def within(x, component, bound):
    """A component of a start state, uniform in ±bound."""
    return 2.0 * bound * as_uniform(nth(x, component)) - bound


@law
def close_step(inst, task, terminated):
    """Counts a step: whether it truncates the episode. So may a step that terminates, as in Gymnasium's TimeLimit."""
    t = inst.t + 1
    truncated = t >= task.horizon
    inst.t = t
    inst.over = terminated | truncated
    return truncated


class ControlFleet(Fleet):
    """Its `spaces` begin with how many numbers are observed."""

    observed = np.float32

    @property
    def width(self) -> int:
        return int(self.spaces[0])


def task_record(*names: str) -> np.dtype[Any]:
    """The record of a task: when its episodes are truncated, and numbers."""
    return np.dtype([("horizon", np.int64), *((name, np.float64) for name in names)], align=True)


def check(values: Mapping[str, Any], given: frozenset[str]) -> dict[str, Any]:
    """Nothing is implied, and nothing contradicts."""
    return {}
