"""How are two sides compared? By CPU seconds of one thread, in turns, so that neighbours share the machine's moods."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv

from benchmarks.peer import Peer

WINDOW = 977  # an odd stride: the same actions do not return to the same instances
WORDS = {None: "", True: "met", False: "missed"}  # what became of a target


@dataclass(frozen=True)
class Measure:
    """Work done in so many CPU seconds."""

    seconds: float
    count: int

    @property
    def rate(self) -> float:
        return self.count / self.seconds


Side = Callable[[], Measure]


@dataclass(frozen=True)
class Comparison:
    """Work per CPU-second on both sides. The ratio is the median over neighbours, not that of the medians."""

    ours: float
    theirs: float
    ratio: float
    target: float | None
    repeats: int

    @property
    def met(self) -> bool | None:
        return None if self.target is None else self.ratio >= self.target


def in_turns(measures: Sequence[Callable[[], float]], repeats: int) -> np.ndarray:
    """[repeats, measures], after one round that does not count."""
    rounds = []
    for _ in range(repeats + 1):
        gc.collect()
        rounds.append([measure() for measure in measures])
    return np.array(rounds[1:])


def compare(ours: Side, theirs: Side, target: float | None, repeats: int) -> Comparison:
    rates = in_turns([lambda: ours().rate, lambda: theirs().rate], repeats)
    mine, other = np.median(rates, axis=0).tolist()
    return Comparison(mine, other, float(np.median(rates[:, 0] / rates[:, 1])), target, repeats)


def vector(env: VectorEnv[Any, Any, Any], pool: np.ndarray, steps: int) -> Side:
    """Steps of a fleet with windows of a pool of 2 × `num_envs` actions: as near as a policy's output.

    A new episode begins in the step after the one that ended the last: that step is no transition.
    """
    n = env.num_envs
    actions = [pool[k * WINDOW % n :][:n] for k in range(steps)]
    env.reset(seed=0)
    episodes = env.fleet.instances["episode"]  # type: ignore[attr-defined]

    def run() -> Measure:
        begun = int(episodes.sum())
        start = time.process_time()
        for chosen in actions:
            env.step(chosen)
        seconds = time.process_time() - start
        return Measure(seconds, steps * n - (int(episodes.sum()) - begun))

    return run


def single(env: gymnasium.Env[Any, Any], actions: Iterable[Any]) -> Side:
    """Steps of one environment, as a training loop takes them."""
    chosen = list(actions)
    env.reset(seed=0)

    def run() -> Measure:
        step, reset = env.step, env.reset
        reset()
        start = time.process_time()
        for action in chosen:
            _, _, terminated, truncated, _ = step(action)
            if terminated or truncated:
                reset()
        return Measure(time.process_time() - start, len(chosen))

    return run


def asked(peer: Peer, request: dict[str, Any]) -> Side:
    """The same work by a peer."""

    def run() -> Measure:
        answer = peer.ask(request)
        return Measure(answer["seconds"], answer["count"])

    return run


def data(measured: dict[str, Comparison]) -> dict[str, Any]:
    """Comparisons for machines."""
    return {
        "ratios": {name: round(row.ratio, 2) for name, row in measured.items()},
        "targets": {name: row.target for name, row in measured.items()},
        "met": {name: row.met for name, row in measured.items()},
        "per_cpu_second": {
            name: {"mohs": round(row.ours, 2), "peer": round(row.theirs, 3), "repeats": row.repeats}
            for name, row in measured.items()
        },
    }


def lines(measured: dict[str, Comparison]) -> list[str]:
    """Comparisons for people."""
    rows = [f"{'case':<36}{'mohs/s':>14}{'peer/s':>15}{'ratio':>10}{'target':>10}"]
    for name, row in measured.items():
        target = "" if row.target is None else f"≥ {row.target:,.0f}"
        numbers = f"{row.ours:>14,.1f}{row.theirs:>15,.1f}{row.ratio:>10,.1f}{target:>10}"
        rows.append(f"{name:<36}{numbers}  {WORDS[row.met]}".rstrip())
    return rows
