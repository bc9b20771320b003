"""What do the Gymnasium faces call? A fleet or a single instance, started and stepped by the law."""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel
from mohs.engines.ctgraph.law import advance, begin
from mohs.engines.ctgraph.layout import parts


@kernel
def begin_fleet(memory, chosen, observations):
    """Starts an episode in the chosen instances and observes all."""
    instances, tasks, ints, floats = parts(memory)
    for i in range(len(instances)):
        inst = instances[i]
        if chosen[i]:
            begin(inst, tasks, ints, floats)
        observations[i] = inst.seen


@kernel
def step_fleet(memory, actions, observations, rewards, terminated, truncated, final, same_step):
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
                final[i] = inst.seen
                begin(inst, tasks, ints, floats)
        observations[i] = inst.seen
    return -1


@kernel
def begin_one(memory):
    """Starts an episode in a fleet of one: what is seen."""
    instances, tasks, ints, floats = parts(memory)
    begin(instances[0], tasks, ints, floats)
    return instances[0].seen


@kernel
def step_one(memory, action):
    """One step of a fleet of one: (what is seen, reward, terminated)."""
    instances, tasks, _, _ = parts(memory)
    inst = instances[0]
    reward, terminated, _ = advance(inst, tasks, action)
    return inst.seen, reward, terminated
