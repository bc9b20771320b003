"""How fast are the control problems, beside Gymnasium's vector environments and CARL 1.1.1?

    python -m benchmarks.control [--json] [--quick]

CPU seconds of one thread, random actions, resets included. mohs plays a vector of 4,096 instances. Gymnasium plays the
fastest vector it has: CartPole's own, which steps 4,096 carts with numpy, and 64 environments in turn for the others.
CARL has no vectors: it plays one environment.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from typing import Any

from benchmarks.peer import ONE_THREAD, Peer, python_of

os.environ.update(ONE_THREAD)

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv

import mohs
from benchmarks.measure import Comparison, Measure, Side, asked, compare, data, lines, vector

PEER = "carl-bench==1.1.1"
NUMPY = "numpy==1.26.4"  # of the time of its Gymnasium, 0.29: with newer ones Acrobot breaks
FLEET, THEIRS = 4096, 64
TARGET = 500  # times CARL's cartpole
RATE = 20e6  # steps of cartpole per CPU-second
# Of each environment its twin in Gymnasium and in CARL.
TWINS: dict[str, tuple[str | None, str | None]] = {
    "cartpole": ("CartPole-v1", "CARLCartPole"),
    "pendulum": ("Pendulum-v1", "CARLPendulum"),
    "mountain_car": ("MountainCar-v0", "CARLMountainCar"),
    "mountain_car_continuous": ("MountainCarContinuous-v0", "CARLMountainCarContinuous"),
    "acrobot": ("Acrobot-v1", "CARLAcrobot"),
    "quad": (None, None),
}


def fleet(name: str, steps: int) -> Side:
    env = mohs.make_vec(f"control/{name}", num_envs=FLEET)
    pool = np.stack([env.single_action_space.sample() for _ in range(2 * FLEET)])
    return vector(env, pool, steps)


def gymnasium_vector(name: str, steps: int) -> Side:
    """The same of Gymnasium. Steps that begin an episode are no transitions."""
    env: VectorEnv[Any, Any, Any]
    if name == "CartPole-v1":
        env = gymnasium.make_vec(name, num_envs=FLEET, vectorization_mode="vector_entry_point")
    else:
        env = gymnasium.make_vec(name, num_envs=THEIRS, vectorization_mode="sync")
    env.reset(seed=0)
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(steps)]

    def run() -> Measure:
        begun = 0
        start = time.process_time()
        for chosen in actions:
            _, _, terminated, truncated, _ = env.step(chosen)
            begun += int((terminated | truncated).sum())
        return Measure(time.process_time() - start, steps * env.num_envs - begun)

    return run


def alone(name: str, steps: int, repeats: int) -> float:
    """Steps per CPU-second of an environment that no peer has."""
    side = fleet(name, steps)
    return float(np.median([side().rate for _ in range(repeats + 1)][1:]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    options = parser.parse_args()

    peer = Peer(python_of("carl", PEER, NUMPY), "peer_carl.py")
    repeats = 5 if options.quick else 15
    measured: dict[str, Comparison] = {}
    rates: dict[str, float] = {}
    for name, (theirs, carl) in TWINS.items():
        if theirs is None or carl is None:
            rates[name] = alone(name, 300, repeats)
            continue
        mine, many = fleet(name, 300), gymnasium_vector(theirs, 40)
        measured[f"{name}, Gymnasium"] = compare(mine, many, None, repeats)
        target = TARGET if name == "cartpole" else None
        measured[f"{name}, CARL"] = compare(mine, asked(peer, {"env": carl, "steps": 1000}), target, repeats)
        rates[name] = measured[f"{name}, CARL"].ours
    peer.close()
    result: dict[str, Any] = {
        **data(measured),
        "steps_per_cpu_second": {name: round(rate) for name, rate in rates.items()},
        "cartpole_rate": {"target": RATE, "met": rates["cartpole"] >= RATE},
        "versions": {"mohs": mohs.__version__, "peer": PEER, "gymnasium": gymnasium.__version__,
                     "python": platform.python_version()},
    }  # fmt: skip
    if options.json:
        print(json.dumps(result))
        return
    print(*lines(measured), sep="\n")
    print(*(f"{name:<36}{rate:>14,.0f} steps per CPU-second" for name, rate in rates.items()), sep="\n")


if __name__ == "__main__":
    main()
