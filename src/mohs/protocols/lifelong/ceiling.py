"""How well can an agent do on all tasks without observing the task id? The exact ceiling, where tasks are finite.

Tasks with the same dynamics, the same observations and the same rewards on the way cannot be told apart before the
episode ends. What one policy can earn on all of them is the optimum of the task whose rewards are their mean: among
four leaves of which one pays, 1/4. Other tasks count as distinguishable, so the ceiling is never too low. It is the
mean over all tasks, each weighted alike. An agent that learns within an evaluation is not bound by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mohs.core.task import Task
from mohs.exact.values.solve import values
from mohs.protocols.lifelong.scale import exact_performance
from mohs.tables.build import table
from mohs.tables.table import Table


def ceiling(tasks: Sequence[Task]) -> float | None:
    """The highest mean of performances (see `scale.py`) of one policy; None where tasks are not finite or too large."""
    found = [exact_performance(task) for task in tasks]
    scores = [score for score in found if score is not None and score.spread > 0]
    if len(scores) < len(tasks) or any(task.environment.table is None for task in tasks):
        return None
    tables = [table(task.noise_free()) for task in tasks]
    total = 0.0
    for group in _groups(tasks, tables):
        mixed = replace(tables[group[0]], reward=np.sum([tables[i].reward / scores[i].spread for i in group], axis=0))
        total += float(mixed.initial @ values(mixed, "best")) + sum(scores[i].normalise(0.0) for i in group)
    return total / len(tasks)


def _groups(tasks: Sequence[Task], tables: Sequence[Table]) -> list[list[int]]:
    """Tasks that cannot be told apart but by their rewards."""
    groups: list[list[int]] = []
    for i, own in enumerate(tables):
        alike = (g for g in groups if _alike(tables[g[0]], own) and _look_alike(tasks[g[0]], tasks[i]))
        group = next(alike, None)
        if group is None:
            groups.append([i])
        else:
            group.append(i)
    return groups


def _alike(one: Table, other: Table) -> bool:
    """Whether two tables differ in nothing but the rewards with which an episode ends."""
    names = ("actions", "succ", "indptr", "prob", "terminal", "initial", "observation", "horizon", "discount")
    if not all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names):
        return False
    goes_on = ~one.terminal[one.succ]
    return np.array_equal(one.reward[goes_on], other.reward[goes_on])


def _look_alike(one: Task, other: Task) -> bool:
    """Whether what tables say of observations is all that is seen: images or sets of observations may be others."""
    shown = [name for name in one.values if name.startswith("image") or name == "observation" or name.endswith("_ids")]
    return one.env == other.env and all(one[name] == other[name] for name in shown)
