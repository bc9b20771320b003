"""Which tasks are known? The reference collection: the indicators of each, and what agents reached on it.

`python -m benchmarks.reference_collection` makes the file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mohs.core.values import Json
from mohs.protocols.card.indicators import BY_KEY
from mohs.report.numbers import fixed

FILE = Path(__file__).parent / "collection.json"


JUDGE = "q_learning"  # deep agents are trained on part of the collection, so their scores would not compare


@dataclass(frozen=True)
class Outcome:
    """The mean score of an agent over n runs, with its 95% interval: 0 is the random policy, 1 the optimum."""

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        value, low, high = (fixed(number, 2) for number in (self.value, self.low, self.high))
        known = not (math.isnan(self.low) or math.isnan(self.high))
        return f"{value} [{low}, {high}]" if known else value

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {"value": self.value, "low": self.low, "high": self.high, "n": self.n}


@dataclass(frozen=True, eq=False)
class KnownTask:
    """A task of the collection; an indicator that is not defined for it is None."""

    name: str
    group: str
    horizon: int
    values: Mapping[str, float | None]
    outcomes: Mapping[str, Outcome]

    @property
    def score(self) -> float | None:
        """What judges how hard the task is: the score of the one agent that is trained on all; None without it."""
        return self.outcomes[JUDGE].value if JUDGE in self.outcomes else None


@dataclass(frozen=True, eq=False)
class Collection:
    """All known tasks, and how the agents were trained on them."""

    tasks: tuple[KnownTask, ...]
    agents: tuple[str, ...]
    budget: int  # environment steps of a run
    seeds: int

    def hardness(self, key: str) -> list[float]:
        """The values of an indicator over the tasks that have one, turned so that more is harder."""
        turn = BY_KEY[key].hardness
        return [turn(value) for task in self.tasks if (value := task.values.get(key)) is not None]


@cache
def collection() -> Collection:
    """The collection that comes with mohs, read once."""
    return read_collection(json.loads(FILE.read_text(encoding="utf-8")))


def read_collection(data: Mapping[str, Any]) -> Collection:
    """From plain data, as the file has it."""
    tasks = tuple(
        KnownTask(
            entry["name"],
            entry["group"],
            entry["horizon"],
            entry["values"],
            {agent: Outcome(**outcome) for agent, outcome in entry["outcomes"].items()},
        )
        for entry in data["tasks"]
    )
    return Collection(tasks, tuple(data["agents"]), data["budget"], data["seeds"])
