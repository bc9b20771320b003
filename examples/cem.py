"""An agent for any environment with numbers to see and to set: the cross-entropy method on a linear policy.

Try it:  mohs diagnose examples/cem.py:make_agent --env CartPole-v1 --dials delay,reward_noise --seeds 5
"""

import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.spaces.utils import flatdim, flatten


class CrossEntropyAgent:
    """Draws policies around a mean, plays each for an episode, moves the mean to the best (Szita and Lőrincz 2006)."""

    def __init__(self, env, seed, population=20, elite=5, spread=1.0, extra_spread=0.5, extra_rounds=20):
        self.rng = np.random.default_rng(seed)
        self.population, self.elite, self.extra = population, elite, np.linspace(extra_spread, 0, extra_rounds)
        self.observations, self.actions = env.observation_space, env.action_space
        if not isinstance(self.actions, Box | Discrete):
            raise ValueError(f"this agent sets numbers or chooses one of several actions, not {self.actions}")
        shape = (flatdim(self.actions), flatdim(self.observations) + 1)  # one number more for a constant
        self.mean, self.deviation = np.zeros(shape), np.full(shape, spread)
        self.tried = []  # (return, policy) of this round
        self.rounds = 0

    def train(self, env, steps):
        """Learn by taking `steps` steps in a Gymnasium environment. May be called again to go on."""
        while steps:
            policy = self.rng.normal(self.mean, self.deviation)
            observation, _ = env.reset()
            gain, over = 0.0, False
            while steps and not over:
                observation, reward, terminated, truncated, _ = env.step(self.action(policy, observation))
                gain, over, steps = gain + reward, terminated or truncated, steps - 1
            if over:
                self.learn(gain, policy)

    def act(self, observation, memory, deterministic):
        """The action to take, and the memory to be handed back with the next observation."""
        if memory is None:  # an episode begins
            memory = self.mean if deterministic else self.rng.normal(self.mean, self.deviation)
        return self.action(memory, observation), memory

    def action(self, policy, observation):
        values = policy @ np.append(flatten(self.observations, observation), 1.0)
        if isinstance(self.actions, Discrete):
            return self.actions.start + int(values.argmax())
        low, high = self.actions.low, self.actions.high
        return np.clip(values.reshape(low.shape), low, high).astype(self.actions.dtype)

    def learn(self, gain, policy):
        self.tried.append((gain, policy))
        if len(self.tried) == self.population:
            best = sorted(self.tried, key=lambda pair: pair[0])[-self.elite :]
            self.mean = np.mean([policy for _, policy in best], axis=0)
            # Some spread is added at first, so that the search does not settle too soon.
            more = self.extra[self.rounds] if self.rounds < len(self.extra) else 0.0
            self.deviation = np.std([policy for _, policy in best], axis=0) + more
            self.tried, self.rounds = [], self.rounds + 1


def make_agent(env, seed, **hyperparameters):
    return CrossEntropyAgent(env, seed, **hyperparameters)
