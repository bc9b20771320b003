"""How fast is the stratified bootstrap of aggregates beside rliable's, and are the values the same?

    python -m benchmarks.aggregates [--json] [--resamples N]

Five algorithms, 26 tasks and 10 runs, as on Atari 100k, with 50,000 resamples for each algorithm. The peer is given
fewer, since its time is in proportion to them.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np

from benchmarks.measure import Comparison, Measure, compare, data, lines
from benchmarks.peer import Peer, python_of
from mohs.stats.stratified import AGGREGATES, aggregate, stratified_bootstrap

ALGORITHMS, TASKS, RUNS = 5, 26, 10
PEER_RESAMPLES = 1000
ORDER = ("median", "iqm", "mean", "optimality_gap")  # as the peer answers
TARGET = 50.0


def scores() -> dict[str, np.ndarray]:
    """Runs [tasks, runs] of each algorithm, some above 1 as on Atari."""
    rng = np.random.default_rng(0)
    ease = rng.gamma(0.7, 0.6, size=(TASKS, 1))
    return {f"algorithm {a}": ease * rng.gamma(4 + a, 0.2, size=(TASKS, RUNS)) for a in range(ALGORITHMS)}


def measured(resamples: int) -> tuple[dict[str, Comparison], dict[str, float]]:
    """Resamples per CPU-second on both sides; and by how much values and ends differ."""
    runs = scores()
    peer = Peer(python_of("rliable", "rliable==1.2.0", "pandas<3"), "peer_rliable.py")
    theirs = {name: table.T.tolist() for name, table in runs.items()}  # rliable has runs first

    def ours(names: tuple[str, ...]) -> Measure:
        start = time.process_time()
        for number, table in enumerate(runs.values()):
            stratified_bootstrap(table, names, resamples=resamples, seed=number)
        return Measure(time.process_time() - start, resamples * len(runs))

    def asked(which: str) -> Measure:
        answer = peer.ask({"scores": theirs, "reps": PEER_RESAMPLES, "aggregates": which})
        return Measure(answer["seconds"], answer["count"])

    found = {
        "interquartile mean": compare(lambda: ours(("iqm",)), lambda: asked("iqm"), TARGET, 3),
        "all four aggregates": compare(lambda: ours(ORDER), lambda: asked("all"), TARGET, 3),
    }
    answer = peer.ask({"scores": theirs, "reps": 2000, "aggregates": "all"})
    peer.close()
    return found, _differences(runs, answer, resamples)


def _differences(runs: dict[str, np.ndarray], answer: dict[str, Any], resamples: int) -> dict[str, float]:
    """The largest difference of a value, and of an end as a share of the interval's width."""
    value = end = 0.0
    for name, table in runs.items():
        for i, which in enumerate(ORDER):
            value = max(value, abs(float(aggregate(table, which)) - answer["values"][name][i]))
        for i, estimate in enumerate(stratified_bootstrap(table, ORDER, resamples=resamples)):
            low, high = answer["ends"][name][0][i], answer["ends"][name][1][i]
            end = max(end, abs(estimate.low - low) / (high - low), abs(estimate.high - high) / (high - low))
    return {"largest difference of a value": value, "largest difference of an end, in widths": end}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--resamples", type=int, default=50_000)
    options = parser.parse_args()
    assert set(ORDER) == set(AGGREGATES)
    found, same = measured(options.resamples)
    if options.json:
        print(json.dumps(data(found) | {"agreement": same}, indent=1))
    else:
        print("\n".join([*lines(found), *(f"{name}: {number:.2g}" for name, number in same.items())]))
    return 0 if all(row.met for row in found.values()) and same["largest difference of a value"] < 1e-12 else 1


if __name__ == "__main__":
    raise SystemExit(main())
