"""How far apart are the states of a table, in steps of the best play for getting there?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from mohs.exact.measures import table_measures_kernels as kernels
from mohs.tables.table import Table

LIMIT = 10**9  # entries that a diameter may read: some seconds
PRECISION = 1e-9  # relative, of expected numbers of steps


@dataclass(frozen=True)
class Diameter:
    """`steps` between the two states furthest apart, the most that is `finite` between any two, and from the start.

    Only the last, the eccentricity, is known where all pairs are too many: the others are None then.
    """

    steps: float | None
    finite: float | None
    eccentricity: int

    @property
    def kind(self) -> Literal["diameter", "eccentricity"]:
        """What was computed."""
        return "eccentricity" if self.steps is None else "diameter"


def distances(table: Table) -> npt.NDArray[np.int64]:
    """The fewest steps in which play can come to each state from the nearest start; -1 where it never can."""
    queue, distance = np.zeros(table.states, dtype=np.int64), np.zeros(table.states, dtype=np.int64)
    kernels.from_start(*table.arrays, table.initial, queue, distance)
    return distance


def eccentricity(table: Table) -> int:
    """The fewest steps after which play can have come to any state that it can come to at all."""
    return int(distances(table).max())


def diameter(table: Table, *, limit: int = LIMIT) -> Diameter:
    """The largest, over pairs of states that play can come to, of the least expected number of steps between them.

    Jaksch, Ortner & Auer (2010), Definition 1. It is infinite where one state is not surely reached from another, as
    none is from a terminal state. Where it takes more than `limit` look-ups, only the eccentricity is computed.
    """
    distance = distances(table)
    states, far = np.flatnonzero(distance >= 0), int(distance.max())
    found = _fewest(table, states, limit) if table.deterministic else _least_expected(table, states, limit)
    if found is None:
        return Diameter(None, None, far)
    finite, everywhere = found
    return Diameter(finite if everywhere else math.inf, finite, far)


def _fewest(table: Table, states: npt.NDArray[np.int64], limit: int) -> tuple[float, bool] | None:
    """The largest finite distance of a deterministic table, and whether all are finite."""
    if len(states) * (table.states + len(states) * table.actions) > limit:
        return None
    queue, distance = np.zeros(table.states, dtype=np.int64), np.zeros(table.states, dtype=np.int64)
    largest, everywhere = kernels.between_all(*table.arrays, states, queue, distance)
    return float(largest), bool(everywhere)


def _least_expected(table: Table, states: npt.NDArray[np.int64], limit: int) -> tuple[float, bool] | None:
    """The same of a stochastic table: one stochastic shortest path problem for every goal."""
    cost = max(1, round(len(table.succ) * len(states) / table.states))
    finite, everywhere, left = 0.0, True, limit // cost
    if left < 3 * len(states):  # sweeps that every goal takes at least
        return None
    sure, led = np.zeros(table.states, dtype=np.bool_), np.zeros(table.states, dtype=np.bool_)
    for goal in states:
        sure[states] = True
        left -= kernels.can_surely_reach(*table.arrays, goal, states, sure, led)
        steps = np.where(sure, 0.0, math.inf)
        # Steps V that one sweep raises by at most d are too few, and V / (1 - d) are too many: they satisfy the
        # optimality equation as an inequality. So d bounds the relative error.
        left -= kernels.least_steps(*table.arrays, goal, states, PRECISION, left, steps)
        if left < 0:
            return None
        finite = max(finite, float(steps[sure].max()))
        everywhere &= bool(sure[states].all())
    return finite, everywhere
