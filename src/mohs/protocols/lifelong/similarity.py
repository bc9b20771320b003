"""How similar are the tasks of a curriculum? By the measures that the entry of their environment names."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.core.registry import Similarity
from mohs.core.values import attribute
from mohs.protocols.lifelong.curriculum import Curriculum


def measures(curriculum: Curriculum) -> dict[str, Similarity]:
    """The measures of similarity of the tasks, by name; none where they are of several environments or have none."""
    entries = {task.env: task.environment for _, task in curriculum.tasks}
    entry = next(iter(entries.values()))
    found: dict[str, Similarity] = attribute(entry.similarity) if len(entries) == 1 and entry.similarity else {}
    return found


def similarities(curriculum: Curriculum) -> dict[str, npt.NDArray[np.float64]]:
    """Matrices [tasks, tasks] of all measures that are defined for every pair of tasks."""
    tasks = [task for _, task in curriculum.tasks]
    found = {
        name: np.array([[similarity.measure(a, b) for b in tasks] for a in tasks])
        for name, similarity in measures(curriculum).items()
    }
    return {name: matrix for name, matrix in found.items() if not np.isnan(matrix).any()}
