"""How similar are the tasks of a curriculum? As the entry of their environment measures it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from mohs.core.registry import Similarity
from mohs.protocols.lifelong.curriculum import Curriculum


def measures(curriculum: Curriculum) -> Mapping[str, Similarity]:
    """The measures of similarity of the environment that all tasks share; none where they share none."""
    entries = {task.env: task.environment for _, task in curriculum.tasks}
    (entry, *others) = entries.values()
    found: Mapping[str, Similarity] = {} if others or entry.similarity is None else entry.realisation("similarity")
    return found


def similarities(curriculum: Curriculum) -> dict[str, npt.NDArray[np.float64]]:
    """Matrices [tasks, tasks] of all measures that are defined for every pair."""
    tasks = [task for _, task in curriculum.tasks]
    found = {
        name: np.array([[of.measure(a, b) for b in tasks] for a in tasks]) for name, of in measures(curriculum).items()
    }
    return {name: matrix for name, matrix in found.items() if not np.isnan(matrix).any()}
