"""Do our agents learn as those of stable-baselines3 do? The same hyperparameters, tasks and seeds on both sides.

    python -m benchmarks.equivalence [--seeds N] [--only CASE ...] [--store URL] [--workers N] [--json]

Runs are kept in a store, so a study goes on where it stopped, and more seeds only add runs. For every case the table
says by how much the means of the area under the training curve and of its last tenth differ, with the 95% interval of
the difference over seeds, in percent of the range of scores. They are *equivalent* where the interval lies within ±10%,
*different* where it lies outside, and *open* where there are too few seeds to tell.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from benchmarks.same_agent import translated
from mohs import Cell, Segment, Task
from mohs.agents.registry import agent
from mohs.core.cell import Agent
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.plan import Plan
from mohs.runs.store import Store, open_store
from mohs.stats.comparison import paired_difference
from mohs.stats.curves import auc, final

STORE = "sqlite:///equivalence.db"
MARGIN = 0.10  # of the range of scores
POINTS = 20  # of a training curve
MEASURES = {"auc": auc, "final": final}
SB3 = {"preset": "stable_baselines3"}
DQN = {
    "learning_rate": 1e-3, "hidden": (64, 64), "batch_size": 32, "buffer_size": 20_000, "learning_starts": 100,
    "train_freq": 4, "target_update_interval": 500, "exploration_final_eps": 0.05, "exploration_steps": 2000,
}  # fmt: skip
SMALL = {**SB3, "hidden": (64, 64), "batch_size": 64}  # the preset's networks would take stable-baselines3 days


@dataclass(frozen=True)
class Case:
    """An agent on a task, for so many steps; returns lie between `low` and `high`."""

    name: str
    agent: str
    settings: dict[str, Any]
    env: str
    steps: int
    low: float
    high: float
    params: dict[str, Any] = field(default_factory=dict)

    def task(self, seed: int) -> Task:
        """Every seed has a toy of its own, the same on both sides."""
        own = {"seed": seed} if self.env.startswith("toy/") else {}
        return Task.make(self.env, **self.params, **own)


CASES = (
    Case("toy_dqn", "dqn", DQN, "toy/discrete", 10_000, 0, 100),
    Case("cartpole_dqn", "dqn", DQN, "CartPole-v1", 20_000, 0, 500),
    Case("cartpole_ppo", "ppo", {**SB3, "n_steps": 512}, "CartPole-v1", 20_480, 0, 500),
    Case("cartpole_a2c", "a2c", SB3, "CartPole-v1", 20_000, 0, 500),
    Case("pendulum_sac", "sac", {**SMALL, "learning_rate": 1e-3}, "Pendulum-v1", 5_000, -1600, 0),
    Case("pendulum_td3", "td3", {**SMALL, "action_noise_sigma": 0.1}, "Pendulum-v1", 5_000, -1600, 0),
    Case("pendulum_ddpg", "ddpg", {**SMALL, "action_noise_sigma": 0.1}, "Pendulum-v1", 5_000, -1600, 0),
)


@dataclass(frozen=True)
class Row:
    """One measure of a case: both means, and the interval of their difference in shares of the range."""

    case: str
    measure: str
    seeds: int
    ours: float
    theirs: float
    difference: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        if self.low >= -MARGIN and self.high <= MARGIN:
            return "equivalent"
        return "different" if self.low > MARGIN or self.high < -MARGIN else "open"


def pair(case: Case) -> tuple[Agent, Agent]:
    """Ours and theirs."""
    ours = agent(case.agent, **case.settings)
    algorithm, settings = translated(ours, case.steps)
    return ours, agent(f"sb3:{algorithm}", **settings)


def cells(case: Case, made: Agent, seeds: int) -> list[Cell]:
    window = case.steps // POINTS
    return [Cell(made, seed, (Segment(case.task(seed), case.steps),), (), window) for seed in range(seeds)]


def plan(cases: Iterable[Case], seeds: int) -> Plan:
    every = tuple(cell for case in cases for made in pair(case) for cell in cells(case, made, seeds))
    return Plan("equivalence with stable-baselines3", "equivalence", {}, every)


def rows(store: Store, case: Case, seeds: int) -> list[Row]:
    """What is known of a case: over the seeds that are done on both sides."""
    ours, theirs = (_curves(store, case, made, seeds) for made in pair(case))
    both = sorted(ours.keys() & theirs.keys())
    return [_row(case, name, [ours[i] for i in both], [theirs[i] for i in both]) for name in MEASURES] if both else []


def _curves(store: Store, case: Case, made: Agent, seeds: int) -> dict[int, np.ndarray]:
    """Training curves by seed, of those that are done."""
    seed_of = {cell.key: cell.seed for cell in cells(case, made, seeds)}
    found = store.results(seed_of)
    return {seed_of[key]: curves["train/return"][1] for key, curves in found if curves is not None}


def _row(case: Case, name: str, ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray]) -> Row:
    a, b = (np.array([float(MEASURES[name](curve)) for curve in side]) for side in (ours, theirs))
    found, scale = paired_difference(a, b), case.high - case.low
    shares = [value / scale for value in (found.value, found.low, found.high)]
    return Row(case.name, name, len(a), float(a.mean()), float(b.mean()), *shares)


def lines(found: Iterable[Row]) -> list[str]:
    shown = [f"{'case':<16}{'measure':<10}{'seeds':>6}{'mohs':>10}{'sb3':>10}{'difference, % of the range':>30}"]
    for row in found:
        interval = f"{100 * row.difference:+.1f} [{100 * row.low:+.1f}, {100 * row.high:+.1f}]"
        numbers = f"{row.seeds:>6}{row.ours:>10.1f}{row.theirs:>10.1f}{interval:>30}"
        shown.append(f"{row.case:<16}{row.measure:<10}{numbers}  {row.verdict}")
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--only", nargs="+", choices=[case.name for case in CASES], help="these cases")
    parser.add_argument("--store", default=STORE, help="where runs are kept")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    cases = [case for case in CASES if not options.only or case.name in options.only]
    with open_store(options.store) as store:
        summary = execute(plan(cases, options.seeds), store, Execution(workers=options.workers))
        found = [row for case in cases for row in rows(store, case, options.seeds)]
    if options.json:
        print(json.dumps({"failed": summary.failed, "rows": [{**asdict(r), "verdict": r.verdict} for r in found]}))
        return
    print(*lines(found), sep="\n")
    if summary.failed:
        print(f"{summary.failed} runs failed; they are left out")


if __name__ == "__main__":
    main()
