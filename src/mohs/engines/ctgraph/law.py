"""How does a CT-graph move?

The number of a state says all: home 0, fail 1, of node n the wait state 2 + 2n and the decision state or end 3 + 2n.
Home leads on whatever is done. In a wait state action 0 leads on or leaves it waiting, in a decision state actions 1 to
b lead to the children; everything else fails. Rewards come with the step that enters the state that pays.
"""

from __future__ import annotations

from mohs.core.kernel import law
from mohs.engines.common_law import at, draw_task
from mohs.engines.ctgraph.layout import INSTANCE, TASK
from mohs.engines.draws import (
    LANE_IMAGE,
    LANE_REWARD,
    LANE_START,
    LANE_SUCCESSOR,
    as_uniform,
    bits,
    normal,
    nth,
    uniform,
)
from mohs.engines.law import Law
from mohs.tables.ctgraph.graph import LINEAR, NEEDLE


@law
def change_goal(inst, task, episode):
    """Draws the next goal and how many episodes it lasts; addressed by how often it has changed."""
    x = bits(inst.key, inst.changed, 0, LANE_START)
    inst.goal = int(as_uniform(nth(x, 0)) * task.leaves)
    inst.until = episode + task.fewest + int(as_uniform(nth(x, 1)) * (task.most - task.fewest + 1))
    inst.changed += 1


@law
def shown(seen, rank, u):
    """The observation of the rank-th state of a kind, where u decides among several."""
    return seen.first + (seen.stride * rank if seen.choices == 0 else int(u * seen.choices))


@law
def look(inst, task):
    """What is seen of the state."""
    state = inst.state
    u = uniform(inst.key, inst.episode, inst.t, LANE_IMAGE) if task.varied else 0.0
    node = (state - 2) >> 1
    if state >= 2:
        if state & 1 == 0:
            return shown(task.wait, node, u)
        if node < task.decisions:
            return shown(task.decision, node, u)
        return shown(task.end, node - task.decisions, u)
    return shown(task.home if state == 0 else task.fail, 0, u)


@law
def paid(task, goal, leaf):
    """What an end pays, without noise."""
    if task.reward == NEEDLE:
        return task.high_r if leaf == goal else 0.0
    away, weight, total, b = 0, 1, 0, task.branching
    for _ in range(task.depth):
        away += abs(leaf % b - goal % b) * weight
        total += weight * (1 if task.reward == LINEAR else b - 1)
        leaf //= b
        goal //= b
        weight = weight + 1 if task.reward == LINEAR else weight * b
    return task.high_r * (1.0 - away / total)


@law
def begin(inst, tasks, ints, floats):
    """Starts the next episode."""
    episode = inst.episode + 1
    draw_task(inst, ints, floats, episode)
    task = at(tasks, inst.task)
    if inst.told >= 0:
        inst.goal = inst.told
    elif task.fewest == 0:
        inst.goal = task.goal
    elif episode >= inst.until:
        change_goal(inst, task, episode)
    inst.episode = episode
    inst.t = 0
    inst.state = 0
    inst.over = 0
    inst.seen = look(inst, task)


@law
def advance(inst, tasks, ints, floats, action):
    """One step: (reward, terminated, truncated)."""
    task = at(tasks, inst.task)
    state, t, chosen = inst.state, inst.t + 1, action[0]
    node = (state - 2) >> 1
    if state == 0:
        state = 2
    elif (chosen == 0) == (state & 1 == 1):  # waits where it must decide, or decides where it must wait
        state = 1
    elif chosen == 0:
        p = task.wait_probability
        state += p == 0.0 or uniform(inst.key, inst.episode, t, LANE_SUCCESSOR) >= p
    else:
        if node == task.swapped:
            chosen = task.other if chosen == task.one else (task.one if chosen == task.other else chosen)
        state = 2 + 2 * (task.branching * node + chosen)
    reward = task.step_r
    leaf = ((state - 2) >> 1) - task.decisions
    terminated = state == 1 or (state & 1 == 1 and leaf >= 0)
    if state == 1:
        reward += task.fail_r
    elif terminated:
        reward += paid(task, inst.goal, leaf)
        if task.reward_noise > 0.0:
            reward += task.reward_noise * normal(inst.key, inst.episode, t, LANE_REWARD)
    truncated = t >= task.horizon
    inst.state = state
    inst.t = t
    inst.over = terminated | truncated
    inst.seen = look(inst, task)
    return reward, terminated, truncated


@law
def observe(inst, tasks, ints, floats, observation):
    """Writes the number of the observation."""
    observation[0] = inst.seen


@law
def bounds(inst, tasks, component):
    """Waiting and the branches."""
    return 0, tasks[0].actions - 1


@law
def number(inst, tasks):
    """The number of the observation."""
    return inst.seen


LAW = Law("ctgraph", INSTANCE, TASK, begin, advance, observe, bounds, number)
