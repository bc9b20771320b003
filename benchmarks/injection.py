"""How much dearer is a step with dials injected? As a multiple of the bare environment's step.

    python -m benchmarks.injection [--json] [--quick]

CPU seconds of one thread. Both sides take turns in slices of about a twentieth of a second, play the same actions and
reset when an episode ends; the ratio is the median of the ratios of neighbours, less is better. Environments are bare
(no `TimeLimit`, no checker), as are vectors. Compilation is not measured.

The noise of MuJoCo's actions and states is 1e-9: what a simulation costs depends on where it goes, and with so little
noise both sides go much the same way for a while; what an injection costs does not depend on how large the noise is.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.peer import ONE_THREAD

os.environ.update(ONE_THREAD)

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv

import mohs
from benchmarks.measure import in_turns

THREE = {"delay": 4, "transition_noise": 0.1, "reward_noise": 1.0}
SMALL = {"delay": 4, "reward_noise": 1.0, "transition_noise": 1e-9}
FLEET = 1024
Slice = Callable[[], float]


@dataclass(frozen=True)
class Case:
    """A bare environment and the same with dials injected, as slices of work that return their CPU seconds."""

    name: str
    target: float
    bare: Slice
    injected: Slice


def alone(env: gymnasium.Env[Any, Any], steps: int) -> Slice:
    """Steps of one environment, as a training loop takes them; every slice plays the same."""
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(steps)]
    if isinstance(env.action_space, gymnasium.spaces.Discrete):
        actions = [int(action) for action in actions]

    def run() -> float:
        env.reset(seed=0)
        start = time.process_time()
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        return time.process_time() - start

    return run


def together(envs: VectorEnv[Any, Any, Any], steps: int) -> Slice:
    """Steps of a vector environment."""
    envs.action_space.seed(0)
    actions = [envs.action_space.sample() for _ in range(steps)]

    def run() -> float:
        envs.reset(seed=0)
        start = time.process_time()
        for action in actions:
            envs.step(action)
        return time.process_time() - start

    return run


def single_case(name: str, target: float, env: str, steps: int, dials: dict[str, Any]) -> Case:
    bare, other = (gymnasium.make(env).unwrapped for _ in range(2))
    return Case(name, target, alone(bare, steps), alone(mohs.inject(other, **dials), steps))


def vector_case(name: str, target: float, make: Callable[[], VectorEnv[Any, Any, Any]], steps: int) -> Case:
    return Case(name, target, together(make(), steps), together(mohs.inject_vec(make(), **THREE), steps))


def native_cartpole() -> VectorEnv[Any, Any, Any]:
    return gymnasium.make_vec("CartPole-v1", num_envs=FLEET, vectorization_mode="vector_entry_point")


def native_toy() -> VectorEnv[Any, Any, Any]:
    return mohs.make_vec("toy/discrete", num_envs=FLEET)


def cases() -> list[Case]:
    return [
        single_case("cartpole", 1.35, "CartPole-v1", 4000, THREE),
        single_case("halfcheetah_action", 1.1, "HalfCheetah-v5", 500, {**SMALL, "transition_noise_on": "action"}),
        single_case("halfcheetah_state", 1.7, "HalfCheetah-v5", 500, SMALL),
        vector_case("vector_cartpole", 1.5, native_cartpole, 200),
        vector_case("vector_toy", 1.5, native_toy, 1500),
    ]


def ratios(case: Case, repeats: int) -> dict[str, Any]:
    """The multiple of the bare step, and the CPU seconds of a slice on both sides."""
    seconds = in_turns([case.bare, case.injected], repeats)
    ratio = float(np.median(seconds[:, 1] / seconds[:, 0]))
    bare, injected = np.median(seconds, axis=0).tolist()
    row = {"ratio": round(ratio, 3), "target": case.target, "met": ratio <= case.target}
    return {**row, "bare": bare, "injected": injected, "repeats": repeats}


def measured(quick: bool = False) -> dict[str, dict[str, Any]]:
    """All cases, by name."""
    return {case.name: ratios(case, 9 if quick else 31) for case in cases()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    options = parser.parse_args()
    rows = measured(options.quick)
    if options.json:
        print(json.dumps(rows))
        return
    print(f"{'case':<24}{'ratio':>8}{'target':>8}")
    for name, row in rows.items():
        print(f"{name:<24}{row['ratio']:>8.2f}{row['target']:>8.2f}  {'met' if row['met'] else 'missed'}")


if __name__ == "__main__":
    main()
