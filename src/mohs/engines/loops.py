"""How is a fleet stepped, or a single instance, whatever its law?

These kernels are all that the Gymnasium environments call. Numba compiles them once for each engine.
"""

from __future__ import annotations

from mohs.core.kernel import kernel, law
from mohs.engines.law import advance, begin, bounds, number, observe, parts


@law
def first_outside(instances, tasks, actions):
    """The first instance whose action is out of bounds, or -1."""
    wrong = 0  # counted without a branch, so that this loop takes several actions at once
    for k in range(actions.shape[1]):
        low, high = bounds(instances[0], tasks, k)
        for i in range(len(instances)):
            wrong += int(not ((actions[i, k] >= low) & (actions[i, k] <= high)))  # NaN is out of bounds too
    if wrong > 0:
        for i in range(len(instances)):
            for k in range(actions.shape[1]):
                low, high = bounds(instances[0], tasks, k)
                if not low <= actions[i, k] <= high:
                    return i
    return -1


@kernel
def begin_fleet(memory, chosen, observations):
    """Starts an episode in the chosen instances and observes all."""
    instances, tasks, ints, floats = parts(memory)
    for i in range(len(instances)):
        inst = instances[i]
        if chosen[i]:
            begin(inst, tasks, ints, floats)
        observe(inst, tasks, ints, floats, observations[i])


@kernel
def step_fleet(memory, actions, observations, rewards, terminated, truncated, final, same_step):
    """One step of every instance; -1, or the first instance whose action is out of bounds (then nothing has moved).

    An instance whose episode is over begins a new one instead (NEXT_STEP), or has done so in the step that ended it
    (SAME_STEP; `final` then holds the observation before the new start).
    """
    instances, tasks, ints, floats = parts(memory)
    wrong = first_outside(instances, tasks, actions)
    if wrong >= 0:
        return wrong
    for i in range(len(instances)):
        inst = instances[i]
        if inst.over:
            begin(inst, tasks, ints, floats)
            rewards[i] = 0.0
            terminated[i] = False
            truncated[i] = False
        else:
            reward, ended, cut = advance(inst, tasks, ints, floats, actions[i])
            rewards[i] = reward
            terminated[i] = ended
            truncated[i] = cut
            if same_step and inst.over:
                observe(inst, tasks, ints, floats, final[i])
                begin(inst, tasks, ints, floats)
        observe(inst, tasks, ints, floats, observations[i])
    return -1


@kernel
def begin_one(memory, observation):
    """Starts an episode in a fleet of one."""
    instances, tasks, ints, floats = parts(memory)
    begin(instances[0], tasks, ints, floats)
    observe(instances[0], tasks, ints, floats, observation)


@kernel
def step_one(memory, action, observation):
    """One step of a fleet of one: (is the action allowed?, reward, terminated); if it is not, nothing has moved."""
    instances, tasks, ints, floats = parts(memory)
    inst = instances[0]
    for k in range(len(action)):
        low, high = bounds(inst, tasks, k)
        if not low <= action[k] <= high:
            return False, 0.0, False
    reward, terminated, _ = advance(inst, tasks, ints, floats, action)
    observe(inst, tasks, ints, floats, observation)
    return True, reward, terminated


@kernel
def step_number(memory, action):
    """One step of a fleet of one whose observation is a number: (observation, reward, terminated).

    The caller has checked the action. Without an array for the observation the call takes a fifth less time.
    """
    instances, tasks, ints, floats = parts(memory)
    inst = instances[0]
    reward, terminated, _ = advance(inst, tasks, ints, floats, action)
    return number(inst, tasks), reward, terminated
