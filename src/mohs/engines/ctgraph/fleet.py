"""How is a fleet of CT-graphs built? Tasks and instances are written into records, each distinct task once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.task import Source, Task
from mohs.engines.ctgraph.law import LAW
from mohs.engines.fleets import Fleet
from mohs.tables.ctgraph.graph import KINDS, changes, graph, spaces


class CtGraphFleet(Fleet):
    """Its `spaces` are (actions, kind of observations, how many or how large they are)."""

    law = LAW

    def seed(self, keys: npt.NDArray[np.uint64] | int, chosen: Any = slice(None)) -> None:
        super().seed(keys, chosen)
        self.instances["until"][chosen] = 0
        self.instances["changed"][chosen] = 0

    def set_goal(self, goals: npt.NDArray[np.int32] | int, chosen: Any = slice(None)) -> None:
        """Sets the goals of the episodes to come; -1 is that of the task."""
        self.instances["told"][chosen] = goals
        self.instances["until"][chosen] = 0


def fleet(sources: Sequence[Source], history: bool = False) -> CtGraphFleet:
    """A fleet with one instance for each source. The records hold the same with and without `history`."""
    built = CtGraphFleet.from_records(sources, _write_task, spaces, "(actions, observation, size)")
    built.instances["told"] = -1
    return built


def _write_task(record: Any, task: Task) -> None:
    parts, values = graph(task), task.values
    record["actions"], record["horizon"] = parts.branching + 1, values["max_episode_steps"]
    for name in ("branching", "depth", "decisions", "leaves", "goal", "reward", "wait_probability", "high_r",
                 "fail_r", "step_r"):  # fmt: skip
        record[name] = getattr(parts, name)
    record["reward_noise"] = values["reward_noise"]
    record["fewest"], record["most"] = changes(values)
    record["swapped"], record["one"], record["other"] = parts.swapped
    for kind, seen in zip(KINDS, parts.seen, strict=True):
        record[kind] = seen
    record["varied"] = any(seen.choices > 1 for seen in parts.seen)
