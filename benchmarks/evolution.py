"""How fast are searches whose unit is an episode, beside sb3-contrib, and how long does a family of tasks take?

    python -m benchmarks.evolution [--json] [--quick]

A step is one step of one cell's environment, `control/cartpole` on both sides: the pack plays it in its kernel,
sb3-contrib a single environment of the same mohs, in a virtual environment of its own. Both have one thread, the same
policies and the same hyperparameters, and no normalisation of observations. They take turns; the ratio is the median of
those of neighbours. Compilation and imports are excluded. CEM and hill climbing have no peer there.

The family is CartPole's 576 contexts × ARS, CEM and hill climbing × 3 seeds × 20,000 steps, with an evaluation of 10
episodes at the end of each run, in worker processes that start with it and write to a store: seconds of the clock and
of all processors. Kernels are compiled before.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import resource
import tempfile
import time
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import mohs
from benchmarks.learners import PEER, REQUIREMENTS
from benchmarks.measure import Comparison, Measure, Side, asked, compare, data, in_turns, lines
from benchmarks.peer import Peer, python_of
from mohs import Cell, Probe, Segment, Task
from mohs.agents.registry import agent, learner
from mohs.core.cell import Agent
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.plan import Plan, Track
from mohs.runs.store import open_store

ENV, CELLS, STEPS, PEER_STEPS = "control/cartpole", 64, 20_000, 3_000
AGENTS = ("ars", "cem", "hill_climbing")
SEEDS, TARGET_SECONDS = 3, 15.0
CONTEXTS = {  # Table 5 of the paper on families of tasks (Jayawardana et al. 2022)
    "length": (0.05, 0.5, 3.0, 5.0),
    "masscart": (0.1, 1.0, 6.0, 10.0),
    "masspole": (0.01, 0.1, 0.5, 1.0),
    "force_mag": (1.0, 50.0, 100.0),
    "gravity": (0.1, 9.8, 19.6),
}


@dataclass(frozen=True)
class Case:
    """ARS with a policy, and how sb3-contrib names it."""

    name: str
    target: float
    settings: dict[str, Any]
    policy: str
    network: dict[str, Any]


CASES = (
    Case("ars_linear", 1000, {}, "LinearPolicy", {}),
    Case(
        "ars_mlp", 20, {"policy": "mlp", "hidden": (64, 64), "activation": "relu"}, "MlpPolicy", {"net_arch": [64, 64]}
    ),
)


def side(made: Agent) -> Side:
    """A new pack for each measurement, so that all see the same episodes."""
    cells = [Cell(made, seed, (Segment(Task.make(ENV), STEPS),), window=STEPS) for seed in range(CELLS)]

    def run() -> Measure:
        pack = learner(cells)
        start = time.process_time()
        pack.train(STEPS)
        return Measure(time.process_time() - start, CELLS * STEPS)

    return run


def request(case: Case) -> dict[str, Any]:
    asks = {"case": case.name, "env": ENV, "params": {}, "algorithm": "ARS", "policy": case.policy}
    return {**asks, "settings": {"policy_kwargs": case.network}, "warm": 500, "steps": PEER_STEPS}


def compared(case: Case, repeats: int) -> Comparison:
    peer = Peer(python_of(PEER, *REQUIREMENTS), "peer_stable_baselines3.py")
    ours = side(agent("ars", normalize_observations=False, **case.settings))
    found = compare(ours, asked(peer, request(case)), case.target, repeats)
    peer.close()
    return found


def absolute(repeats: int) -> dict[str, float]:
    """Steps per CPU-second of every agent as it comes."""
    sides = [side(agent(name)) for name in AGENTS]
    rates = in_turns([lambda run=run: run().rate for run in sides], repeats)  # type: ignore[misc]
    return dict(zip(AGENTS, sorted(rates.tolist())[len(rates) // 2], strict=True))


def family_plan() -> Plan:
    tasks = [Task.make(ENV, **dict(zip(CONTEXTS, v, strict=True))) for v in itertools.product(*CONTEXTS.values())]

    def track(name: str, task: Task) -> Any:
        made, probe = agent(name), Probe("eval", task, (STEPS,), 10)
        return lambda seed: Cell(made, seed, (Segment(task, STEPS),), (probe,), 1000)

    tracks = {Track(name, str(i)): track(name, task) for name in AGENTS for i, task in enumerate(tasks)}
    return Plan.of("cartpoles", "benchmark", {}, tracks, SEEDS)


def family() -> dict[str, Any]:
    plan = family_plan()
    before = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
    with tempfile.TemporaryDirectory() as home, open_store(f"sqlite:///{home}/family.db") as store:
        summary = execute(plan, store, Execution(progress="silent"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
    children = after[0].ru_utime + after[0].ru_stime - before[0].ru_utime - before[0].ru_stime
    return {
        "cells": len(plan.cells),
        "steps": plan.steps,
        "failed": summary.failed,
        "seconds": round(summary.seconds, 2),
        "cpu_seconds": round(children + after[1] - before[1], 2),
        "target_seconds": TARGET_SECONDS,
        "met": summary.seconds <= TARGET_SECONDS,
        "cores": os.cpu_count(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    options = parser.parse_args()
    repeats = 5 if options.quick else 15
    rates = absolute(repeats)  # first: it compiles the kernels
    measured = {case.name: compared(case, repeats) for case in CASES}
    whole = family()
    if options.json:
        versions = {"mohs": mohs.__version__, "peer": f"sb3-contrib {metadata.version('sb3-contrib')}"}
        versions["python"] = platform.python_version()
        rounded = {name: round(rate) for name, rate in rates.items()}
        print(json.dumps({**data(measured), "steps_per_cpu_second": rounded, "family": whole, "versions": versions}))
        return
    print(*lines(measured), sep="\n")
    print(*(f"{name:<32}{rate / 1e6:>13.1f}M" for name, rate in rates.items()), sep="\n")
    print(f"family: {whole['cells']} runs in {whole['seconds']} s ({whole['cpu_seconds']} s of CPU time)")


if __name__ == "__main__":
    main()
