"""How similar are two CT-graphs? Measured on the graphs, not on what an agent learns in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from mohs.core.registry import Similarity
from mohs.core.task import Task
from mohs.tables.ctgraph.graph import first_seen, graph, path


def shared_decisions(one: Task, other: Task) -> float:
    """The share of the longer path to the goal that both paths begin with."""
    ways = [path(parts.goal, parts.branching, parts.depth) for parts in (graph(one), graph(other))]
    shared = next((i for i, (a, b) in enumerate(zip(*ways, strict=False)) if a != b), min(map(len, ways)))
    return shared / max(map(len, ways))


def shared_observations(one: Task, other: Task) -> float:
    """The observations that both show, as a share of those that either shows. Images of different sets differ."""
    a, b = (_shown(task) for task in (one, other))
    return len(a & b) / len(a | b)


def nested_depths(one: Task, other: Task) -> float:
    """The depth of the shallower graph as a share of the deeper one's; 0 where they branch differently."""
    if one["branching"] != other["branching"]:
        return 0.0
    depths = sorted((one["depth"], other["depth"]))
    return float(depths[0] / depths[1])


def _of_fixed_goals(measure: Callable[[Task, Task], float]) -> Callable[[Task, Task], float]:
    """The measure where the goals of both graphs stay in place, else NaN."""
    return lambda one, other: math.nan if one["goal_every"] or other["goal_every"] else measure(one, other)


MEASURES: Mapping[str, Similarity] = {
    "decisions": Similarity("shared decisions", _of_fixed_goals(shared_decisions)),
    "observations": Similarity("shared observations", _of_fixed_goals(shared_observations)),
    "depth": Similarity("nested depths", _of_fixed_goals(nested_depths)),
}


def _shown(task: Task) -> set[tuple[int, int]]:
    """The observations of a task: numbers, with the set of images where images are shown."""
    parts = graph(task)
    numbers = set(first_seen(parts).tolist())
    for seen in parts.seen:
        numbers |= set(range(seen.first, seen.first + seen.choices))
    of = task["image_set"] if task["observation"] == "image" else 0
    return {(of, number) for number in numbers}
