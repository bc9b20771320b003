"""How is a curriculum generated? By what varies from task to task (section 3.4 of the CT-graph paper).

The reward (goals), what is seen (sets of images, numbers of observations) or the graph itself (depths, a transition).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mohs.core.seeding import child, key, ranking
from mohs.core.task import Task
from mohs.protocols.lifelong.curriculum import Curriculum
from mohs.tables.ctgraph.graph import path


def vary(name: str, base: Task, parameter: str, values: Iterable[Any], *, steps: int = 20_000) -> Curriculum:
    """One block for each value of a parameter of a task, whatever its environment."""
    tasks = {f"{parameter}={_word(value)}": base.replace(**{parameter: value}) for value in values}
    return Curriculum.make(name, tasks, tasks, steps=steps)


def goals(base: Task, count: int | None = None, *, steps: int = 20_000, seed: int = 0) -> Curriculum:
    """Goals of one CT-graph: all of its ends, or so many of them drawn without repetition."""
    b, d = base["branching"], base["depth"]
    ends = range(b**d) if count is None else ranking(key(child(seed, "goals")), b**d)[:count].tolist()
    return vary("goals", base, "goal", [path(end, b, d) for end in ends], steps=steps)


def image_sets(base: Task, count: int, *, steps: int = 20_000) -> Curriculum:
    """The same graph seen in so many sets of images."""
    return vary("image sets", base, "image_set", range(count), steps=steps)


def depths(base: Task, levels: Sequence[int], *, steps: int = 20_000) -> Curriculum:
    """Graphs of several depths; the goal of a deeper one lies behind that of a shallower one."""
    return vary("depths", base, "depth", levels, steps=steps)


def _word(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, tuple) else str(value)
