"""How does the point mass move?

The order within a step: the action sets the highest derivative for one time unit (section 4.2 of MDP Playground),
noise is added to the position and stays in it, walls stop what runs into them, then the reward earned less the loss
of the action, the delay line, (reward + noise) · scale + shift, the scaled terminal reward.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import law
from mohs.engines.common_law import at, draw_task, handed_out
from mohs.engines.continuous.layout import INSTANCE, TASK
from mohs.engines.continuous.straight import deviation
from mohs.engines.draws import LANE_NOISE, LANE_START, as_normal, as_uniform, bits, nth
from mohs.engines.law import Law


@law
def put(floats, place, value):
    """Writes an element of an arena, as `at` reads one."""
    floats[np.uint64(place)] = value


@law
def integrate(floats, task, place, force):
    """One dimension after a time unit under a constant highest derivative: its position, the rest moved in place.

    Taylor's sum is exact. A row needs those above it as they were, so the position goes first.
    """
    order, taylor = task.order, task.taylor
    if order == 1:  # without the loops, half as fast again
        return at(floats, place) + force * at(floats, taylor + 1)
    for row in range(order):
        value = force * at(floats, taylor + order - row)
        for j in range(order - row):
            value += at(floats, place + (row + j) * task.dims) * at(floats, taylor + j)
        put(floats, place + row * task.dims, value)
    return at(floats, place)


@law
def in_a_cube(floats, task, state):
    """Is the position in one of the terminal cubes? Their faces belong to them."""
    found = False
    for k in range(task.cubes):
        inside = True
        for d in range(task.dims):
            away = abs(at(floats, state + d) - at(floats, task.centres + k * task.dims + d))
            inside &= away <= at(floats, task.reach + d)
        found |= inside
    return found


@law
def remember(floats, task, inst, t):
    """Puts the relevant part of the position into the ring of the last positions."""
    place = inst.path + t % (task.length + 1) * task.relevant
    for d in range(task.dims):
        if at(floats, task.weight + d) > 0.0:
            put(floats, place, at(floats, inst.state + d))
            place += 1


@law
def begin(inst, tasks, ints, floats):
    """Starts the next episode, at rest, uniformly where it is not terminal: terminal positions are drawn again."""
    key, episode, state = inst.key, inst.episode + 1, inst.state
    for i in range(inst.kept - state):
        put(floats, inst.kept + i, at(floats, state + i))
    draw_task(inst, ints, floats, episode)
    task = at(tasks, inst.task)
    attempt = 0
    while True:
        x = bits(key, episode, attempt, LANE_START)
        square = 0.0
        for d in range(task.dims):
            here = at(floats, task.start + d) if task.fixed else task.limit * (2.0 * as_uniform(nth(x, d)) - 1.0)
            off = here - at(floats, task.target + d)
            square += at(floats, task.weight + d) * (off * off)
            put(floats, state + d, here)
        distance = np.sqrt(square)
        if task.fixed or not (distance < task.radius or in_a_cube(floats, task, state)):
            break
        attempt += 1
    for i in range(task.dims, task.order * task.dims):
        put(floats, state + i, 0.0)
    if task.line:
        remember(floats, task, inst, 0)
    inst.distance = distance
    inst.episode = episode
    inst.t = 0
    inst.place = 0
    inst.over = 0


@law
def advance(inst, tasks, ints, floats, action):
    """One step: (reward, terminated, truncated). The caller has checked the action."""
    task = at(tasks, inst.task)
    key, episode, t, state, before = inst.key, inst.episode, inst.t + 1, inst.state, inst.distance
    noise, limit, push = task.transition_noise, task.limit, inst.push
    x = bits(key, episode, t, LANE_NOISE) if noise > 0.0 else np.uint64(0)
    square, effort = 0.0, 0.0
    for d in range(task.dims):
        strength = np.float64(action[d])
        effort += strength * strength
        here = integrate(floats, task, state + d, strength / at(floats, task.inertia + d))
        if noise > 0.0:
            here += noise * as_normal(nth(x, d))
        if push > 0:
            here += at(floats, push + d)
        if abs(here) > limit:  # a wall stops the mass in this dimension, and in no other
            here = limit if here > 0.0 else -limit
            for row in range(1, task.order):
                put(floats, state + row * task.dims + d, 0.0)
        put(floats, state + d, here)
        off = here - at(floats, task.target + d)
        square += at(floats, task.weight + d) * (off * off)
    distance = np.sqrt(square)

    reached = distance < task.radius
    if task.line:
        remember(floats, task, inst, t)
        reward = 0.0
        if t >= task.length:
            reward -= deviation(floats, inst.path, task.length + 1, task.relevant, task.scratch)
    elif task.dense:
        reward = before - distance
    else:
        reward = 1.0 if reached else 0.0
    if task.loss > 0.0:
        reward -= task.loss * np.sqrt(effort)
    terminated = reached | in_a_cube(floats, task, state)
    reward = handed_out(inst, task, floats, key, episode, t, reward, terminated)
    truncated = t >= task.horizon  # also where the step terminates, as Gymnasium's TimeLimit has it

    inst.t = t
    inst.distance = distance
    inst.over = terminated | truncated
    return reward, terminated, truncated


@law
def observe(inst, tasks, ints, floats, observation):
    """Writes the position; derivatives are hidden (the N-state of section 4.2)."""
    for d in range(len(observation)):
        observation[d] = np.float32(at(floats, inst.state + d))


@law
def bounds(inst, tasks, component):
    """The same for every dimension."""
    bound = np.float32(tasks[0].bound)
    return -bound, bound


LAW = Law("continuous", INSTANCE, TASK, begin, advance, observe, bounds)
