"""How do reading and reporting scale with the number of cells?

    python -m benchmarks.large_store [--json] [--cells 100000] [--folder FOLDER]

Writes a store of one diagnosis of Q-learning whose curves are drawn at random (two training curves of 50 points, four
evaluations each), as a coordinator would, then runs the commands that read it, each in a process of its own: CPU
seconds, the largest resident memory, and the size of what is written.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import numpy as np

from mohs.agents.registry import agent
from mohs.protocols.diagnose.study import DiagnosisStudy
from mohs.protocols.diagnose.study import plan as plan_of
from mohs.runs.curves import Curves
from mohs.runs.plan import Plan
from mohs.runs.store import open_store

BUDGET, POINTS = 5000, 50
AT_ONCE = 200  # cells in one transaction


def study_of(cells: int) -> DiagnosisStudy:
    one = DiagnosisStudy.make(agent("q_learning"), seeds=1, budget=BUDGET)
    return DiagnosisStudy.make(agent("q_learning"), seeds=max(1, cells // len(plan_of(one).cells)), budget=BUDGET)


def curves(rng: np.random.Generator, trained: bool) -> Curves:
    if not trained:
        return {f"random/{name}": (np.zeros(1, dtype=np.int64), rng.normal(size=1)) for name in ("return", "length")}
    steps = np.arange(1, POINTS + 1) * (BUDGET // POINTS)
    learnt = np.linspace(0, 40, POINTS)
    found = {
        "train/return": (steps, learnt + rng.normal(size=POINTS)),
        "train/length": (steps, np.full(POINTS, 100.0)),
    }
    for probe in ("eval", "noise_free"):
        found[f"{probe}/return"] = (np.array([BUDGET]), 40 + rng.normal(size=1))
        found[f"{probe}/length"] = (np.array([BUDGET]), np.array([100.0]))
    return found


def fill(url: str, plan: Plan) -> None:
    rng = np.random.default_rng(0)
    with open_store(url) as store, store.sole_writer():
        store.add(plan)
        cells = iter(plan.cells)
        while part := list(islice(cells, AT_ONCE)):
            store.write(done={cell.key: curves(rng, cell.steps > 0) for cell in part})


def measured(command: list[str], folder: Path) -> dict[str, float]:
    """CPU seconds, wall-clock seconds and the largest resident memory, in MB, of a command."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, command
    del before
    return {
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "seconds": time.perf_counter() - began,
        "megabytes": used.ru_maxrss / 1024,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--cells", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="keep the store here, and use it again")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (asked.folder or Path(temporary)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        found = measure(folder, asked.cells)
    if asked.json:
        print(json.dumps(found))
        return
    for name, numbers in found.items():
        print(name, *(f"{key} {value:,.1f}" for key, value in numbers.items()))


def measure(folder: Path, cells: int) -> dict[str, dict[str, float]]:
    plan = plan_of(study_of(cells))
    store = folder / f"{cells}.db"
    began = time.process_time()
    if not store.exists():
        fill(f"sqlite:///{store}", plan)
    wrote = {"cpu_seconds": time.process_time() - began}
    mohs = [sys.executable, "-m", "mohs"]
    where = ["--store", f"sqlite:///{store}"]
    found = {"write": {"cells": float(len(plan.cells)), **wrote, "file_megabytes": store.stat().st_size / 1e6}}
    found["status"] = measured([*mohs, "status", *where], folder)
    found["csv"] = measured([*mohs, "export", "--csv", "out.csv", *where], folder)
    found["parquet"] = measured([*mohs, "export", "--parquet", "out.parquet", *where], folder)
    found["report"] = measured([*mohs, "report", "--out", "report", "--single-file", *where], folder)
    found["report"]["page_megabytes"] = (folder / "report/report.html").stat().st_size / 1e6
    return found


if __name__ == "__main__":
    main()
