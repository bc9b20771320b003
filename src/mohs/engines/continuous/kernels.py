"""What do the Gymnasium faces call? A fleet or a single instance, started and stepped by the law."""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel, law
from mohs.engines.common_law import at
from mohs.engines.continuous.law import advance, begin
from mohs.engines.continuous.layout import parts


@law
def show(inst, floats, observation):
    """Writes the position; derivatives are hidden (the N-state of section 4.2)."""
    for d in range(len(observation)):
        observation[d] = np.float32(at(floats, inst.state + d))


@kernel
def begin_fleet(memory, chosen, observations):
    """Starts an episode in the chosen instances and observes all."""
    instances, tasks, ints, floats = parts(memory)
    for i in range(len(instances)):
        if chosen[i]:
            begin(instances[i], tasks, ints, floats)
        show(instances[i], floats, observations[i])


@kernel
def step_fleet(memory, actions, observations, rewards, terminated, truncated, final, same_step):
    """One step of every instance; -1, or the first instance whose action is out of range (then nothing has moved).

    An instance whose episode is over begins a new one instead (NEXT_STEP), or has done so in the step that ended it
    (SAME_STEP; `final` then holds the observation before the new start).
    """
    instances, tasks, ints, floats = parts(memory)
    bound = np.float32(tasks[0].bound)
    wrong = 0  # counted without a branch, so that this loop takes several actions at once
    for i in range(actions.shape[0]):
        for d in range(actions.shape[1]):
            wrong += int(not abs(actions[i, d]) <= bound)  # NaN is wrong too
    if wrong > 0:
        for i in range(actions.shape[0]):
            for d in range(actions.shape[1]):
                if not abs(actions[i, d]) <= bound:
                    return i
    for i in range(len(instances)):
        inst = instances[i]
        if inst.over:
            begin(inst, tasks, ints, floats)
            rewards[i] = 0.0
            terminated[i] = False
            truncated[i] = False
        else:
            reward, ended, cut = advance(inst, tasks, floats, actions[i])
            rewards[i] = reward
            terminated[i] = ended
            truncated[i] = cut
            if same_step and inst.over:
                show(inst, floats, final[i])
                begin(inst, tasks, ints, floats)
        show(inst, floats, observations[i])
    return -1


@kernel
def begin_one(memory, observation):
    """Starts an episode in a fleet of one."""
    instances, tasks, ints, floats = parts(memory)
    begin(instances[0], tasks, ints, floats)
    show(instances[0], floats, observation)


@kernel
def step_one(memory, action, observation):
    """One step of a fleet of one: (reward, terminated, was the action allowed?); if it was not, nothing has moved."""
    instances, tasks, _, floats = parts(memory)
    inst = instances[0]
    for d in range(len(action)):
        if not abs(action[d]) <= np.float32(tasks[0].bound):
            return 0.0, False, False
    reward, terminated, _ = advance(inst, tasks, floats, action)
    show(inst, floats, observation)
    return reward, terminated, True
