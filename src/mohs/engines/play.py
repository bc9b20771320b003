"""What return does a policy get in a fleet? One episode of each instance, with the same draws every time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.engines import loops
from mohs.engines.fleets import Fleet


def returns(fleet: Fleet, act: Callable[[], npt.NDArray[Any]]) -> npt.NDArray[np.float64]:
    """The return of one episode of every instance.

    Args:
        fleet: The instances. They get new random streams.
        act: The actions of all instances, [N, components], of the state in which the fleet is.
    """
    count = len(fleet)
    fleet.seed(np.random.default_rng(0).integers(2**64, size=count, dtype=np.uint64))
    seen, rewards = fleet.new_observations(), np.empty(count)
    ended, cut = np.empty(count, dtype=np.bool_), np.empty(count, dtype=np.bool_)
    total, over = np.zeros(count), np.zeros(count, dtype=np.bool_)
    loops.begin_fleet(fleet.memory, np.ones(count, dtype=np.bool_), seen)
    while not over.all():
        loops.step_fleet(fleet.memory, act(), seen, rewards, ended, cut, seen, False)
        total += np.where(over, 0.0, rewards)
        over |= ended | cut
    return total
