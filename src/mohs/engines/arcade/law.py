"""How does an episode of the arcade go on? A level is drawn, the game's rules move it, and what is earned is paid.

All that happens in a level is drawn by its number: (level, step) addresses it. Only whether a reward is given with
`reward_probability` is drawn from the stream of the instance.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import law, routine
from mohs.core.splitmix import STRIDE, mix
from mohs.engines.arcade import avoid, chase, collect, cross, cue, dig, maze, shoot
from mohs.engines.arcade.boards import CELLS
from mohs.engines.arcade.layout import (
    ACTIONS,
    AVOID,
    CHASE,
    COLLECT,
    CROSS,
    CUE,
    INSTANCE,
    MAZE,
    SHOOT,
    TASK,
)  # fmt: skip
from mohs.engines.common_law import at, draw_task
from mohs.engines.draws import LANE_REWARD, LANE_START, LANE_SUCCESSOR, bits, uniform
from mohs.engines.law import Law

WIDTH = CELLS + 5  # observed: the classes of the cells, the number of the level in 4 bytes, the anchor
_BYTE = np.uint32(255)


@law
def world_of(game, level):
    """The key of a level's own draws."""
    return mix(mix(np.uint64(game + 1)) + STRIDE * np.uint64(level + 1))


@routine
def lay(inst, game):
    """Lays out a level."""
    if game == COLLECT:
        collect.lay(inst)
    elif game == AVOID:
        avoid.lay(inst)
    elif game == CHASE:
        chase.lay(inst)
    elif game == MAZE:
        maze.lay(inst)
    elif game == CROSS:
        cross.lay(inst)
    elif game == SHOOT:
        shoot.lay(inst)
    elif game == CUE:
        cue.lay(inst)
    else:
        dig.lay(inst)


@routine
def play(inst, game, action, x):
    """One step by the rules of a game, with its random bits."""
    if game == COLLECT:
        return collect.play(inst, action, x)
    if game == AVOID:
        return avoid.play(inst, action, x)
    if game == CHASE:
        return chase.play(inst, action, x)
    if game == MAZE:
        return maze.play(inst, action, x)
    if game == CROSS:
        return cross.play(inst, action, x)
    if game == SHOOT:
        return shoot.play(inst, action, x)
    if game == CUE:
        return cue.play(inst, action, x)
    return dig.play(inst, action, x)


@routine
def show(inst, game, cells):
    """Writes the class of every cell of the view, and returns the cell in its middle."""
    if game == COLLECT:
        return collect.show(inst, cells)
    if game == AVOID:
        return avoid.show(inst, cells)
    if game == CHASE:
        return chase.show(inst, cells)
    if game == MAZE:
        return maze.show(inst, cells)
    if game == CROSS:
        return cross.show(inst, cells)
    if game == SHOOT:
        return shoot.show(inst, cells)
    if game == CUE:
        return cue.show(inst, cells)
    return dig.show(inst, cells)


@law
def begin(inst, tasks, ints, floats):
    """Starts the next episode in a level of the task."""
    episode = inst.episode + 1
    draw_task(inst, ints, floats, episode)
    task = at(tasks, inst.task)
    inst.level = task.start_level + np.int64(uniform(inst.key, episode, 0, LANE_START) * task.levels)
    inst.world = world_of(task.game, inst.level)
    lay(inst, task.game)
    inst.episode = episode
    inst.t = 0
    inst.over = 0
    inst.held = 0.0
    inst.earned = 0


@law
def paid(inst, task, t, over):
    """What is handed out in step t of what was earned: on pay-days, after the quota, and by chance."""
    due = over or (task.pay_every > 0 and t % task.pay_every == 0)
    reward = inst.held if due and inst.earned >= task.quota else 0.0
    inst.held -= reward
    p = task.reward_probability
    if p < 1.0 and reward != 0.0:
        reward = reward / p if uniform(inst.key, inst.episode, t, LANE_REWARD) < p else 0.0
    return reward


@law
def advance(inst, tasks, ints, floats, action):
    """One step: (reward, terminated, truncated)."""
    task, t = at(tasks, inst.task), inst.t + 1
    x = bits(inst.world, 1, t, LANE_SUCCESSOR)
    reward, goals, touched, done = play(inst, task.game, action[0], x)
    terminated = done or (touched and task.deadly != 0)
    truncated = t >= task.horizon
    inst.held += reward
    inst.earned += int(reward > 0.0)
    inst.t = t
    inst.over = terminated | truncated
    return paid(inst, task, t, terminated | truncated) + task.shaping * goals, terminated, truncated


@law
def observe(inst, tasks, ints, floats, observation):
    """Writes the classes of the cells, the level and the anchor."""
    for k in range(CELLS):
        observation[k] = 0
    anchor = show(inst, at(tasks, inst.task).game, observation)
    level = np.uint32(inst.level)
    for k in range(4):
        observation[CELLS + k] = (level >> np.uint32(8 * k)) & _BYTE
    observation[CELLS + 4] = anchor


@law
def bounds(inst, tasks, component):
    """To stay and the four directions."""
    return 0, ACTIONS - 1


LAW = Law("arcade", INSTANCE, TASK, begin, advance, observe, bounds)
