"""How far apart are the states of a table, in steps of the fastest policy?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from mohs.exact.measures import table_measures_kernels as kernels
from mohs.tables.table import Table

LIMIT = 10**9  # entries that a diameter may read: some seconds
PRECISION = 1e-9  # relative, of expected numbers of steps


class DiameterKind(StrEnum):
    """Which quantity was computed."""

    DIAMETER = "diameter"
    ECCENTRICITY = "eccentricity"  # there are too many pairs of states


@dataclass(frozen=True)
class Diameter:
    """The diameter, the largest finite distance between two states, and the eccentricity of the start.

    With too many pairs of states only the eccentricity is computed; the others are None.
    """

    steps: float | None
    finite: float | None
    eccentricity: int

    @property
    def kind(self) -> DiameterKind:
        """What was computed."""
        return DiameterKind.ECCENTRICITY if self.steps is None else DiameterKind.DIAMETER


def distances(table: Table) -> npt.NDArray[np.int64]:
    """The fewest steps from the nearest start state to each state; -1 where a state cannot be reached."""
    queue, distance = np.zeros(table.states, dtype=np.int64), np.zeros(table.states, dtype=np.int64)
    kernels.from_start(*table.arrays, table.initial, queue, distance)
    return distance


def eccentricity(table: Table) -> int:
    """The fewest steps from a start state to the farthest reachable state."""
    return int(distances(table).max())


def diameter(table: Table, *, limit: int = LIMIT) -> Diameter:
    """The largest, over pairs of reachable states, of the smallest expected number of steps between them.

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
