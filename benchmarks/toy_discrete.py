"""How fast is the discrete toy, beside mdp-playground 1.0.0?

    python -m benchmarks.toy_discrete [--json] [--quick]

CPU seconds of one thread. Both sides play the same configurations with uniformly random actions and reset when an
episode ends; only transitions are counted, while the time of resets is part of the whole. A vector step in which an
instance begins a new episode counts as no transition. Single environments are bare on both sides (Gymnasium's
`TimeLimit` costs the same beside any environment; `single_vanilla_limited` has it on both); the peer's logging is
quiet, which is its fastest setting. Compilation is not measured. The sides take turns, in slices of
about a tenth of a second, and the ratio is the median of the ratios of neighbours.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.peer import ONE_THREAD, Peer, python_of

os.environ.update(ONE_THREAD)

import numpy as np

import mohs
from benchmarks.tabular import q_learning_rate
from mohs.tables.toy import toy

PEER = "mdp-playground==1.0.0"
FLEET = 4096
TASKS = 512
DIALS = {"delay": 4, "sequence_length": 3, "transition_noise": 0.1, "reward_noise": 1.0}
LARGE = {"action_space_size": 24, "sequence_length": 4}
COMMON = {"action_space_size": 8, "terminal_state_density": 0.25, "reward_density": 0.25}


@dataclass(frozen=True)
class Measure:
    """Work done in so many CPU seconds."""

    seconds: float
    count: int

    @property
    def rate(self) -> float:
        return self.count / self.seconds


@dataclass(frozen=True)
class Case:
    name: str
    target: float
    params: dict[str, Any]
    ours: Callable[[], Measure]
    peer_steps: int


def vector(tasks: list[mohs.Task], steps: int) -> Callable[[], Measure]:
    """Steps of a native vector environment. A new episode begins in the step after the one that ended the last."""
    env = mohs.make_vec("toy/discrete", tasks=tasks)
    n = len(tasks)
    pool = np.random.default_rng(0).integers(COMMON["action_space_size"], size=2 * n)
    actions = [pool[k * 977 % n :][:n] for k in range(steps)]  # windows of one pool: as near as a policy's output
    env.reset(seed=0)
    for k in range(64):
        env.step(actions[k])

    episodes = env.fleet.instances["episode"]  # type: ignore[attr-defined]

    def run() -> Measure:
        begun = int(episodes.sum())
        start = time.process_time()
        for chosen in actions:
            env.step(chosen)
        seconds = time.process_time() - start
        return Measure(seconds, steps * n - (int(episodes.sum()) - begun))

    return run


def single(params: dict[str, Any], steps: int, limited: bool = False) -> Callable[[], Measure]:
    """Steps of one environment, as a training loop takes them."""
    made = mohs.make("toy/discrete", **params)
    env = made if limited else made.unwrapped
    actions = np.random.default_rng(0).integers(COMMON["action_space_size"], size=steps).tolist()

    def run() -> Measure:
        step, reset = env.step, env.reset
        reset()
        start = time.process_time()
        for action in actions:
            _, _, terminated, truncated, _ = step(action)
            if terminated or truncated:
                reset()
        return Measure(time.process_time() - start, steps)

    run()
    return run


def construction(params: dict[str, Any]) -> Callable[[], Measure]:
    mohs.make("toy/discrete", **params)

    def run() -> Measure:
        toy.cache_clear()
        start = time.process_time()
        mohs.make("toy/discrete", **params)
        return Measure(time.process_time() - start, 1)

    return run


def cases(quick: bool) -> list[Case]:
    steps, alone, peer = (500, 30_000, 2_000) if quick else (1000, 60_000, 3_000)
    vanilla, dials = COMMON, {**COMMON, **DIALS}
    task = mohs.Task.make("toy/discrete", **vanilla)
    hard = mohs.Task.make("toy/discrete", **dials)
    many = [task.replace(seed=i % TASKS) for i in range(FLEET)]
    large = {**COMMON, **LARGE}
    return [
        Case("vector_vanilla", 1000, vanilla, vector([task] * FLEET, steps), peer),
        Case("vector_dials", 2000, dials, vector([hard] * FLEET, steps), peer),
        Case("vector_512_tasks", 500, vanilla, vector(many, steps), peer),
        Case("single_vanilla", 12, vanilla, single(vanilla, alone), peer),
        Case("single_dials", 30, dials, single(dials, alone), peer),
        Case("single_vanilla_limited", 0, vanilla, single(vanilla, alone, limited=True), peer),
        Case("construction", 50, large, construction(large), 1),
    ]


def peer_config(params: dict[str, Any]) -> dict[str, Any]:
    """The same configuration in the peer's words; both pay a sequence only every sequence_length steps by default."""
    same = {"state_space_type": "discrete", "action_space_type": "discrete", "maximally_connected": True, "seed": 0}
    return {**params, **same, "state_space_size": params["action_space_size"]}


def compare(case: Case, peer: Peer, repeats: int) -> dict[str, float]:
    request = {"case": case.name, "config": peer_config(case.params), "steps": case.peer_steps}
    request["limit"] = 100 if case.name.endswith("_limited") else None
    if case.name != "construction":
        peer.ask({**request, "steps": 1000})
    ours, theirs = [], []
    for _ in range(repeats):
        gc.collect()
        ours.append(case.ours().rate)
        answer = peer.ask(request)
        theirs.append(Measure(answer["seconds"], answer["count"]).rate)
    mine, other = statistics.median(ours), statistics.median(theirs)
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    return {"ratio": ratio, "target": case.target, "mohs": mine, "peer": other, "repeats": repeats}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter repeats")
    options = parser.parse_args()

    peer = Peer(python_of("mdp-playground", PEER), "peer_mdp_playground.py")
    repeats = 9 if options.quick else 31
    measured = {
        case.name: compare(case, peer, repeats if case.name != "construction" else 3) for case in cases(options.quick)
    }
    peer.close()
    result: dict[str, Any] = {
        "ratios": {name: round(row["ratio"], 2) for name, row in measured.items()},
        "targets": {name: row["target"] for name, row in measured.items()},
        "per_cpu_second": {
            name: {"mohs": round(row["mohs"], 2), "peer": round(row["peer"], 3), "repeats": row["repeats"]}
            for name, row in measured.items()
        },
        "absolute": {"q_learning_steps_per_second": q_learning_rate()},
        "versions": {
            "mohs": mohs.__version__,
            "peer": PEER,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
    }
    if options.json:
        print(json.dumps(result))
        return
    print(f"{'case':<24}{'ratio':>10}{'target':>8}{'mohs/s':>14}{'peer/s':>12}")
    for name, row in measured.items():
        print(f"{name:<24}{row['ratio']:>10,.1f}{row['target']:>8,.0f}{row['mohs']:>14,.1f}{row['peer']:>12,.1f}")
    for name, value in result["absolute"].items():
        print(f"{name:<32}{value:>14,.0f}")


if __name__ == "__main__":
    main()
