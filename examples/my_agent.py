"""An agent of your own, in two functions: Monte-Carlo control with a table of action values.

Try it:  mohs diagnose examples/my_agent.py:make_agent --battery quick --seeds 3 --budget 5000
"""

import numpy as np


class MonteCarloAgent:
    """Averages the return that followed each (observation, action); acts ε-greedily by the averages."""

    def __init__(self, env, seed, epsilon=0.1, discount=0.9):
        self.rng = np.random.default_rng(seed)
        self.epsilon, self.discount = epsilon, discount
        self.values = np.zeros((env.observation_space.n, env.action_space.n))
        self.visits = np.zeros_like(self.values)

    def train(self, env, steps):
        """Learn by taking `steps` steps in a Gymnasium environment. May be called again to go on."""
        observation, _ = env.reset()
        episode = []
        for _ in range(steps):
            action, _ = self.act(observation, None, deterministic=False)
            following, reward, terminated, truncated, _ = env.step(action)
            episode.append((observation, action, reward))
            observation = following
            if terminated or truncated:
                self.learn(episode)
                episode = []
                observation, _ = env.reset()

    def act(self, observation, memory, deterministic):
        """The action to take, and the memory to be handed back with the next observation."""
        if not deterministic and self.rng.random() < self.epsilon:
            return int(self.rng.integers(self.values.shape[1])), memory
        best = np.flatnonzero(self.values[observation] == self.values[observation].max())
        return int(self.rng.choice(best)), memory

    def learn(self, episode):
        gain = 0.0
        for observation, action, reward in reversed(episode):
            gain = reward + self.discount * gain
            self.visits[observation, action] += 1
            step = 1 / self.visits[observation, action]
            self.values[observation, action] += step * (gain - self.values[observation, action])


def make_agent(env, seed, **hyperparameters):
    return MonteCarloAgent(env, seed, **hyperparameters)
