"""Which learner trains a pack? Chosen by the agent's name; an oracle is handed the exact plan here, and only here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from mohs.agents.external import ExternalLearner, agent_source
from mohs.agents.planner import OptimalLearner
from mohs.agents.protocol import Learner
from mohs.agents.tabular import ALGORITHMS, Config, TabularLearner
from mohs.core.cell import Agent, Cell
from mohs.core.errors import UsageError, unknown
from mohs.core.task import Task
from mohs.core.values import resolve
from mohs.exact.solve import Plan, plan
from mohs.tables.build import table

BUILT_IN = (*ALGORITHMS, "optimal")


def agent(name: str, **params: Any) -> Agent:
    """An agent by name, checked: built in, or `file.py:function` with a hash of the file."""
    if ":" in name:
        resolve(name)
        return Agent.make(name, agent_source(name), **params)
    if name not in BUILT_IN:
        raise unknown("agent", name, (*BUILT_IN, "file.py:function"))
    if name == "optimal" and params:
        raise UsageError("the optimal agent has no hyperparameters.")
    made = Agent.make(name, **params)
    if name in ALGORITHMS:
        Config.of(made)
    return made


def learner(cells: Sequence[Cell]) -> Learner:
    """The learner of a pack."""
    name = cells[0].agent.name
    if name in ALGORITHMS:
        return TabularLearner(cells)
    if name == "optimal":
        return OptimalLearner(cells, _plan)
    return ExternalLearner(cells)


@lru_cache(maxsize=8)
def _plan(task: Task) -> Plan:
    return plan(table(task))
