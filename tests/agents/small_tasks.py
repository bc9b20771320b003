"""Tasks to test agents with: a table as an environment, a corridor with a bait, a small toy."""

from __future__ import annotations

import gymnasium
from gymnasium import spaces

from mohs import Table, Task


class TableEnv(gymnasium.Env):
    """A deterministic table as an environment without a time limit; it remembers every action."""

    def __init__(self, table):
        self.table, self.log = table, []
        self.observation_space, self.action_space = spaces.Discrete(table.states), spaces.Discrete(table.actions)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = int(self.np_random.choice(self.table.states, p=self.table.initial))
        return self.state, {}

    def step(self, action):
        self.log.append(action)
        row = self.state * self.table.actions + action
        self.state = int(self.table.succ[row])
        return self.state, self.table.reward[row], bool(self.table.terminal[self.state]), False, {}


def corridor(steps, horizon, width=2):
    """One action leads on, all others back to the start, where they pay 1; every step at the end of the way pays 4."""
    moves = [[s + 1] + [0] * (width - 1) for s in range(steps)] + [[steps] * width]
    rewards = [[0.0] + [float(s == 0)] * (width - 1) for s in range(steps)] + [[4.0] * width]
    return Table.from_arrays(moves, rewards, horizon=horizon)


def toy(**params):
    return Task.make("toy/discrete", max_episode_steps=10, action_space_size=4, reward_density=0.5, **params)


def greedy_return(made, env, episodes=1, seed=0):
    """The mean return of what was found."""
    total = 0.0
    for episode in range(episodes):
        observation, _ = env.reset(seed=seed if episode == 0 else None)
        memory, over, t = None, False, 0
        while not over and t < made.horizon:
            action, memory = made.act(observation, memory, True)
            observation, reward, terminated, truncated, _ = env.step(action)
            over, t, total = terminated or truncated, t + 1, total + reward
    return total / episodes
