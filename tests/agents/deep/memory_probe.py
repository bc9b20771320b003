"""The memory probe: a cue at the first step, and a payment for the action that repeats it some steps later.

Without memory no policy earns more than 0 on average; with it the return is 1, so γ = `DISCOUNT` gives the value of
every action at the start: `DISCOUNT` to the number of steps until the answer. The cue is what is seen first or, with
`cue="paid"`, what the first step pays, which the last takes back.
"""

from __future__ import annotations

import gymnasium
import numpy as np
from gymnasium import spaces

from mohs import Cell, Probe, Segment, Task
from mohs.agents.registry import agent, learner

DISCOUNT = 0.9
WAIT, ANSWER = 2, 3  # what is seen besides the cues 0 and 1


class Memory(gymnasium.Env):
    def __init__(self, delay: int = 3, cue: str = "seen", continuous: bool = False) -> None:
        self.observation_space = spaces.Discrete(4)
        self.action_space = spaces.Box(-1, 1, (1,), np.float32) if continuous else spaces.Discrete(2)
        self.delay, self.cue_is = delay, cue

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.step_number, self.cue = 0, int(self.np_random.integers(2))
        return (self.cue if self.cue_is == "seen" else WAIT), {}

    def step(self, action):
        now, self.step_number = self.step_number, self.step_number + 1
        paid = float(self.cue * 2 - 1) if self.cue_is == "paid" and now == 0 else 0.0
        if now == self.delay:
            refund = float(1 - self.cue * 2) if self.cue_is == "paid" else 0.0
            paid = refund + (1.0 if int(np.asarray(action).item() > 0) == self.cue else -1.0)
        seen = ANSWER if self.step_number == self.delay else WAIT
        return seen, paid, now == self.delay, False, {}


gymnasium.register("probe/Memory-v0", Memory)


def memory_cell(name, budget, *, seed=0, env="probe/Memory-v0", task=None, **hyperparameters):
    """A run of an agent on the probe, or on another environment, evaluated at its end."""
    of = Task.make(env, **(task or {}))
    made = agent(name, **{"gamma": DISCOUNT, **hyperparameters})
    return Cell(made, seed, (Segment(of, budget),), (Probe("eval", of, (budget,), 40),), max(1, budget // 10))


def earned(cells):
    """The learner of a pack after all its steps, and the mean return of each cell's evaluation."""
    pack = learner(cells)
    pack.train(cells[0].steps)
    assert pack.failed == {}
    return pack, pack.evaluate(0)["return"]
