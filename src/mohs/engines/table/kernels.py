"""What do the Gymnasium faces call? A fleet or a single instance, started and stepped by the law, and what is seen."""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel
from mohs.engines.common_law import at
from mohs.engines.table.address import byte_at
from mohs.engines.table.law import advance, begin
from mohs.engines.table.layout import parts


@kernel
def begin_fleet(memory, chosen, states):
    """Starts an episode in the chosen instances and writes the states of all."""
    instances, tasks, ints, floats = parts(memory)
    for i in range(len(instances)):
        inst = instances[i]
        if chosen[i]:
            begin(inst, tasks, ints, floats)
        states[i] = inst.state


@kernel
def step_fleet(memory, actions, states, rewards, terminated, truncated, final, same_step):
    """One step of every instance; -1, or the first instance whose action is out of range (then nothing has moved)."""
    instances, tasks, ints, floats = parts(memory)
    for i in range(len(instances)):
        if np.uint64(actions[i]) >= np.uint64(tasks[0].actions):
            return i
    for i in range(len(instances)):
        inst = instances[i]
        if inst.over:
            begin(inst, tasks, ints, floats)
            rewards[i] = 0.0
            terminated[i] = False
            truncated[i] = False
        else:
            reward, ended, cut = advance(inst, tasks, actions[i])
            rewards[i] = reward
            terminated[i] = ended
            truncated[i] = cut
            if same_step and inst.over:
                final[i] = inst.state
                begin(inst, tasks, ints, floats)
        states[i] = inst.state
    return -1


@kernel
def begin_one(memory):
    """Starts an episode in a fleet of one: its state."""
    instances, tasks, ints, floats = parts(memory)
    begin(instances[0], tasks, ints, floats)
    return instances[0].state


@kernel
def step_one(memory, action):
    """One step of a fleet of one: (state, reward, terminated)."""
    instances, tasks, _, _ = parts(memory)
    inst = instances[0]
    reward, terminated, _ = advance(inst, tasks, action)
    return inst.state, reward, terminated


@kernel
def mark_boards(tasks, which, states, by_cell, by_code, out):
    """Boards of states of the tasks `which`, one-hot: marks out[i, cell · by_cell + code · by_code], all 0 before."""
    for i in range(len(states)):
        task = at(tasks, which[i])
        first = states[i] * task.width
        for cell in range(task.width):
            code = np.int64(byte_at(task.cells, first + cell))
            out[i, cell * by_cell + code * by_code] = 1


@kernel
def copy_boards(tasks, which, states, out):
    """Boards of states of the tasks `which`: the code of what lies on each cell."""
    for i in range(len(states)):
        task = at(tasks, which[i])
        first = states[i] * task.width
        for cell in range(task.width):
            out[i, cell] = byte_at(task.cells, first + cell)
