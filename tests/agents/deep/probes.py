"""Probes: environments so small that the values a learner must find are known, from trivial upward.

Each one needs one thing more than the last, so the first that fails says what is broken. All show one number and take
two actions, or with `continuous=True` one number from -1 to 1 (what is above 0 counts as action 1).

    task = Task.make("probe/Chain-v0", continuous=True)
    pack = trained([cell("dqn", "Chain", 2000, gamma=0.5, seed=s) for s in range(3)])
    learnt(pack, [0, 1])    # [cells, observations, actions] for agents with action values, else [cells, observations]
"""

from __future__ import annotations

from typing import ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces

from mohs import Cell, Probe, Segment, Task
from mohs.agents.registry import agent, learner

DISCOUNT = 0.5  # the values below are those of this γ


class ProbeEnv(gymnasium.Env):
    """Shows `self.seen`; a subclass says how an episode begins and what a step does."""

    def __init__(self, continuous: bool = False) -> None:
        self.observation_space = spaces.Box(-1, 1, (1,), np.float32)
        self.continuous = continuous
        self.action_space = spaces.Box(-1, 1, (1,), np.float32) if continuous else spaces.Discrete(2)
        self.seen = 0.0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.seen = self.begin()
        return self.shown(), {}

    def step(self, action):
        number = float(np.asarray(action).item())
        reward, over = self.move(number, int(number > 0))
        return self.shown(), reward, over, False, {}

    def shown(self):
        return np.array([self.seen], dtype=np.float32)

    def begin(self) -> float:
        return 0.0

    def move(self, number: float, choice: int) -> tuple[float, bool]:
        raise NotImplementedError


class Constant(ProbeEnv):
    """One step, which pays 1: does the value follow the reward?"""

    values: ClassVar = {0: (1.0, 1.0)}

    def move(self, number, choice):
        return 1.0, True


class Observed(ProbeEnv):
    """One step, which pays what is seen, -1 or 1: does the value depend on the observation?"""

    values: ClassVar = {-1: (-1.0, -1.0), 1: (1.0, 1.0)}

    def begin(self):
        return float(self.np_random.integers(2) * 2 - 1)

    def move(self, number, choice):
        return self.seen, True


class Delayed(ProbeEnv):
    """Two steps, from 0 to 1, of which the second pays 1: is what comes later discounted?"""

    values: ClassVar = {0: (DISCOUNT, DISCOUNT), 1: (1.0, 1.0)}

    def move(self, number, choice):
        at, self.seen = self.seen, 1.0
        return at, at == 1.0


class Chosen(ProbeEnv):
    """One step, in which action 1 pays 1 and action 0 pays -1; continuous, 1 - (a - 0.5)²: is the best action found?"""

    values: ClassVar = {0: (-1.0, 1.0)}
    best: ClassVar = 0.5

    def move(self, number, choice):
        return (1 - (number - self.best) ** 2 if self.continuous else choice * 2.0 - 1), True


class Matched(Observed):
    """One step, in which the action must fit what is seen: does the policy depend on the observation?"""

    values: ClassVar = {-1: (1.0, -1.0), 1: (-1.0, 1.0)}

    def move(self, number, choice):
        return (1.0 if choice == (self.seen > 0) else -1.0), True


class Chain(ProbeEnv):
    """Two states without end: action 1 leads to 1 and pays what is seen, action 0 leads to 0 and pays nothing.

    Episodes are cut off after 5 steps, at which the values must not end: those of the best policy are 1 and 2.
    """

    values: ClassVar = {0: (0.5, 1.0), 1: (0.5, 2.0)}

    def move(self, number, choice):
        paid = self.seen * choice
        self.seen = float(choice)
        return paid, False


PROBES = {env.__name__: env for env in (Constant, Observed, Delayed, Chosen, Matched, Chain)}
for _name, _env in PROBES.items():
    gymnasium.register(f"probe/{_name}-v0", _env, max_episode_steps=5)


def cell(name, probe, steps, /, *, seed=0, continuous=False, window=None, **hyperparameters):
    """A run of an agent on a probe, evaluated at its end; γ is the one that the values hold for."""
    task = Task.make(f"probe/{probe}-v0", **({"continuous": True} if continuous else {}))
    made = agent(name, **{"gamma": DISCOUNT, **hyperparameters})
    return Cell(made, seed, (Segment(task, steps),), (Probe("eval", task, (steps,), 5),), window or max(1, steps // 10))


def trained(cells):
    """The learner of a pack after all its steps."""
    pack = learner(cells)
    pack.train(cells[0].steps)
    assert pack.failed == {}
    return pack


def learnt(pack, observations):
    """What the algorithm's `values` says of observations, for each cell: values of states, or of their actions."""
    seen = np.array(observations, dtype=np.float32).reshape(1, -1, 1).repeat(len(pack.cells), 0)
    return np.asarray(pack._algorithm.values(seen))


def expected(probe):
    """The observations of a probe and the values of their actions: [observations, actions]."""
    known = PROBES[probe].values
    return list(known), np.array(list(known.values()))
