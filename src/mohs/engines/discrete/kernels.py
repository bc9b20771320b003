"""What do the Gymnasium faces call? A fleet or a single instance, started and stepped by the law."""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel
from mohs.engines.discrete.law import advance, begin
from mohs.engines.discrete.layout import parts


@kernel
def step_fleet(memory, actions, observations, rewards, terminated, truncated, final, same_step):
    """One step of every instance; -1, or the first instance whose action is out of range (then nothing has moved).

    An instance whose episode is over begins a new one instead (NEXT_STEP), or has done so in the step that ended it
    (SAME_STEP; `final` then holds the observation before the new start).
    """
    instances, tasks, ints, floats = parts(memory)
    two = actions.shape[1] > 1
    wrong = 0  # counted without a branch, so that this loop takes several actions at once
    for i in range(len(instances)):
        wrong += int(np.uint64(actions[i, 0]) >= np.uint64(tasks[0].actions))
    if two:
        for i in range(len(instances)):
            wrong += int(np.uint64(actions[i, 1]) >= np.uint64(tasks[0].irrelevant_actions))
    if wrong > 0:
        for i in range(len(instances)):
            if not 0 <= actions[i, 0] < tasks[0].actions:
                return i
            if two and not 0 <= actions[i, 1] < tasks[0].irrelevant_actions:
                return i
    for i in range(len(instances)):
        inst = instances[i]
        if inst.over:
            begin(inst, tasks, ints, floats)
            rewards[i] = 0.0
            terminated[i] = False
            truncated[i] = False
        else:
            other = actions[i, 1] if two else 0
            reward, ended, cut = advance(inst, tasks, ints, floats, actions[i, 0], other)
            rewards[i] = reward
            terminated[i] = ended
            truncated[i] = cut
            if same_step and inst.over:
                final[i, 0] = inst.state
                if two:
                    final[i, 1] = inst.irrelevant
                begin(inst, tasks, ints, floats)
        observations[i, 0] = inst.state
        if two:
            observations[i, 1] = inst.irrelevant
    return -1


@kernel
def begin_one(memory):
    """Starts an episode in a fleet of one: its state."""
    instances, tasks, ints, floats = parts(memory)
    begin(instances[0], tasks, ints, floats)
    return instances[0].state


@kernel
def step_one(memory, action, irrelevant_action):
    """One step of a fleet of one: (state, reward, terminated)."""
    instances, tasks, ints, floats = parts(memory)
    inst = instances[0]
    reward, terminated, _ = advance(inst, tasks, ints, floats, action, irrelevant_action)
    return inst.state, reward, terminated
