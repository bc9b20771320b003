"""How long do learned controllers of traffic signals train? CPU-seconds of a model of 36,000 steps, in packs.

    python -m benchmarks.controllers [--json] [--only idqn ippo]

One pack trains on one thread on unlike inflows of an intersection with four lanes, without turn lanes (two phases, 32
cells) or with left-turn lanes (four phases, 16 cells). A model is projected from some rollouts of PPO, or some hundred
steps of Q-learning after the first updates; its evaluation is not counted. The whole family has 113 points with two
phases and 51 with four, and its default point runs five times.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Mapping
from typing import Any

import torch

import mohs
from mohs import Cell, Segment
from mohs.agents.registry import agent, learner

STEPS, LONGEST = 36_000, 1024
KINDS = {"two phases": (0, 32, 113 + 5), "four phases": (1, 16, 51)}  # left-turn lanes, cells, models of the family
CONTROLLERS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "idqn": ("idqn", {}),
    "idqn channels=8": ("idqn", {"channels": 8}),
    "idqn preset=resco": ("idqn", {"preset": "resco"}),
    "ippo": ("ippo", {}),
    "ippo preset=resco": ("ippo", {"preset": "resco"}),
    "mplight": ("mplight", {}),
    "mplight_star": ("mplight_star", {}),
}


def seconds(name: str, params: Mapping[str, Any], left_lanes: int, cells: int) -> float:
    """CPU-seconds of a model, projected from a pack."""
    steps, rounds = (2 * LONGEST, 1) if name == "ippo" else (LONGEST // 4, 2)
    tasks = [
        mohs.Task.make("traffic/intersection", reward="delay", left_lanes=left_lanes, inflow=400 + 1200 / cells * i)
        for i in range(cells)
    ]
    pack = learner([Cell(agent(name, **params), i, (Segment(t, STEPS),), (), STEPS) for i, t in enumerate(tasks)])
    pack.train(LONGEST if name == "ippo" else 100)  # compiles, and the first updates
    start = time.process_time()
    for _ in range(rounds):
        pack.train(steps // rounds)
    return (time.process_time() - start) / (cells * steps) * STEPS


def main() -> None:
    """Measures and projects."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--only", nargs="+", choices=CONTROLLERS, default=list(CONTROLLERS))
    options = parser.parse_args()
    torch.set_num_threads(1)
    found: dict[str, dict[str, float]] = {}
    for label in options.only:
        name, params = CONTROLLERS[label]
        found[label] = {kind: seconds(name, params, left, cells) for kind, (left, cells, _) in KINDS.items()}
        whole = sum(found[label][kind] * models for kind, (_, _, models) in KINDS.items())
        found[label]["minutes of the family on two cores"] = whole / 2 / 60
        if not options.json:
            print(f"{label}: {', '.join(f'{key} {value:.1f}' for key, value in found[label].items())}", flush=True)
    if options.json:
        print(json.dumps({"found": found, "cores": os.cpu_count(), "steps": STEPS}))


if __name__ == "__main__":
    main()
