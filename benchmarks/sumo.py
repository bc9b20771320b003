"""How fast is the traffic signal in SUMO, and how near to it is the compiled one under the same plan?

    python -m benchmarks.sumo [--json] [--quick]

CPU seconds of this process and of SUMO together, resets and the start of SUMO included. A decision is 10 s of traffic.
Both simulators play a fixed plan on the same vehicles.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
from importlib.metadata import version
from typing import Any

from benchmarks.peer import ONE_THREAD

os.environ.update(ONE_THREAD)

import numpy as np

import mohs

CASES: dict[str, dict[str, Any]] = {
    "default": {},
    "delay": {"reward": "delay"},
    "turn_lanes": {"left_lanes": 1, "right_lanes": 1},
    "busy": {"inflow": 1400.0},
    "saturated": {"inflow": 3000.0},
    "large": {"lanes": 8, "left_lanes": 2, "right_lanes": 2, "inflow": 3000.0},
}


def cpu() -> float:
    """CPU seconds of this process and of those that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def play(env: Any, episodes: int) -> float:
    """The mean delay under a plan of three decisions for each phase."""
    delays = []
    for seed in range(episodes):
        env.reset(seed=seed)
        for t in range(360):
            *_, info = env.step(t // 3 % env.action_space.n)
        delays.append(info["metrics"]["delay"])
    return float(np.mean(delays))


def measure(params: dict[str, Any], episodes: int) -> dict[str, float]:
    from mohs.envs.traffic.sumo import workers

    compiled = play(mohs.make("traffic/intersection", **params), episodes)
    before, env = cpu(), mohs.make("traffic/sumo", **params)
    delay = play(env, episodes)
    workers.stop_idle()  # so that their time is known
    return {"rate": 360 * episodes / (cpu() - before), "delay": delay, "delay_compiled": compiled}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="one episode of each case")
    options = parser.parse_args()

    measure({}, 1)  # kernels and files are read
    found = {name: measure(params, 1 if options.quick else 5) for name, params in CASES.items()}
    versions = {"mohs": mohs.__version__, "python": platform.python_version(), "sumo": version("eclipse-sumo")}
    if options.json:
        print(json.dumps({"cases": found, "versions": versions}))
        return
    for name, one in found.items():
        print(
            f"{name:<12}{one['rate']:>8,.0f} decisions per CPU-second, delay {one['delay']:.1f} s "
            f"(compiled: {one['delay_compiled']:.1f} s)"
        )


if __name__ == "__main__":
    main()
