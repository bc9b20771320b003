"""Environments that a script registered reach worker processes."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from mohs import Cell, Segment, Task
from mohs.core.cell import Agent
from mohs.core.errors import UsageError
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.plan import Plan
from mohs.runs.store import open_store
from mohs.runs.workers import registrations

ENVIRONMENT = """
import gymnasium
import numpy as np

SIZE = 3

class Corridor(gymnasium.Env):
    def __init__(self, length=1):
        self.observation_space, self.action_space = gymnasium.spaces.Box(0, 1, (SIZE,)), gymnasium.spaces.Discrete(2)
        self.length = length

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(SIZE, np.float32), {}

    def step(self, action):
        return np.zeros(SIZE, np.float32), float(self.length), False, False, {}

gymnasium.register("Corridor-v0", Corridor, max_episode_steps=7, kwargs={"length": 5})
"""

SCRIPT = """
import json, sys
from mohs import Cell, Segment, Task
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.core.cell import Agent
from mohs.runs.plan import Plan
from mohs.runs.store import open_store

cells = tuple(Cell(Agent.make("random"), s, (Segment(Task.make("Corridor-v0"), 70),), window=70) for s in range(2))
with open_store(sys.argv[1]) as store:
    summary = execute(Plan("p", "none", {}, cells), store, Execution(workers=1, progress="silent"))
    curves = [found["train/return"][1].tolist() for _, found in store.results(c.key for c in cells)]
print(json.dumps([summary.failed, curves]))
"""


def cell_of(name: str) -> Cell:
    return Cell(Agent.make("random"), 0, (Segment(Task.make(name), 20),), window=20)


@pytest.fixture
def registry() -> Iterator[dict[str, Any]]:
    """Gymnasium's registry, which is as before after the test."""
    before = dict(gymnasium.registry)
    yield gymnasium.registry
    gymnasium.registry.clear()
    gymnasium.registry.update(before)


def test_a_class_of_a_script_is_trained_on_in_workers(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(ENVIRONMENT + SCRIPT)
    command = [sys.executable, str(script), f"sqlite:///{tmp_path}/store.db"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [0, [[35.0], [35.0]]]


def test_a_spec_travels_with_its_class_its_arguments_and_its_time_limit(registry: dict[str, Any]) -> None:
    exec(ENVIRONMENT, {"__name__": "__main__"})
    packed = registrations.pack([cell_of("Corridor-v0")])
    del registry["Corridor-v0"]
    registrations.register(packed)
    first = registry["Corridor-v0"]
    registrations.register(packed)
    assert registry["Corridor-v0"] is first
    env = gymnasium.make("Corridor-v0")
    env.reset(seed=0)
    steps = [env.step(0) for _ in range(7)]
    assert [(reward, truncated) for _, reward, _, truncated, _ in steps] == [(5.0, False)] * 6 + [(5.0, True)]


def test_an_entry_point_that_is_a_name_stays_a_name(registry: dict[str, Any]) -> None:
    gymnasium.register("Pole-v0", "gymnasium.envs.classic_control:CartPoleEnv", max_episode_steps=9)
    packed = registrations.pack([cell_of("Pole-v0")])
    spec = registry.pop("Pole-v0")
    registrations.register(packed)
    assert registry["Pole-v0"] == spec


def test_toys_and_known_suites_need_nothing() -> None:
    assert registrations.pack([cell_of("toy/discrete"), cell_of("toy/grid")]) == b""
    assert registrations.pack([cell_of("MiniGrid-Empty-5x5-v0")]) == b""
    registrations.register(b"")


def test_what_cannot_travel_is_refused_before_anything_is_stored(registry: dict[str, Any], tmp_path: Path) -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(ENVIRONMENT, space)
    lock = threading.Lock()

    def locked() -> gymnasium.Env[Any, Any]:
        with lock:
            return space["Corridor"]()  # type: ignore[no-any-return]

    gymnasium.register("Locked-v0", locked)
    made = Plan("p", "none", {}, (cell_of("Locked-v0"),))
    with open_store(f"sqlite:///{tmp_path}/store.db") as store:
        with pytest.raises(UsageError, match="Locked-v0 cannot be sent to worker processes"):
            execute(made, store, Execution(workers=1, progress="silent"))
        assert store.studies() == []
        assert execute(made, store, Execution(workers=0, progress="silent")).done == 1
