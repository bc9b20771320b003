"""An agent of your own, in two functions: Monte-Carlo control with a table of action values.

Try it:  mohs diagnose examples/my_agent.py:make_agent --battery quick --seeds 3 --budget 5000
"""

import numpy as np


class MonteCarloAgent:
    """Averages the return that followed each (observation, action); acts ε-greedily by the averages."""

    def __init__(self, env, seed, epsilon=0.1, discount=0.9):
        self.rng = np.random.default_rng(seed)
        self.epsilon, self.discount = epsilon, discount
        self.observations, self.actions = sizes(env.observation_space), sizes(env.action_space)
        self.values = np.zeros((np.prod(self.observations), np.prod(self.actions)))
        self.visits = np.zeros_like(self.values)

    def train(self, env, steps):
        """Learn by taking `steps` steps in a Gymnasium environment. May be called again to go on."""
        observation, _ = env.reset()
        episode = []
        for _ in range(steps):
            action, _ = self.act(observation, None, deterministic=False)
            following, reward, terminated, truncated, _ = env.step(action)
            episode.append((self.row(observation), self.column(action), reward))
            observation = following
            if terminated or truncated:
                self.learn(episode)
                episode = []
                observation, _ = env.reset()

    def act(self, observation, memory, deterministic):
        """The action to take, and the memory to be handed back with the next observation."""
        values = self.values[self.row(observation)]
        if not deterministic and self.rng.random() < self.epsilon:
            chosen = self.rng.integers(len(values))
        else:
            chosen = self.rng.choice(np.flatnonzero(values == values.max()))
        action = np.unravel_index(chosen, self.actions)
        return (action[0] if len(action) == 1 else np.array(action)), memory

    def row(self, observation):
        return np.ravel_multi_index(np.atleast_1d(observation), self.observations)

    def column(self, action):
        return np.ravel_multi_index(np.atleast_1d(action), self.actions)

    def learn(self, episode):
        gain = 0.0
        for row, column, reward in reversed(episode):
            gain = reward + self.discount * gain
            self.visits[row, column] += 1
            self.values[row, column] += (gain - self.values[row, column]) / self.visits[row, column]


def sizes(space):
    """The numbers of values of each component: irrelevant features make spaces of two (MultiDiscrete)."""
    return tuple(space.nvec) if hasattr(space, "nvec") else (int(space.n),)


def make_agent(env, seed, **hyperparameters):
    return MonteCarloAgent(env, seed, **hyperparameters)
