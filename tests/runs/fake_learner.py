"""A learner whose state is a number, to test the runner by: exact, quick, and able to misbehave.

Parameters of the agent: `bad_seed` raises at step 50 in the cell with that seed, `deadly_seed` kills the process there,
`MISBEHAVIOURS` do there as their names say, `infinite_seed` returns infinity, `broken_seeds` are the cells that fail
there without raising, `sleep` waits so many seconds for each step of the pack, `mark` is a file that is made when it
begins to train, `forgetful` cannot save.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mohs.agents.entry import AgentEntry
from mohs.agents.registry import register_agent
from mohs.core.cell import Agent, Cell, Probe, Segment
from mohs.core.packed import pack, unpack
from mohs.core.task import Task
from mohs.runs.plan import Plan

FACTORY = f"{Path(__file__).resolve()}:learner"
MODULUS = 2**31 - 1
register_agent(AgentEntry("fake", "a number as state", learner=FACTORY))  # in workers too, which import this file


def compute() -> None:
    while True:
        pass


def leak() -> None:
    hoard = []
    while True:
        hoard.append(b"1" * 10_000_000)
        time.sleep(0.02)


def shout() -> None:
    for _ in range(200):
        os.write(1, b"x" * 65536)


def interrupt() -> None:
    raise KeyboardInterrupt("not the user")


MISBEHAVIOURS: dict[str, Callable[[], object]] = {
    "asleep_seed": lambda: time.sleep(1e6),
    "endless_seed": compute,
    "leaky_seed": leak,
    "leaving_seed": lambda: os._exit(0),
    "crashing_seed": lambda: ctypes.string_at(0),
    "loud_seed": shout,
    "raising_seed": interrupt,
}


class FakeLearner:
    def __init__(self, cells: Sequence[Cell]) -> None:
        self.cells = cells
        self.params = dict(cells[0].agent.params)
        self.step = 0
        self.failed: dict[int, str] = {}
        self.values = [int(cell.segments[0].source.key[:7], 16) + cell.seed + 1 for cell in cells]
        self.curve: list[list[float]] = [[] for _ in cells]

    def train(self, steps: int) -> None:
        ends = np.cumsum([s.steps for s in self.cells[0].segments])
        assert not any(self.step < end < self.step + steps for end in ends), "trained across the end of a segment"
        for _ in range(steps):
            self.step += 1
            for i, cell in enumerate(self.cells):
                self.values[i] = self.values[i] * 48271 % MODULUS
                if self.step % cell.window == 0:
                    self.curve[i].append(self.values[i] / 3)
                if self.step == 50 and cell.seed in self.params.get("broken_seeds", ()):
                    self.failed[i] = f"Traceback:\nBrokenError: seed {cell.seed} broke"
                if self.step == 50 and cell.seed == self.params.get("bad_seed"):
                    raise RuntimeError(f"seed {cell.seed} is bad")
                if self.step == 50 and cell.seed == self.params.get("deadly_seed"):
                    os.kill(os.getpid(), signal.SIGKILL)
                if self.step == 50:
                    for name, misbehave in MISBEHAVIOURS.items():
                        if cell.seed == self.params.get(name):
                            misbehave()
        if "mark" in self.params:
            Path(self.params["mark"]).touch()
        time.sleep(steps * self.params.get("sleep", 0.0))

    def evaluate(self, probe: int) -> dict[str, Any]:
        assert all(self.step in cell.probes[probe].at for cell in self.cells)
        values = np.array([v / 7 + probe for v in self.values])
        return {"return": values, "length": np.where(values > 1e8, np.nan, values)}

    def curves(self) -> list[dict[str, Any]]:
        window = self.cells[0].window
        curves = [{"train/return": (np.arange(1, len(c) + 1) * window, np.array(c))} for c in self.curve]
        for one, curve in zip(self.cells, curves, strict=True):
            if one.seed == self.params.get("infinite_seed"):
                curve["train/return"][1][-1] = np.inf
        return curves

    def save(self) -> list[bytes] | None:
        if self.params.get("forgetful"):
            return None
        return [pack((self.step, v, c)) for v, c in zip(self.values, self.curve, strict=True)]

    def load(self, states: Sequence[bytes]) -> None:
        read = [unpack(state) for state in states]
        assert len({step for step, _, _ in read}) == 1, "cells at different steps in one pack"
        self.step = read[0][0]
        self.values, self.curve = [v for _, v, _ in read], [c for _, _, c in read]


def learner(cells: Sequence[Cell], device: str = "cpu") -> FakeLearner:
    assert device == "cpu"
    return FakeLearner(cells)


def cell(seed: int, delay: int = 0, steps: int = 200, sizes: int = 8, **params: Any) -> Cell:
    task = Task.make("toy/discrete", delay=delay, action_space_size=sizes)
    at = tuple(sorted({0, 30, steps // 2, steps}))
    segments = (Segment(task, steps // 4), Segment(task.replace(delay=delay + 1), steps - steps // 4))
    probes = (Probe("final", task, (steps,), metrics=("length",)), Probe("eval", task.noise_free(), at))
    return Cell(Agent.make("fake", **params), seed, segments, probes, window=20)


def plan(seeds: int = 5, delays: int = 2, **params: Any) -> Plan:
    cells = tuple(cell(seed, delay, **params) for delay in range(delays) for seed in range(seeds))
    return Plan("test", "none", {"seeds": seeds}, cells)


if __name__ == "__main__":  # a coordinator to be interrupted: URL, workers, parameters of `plan` as JSON
    from mohs.core.errors import MohsError
    from mohs.runs.execute import execute
    from mohs.runs.execution import Execution
    from mohs.runs.store import open_store

    url, workers, params = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
    try:
        with open_store(url) as store:
            settings = Execution(url, workers, progress="plain")
            if sys.argv[4:] == ["pull"]:
                from mohs.runs.pull import pull

                summary = pull(store, settings, factory=FACTORY, checkpoint_seconds=0.05, chunk=1, stale=3.0)
            else:
                summary = execute(plan(**params), store, settings, factory=FACTORY, checkpoint_seconds=0.05, chunk=1)
    except MohsError as error:  # as the command line does
        print(f"mohs: {error}", file=sys.stderr)
        sys.exit(2)
    print(json.dumps({"interrupted": summary.interrupted, "done": summary.done, "failed": summary.failed}))
