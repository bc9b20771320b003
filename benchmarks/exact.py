"""How fast are the exact quantities and GORP on tables?

    python -m benchmarks.exact [--json] [--quick]

CPU seconds of one thread, medians of repeats, compilation excluded. The tables are the 3 × 3 sliding tiles (181,440
states × 4 actions, horizon 50) and a structureless one of 4 million states × 7 actions, where every step of a random
episode waits for memory. Only steps really taken count as simulated, not the prefix of fixed actions, which a table
lets GORP skip. Value iteration stands beside the same recursion with scipy's sparse matrices, whose results must be
the same; GORP beside a Python loop over an environment that is stepped as stable-baselines3 steps one (a vector of
one, arrays in and out), where every step counts, prefix included. The sides of a ratio take turns.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from benchmarks.peer import ONE_THREAD

os.environ.update(ONE_THREAD)

import numpy as np
import scipy
import scipy.sparse as sp

import mohs
from benchmarks.measure import in_turns
from mohs import Table
from mohs.exact.lookahead.gorp_runs import Arena, play, prepare
from mohs.exact.lookahead.qvi import min_k
from mohs.exact.values.solve import q_values
from mohs.tables.puzzles.tiles import tiles

HORIZON, DISCOUNT = 50, 0.99


def structureless(states: int = 4_000_000, actions: int = 7) -> Table:
    """Every action leads anywhere."""
    rng = np.random.default_rng(0)
    number = np.arange(states, dtype=np.int32)
    return Table(
        actions=actions,
        succ=rng.integers(states, size=states * actions, dtype=np.int32),
        reward=rng.integers(-1, 2, size=states * actions).astype(np.float64),
        terminal=np.zeros(states, dtype=np.bool_),
        initial=(number == 0).astype(np.float64),
        observation=number,
        horizon=HORIZON,
    )


def sparse_q_values(table: Table, rule: str) -> np.ndarray:
    """Finite-horizon value iteration with a sparse matrix of transitions [states × actions, states]."""
    rows = np.arange(len(table.succ) + 1)
    moves = sp.csr_array((np.ones(len(table.succ)), table.succ, rows), shape=(len(table.succ), table.states))
    live = np.repeat(~table.terminal, table.actions)
    reward = table.reward * live
    value = np.zeros(table.states)
    for _ in range(HORIZON):
        q = (reward + live * (moves @ value)).reshape(table.states, table.actions)
        value = q.max(axis=1) if rule == "best" else q.mean(axis=1)
    return q


class VectorOfOne:
    """A table as a vector environment of one: arrays of actions in, arrays and a list of infos out."""

    def __init__(self, table: Table) -> None:
        self.succ, self.reward, self.terminal = table.succ.tolist(), table.reward.tolist(), table.terminal.tolist()
        self.actions, self.first = table.actions, int(np.argmax(table.initial))
        self.reset()

    def reset(self) -> np.ndarray:
        self.state, self.t = self.first, 0
        return np.array([self.state])

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        row = self.state * self.actions + int(actions[0])
        self.state, self.t = self.succ[row], self.t + 1
        done = self.terminal[self.state] or self.t == HORIZON
        infos: list[dict[str, Any]] = [{"terminal_observation": self.state} if done else {}]
        rewards = np.array([self.reward[row]], dtype=np.float32)
        observation = self.reset() if done else np.array([self.state])
        return observation, rewards, np.array([done]), infos


def python_gorp(table: Table, m: int, iterations: int) -> int:
    """The first iterations of GORP with k = 1, by the book; the steps taken."""
    env, rng = VectorOfOne(table), np.random.default_rng(0)
    fixed: list[int] = []
    steps = 0
    for _ in range(iterations):
        means = []
        for first in range(table.actions):
            gains = []
            for _ in range(m):
                gain, t, done = 0.0, 0, False
                while not done:
                    if t < len(fixed):
                        action = fixed[t]
                    else:
                        action = first if t == len(fixed) else int(rng.integers(table.actions))
                    _, rewards, dones, _ = env.step(np.array([action]))
                    if t >= len(fixed):
                        gain += DISCOUNT ** (t - len(fixed)) * rewards[0]
                    t, done = t + 1, dones[0]
                steps += t
                gains.append(gain)
            means.append(float(np.mean(gains)))
        fixed.append(int(np.argmax(means)))
    return steps


def seconds_of(work: Callable[[], Any]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def rate_of(work: Callable[[], int]) -> float:
    """Steps per CPU-second of work that returns the number of its steps."""
    began = time.process_time()
    steps = work()
    return steps / (time.process_time() - began)


def whole_run(ready: Arena, k: int, m: int, numbers: Iterator[int]) -> int:
    """The next run; the same one again would find its memory in the cache."""
    (played,) = play(ready, k, m, 0, [next(numbers)])
    return played.simulated


def measure(repeats: int) -> dict[str, Any]:
    table = tiles(horizon=HORIZON)
    seconds, rates, ratios = {}, {}, {}
    for name, rule in (("q_random", "mean"), ("q_star", "best")):
        ours, theirs = partial(q_values, table, rule), partial(sparse_q_values, table, rule)
        np.testing.assert_allclose(ours(), theirs(), atol=1e-12)
        pairs = in_turns([partial(seconds_of, ours), partial(seconds_of, theirs)], repeats)
        seconds[name], seconds[f"{name}_scipy"] = np.median(pairs, axis=0).tolist()
        ratios[f"{name}_to_scipy"] = statistics.median(pairs[:, 1] / pairs[:, 0])
    look_ahead = partial(min_k, table, discount=DISCOUNT)
    seconds["min_k"] = statistics.median(in_turns([partial(seconds_of, look_ahead)], max(1, repeats // 3))[:, 0])
    ready = prepare(table, HORIZON, DISCOUNT, marked=False)
    runs = [partial(whole_run, ready, k, m, itertools.count()) for k, m in ((1, 200), (3, 12))]
    plain = partial(python_gorp, table, m=20, iterations=2)
    found = in_turns([partial(rate_of, work) for work in (*runs, plain)], repeats)
    rates["gorp_tiles"], rates["gorp_tiles_k3"], rates["python_gorp_tiles"] = np.median(found, axis=0).tolist()
    ratios["gorp_to_python"] = statistics.median(found[:, 0] / found[:, 2])
    scattered = prepare(structureless(), HORIZON, DISCOUNT, marked=False)
    far = partial(whole_run, scattered, 1, 60, itertools.count())
    rates["gorp_structureless"] = statistics.median(in_turns([partial(rate_of, far)], repeats)[:, 0])
    return {
        "seconds": seconds,
        "steps_per_second": rates,
        "ratios": ratios,
        "min_k": look_ahead(),
        "repeats": repeats,
        "versions": {
            "mohs": mohs.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    options = parser.parse_args()
    result = measure(3 if options.quick else 9)
    if options.json:
        print(json.dumps(result))
        return
    for name, value in result["seconds"].items():
        print(f"{name:<28}{value:>14.3f} s")
    for name, value in result["steps_per_second"].items():
        print(f"{name:<28}{value:>14,.0f} steps/s")
    for name, value in result["ratios"].items():
        print(f"{name:<28}{value:>14,.1f} ×")
    print(f"{'min_k':<28}{result['min_k']:>14}")


if __name__ == "__main__":
    main()
