"""How long would PPO take on the whole cartpole family: 576 points × 3 seeds × 50,000 steps, on two cores?

    python -m benchmarks.family_training [--json] [--repeats N]

One pack of 64 unlike cartpoles of Table 5 trains on one thread, once without an evaluation and once with the 20
episodes at the end that `mohs family` plays. Agent-steps per CPU-second and the CPU-seconds of an evaluation are
medians over repeats, after a pack that compiles. The time of the whole study is a projection from both: it is not run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from statistics import median

import torch

import mohs
from mohs import Cell, Probe, Segment
from mohs.agents.registry import agent, learner

CELLS, STEPS, EPISODES = 64, 2048, 20
POINTS, SEEDS, STUDY_STEPS, CORES, TARGET_MINUTES = 576, 3, 50_000, 2, 30.0


def pack_seconds(evaluated: bool) -> float:
    """CPU-seconds to train one pack on every ninth point of the family."""
    points = mohs.read_family("cartpole").members[:: POINTS // CELLS]
    cells = [
        Cell(
            agent("ppo"),
            seed,
            (Segment(point.task, STEPS),),
            (Probe("eval", point.task, (STEPS,), EPISODES),) if evaluated else (),
            window=STEPS,
        )
        for seed, point in enumerate(points)
    ]
    assert len({cell.segments[0].source for cell in cells}) == CELLS
    pack = learner(cells)
    start = time.process_time()
    pack.train(STEPS)
    return time.process_time() - start


def main() -> None:
    """Measures and projects."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    pack_seconds(evaluated=True)
    plain, whole = zip(*((pack_seconds(False), pack_seconds(True)) for _ in range(options.repeats)), strict=True)
    rate = CELLS * STEPS / median(plain)
    evaluation = max(0.0, median(whole) - median(plain))
    packs = POINTS * SEEDS / CELLS
    seconds = packs * (CELLS * STUDY_STEPS / rate + evaluation)
    found = {
        "agent_steps_per_cpu_second": round(rate),
        "cpu_seconds_of_an_evaluation": round(evaluation, 2),
        "projection": {
            "agent_steps": POINTS * SEEDS * STUDY_STEPS,
            "cpu_seconds": round(seconds),
            "minutes_on_two_cores": round(seconds / CORES / 60, 1),
            "target_minutes": TARGET_MINUTES,
        },
        "repeats": options.repeats,
        "cores": os.cpu_count(),
        "versions": {"mohs": mohs.__version__, "torch": torch.__version__, "python": platform.python_version()},
    }
    if options.json:
        print(json.dumps(found))
        return
    print(f"PPO, {CELLS} unlike cartpoles in a pack: {rate:,.0f} agent-steps per CPU-second")
    runs = f"{POINTS} points × {SEEDS} seeds × {STUDY_STEPS:,} steps"
    print(f"{runs}: {seconds / CORES / 60:.0f} minutes on {CORES} cores, projected")


if __name__ == "__main__":
    main()
