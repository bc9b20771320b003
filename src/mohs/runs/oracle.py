"""How does the optimal agent get its plan? It is handed the exact solution of the table here, and only here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mohs.agents.planning.planner import OptimalLearner
from mohs.core.cell import Cell
from mohs.core.task import Task
from mohs.exact.values.solve import Plan, plan
from mohs.tables.build import table


def optimal(cells: Sequence[Cell], device: str = "cpu") -> OptimalLearner:
    """The learner of a pack of optimal agents."""
    return OptimalLearner(cells, _plan)


@lru_cache(maxsize=8)
def _plan(task: Task) -> Plan:
    return plan(table(task))
