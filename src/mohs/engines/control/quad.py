"""How does a quadcopter fly through tunnels in a plane? Quad of Inala et al. (2020), in the family of Table 3 of
Jayawardana et al. (2022).

It flies to the right at a constant speed; an action is its vertical acceleration. The course is a row of tunnels of
1 m from x = 3 on, each with a floor and a roof, `shift` higher or lower than those of the tunnel before. Floor and roof
rise together until the roof is at 10 or higher, then fall until the floor is at 0.5 or lower, and so on ("wave"); in a
"random" course the direction of every shift is drawn from the structure seed, except at these two ends.

`u` and `l` are the heights of floor and roof before the first shift: a gap of l − u stays clear all the way. This is
how we read the paper's "upper and lower obstacle length (u, l)": its point (1, 5) is then the course of Inala et al.,
its simplified point (0, 6) the widest one, and narrow gaps are hard ones, as its section 2 says.

The copter is a point. It crashes below the floor or above the roof of the tunnel it is in, below 0 and above 12.
A crash and the end of the last tunnel terminate the episode. A step pays 1, or with `reward="distance"` the share of
the course that it covers: the return is the share that was flown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.kernel import law
from mohs.core.seeding import child, hashes, key
from mohs.core.task import Source, Task
from mohs.engines.common_law import at
from mohs.engines.control.common import ControlFleet, close_step, open_episode, within
from mohs.engines.fleets import common_spaces, roster
from mohs.engines.law import Law, instance_record
from mohs.engines.memory import Arena

STATE = ("x", "y", "vx", "vy")
ENTRANCE, CEILING = 3.0, 12.0  # metres: where the first tunnel begins, and the top of the world
_TURNS = (0.5, 10.0)  # shifts change their direction at this floor, and at this roof
START = 0.04  # the bound of the noise of a start state
_CLIMB = 1.0  # the mean of the vertical velocity at the start, in m/s
_NUMBERS = ("dt", "speed", "max_acceleration", "start")

INSTANCE = instance_record(*((name, np.float64) for name in STATE))
TASK = np.dtype(
    [(name, np.int64) for name in ("horizon", "tunnels", "course", "distance")]
    + [(name, np.float64) for name in _NUMBERS],
    align=True,
)


@law
def begin(inst, tasks, ints, floats):
    """Starts the next episode, in the middle of the first tunnel's entrance."""
    x = open_episode(inst, ints, floats)
    task = at(tasks, inst.task)
    inst.x, inst.y = ENTRANCE + within(x, 0, START), task.start + within(x, 1, START)
    inst.vx, inst.vy = task.speed + within(x, 2, START), _CLIMB + within(x, 3, START)


@law
def crashed(task, floats, x, y):
    """Is the copter outside of its tunnel, or of the world?"""
    low, high = 0.0, CEILING
    if (x >= ENTRANCE) & (x < ENTRANCE + task.tunnels):
        place = task.course + 2 * int(x - ENTRANCE)
        low, high = max(low, at(floats, place)), min(high, at(floats, place + 1))
    return (y < low) | (y > high)


@law
def covered(task, x):
    """The share of the course that lies behind."""
    return min(max((x - ENTRANCE) / task.tunnels, 0.0), 1.0)


@law
def advance(inst, tasks, ints, floats, action):
    """One step: (reward, terminated, truncated)."""
    task = at(tasks, inst.task)
    before = inst.x
    x, y = before + inst.vx * task.dt, inst.y + inst.vy * task.dt
    inst.x, inst.y = x, y
    inst.vy += np.float64(action[0]) * task.dt
    terminated = crashed(task, floats, x, y) | (x >= ENTRANCE + task.tunnels)
    reward = 1.0
    if task.distance:  # the first step also pays what lies behind the start, so that the whole course pays 1
        reward = covered(task, x) - (covered(task, before) if inst.t > 0 else 0.0)
    return reward, terminated, close_step(inst, task, terminated)


@law
def observe(inst, tasks, ints, floats, observation):
    """Writes the state in single precision."""
    observation[0] = np.float32(inst.x)
    observation[1] = np.float32(inst.y)
    observation[2] = np.float32(inst.vx)
    observation[3] = np.float32(inst.vy)


@law
def bounds(inst, tasks, component):
    """The largest acceleration downwards and upwards."""
    bound = np.float32(tasks[0].max_acceleration)
    return -bound, bound


class QuadFleet(ControlFleet):
    """Its `spaces` are (numbers observed, largest acceleration)."""

    law = Law("quad", INSTANCE, TASK, begin, advance, observe, bounds)
    state_fields = STATE


def course(task: Task) -> npt.NDArray[np.float64]:
    """Floor and roof of every tunnel, [tunnels, 2]."""
    count, shift = task["tunnels"], task["shift"]
    drawn = hashes(key(child(task.seed, "course")), (count,)) >> np.uint64(63) if task["course"] == "random" else None
    floor, roof, upwards = task["u"], task["l"], True
    heights = np.empty((count, 2))
    for i in range(count):
        step = shift if upwards else -shift
        floor, roof = floor + step, roof + step
        heights[i] = floor, roof
        if floor <= _TURNS[0] or roof >= _TURNS[1]:
            upwards = not upwards
        elif drawn is not None:
            upwards = bool(drawn[i])
    return heights


def fleet(sources: Sequence[Source], history: bool = False) -> QuadFleet:
    """A fleet with one instance for each source. It keeps no more with `history`."""
    ints, floats = Arena(np.int32), Arena(np.float64)
    who = roster(sources, ints, floats)
    tasks = list(who.numbers)
    records = np.zeros(len(tasks), dtype=TASK)
    for record, task in zip(records, tasks, strict=True):
        heights = course(task)
        for name in ("dt", "speed", "max_acceleration", "tunnels"):
            record[name] = task[name]
        record["horizon"], record["distance"] = task["max_episode_steps"], task["reward"] == "distance"
        record["course"], record["start"] = floats.put(heights), heights[0].mean()
    common = common_spaces("(numbers observed, max_acceleration)", [spaces(t) for t in tasks], tasks)
    return QuadFleet.build(who, common, {}, np.zeros(len(sources), dtype=INSTANCE), records, ints, floats)


def spaces(task: Task) -> tuple[int, float]:
    """Tasks with the same largest acceleration can share a fleet: it bounds the actions."""
    return len(STATE), float(np.float32(task["max_acceleration"]))


def check(values: Mapping[str, Any], given: frozenset[str]) -> dict[str, Any]:
    """The roof is above the floor."""
    if not values["u"] < values["l"]:
        raise UsageError(f"u = {values['u']:g} must be below l = {values['l']:g}: the copter flies between them.")
    return {}
