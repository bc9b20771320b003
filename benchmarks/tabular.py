"""How many agent-steps does tabular Q-learning take per second and core? Environment, choice and update included."""

from __future__ import annotations

import statistics
import time

from mohs import Cell, Segment, Task
from mohs.agents.registry import agent, learner

CELLS, STEPS, REPEATS = 64, 50_000, 7


def q_learning_rate() -> float:
    """Steps per CPU-second of a pack of 64 cells with different tasks; compilation excluded; median of repeats."""
    tasks = [Task.make("toy/discrete", seed=seed) for seed in range(CELLS)]
    total = STEPS * (REPEATS + 1)
    cells = [Cell(agent("q_learning"), seed, (Segment(task, total),)) for seed, task in enumerate(tasks)]
    pack = learner(cells)
    pack.train(STEPS)
    rates = []
    for _ in range(REPEATS):
        began = time.process_time()
        pack.train(STEPS)
        rates.append(CELLS * STEPS / (time.process_time() - began))
    return statistics.median(rates)
