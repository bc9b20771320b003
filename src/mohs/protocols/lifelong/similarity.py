"""How alike are two tasks? Measured on what they are, not on what an agent makes of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mohs.core.task import Task
from mohs.protocols.lifelong.curriculum import Curriculum
from mohs.tables.ctgraph import first_seen, graph, path

Measure = Callable[[Task, Task], float]


def shared_decisions(one: Task, other: Task) -> float:
    """The share of the longer way to the goal that both ways begin with."""
    ways = [path(parts.goal, parts.branching, parts.depth) for parts in (graph(one), graph(other))]
    shared = next((i for i, (a, b) in enumerate(zip(*ways, strict=False)) if a != b), min(map(len, ways)))
    return shared / max(map(len, ways))


def shared_observations(one: Task, other: Task) -> float:
    """The observations that both show, as a share of those that either does; images of other sets are others."""
    a, b = (_shown(task) for task in (one, other))
    return len(a & b) / len(a | b)


def nested_depths(one: Task, other: Task) -> float:
    """How much of the deeper graph the shallower one is, in levels; 0 where they branch differently."""
    if one["branching"] != other["branching"]:
        return 0.0
    depths = sorted((one["depth"], other["depth"]))
    return float(depths[0] / depths[1])


MEASURES: dict[str, Measure] = {
    "decisions": shared_decisions,
    "observations": shared_observations,
    "depth": nested_depths,
}


TITLES = {
    "decisions": "shared decisions",
    "observations": "shared observations",
    "depth": "nested depths",
}


def similarities(curriculum: Curriculum) -> dict[str, npt.NDArray[np.float64]]:
    """Matrices [tasks, tasks] of all measures; none where tasks are no CT-graphs."""
    tasks = [task for _, task in curriculum.tasks]
    if any(task.env != "ctgraph" or task["goal_every"] for task in tasks):
        return {}
    return {name: np.array([[of(a, b) for b in tasks] for a in tasks]) for name, of in MEASURES.items()}


def _shown(task: Task) -> set[tuple[int, int]]:
    """What can be seen in a task: numbers, with the set of images where these are shown."""
    parts = graph(task)
    numbers = set(first_seen(parts).tolist())
    for seen in parts.seen:
        numbers |= set(range(seen.first, seen.first + seen.choices))
    of = task["image_set"] if task["observation"] == "image" else 0
    return {(of, number) for number in numbers}
