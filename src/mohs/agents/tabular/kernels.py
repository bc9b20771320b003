"""How does a tabular agent learn and play? Compiled, cell after cell, on the same laws as every environment.

A cell is a row of `learners`, one Q-table (two for double Q-learning) and one instance of the fleet. Draws are
addressed by the agent's step, so where training is interrupted does not matter.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel, law
from mohs.engines.draws import bits, uniform
from mohs.engines.numbered import advance, begin, seen

Q_LEARNING, DOUBLE_Q_LEARNING, SARSA, RANDOM = range(4)
LANE_EXPLORE, LANE_ACTION, LANE_TIE, LANE_COIN, LANE_CHOOSER = range(5)

LEARNER = np.dtype(
    [
        ("key", np.uint64),
        ("step", np.int64),
        ("episode_return", np.float64),  # so far, of the episode under way
        ("length", np.int64),
        ("action", np.int64),  # that SARSA has chosen for the next step; -1: none yet
    ],
    align=True,
)


@law
def row_of(inst, tasks, task_ids, past, pasts):
    """The row of the Q-table: the observation, those before it, and the task id where the agent observes it.

    `past` numbers the observations before, of which there are `pasts`; with a single one they play no part.
    """
    number, count = seen(inst, tasks)
    if pasts == 1:
        return task_ids[inst.task] * count + number
    return (task_ids[inst.task] * pasts + past) * (count + 1) + number + 1


@law
def past_after(inst, tasks, past, pasts):
    """The number of the observations before the next one. Digit 0 stands for a step before the episode."""
    number, count = seen(inst, tasks)
    return (past * (count + 1) + number + 1) % pasts


@law
def greedy(q, second, row, key, episode, t, lane):
    """An action of the largest value; ties are broken by a draw. Double Q-learning acts by the sum of both tables."""
    double = second.shape[0] > 0
    best, ties = -np.inf, 0
    for action in range(q.shape[1]):
        value = q[row, action] + (second[row, action] if double else 0.0)
        if value > best:
            best, ties = value, 1
        elif value == best:
            ties += 1
    pick = np.int64(bits(key, episode, t, lane) % np.uint64(ties)) if ties > 1 else 0
    for action in range(q.shape[1]):
        value = q[row, action] + (second[row, action] if double else 0.0)
        if value == best:
            if pick == 0:
                return action
            pick -= 1
    return 0  # only where a value is not a number


@law
def explore(q, second, row, key, episode, t, epsilon):
    """ε-greedy."""
    if uniform(key, episode, t, LANE_EXPLORE) < epsilon:
        return np.int64(bits(key, episode, t, LANE_ACTION) % np.uint64(q.shape[1]))
    return greedy(q, second, row, key, episode, t, LANE_TIE)


@law
def epsilon_at(step, start, end, steps):
    return end if step >= steps else start + (end - start) * step / steps


@law
def largest(q, row):
    best = q[row, 0]
    for action in range(1, q.shape[1]):
        best = max(best, q[row, action])
    return best


@kernel
def train(
    instances, tasks, ints, floats, task_ids, past, pasts, learners, q, second, returns, lengths, episodes, window,
    steps, algorithm, rate, gamma, initial_eps, final_eps, eps_steps,
):  # fmt: skip
    """Every cell takes `steps` steps. Sums over the episodes that ended in each window go to the last three arrays."""
    for cell in range(len(learners)):
        me, inst = learners[cell], instances[cell]
        q1, q2 = q[cell], second[cell]
        for _ in range(steps):
            row = row_of(inst, tasks, task_ids[cell], past[cell], pasts)
            past[cell] = past_after(inst, tasks, past[cell], pasts)
            action = me.action
            if action < 0:
                epsilon = epsilon_at(me.step, initial_eps, final_eps, eps_steps)
                action = explore(q1, q2, row, me.key, me.step, 0, epsilon)
            reward, terminated, _ = advance(inst, tasks, ints, floats, action)
            me.step += 1
            me.episode_return += reward
            me.length += 1
            after = row_of(inst, tasks, task_ids[cell], past[cell], pasts)
            me.action = -1
            if algorithm == Q_LEARNING:
                td_target = reward if terminated else reward + gamma * largest(q1, after)
                q1[row, action] += rate * (td_target - q1[row, action])
            elif algorithm == SARSA:
                td_target = reward
                if not terminated:
                    epsilon = epsilon_at(me.step, initial_eps, final_eps, eps_steps)
                    following = explore(q1, q2, after, me.key, me.step, 0, epsilon)
                    td_target += gamma * q1[after, following]
                    if not inst.over:
                        me.action = following
                q1[row, action] += rate * (td_target - q1[row, action])
            elif algorithm == DOUBLE_Q_LEARNING:
                # One table chooses the next action, the other values it (van Hasselt 2010).
                if bits(me.key, me.step, 0, LANE_COIN) & np.uint64(1):
                    chooser, valuer = q1, q2
                else:
                    chooser, valuer = q2, q1
                td_target = reward
                if not terminated:
                    following = greedy(chooser, q2[:0], after, me.key, me.step, 0, LANE_CHOOSER)
                    td_target += gamma * valuer[after, following]
                chooser[row, action] += rate * (td_target - chooser[row, action])
            if inst.over:
                point = min((me.step - 1) // window, episodes.shape[1] - 1)
                returns[cell, point] += me.episode_return
                lengths[cell, point] += me.length
                episodes[cell, point] += 1
                me.episode_return = 0.0
                me.length = 0
                past[cell] = 0
                begin(inst, tasks, ints, floats)


@kernel
def play(
    instances, tasks, ints, floats, task_ids, past, pasts, keys, q, second, epsilon, steps, episodes, returns, lengths,
    played,
):  # fmt: skip
    """Every cell plays on, at most `steps` steps, until it has played its episodes; sums go to the last arrays."""
    for cell in range(len(instances)):
        inst = instances[cell]
        for _ in range(steps):
            if played[cell] >= episodes:
                break
            row = row_of(inst, tasks, task_ids[cell], past[cell], pasts)
            past[cell] = past_after(inst, tasks, past[cell], pasts)
            action = explore(q[cell], second[cell], row, keys[cell], inst.episode, inst.t, epsilon)
            reward, _, _ = advance(inst, tasks, ints, floats, action)
            returns[cell] += reward
            lengths[cell] += 1
            if inst.over:
                played[cell] += 1
                past[cell] = 0
                begin(inst, tasks, ints, floats)
