"""How do several CT-graphs get one observation space? The smaller ones are padded to the size of the largest."""

from __future__ import annotations

from collections.abc import Mapping

from mohs.core.task import Task
from mohs.tables.ctgraph.graph import spaces


def aligned(tasks: Mapping[str, Task]) -> dict[str, Task]:
    """The same tasks with equally large observation spaces. Images have one size already and stay as they are."""
    sizes = {name: spaces(task)[2] for name, task in tasks.items() if task["observation"] != "image"}
    most = max(sizes.values(), default=0)
    return {name: task.replace(num_observations=most) if name in sizes else task for name, task in tasks.items()}
