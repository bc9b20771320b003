"""How is a fleet of intersections built, and how are its metrics read?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.task import Source, Task
from mohs.engines.fleets import Fleet, common_spaces, roster
from mohs.engines.memory import Arena
from mohs.engines.traffic import discharge
from mohs.engines.traffic.arrivals import factors, rates
from mohs.engines.traffic.junction import LEFT, MOVEMENTS, Junction, junction
from mohs.engines.traffic.law import LAW
from mohs.engines.traffic.layout import INSTANCE, METRICS, REWARDS, TASK, block_size, cars_of, lanes_of
from mohs.engines.traffic.signal import slots


def _plain(function: Any) -> Any:
    """A law outside of kernels."""
    return function.py_func


class TrafficFleet(Fleet):
    """Its `spaces` are (observation, numbers observed, phases)."""

    law = LAW
    observed = np.float32
    offsets = ("block",)

    @property
    def width(self) -> int:
        return int(self.spaces[1])

    def blocks(self, i: int) -> dict[str, npt.NDArray[np.float64]]:
        task, first = self.tasks[self.instances["task"][i]], self.instances["block"][i]
        return {"block": self.floats[first : first + block_size(task["lanes"], task["storage"])]}

    def lanes(self, i: int) -> npt.NDArray[Any]:
        """The records of the lanes of an instance, a view."""
        inst = self.instances[i]
        found: npt.NDArray[Any] = _plain(lanes_of)(self.floats, inst["block"], self.tasks[inst["task"]]["lanes"])
        return found

    def cars(self, i: int) -> list[npt.NDArray[Any]]:
        """The records of the vehicles of each lane of an instance, from the stop line on."""
        inst = self.instances[i]
        task = self.tasks[inst["task"]]
        rings = _plain(cars_of)(self.floats, inst["block"], task["lanes"], task["storage"])
        return [
            ring[(lane["head"] + np.arange(lane["count"])) % task["storage"]]
            for lane, ring in zip(self.lanes(i), rings.reshape(len(self.lanes(i)), -1), strict=True)
        ]

    def metrics(self) -> dict[str, npt.NDArray[np.float64]]:
        """Of each instance, the metrics of the last episode that it has ended."""
        return {name: self.instances[name].copy() for name in METRICS}


def fleet(sources: Sequence[Source], history: bool = False) -> TrafficFleet:
    """A fleet with one instance for each source. It keeps no more with `history`."""
    ints, floats = Arena(np.int32), Arena(np.float64)
    who = roster(sources, ints, floats)
    tasks = list(who.numbers)
    records = np.zeros(len(tasks), dtype=TASK)
    for record, task in zip(records, tasks, strict=True):
        _write_task(record, task, junction(task.values), ints, floats)
    sizes = np.array([block_size(record["lanes"], record["storage"]) for record in records])
    instances = np.zeros(len(sources), dtype=INSTANCE)
    instances["block"] = floats.reserve(who.most(sizes))
    common = common_spaces("(observation, numbers observed, phases)", [spaces(task) for task in tasks], tasks)
    return TrafficFleet.build(who, common, {}, instances, records, ints, floats)


def _write_task(record: Any, task: Task, built: Junction, ints: Arena, floats: Arena) -> None:
    for name in ("decision", "yellow", "all_red", "length"):
        record[name] = task[name]
    record["horizon"], record["reward"] = task["max_episode_steps"], REWARDS.index(task["reward"])
    record["movements"], record["width"] = task["observation"] == "movements", spaces(task)[1]
    record["lanes"], record["phases"], record["speed"] = len(built.lanes), len(built.phases), built.speed
    record["storage"] = max(int(task["length"] / discharge.SPACE), 1)
    record["cleared"] = min(discharge.CLEARED, task["yellow"])
    record["stopping"] = discharge.stopping_loss(built.speed)
    counts = [len(built.of(approach)) for approach in range(4)]
    record["first"] = ints.put(np.cumsum([0, *counts]))
    record["permits"] = ints.put(np.array([sum(1 << m for m in lane.movements) for lane in built.lanes]))
    record["greens"] = ints.put(
        np.array([[[phase.green(a, m) for m in range(len(MOVEMENTS))] for a in range(4)] for phase in built.phases])
    )
    most = slots(task.values, built)
    record["slots"] = ints.put(np.concatenate([a * most + np.arange(counts[a]) for a in range(4)]))
    record["headways"] = floats.put(discharge.headways(built.speed))
    record["losses"] = floats.put(discharge.losses(built.speed))
    oncoming = [sum(lane.movements != (LEFT,) for lane in built.of((a + 2) % 4)) for a in range(4)]
    record["gaps"] = floats.put(np.array([discharge.gap(lanes) for lanes in oncoming]))
    record["rates"], record["hours"] = floats.put(rates(built)), floats.put(factors(task["profile"]))


def spaces(task: Task) -> tuple[str, int, int]:
    """Equal for tasks that can share a fleet."""
    built = junction(task.values)
    width = 4 * 8 if task["observation"] == "movements" else 5 * 4 * slots(task.values, built)
    return task["observation"], width, len(built.phases)


def aligned(tasks: Mapping[str, Task]) -> dict[str, Task]:
    """The same tasks, all observed with as many lanes as the largest has."""
    most = max(slots(task.values, junction(task.values)) for task in tasks.values())
    return {name: task.replace(observed_lanes=most) for name, task in tasks.items()}
