"""How much of what only memory can earn does recurrent DQN earn, and how much DQN?

    python -m benchmarks.memory_part [--seeds N] [--steps N] [--json]

The tasks are discrete toys with rewardable sequences of two states, of those structure seeds where the exact memory
part is not 0. A share of 0 is the best policy without memory, 1 the optimal policy, both exact.
"""

from __future__ import annotations

import argparse
import json
import os

from benchmarks.peer import ONE_THREAD

os.environ.update(ONE_THREAD)

import numpy as np

from mohs import Agent, Cell, Probe, Segment, Task
from mohs.agents.registry import agent, learner
from mohs.exact.attainable import attainable
from mohs.stats import estimate, paired_difference

AGENTS = ("dqn", "recurrent_dqn")
EPISODES = 50
NEEDS_MEMORY = 0.1  # of the optimal return


def tasks(count: int) -> list[Task]:
    """The first tasks in which memory matters."""
    found: list[Task] = []
    seed = 0
    while len(found) < count:
        sizes = {"state_space_size": 4, "action_space_size": 4, "reward_density": 0.34, "sequence_length": 2}
        task = Task.make("toy/discrete", seed=seed, **sizes)
        known = attainable(task)
        if known.exact and known.optimal - known.bound > NEEDS_MEMORY * known.optimal:
            found.append(task)
        seed += 1
    return found


def shares(made: Agent, chosen: list[Task], steps: int) -> np.ndarray:
    """What the learnt policies earn, between the best policy without memory (0) and the optimal one (1)."""
    probes = [(Probe("eval", task, (steps,), EPISODES),) for task in chosen]
    cells = [Cell(made, t.seed, (Segment(t, steps),), p, 1000) for t, p in zip(chosen, probes, strict=True)]
    pack = learner(cells)
    pack.train(steps)
    known = [attainable(task) for task in chosen]
    low, high = np.array([each.bound for each in known]), np.array([each.optimal for each in known])
    return (np.asarray(pack.evaluate(0)["return"]) - low) / (high - low)


def main() -> None:
    """Prints both shares and their paired difference."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory_part", description=main.__doc__)
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    chosen = tasks(arguments.seeds)
    exploring = {"exploration_steps": arguments.steps // 2}
    found = {name: shares(agent(name, **exploring), chosen, arguments.steps) for name in AGENTS}
    rows = {name: estimate(share) for name, share in found.items()}
    rows["difference"] = paired_difference(found["recurrent_dqn"], found["dqn"])
    if arguments.json:
        print(json.dumps({name: row.to_dict() for name, row in rows.items()}))
        return
    for name, row in rows.items():
        print(f"{name:14} {row.value:6.2f} [{row.low:.2f}, {row.high:.2f}]  n = {row.n}")


if __name__ == "__main__":
    main()
