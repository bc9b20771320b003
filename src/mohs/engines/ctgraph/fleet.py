"""How is a fleet of CT-graphs built? Tasks and instances are written into records, each distinct task once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.task import Source, Task
from mohs.engines.ctgraph.layout import INSTANCE, TASK
from mohs.engines.fleets import Fleet as AnyFleet
from mohs.engines.fleets import common_spaces, roster
from mohs.engines.memory import Arena
from mohs.tables.ctgraph import KINDS, changes, graph, spaces


class Fleet(AnyFleet):
    """Its `spaces` are (actions, how observations are shown, how many or how large they are)."""

    records = (INSTANCE, TASK)
    portable = ("key", "episode", "t", "state", "seen", "goal", "told", "over", "until", "changed")

    def _draw(self, playing: npt.NDArray[np.bool_], actions: npt.NDArray[Any] | None) -> None:
        return  # no noise is given as a function

    def blocks(self, i: int) -> dict[str, npt.NDArray[np.float64]]:
        return {}

    def seed(self, keys: npt.NDArray[np.uint64] | int, chosen: Any = slice(None)) -> None:
        super().seed(keys, chosen)
        self.instances["until"][chosen] = 0
        self.instances["changed"][chosen] = 0

    def tell(self, goals: npt.NDArray[np.int32] | int, chosen: Any = slice(None)) -> None:
        """The goals of the episodes to come; -1 is that of the task."""
        self.instances["told"][chosen] = goals
        self.instances["until"][chosen] = 0


def fleet(sources: Sequence[Source]) -> Fleet:
    """A fleet with one instance for each source."""
    ints, floats = Arena(np.int32), Arena(np.float64)
    who = roster(sources, ints, floats)
    records = np.zeros(len(who.numbers), dtype=TASK)
    for task, number in who.numbers.items():
        _write_task(records[number], task)
    instances = np.zeros(len(sources), dtype=INSTANCE)
    instances["told"] = -1
    shown = common_spaces("(actions, observation, size)", [spaces(task) for task in who.numbers], list(who.numbers))
    return Fleet.build(who, shown, {}, instances, records, ints, floats)


def _write_task(record: Any, task: Task) -> None:
    parts, values = graph(task), task.values
    record["actions"], record["horizon"] = parts.branching + 1, values["max_episode_steps"]
    for name in ("branching", "depth", "decisions", "leaves", "goal", "gradient", "wait_probability", "high_r",
                 "fail_r", "step_r"):  # fmt: skip
        record[name] = getattr(parts, name)
    record["reward_noise"] = values["reward_noise"]
    record["fewest"], record["most"] = changes(values)
    record["swapped"], record["one"], record["other"] = parts.swapped
    for kind, seen in zip(KINDS, parts.seen, strict=True):
        record[kind] = seen
    record["varied"] = any(seen.choices > 1 for seen in parts.seen)
