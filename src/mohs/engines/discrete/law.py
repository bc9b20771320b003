"""How does the discrete toy move?

The order within a step: noise on the action (of a grid), or the successor and its noise (P), the reward earned, the
gate, the delay line, then (reward + noise) · scale + shift, then the scaled terminal reward.

Two habits make the law fast. What a step needs of an instance is read first and written last: the compiler must
assume that every write may change every record. And what depends on chance (has the episode ended, is the delay over)
is computed, not branched on, because a wrongly predicted branch costs as much as half a step.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import law
from mohs.engines.common_law import at, draw_task, first_above, handed_out
from mohs.engines.discrete.layout import INSTANCE, TASK
from mohs.engines.draws import (
    LANE_IRRELEVANT,
    LANE_IRRELEVANT_START,
    LANE_NOISE,
    LANE_START,
    LANE_SUCCESSOR,
    uniform,
)
from mohs.engines.law import Law


@law
def disturb(target, base, size, noise, stretch, u):
    """With probability `noise`, another state (or action) of the set that starts at `base`: one draw u decides both.

    Given u < noise, u · stretch is uniform in [0, size − 1), the number of others.
    """
    if u >= noise:
        return target
    other = min(int(u * stretch), size - 2)
    return base + other + (other >= target - base)


@law
def disturb_given(ints, connected, states, before, target, noise, u):
    """With probability `noise`, another of the states that the actions of `before` lead to; `target` is one of them."""
    if u >= noise:
        return target
    first = at(ints, connected + before)
    others = at(ints, connected + before + 1) - first - 1
    if others == 0:
        return target
    place = connected + states + 1 + first + min(int(u / noise * others), others - 1)
    chosen = at(ints, place)
    return chosen if chosen < target else at(ints, place + 1)


@law
def begin(inst, tasks, ints, floats):
    """Starts the next episode."""
    key, episode = inst.key, inst.episode + 1
    draw_task(inst, ints, floats, episode)
    task = at(tasks, inst.task)
    if task.irrelevant_states > 0:
        inst.irrelevant = int(uniform(key, episode, 0, LANE_IRRELEVANT_START) * task.irrelevant_states)
    u = uniform(key, episode, 0, LANE_START)
    if task.equal_starts > 0:
        state = at(ints, task.starts + int(u * task.equal_starts))
    else:
        state = np.int32(first_above(floats, task.start_cdf, task.states, u))
    if inst.trace_length > 0:
        last = inst.trace + inst.trace_length - 1
        for i in range(inst.trace, last):
            ints[i] = -1
        ints[last] = state
    inst.episode = episode
    inst.t = 0
    inst.state = state
    inst.node = 0
    inst.place = 0
    inst.phase = 0
    inst.over = 0


@law
def advance(inst, tasks, ints, floats, action):
    """One step: (reward, terminated, truncated). The second component of the action is the irrelevant one."""
    task = at(tasks, inst.task)
    key, episode, t, before = inst.key, inst.episode, inst.t + 1, inst.state
    noise, trace_length = task.transition_noise, inst.trace_length
    special = task.special  # has any of four rare parts: for the others one value is kept at hand, not four

    chosen = action[0]
    if special and task.action_noise > 0.0:
        u = uniform(key, episode, t, LANE_NOISE)
        chosen = disturb(chosen, 0, task.actions, task.action_noise, task.stretch, u)
    row = before * task.actions + chosen
    if special and task.stochastic:
        u = uniform(key, episode, t, LANE_SUCCESSOR)
        state = first_above(floats, task.cdf + row * task.states, task.states, u)
    else:
        state = at(ints, task.succ + row)
    if noise > 0.0:
        u = uniform(key, episode, t, LANE_NOISE)
        if special and task.given:
            state = disturb_given(ints, task.connected, task.states, before, state, noise, u)
        else:
            base = at(ints, task.next_set + before)
            state = disturb(state, base, task.set_size, noise, task.stretch, u)

    if special and task.irrelevant_states > 0:
        was, irrelevant_action = inst.irrelevant, action[1]
        if task.action_noise > 0.0:
            u = uniform(key, episode, t, LANE_IRRELEVANT)
            irrelevant_action = disturb(
                irrelevant_action, 0, task.irrelevant_actions, task.action_noise, task.irrelevant_stretch, u
            )
        other = at(ints, task.irrelevant_succ + was * task.irrelevant_actions + irrelevant_action)
        if noise > 0.0:
            u = uniform(key, episode, t, LANE_IRRELEVANT)
            base = at(ints, task.irrelevant_next_set + was)
            other = disturb(other, base, task.irrelevant_actions, noise, task.irrelevant_stretch, u)
        inst.irrelevant = other

    if special and task.has_rewards:
        reward = at(floats, task.reward + row)
    else:
        node = at(ints, task.node_step + inst.node * task.states + state)
        phase = inst.phase + 1
        phase = 0 if phase == task.length else phase
        due = (task.gated == 0) | (phase == 0)
        reward = at(floats, task.pay + 2 * node + due)  # the partial reward alone, or with the full one
        inst.node = node
        inst.phase = phase

    terminated = at(ints, task.terminal + state) != 0
    reward = handed_out(inst, task, floats, key, episode, t, reward, terminated)
    truncated = t >= task.horizon  # also where the step terminates, as Gymnasium's TimeLimit has it

    if trace_length > 0:
        last = inst.trace + trace_length - 1
        for i in range(inst.trace, last):
            ints[i] = ints[i + 1]
        ints[last] = state
    inst.t = t
    inst.state = state
    inst.over = terminated | truncated
    return reward, terminated, truncated


@law
def observe(inst, tasks, ints, floats, observation):
    """Writes the N-state and, where there is one, the irrelevant state."""
    observation[0] = inst.state
    if len(observation) > 1:
        observation[1] = inst.irrelevant


@law
def bounds(inst, tasks, component):
    """The actions, and the irrelevant actions."""
    return 0, (tasks[0].actions if component == 0 else tasks[0].irrelevant_actions) - 1


@law
def number(inst, tasks):
    """The N-state and the irrelevant state as one number."""
    return inst.state * max(at(tasks, inst.task).irrelevant_states, 1) + inst.irrelevant


@law
def count(inst, tasks):
    """How many such numbers there are."""
    task = at(tasks, inst.task)
    return task.states * max(task.irrelevant_states, 1)


@law
def decode(inst, tasks, action):
    """The action and the irrelevant action."""
    others = max(at(tasks, inst.task).irrelevant_actions, 1)
    return action // others, action % others


LAW = Law("discrete", INSTANCE, TASK, begin, advance, observe, bounds, number, count, decode)
