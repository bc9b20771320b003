"""What do the laws of all engines share? How a task is drawn, and how an earned reward is handed out.

Records are those of any engine that have the fields named here.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import law
from mohs.engines.draws import LANE_REWARD, LANE_TASK, normal, uniform


@law
def at(arena, place):
    """An element of an arena. Unsigned, because numba would test a signed index for counting from the end."""
    return arena[np.uint64(place)]


@law
def first_above(floats, offset, size, u):
    """The first index whose cumulative probability exceeds u; `cumulative` sees to it that there is one."""
    low = 0
    while size > 1:
        half = size >> 1
        low += half if at(floats, offset + low + half - 1) <= u else 0
        size -= half
    return low


@law
def draw_task(inst, ints, floats, episode):
    """Chooses the task of an episode: at `choices` lie their number, the offset of their odds, the tasks."""
    if inst.choices > 0:
        choices = inst.choices
        u = uniform(inst.key, episode, 0, LANE_TASK)
        chosen = first_above(floats, at(ints, choices + 1), at(ints, choices), u)
        inst.task = at(ints, choices + 2 + chosen)


@law
def handed_out(inst, task, floats, key, episode, t, reward, terminated):
    """What is paid for step t, in which `reward` was earned: delayed, + noise, · scale, + shift, + terminal reward."""
    delay = task.delay
    if delay > 0:
        place = inst.place
        held = at(floats, inst.line + place)
        floats[np.uint64(inst.line + place)] = reward
        reward = held if t > delay else 0.0  # before that the line still holds an earlier episode
        if task.pay_at_end and terminated:
            for i in range(min(t, delay)):
                reward += at(floats, inst.line + i)
        inst.place = 0 if place + 1 == delay else place + 1
    if task.reward_noise > 0.0:
        reward += task.reward_noise * normal(key, episode, t, LANE_REWARD)
    reward = (reward + inst.pushed) * task.scale + task.shift
    return reward + (task.terminal_bonus if terminated else 0.0)
