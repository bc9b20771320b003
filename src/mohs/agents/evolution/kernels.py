"""How does a pack of searches play? In one kernel with its engine, or step by step with any environment.

Both call the same functions (`search.py`), so they come to the same numbers.
"""

from __future__ import annotations

from mohs.agents.evolution.search import act, count
from mohs.core.kernel import kernel
from mohs.engines.law import advance, begin, observe, parts


@kernel
def train(memory, rule, layout, search, room, observation, window, steps):
    """Every cell takes `steps` steps in its instance of a fleet."""
    instances, tasks, ints, floats = parts(memory)
    for i in range(len(instances)):
        inst = instances[i]
        for _ in range(steps):
            observe(inst, tasks, ints, floats, observation)
            act(layout, search, i, search.weights[i], observation, room, room.action, True)
            reward, _, _ = advance(inst, tasks, ints, floats, room.action)
            count(rule, layout, search, i, room, window, reward, inst.over)
            if inst.over:
                begin(inst, tasks, ints, floats)


@kernel
def play(memory, layout, search, room, observation, episodes, returns, lengths):
    """Every cell plays episodes by its mean in its instance of a fleet; sums go to the last arrays."""
    instances, tasks, ints, floats = parts(memory)
    for i in range(len(instances)):
        inst = instances[i]
        for _ in range(episodes):
            episode_return = 0.0
            while not inst.over:
                observe(inst, tasks, ints, floats, observation)
                act(layout, search, i, search.mean[i], observation, room, room.action, False)
                reward, _, _ = advance(inst, tasks, ints, floats, room.action)
                episode_return += reward
                lengths[i] += 1
            returns[i] += episode_return
            begin(inst, tasks, ints, floats)


@kernel
def act_all(layout, search, weights, room, observations, actions, learning):
    """Writes the actions of all cells."""
    for i in range(len(actions)):
        act(layout, search, i, weights[i], observations[i], room, actions[i], learning)


@kernel
def count_all(rule, layout, search, room, window, rewards, over):
    """A step of every cell has been taken."""
    for i in range(len(rewards)):
        count(rule, layout, search, i, room, window, rewards[i], over[i])
