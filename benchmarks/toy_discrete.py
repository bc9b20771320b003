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
import json
import os
import platform
import time
from dataclasses import dataclass
from typing import Any

from benchmarks.peer import ONE_THREAD, Peer, python_of

os.environ.update(ONE_THREAD)

import numpy as np

import mohs
from benchmarks.measure import Measure, Side, asked, compare, data, lines, single, vector
from benchmarks.tabular import q_learning_rate
from mohs.tables.toys.toy import toy

PEER = "mdp-playground==1.0.0"
FLEET = 4096
TASKS = 512
DIALS = {"delay": 4, "sequence_length": 3, "transition_noise": 0.1, "reward_noise": 1.0}
LARGE = {"action_space_size": 24, "sequence_length": 4}
COMMON = {"action_space_size": 8, "terminal_state_density": 0.25, "reward_density": 0.25}


@dataclass(frozen=True)
class Case:
    name: str
    target: float | None
    params: dict[str, Any]
    ours: Side
    peer_steps: int


def fleet(tasks: list[mohs.Task], steps: int) -> Side:
    pool = np.random.default_rng(0).integers(COMMON["action_space_size"], size=2 * len(tasks))
    return vector(mohs.make_vec("toy/discrete", tasks=tasks), pool, steps)


def alone(params: dict[str, Any], steps: int, limited: bool = False) -> Side:
    env = mohs.make("toy/discrete", **params)
    actions = np.random.default_rng(0).integers(COMMON["action_space_size"], size=steps).tolist()
    return single(env if limited else env.unwrapped, actions)


def construction(params: dict[str, Any]) -> Side:
    def run() -> Measure:
        toy.cache_clear()
        start = time.process_time()
        mohs.make("toy/discrete", **params)
        return Measure(time.process_time() - start, 1)

    return run


def cases(quick: bool) -> list[Case]:
    steps, one, peer = (500, 30_000, 2_000) if quick else (1000, 60_000, 3_000)
    vanilla, dials = COMMON, {**COMMON, **DIALS}
    task = mohs.Task.make("toy/discrete", **vanilla)
    hard = mohs.Task.make("toy/discrete", **dials)
    many = [task.replace(seed=i % TASKS) for i in range(FLEET)]
    large = {**COMMON, **LARGE}
    return [
        Case("vector_vanilla", 1000, vanilla, fleet([task] * FLEET, steps), peer),
        Case("vector_dials", 2000, dials, fleet([hard] * FLEET, steps), peer),
        Case("vector_512_tasks", 500, vanilla, fleet(many, steps), peer),
        Case("single_vanilla", 12, vanilla, alone(vanilla, one), peer),
        Case("single_dials", 30, dials, alone(dials, one), peer),
        Case("single_vanilla_limited", None, vanilla, alone(vanilla, one, limited=True), peer),
        Case("construction", 50, large, construction(large), 1),
    ]


def peer_config(params: dict[str, Any]) -> dict[str, Any]:
    """The same configuration in the peer's words; both pay a sequence only every sequence_length steps by default."""
    same = {"state_space_type": "discrete", "action_space_type": "discrete", "maximally_connected": True, "seed": 0}
    return {**params, **same, "state_space_size": params["action_space_size"]}


def request(case: Case) -> dict[str, Any]:
    limit = 100 if case.name.endswith("_limited") else None
    return {"case": case.name, "config": peer_config(case.params), "steps": case.peer_steps, "limit": limit}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter repeats")
    options = parser.parse_args()

    peer = Peer(python_of("mdp-playground", PEER), "peer_mdp_playground.py")
    repeats = 9 if options.quick else 31
    measured = {
        case.name: compare(
            case.ours, asked(peer, request(case)), case.target, repeats if case.name != "construction" else 3
        )
        for case in cases(options.quick)
    }
    peer.close()
    result: dict[str, Any] = {
        **data(measured),
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
    print(*lines(measured), sep="\n")
    for name, value in result["absolute"].items():
        print(f"{name:<32}{value:>14,.0f}")


if __name__ == "__main__":
    main()
