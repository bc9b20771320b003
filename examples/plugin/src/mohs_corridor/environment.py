"""What is the corridor? A row of cells, of which the last one pays 1 and ends the episode."""

import gymnasium
import numpy as np
from gymnasium import spaces

from mohs.core.battery import Battery
from mohs.envs.entries.batteries import THIRD_PARTY

# The doses that `mohs diagnose --env corridor` tries by default; the other batteries are those of any environment.
BATTERIES = {**THIRD_PARTY, "quick": Battery({"delay": (0, 2, 4), "sticky_actions": (0.0, 0.25)}, (), 10, 5_000)}

# Doses of dials of other environments: `mohs diagnose ppo --env CartPole-v1 --dials observation_noise` tries these.
DOSES = {"CartPole-v1": {"observation_noise": (0.0, 0.1, 0.3)}}


class CorridorEnv(gymnasium.Env):
    """Starts in cell 0. Action 1 moves right, action 0 left. With probability `slip` the agent stays where it is."""

    def __init__(self, length: int = 8, slip: float = 0.0):
        self.observation_space, self.action_space = spaces.Discrete(length), spaces.Discrete(2)
        self.last, self.slip, self.cell = length - 1, slip, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cell = 0
        return self.cell, {}

    def step(self, action):
        if self.np_random.random() >= self.slip:
            self.cell = min(max(self.cell + (1 if action else -1), 0), self.last)
        arrived = self.cell == self.last
        return self.cell, float(arrived), arrived, False, {}


def table(task, limit=4_000_000):
    """The corridor as a finite MDP, with the dials that a table can hold."""
    from mohs.core.errors import UsageError
    from mohs.envs.suites.toy_text import with_dials
    from mohs.tables.table import Table

    length, slip = task["length"], task["slip"]
    if length > limit:
        raise UsageError(f"the table of {task.env} has {length:,} states, more than {limit:,}.")
    probabilities, rewards = np.zeros((length, 2, length)), np.zeros((length, 2, length))
    for cell in range(length):
        for action, move in enumerate((-1, 1)):
            probabilities[cell, action, min(max(cell + move, 0), length - 1)] += 1 - slip
            probabilities[cell, action, cell] += slip
    rewards[:, :, -1] = 1.0
    options = {"terminal": [length - 1], "horizon": task["max_episode_steps"], "action_names": ("left", "right")}
    return with_dials(Table.from_arrays(probabilities, rewards, **options).simplified(), task)


def environments():
    """The entries that this package adds. Gymnasium gets the id `mohs_corridor/Corridor-v0`."""
    from mohs.envs.entries.third_party import third_party_entry

    return [
        third_party_entry(
            "mohs_corridor/Corridor-v0",
            id="corridor",
            title="a corridor with a reward at its end",
            entry_point="mohs_corridor.environment:CorridorEnv",
            max_episode_steps=50,
            table="mohs_corridor.environment:table",
            score="mohs.exact.references:return_score",  # 0 is the random policy, 1 the optimum, both from the table
            batteries="mohs_corridor.environment:BATTERIES",
        )
    ]
