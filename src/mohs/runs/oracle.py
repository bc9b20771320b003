"""How do the oracles get their plans? They are handed the exact solution of the table here, and only here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from mohs.agents.planning.planner import OptimalLearner
from mohs.core.cell import Cell
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.exact.values.memoryless import best_memoryless
from mohs.exact.values.solve import Plan, plan
from mohs.tables.build import table


def optimal(cells: Sequence[Cell], device: str = "cpu") -> OptimalLearner:
    """The learner of a pack of optimal agents."""
    return OptimalLearner(cells, _plan)


def memoryless(cells: Sequence[Cell], device: str = "cpu") -> OptimalLearner:
    """The learner of a pack of agents that follow the best deterministic memoryless policy."""
    return OptimalLearner(cells, _memoryless_plan)


@lru_cache(maxsize=8)
def _plan(task: Task) -> Plan:
    return plan(table(task))


@lru_cache(maxsize=8)
def _memoryless_plan(task: Task) -> Plan:
    exact = table(task)
    if exact.horizon is None:
        raise UsageError(f"{task} has no horizon.")
    found = best_memoryless(exact, randomised=False)
    rows = np.searchsorted(found.observations, exact.observation).clip(0, len(found.observations) - 1)
    actions = found.policy.argmax(axis=1).astype(np.int32)[rows]
    return Plan(exact, np.broadcast_to(actions, (exact.horizon, exact.states)).copy(), found.value)
