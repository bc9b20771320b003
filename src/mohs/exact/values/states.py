"""How far is every state of a task from the start, what is it worth, and what is best there?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mohs.exact.lookahead.qvi import TIES
from mohs.exact.measures.distances import distances
from mohs.exact.values.solve import optimal_actions, values
from mohs.tables.table import Float, Table


@dataclass(frozen=True, eq=False)
class StateValues:
    """Of each state: steps from the start (-1: an episode cannot reach it), optimal value, and the optimal actions."""

    distance: npt.NDArray[np.int64]
    value: Float
    optimal: npt.NDArray[np.bool_]


def state_values(table: Table, horizon: int) -> StateValues:
    """Of the states that an episode of so many steps can reach."""
    steps = distances(table)
    return StateValues(
        np.where(steps <= horizon, steps, -1),
        values(table, horizon=horizon, discount=1.0),
        optimal_actions(table, TIES, horizon=horizon, discount=1.0),
    )
