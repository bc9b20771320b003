"""How much CPU time does a step of a deep agent take in a pack, beside stable-baselines3?

    python -m benchmarks.learners [--json] [--quick] [--only CASE]

A step is one step of one cell's environment: acting, the environment, remembering, and its share of the updates. Both
sides have one thread, the same algorithm, networks, batches and rhythm of updates (`benchmarks.same_agent` translates
the hyperparameters), and the same toys: the pack plays a fleet, stable-baselines3 single environments of the same mohs,
installed beside it in an environment of its own. Both have the environment variables of mohs' worker processes. They
take turns in short slices; the ratio is the median of those of neighbours. Before that, both have trained until updates
are under way. Compilation and imports are excluded.

Memory is what a cell adds to the resident memory of a process by the end of a short run whose transitions are all
remembered: networks, optimiser, replay. The interpreter with torch, which every process needs, is not in it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

import mohs
from benchmarks.measure import Comparison, Measure, Side, asked, compare, data, lines
from benchmarks.peer import ROOT, Peer, python_of
from benchmarks.same_agent import translated
from mohs import Cell, Segment, Task
from mohs.agents.deep.packs import pack_size
from mohs.agents.registry import agent, learner
from mohs.core.cell import Agent
from mohs.runs.workers.local import ENVIRONMENT

PEER = "stable-baselines3"
REQUIREMENTS = ("-c", "constraints.txt", "-e", ".[sb3]")
DQN = {
    "batch_size": 32,
    "train_freq": 4,
    "learning_starts": 200,
    "exploration_initial_eps": 0.02,
    "exploration_steps": 0,
}
PPO = {"n_steps": 256, "batch_size": 64, "n_epochs": 10}
TRPO = {"n_steps": 256, "batch_size": 64}
SAC = {"batch_size": 256, "train_freq": 1, "learning_starts": 300}
FILTERS = ((16, 8, 4), (32, 4, 2))


@dataclass(frozen=True)
class Case:
    """An agent on a toy; `steps` of each cell, and of the peer, fill about a second. `memory` steps fill the replay."""

    name: str
    target: float
    agent: str
    settings: dict[str, Any]
    steps: int
    peer_steps: int
    memory: int
    env: str = "toy/discrete"
    params: dict[str, Any] = field(default_factory=dict)

    @property
    def images(self) -> bool:
        return bool(self.params.get("image_representations"))

    @property
    def warm(self) -> int:
        """Steps until updates are under way: a rollout, or the first of them from memory."""
        return int(self.settings["n_steps"] if "n_steps" in self.settings else self.settings["learning_starts"] + 20)


CASES = (
    Case("dqn_64", 25, "dqn", {**DQN, "hidden": (64, 64)}, 800, 2000, 5000),
    Case("dqn_256", 5, "dqn", {**DQN, "hidden": (256, 256)}, 400, 2000, 2000),
    Case("ppo_64", 8, "ppo", {**PPO, "hidden": (64, 64)}, 256, 512, 512),
    Case("trpo_64", 8, "trpo", {**TRPO, "hidden": (64, 64)}, 256, 512, 512),
    Case("sac_64", 5, "sac", {**SAC, "hidden": (64, 64)}, 16, 150, 500, "toy/continuous", {"make_denser": True}),
    Case(
        "dqn_cnn", 2, "dqn", {**DQN, "hidden": (256,), "filters": FILTERS}, 96, 400, 500,
        params={"image_representations": True},
    ),
)  # fmt: skip


def agent_of(case: Case) -> Agent:
    return agent(case.agent, **case.settings)


def pack(case: Case, cells: int, steps: int) -> Any:
    """A learner of so many cells, each with a toy of its own."""
    tasks = [Task.make(case.env, **case.params, seed=seed) for seed in range(cells)]
    return learner([Cell(agent_of(case), seed, (Segment(task, steps),)) for seed, task in enumerate(tasks)])


def ours(case: Case, cells: int, repeats: int) -> Side:
    trained = pack(case, cells, case.warm + (repeats + 1) * case.steps)
    trained.train(case.warm)

    def run() -> Measure:
        start = time.process_time()
        trained.train(case.steps)
        return Measure(time.process_time() - start, cells * case.steps)

    return run


def request(case: Case) -> dict[str, Any]:
    algorithm, settings = translated(agent_of(case), 1)
    policy = "CnnPolicy" if case.images else "MlpPolicy"
    asks = {"case": case.name, "env": case.env, "params": case.params, "algorithm": algorithm, "policy": policy}
    filters = {"filters": case.settings["filters"]} if case.images else {}
    return {**asks, **filters, "settings": settings, "warm": case.warm, "steps": case.peer_steps}


def compared(case: Case, peer: Peer, repeats: int) -> Comparison:
    cells = pack_size(agent_of(case), case.images)
    return compare(ours(case, cells, repeats), asked(peer, request(case)), case.target, repeats)


def memory_of_a_cell(case: Case) -> int:
    """Resident bytes that a cell adds, between two processes with few and with many cells."""
    few, many = 2, pack_size(agent_of(case), case.images)
    resident = []
    for cells in (few, many):
        command = [sys.executable, "-m", "benchmarks.learner_memory", case.name, str(cells)]
        done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        resident.append(json.loads(done.stdout)["bytes"])
    return int((resident[1] - resident[0]) / (many - few))


def memory_of_a_model(case: Case) -> int:
    """Resident bytes that a model of the peer adds, in a process of its own."""
    peer = Peer(python_of(PEER, *REQUIREMENTS), "peer_stable_baselines3.py")
    asks = request(case)
    asks["settings"] = {
        **asks["settings"],
        **({"buffer_size": case.memory} if case.agent not in ("ppo", "trpo") else {}),
    }
    answer = peer.ask({**asks, "memory": True, "steps": case.memory})
    peer.close()
    return int(answer["bytes"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    parser.add_argument("--only", choices=[case.name for case in CASES], help="one case")
    options = parser.parse_args()
    if not ENVIRONMENT.items() <= os.environ.items():  # libraries read it when a process begins
        os.execve(
            sys.executable, [sys.executable, "-m", "benchmarks.learners", *sys.argv[1:]], os.environ | ENVIRONMENT
        )

    cases = [case for case in CASES if options.only in (None, case.name)]
    repeats = 5 if options.quick else 15
    measured, memory = {}, {}
    for case in cases:
        peer = Peer(python_of(PEER, *REQUIREMENTS), "peer_stable_baselines3.py")
        measured[case.name] = compared(case, peer, repeats)
        peer.close()
        memory[case.name] = {
            "mohs_bytes": memory_of_a_cell(case),
            "peer_bytes": memory_of_a_model(case),
            "steps": case.memory,
        }
    result: dict[str, Any] = {
        **data(measured),
        "microseconds_per_step": {
            name: {"mohs": round(1e6 / row.ours, 1), "peer": round(1e6 / row.theirs, 1)}
            for name, row in measured.items()
        },
        "pack_sizes": {case.name: pack_size(agent_of(case), case.images) for case in cases},
        "memory_per_cell": memory,
        "versions": {
            "mohs": mohs.__version__,
            "peer": f"{PEER} {metadata.version(PEER)}",
            "python": platform.python_version(),
            "torch": metadata.version("torch"),
        },
    }
    if options.json:
        print(json.dumps(result))
        return
    print(*lines(measured), sep="\n")
    print(f"\n{'memory of a cell, MB':<32}{'mohs':>14}{'peer':>12}{'after steps':>14}")
    for name, row in memory.items():
        print(f"{name:<32}{row['mohs_bytes'] / 2**20:>14.2f}{row['peer_bytes'] / 2**20:>12.2f}{row['steps']:>14,}")


if __name__ == "__main__":
    main()
