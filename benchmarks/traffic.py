"""How fast is the compiled traffic signal?

    python -m benchmarks.traffic [--json] [--quick]

CPU seconds of one thread, random phases, resets included; a decision is 10 s of traffic. A vector plays 1,024
instances, with Python's step of it. `mixed` has an intersection of its own for each instance.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from typing import Any

from benchmarks.peer import ONE_THREAD

os.environ.update(ONE_THREAD)

import numpy as np

import mohs
from benchmarks.measure import Side, in_turns, vector
from mohs import Task

ID = "traffic/intersection"
FLEET, STEPS = 1024, 100
TARGET = 150e3  # decisions per CPU-second of default intersections
CASES: dict[str, dict[str, Any]] = {
    "default": {},
    "movements": {"observation": "movements"},
    "delay": {"reward": "delay"},
    "turn_lanes": {"left_lanes": 1, "right_lanes": 1},
    "busy": {"inflow": 1400.0},
    "saturated": {"inflow": 3000.0},
    "large": {"lanes": 8, "left_lanes": 2, "right_lanes": 2, "inflow": 3000.0},
}


def mixed(rng: np.random.Generator) -> Task:
    """An intersection with two phases, like many in a city."""
    lanes, speed = int(rng.integers(2, 7)), float(rng.uniform(25, 45))
    return Task.make(
        ID, lanes=lanes, speed=speed, length=float(rng.uniform(100, 500)), inflow=float(rng.uniform(200, 1200)),
        observed_lanes=3,
    )  # fmt: skip


def side(tasks: list[Task]) -> Side:
    """Steps of a fleet in the middle of an hour, when queues are long."""
    env = mohs.make_vec(ID, tasks=tasks)
    phases = env.single_action_space.n  # type: ignore[attr-defined]
    measured = vector(env, np.random.default_rng(0).integers(phases, size=2 * FLEET), STEPS)
    measured()
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    options = parser.parse_args()

    rng = np.random.default_rng(0)
    fleets = {name: [Task.make(ID, **params)] * FLEET for name, params in CASES.items()}
    fleets["mixed"] = [mixed(rng) for _ in range(FLEET)]
    sides = [side(tasks) for tasks in fleets.values()]
    repeats = 5 if options.quick else 15
    rates = np.median(in_turns([lambda one=one: one().rate for one in sides], repeats), axis=0)
    found = dict(zip(fleets, rates.tolist(), strict=True))
    result: dict[str, Any] = {
        "decisions_per_cpu_second": {name: round(rate) for name, rate in found.items()},
        "target": TARGET,
        "met": found["default"] >= TARGET,
        "versions": {"mohs": mohs.__version__, "python": platform.python_version()},
    }
    if options.json:
        print(json.dumps(result))
        return
    print(*(f"{name:<12}{rate:>14,.0f} decisions per CPU-second" for name, rate in found.items()), sep="\n")
    print(f"target: {TARGET:,.0f} for default intersections")


if __name__ == "__main__":
    main()
