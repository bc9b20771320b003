"""How is a table played?

An entry of a table is one word of 64 bits, so that a step reads memory once: below, 31 bits for the next state and one
that is set where it is terminal; above, the reward. See `tables/challenge/cache.py`.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import law
from mohs.engines.common_law import at, draw_task
from mohs.engines.draws import LANE_NOISE, uniform
from mohs.engines.law import Law
from mohs.engines.table.address import word_at
from mohs.engines.table.layout import INSTANCE, TASK

_STATE, _END, _REWARD = np.uint64(2**31 - 1), np.uint64(2**31), np.uint64(32)


@law
def begin(inst, tasks, ints, floats):
    """Starts the next episode."""
    episode = inst.episode + 1
    draw_task(inst, ints, floats, episode)
    inst.episode = episode
    inst.t = 0
    inst.state = at(tasks, inst.task).start
    inst.last = -1
    inst.over = 0


@law
def advance(inst, tasks, ints, floats, action):
    """One step: (reward, terminated, truncated)."""
    task = at(tasks, inst.task)
    t, last, chosen = inst.t + 1, inst.last, action[0]
    if task.sticky > 0.0 and last >= 0 and uniform(inst.key, inst.episode, t, LANE_NOISE) < task.sticky:
        chosen = np.int64(last)
    entry = word_at(task.entries, inst.state * task.actions + chosen)
    terminated = (entry & _END) != 0
    truncated = t >= task.horizon  # also where the step terminates, as Gymnasium's TimeLimit has it
    inst.t = t
    inst.state = np.int32(entry & _STATE)
    inst.last = chosen
    inst.over = terminated | truncated
    return np.float64(np.uint32(entry >> _REWARD).view(np.float32)), terminated, truncated


@law
def observe(inst, tasks, ints, floats, observation):
    """Writes the number of the state."""
    observation[0] = inst.state


@law
def bounds(inst, tasks, component):
    """All actions of the table."""
    return 0, tasks[0].actions - 1


@law
def number(inst, tasks):
    """The number of the state."""
    return inst.state


@law
def count(inst, tasks):
    """How many states there are."""
    return at(tasks, inst.task).states


@law
def decode(inst, tasks, action):
    """A number is the action."""
    return (action,)


LAW = Law("table", INSTANCE, TASK, begin, advance, observe, bounds, number, count, decode)
