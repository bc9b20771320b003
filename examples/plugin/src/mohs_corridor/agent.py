"""What is a custom agent? Two methods. This one walks on in the direction that paid last."""

import numpy as np

from mohs import AgentEntry

WALKER = AgentEntry("walker", "walks in the direction that paid last", maker=f"{__name__}:make_agent")


class Walker:
    """Walks in one direction per episode, drawn until one has paid."""

    def __init__(self, env, seed):
        self.rng, self.actions, self.best = np.random.default_rng(seed), int(env.action_space.n), None

    def train(self, env, steps):
        """Takes `steps` steps in a Gymnasium environment. It is called again to continue."""
        _, direction = env.reset(), self.direction()
        for _ in range(steps):
            _, reward, terminated, truncated, _ = env.step(direction)
            if reward > 0:
                self.best = direction
            if terminated or truncated:
                _, direction = env.reset(), self.direction()

    def act(self, observation, memory, deterministic):
        """The action, and the memory to be handed back with the next observation."""
        return self.direction(), memory

    def direction(self):
        return int(self.rng.integers(self.actions)) if self.best is None else self.best


def make_agent(env, seed):
    """The agent for one run."""
    return Walker(env, seed)
