"""How does the discrete toy move? One inlined law; every kernel that plays the toy calls `begin` and `advance`.

The order within a step: the successor and its noise (P), the reward earned, the gate, the delay line, then
(reward + noise) · scale + shift, then the scaled terminal reward.
"""

from __future__ import annotations

from mohs.core.kernel import kernel, law
from mohs.engines.draws import (
    LANE_IRRELEVANT,
    LANE_IRRELEVANT_START,
    LANE_NOISE,
    LANE_REWARD,
    LANE_START,
    LANE_SUCCESSOR,
    LANE_TASK,
    normal,
    uniform,
)


@law
def first_above(floats, offset, size, u):  # type: ignore[no-untyped-def]
    """The first index whose cumulative probability exceeds u; the last one with mass where rounding leaves none."""
    low, high = 0, size - 1
    while low < high:
        middle = (low + high) >> 1
        if floats[offset + middle] > u:
            high = middle
        else:
            low = middle + 1
    return low


@law
def disturb(target, base, size, noise, u):  # type: ignore[no-untyped-def]
    """With probability `noise`, another state of the set that starts at `base`: one draw decides both."""
    if u >= noise:
        return target
    other = min(int(u / noise * (size - 1)), size - 2)
    return base + other + (1 if other >= target - base else 0)


@law
def begin(inst, tasks, ints, floats):  # type: ignore[no-untyped-def]
    """Starts the next episode."""
    inst.episode += 1
    inst.t = 0
    inst.over = 0
    inst.node = 0
    if inst.num_choices > 1:
        u = uniform(inst.key, inst.episode, 0, LANE_TASK)
        inst.task = ints[inst.choices + first_above(floats, inst.weights, inst.num_choices, u)]
    task = tasks[inst.task]
    u = uniform(inst.key, inst.episode, 0, LANE_START)
    inst.state = first_above(floats, task.start_cdf, task.states, u)
    if task.irrelevant_states > 0:
        u = uniform(inst.key, inst.episode, 0, LANE_IRRELEVANT_START)
        inst.irrelevant = int(u * task.irrelevant_states)
    for i in range(task.delay):
        floats[inst.line + i] = 0.0
    if inst.trace_length > 0:
        for i in range(inst.trace_length):
            ints[inst.trace + i] = -1
        ints[inst.trace] = inst.state


@law
def advance(inst, tasks, ints, floats, action, irrelevant_action):  # type: ignore[no-untyped-def]
    """One step: (reward, terminated, truncated). The caller has checked the actions."""
    task = tasks[inst.task]
    inst.t += 1
    t = inst.t
    before = inst.state

    row = before * task.actions + action
    if task.stochastic:
        u = uniform(inst.key, inst.episode, t, LANE_SUCCESSOR)
        state = first_above(floats, task.cdf + row * task.states, task.states, u)
    else:
        state = ints[task.succ + row]
    if task.transition_noise > 0.0:
        u = uniform(inst.key, inst.episode, t, LANE_NOISE)
        base = (before // task.set_size + 1) % task.sets * task.set_size
        state = disturb(state, base, task.set_size, task.transition_noise, u)
    inst.state = state

    if task.irrelevant_states > 0:
        other = ints[task.irrelevant_succ + inst.irrelevant * task.irrelevant_actions + irrelevant_action]
        if task.transition_noise > 0.0:
            u = uniform(inst.key, inst.episode, t, LANE_IRRELEVANT)
            base = (inst.irrelevant // task.irrelevant_actions + 1) % task.sets * task.irrelevant_actions
            other = disturb(other, base, task.irrelevant_actions, task.transition_noise, u)
        inst.irrelevant = other

    if task.has_rewards:
        reward = floats[task.reward + row]
    else:
        node = ints[task.node_step + inst.node * task.states + state]
        inst.node = node
        reward = floats[task.node_partial + node]
        if not task.gated or t % task.length == 0:
            reward += floats[task.node_full + node]

    terminated = ints[task.terminal + state] != 0
    if task.delay > 0:
        place = inst.line + (t - 1) % task.delay
        earned = reward
        reward = floats[place]
        floats[place] = earned
        if terminated and task.pay_at_end:
            for i in range(task.delay):
                reward += floats[inst.line + i]

    if task.reward_noise > 0.0:
        reward += task.reward_noise * normal(inst.key, inst.episode, t, LANE_REWARD)
    reward = (reward + inst.pushed) * task.scale + task.shift
    if terminated:
        reward += task.terminal_reward * task.scale

    if inst.trace_length > 0:
        ints[inst.trace + t % inst.trace_length] = state
    truncated = not terminated and t >= task.horizon
    if terminated or truncated:
        inst.over = 1
    return reward, terminated, truncated


@kernel
def begin_fleet(instances, tasks, ints, floats, chosen, observations):  # type: ignore[no-untyped-def]
    """Starts an episode in the chosen instances and observes all; observations are [N, 2]-strided or flat."""
    for i in range(len(instances)):
        inst = instances[i]
        if chosen[i]:
            begin(inst, tasks, ints, floats)
        observations[i, 0] = inst.state
        if observations.shape[1] > 1:
            observations[i, 1] = inst.irrelevant


@kernel
def step_fleet(  # type: ignore[no-untyped-def]
    instances, tasks, ints, floats, actions, observations, rewards, terminated, truncated, final, same_step
):
    """One step of every instance; -1, or the first instance whose action is out of range (then nothing has moved).

    An instance whose episode is over begins a new one instead (NEXT_STEP), or has done so in the step that ended it
    (SAME_STEP; `final` then holds the observation before the new start).
    """
    two = actions.shape[1] > 1
    for i in range(len(instances)):
        task = tasks[instances[i].task]
        if not 0 <= actions[i, 0] < task.actions:
            return i
        if two and not 0 <= actions[i, 1] < task.irrelevant_actions:
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
def begin_one(instances, tasks, ints, floats):  # type: ignore[no-untyped-def]
    begin(instances[0], tasks, ints, floats)


@kernel
def step_one(instances, tasks, ints, floats, action, irrelevant_action):  # type: ignore[no-untyped-def]
    """One step of a fleet of one: (state, irrelevant state, reward, terminated)."""
    inst = instances[0]
    reward, terminated, _ = advance(inst, tasks, ints, floats, action, irrelevant_action)
    return inst.state, inst.irrelevant, reward, terminated
