"""How long does the delay study of the MDP Playground paper take (Figure 9a)? DQN, 5 delays × 100 seeds × 20,000 steps.

    python -m benchmarks.figure_9a [--hidden 64] [--seeds N] [--workers N] [--json]

Wall-clock time of the whole study: worker processes, imports and the store included. Fewer seeds make smaller packs,
which cost more for each step.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from typing import Any

from benchmarks.peer import ONE_THREAD

os.environ.update(ONE_THREAD)

from mohs import Cell, Segment, Task
from mohs.agents.registry import agent
from mohs.runs.execute import Summary, execute
from mohs.runs.execution import Execution
from mohs.runs.plan import Plan
from mohs.runs.store import open_store

DELAYS = (0, 1, 2, 4, 8)
STEPS = 20_000
TARGETS = {256: 22, 64: 4}  # minutes on 2 idle cores


def plan(hidden: int, seeds: int) -> Plan:
    """The paper's DQN; every seed has a toy of its own, the same at every delay."""
    dqn = agent("dqn", preset="mdp_playground", hidden=(hidden, hidden))
    cells = (
        Cell(dqn, seed, (Segment(Task.make("toy/discrete", delay=delay, seed=seed), STEPS),), (), 1000)
        for delay in DELAYS
        for seed in range(seeds)
    )
    return Plan("figure 9a", "benchmark", {}, tuple(cells))


def timed(hidden: int, seeds: int, workers: int) -> Summary:
    with tempfile.TemporaryDirectory() as folder, open_store(f"sqlite:///{folder}/results.db") as store:
        return execute(plan(hidden, seeds), store, Execution(workers=workers))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hidden", type=int, default=256, help="width of both hidden layers")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    summary = timed(options.hidden, options.seeds, options.workers)
    target = TARGETS.get(options.hidden) if options.seeds >= 100 else None
    minutes = summary.seconds / 60
    result: dict[str, Any] = {
        "minutes": round(minutes, 2),
        "target_minutes": target,
        "met": None if target is None else minutes < target,
        "runs": summary.done,
        "failed": summary.failed,
        "steps_per_second": round(summary.steps / summary.seconds),
    }
    if options.json:
        print(json.dumps(result))
        return
    print(f"{summary.done} runs in {minutes:.1f} minutes, {result['steps_per_second']:,} steps per second")
    if target is not None:
        print(f"target: under {target} minutes, {'met' if result['met'] else 'missed'}")


if __name__ == "__main__":
    main()
