"""What is the exact value of a task: by the best, a random and the worst policy?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from mohs.core.domain import Integer, Real
from mohs.core.errors import UsageError
from mohs.exact import kernels
from mohs.tables.table import Float, Table

Rule = Literal["best", "mean", "worst"]
_RULES = {"best": kernels.BEST, "mean": kernels.MEAN, "worst": kernels.WORST}
MAX_PLAN = 2**29
_NO_CHOICE = np.empty(0, dtype=np.int32)


@dataclass(frozen=True)
class Returns:
    """Expected returns from the start distribution."""

    optimal: float
    random: float
    worst: float


@dataclass(frozen=True, eq=False)
class Plan:
    """An optimal policy of a finite-horizon table: `actions[t, state]` after t steps."""

    table: Table
    actions: npt.NDArray[np.int32]
    value: float


def values(
    table: Table,
    rule: Rule = "best",
    *,
    horizon: int | None = None,
    discount: float | None = None,
    tolerance: float = 1e-10,
) -> Float:
    """The value of every state. Without a horizon the discounted fixed point, within `tolerance`."""
    horizon, discount = _frame(table, horizon, discount)
    now, after = np.zeros(table.states), np.zeros(table.states)
    if horizon is not None:
        for _ in range(horizon):
            kernels.backup(*table.arrays, discount, _RULES[rule], after, now, _NO_CHOICE)
            now, after = after, now
        return after
    while True:
        change = kernels.backup(*table.arrays, discount, _RULES[rule], after, now, _NO_CHOICE)
        now, after = after, now
        if change * discount <= tolerance * (1 - discount):
            return after


def returns(table: Table, *, horizon: int | None = None, discount: float | None = None) -> Returns:
    """The expected return of the best, the random and the worst policy."""
    best, mean, worst = (
        float(table.initial @ values(table, rule, horizon=horizon, discount=discount))
        for rule in ("best", "mean", "worst")
    )
    return Returns(best, mean, worst)


def plan(table: Table) -> Plan:
    """An optimal policy for each step of the horizon (ties go to the first action)."""
    horizon, discount = finite_frame(table)
    if horizon * table.states > MAX_PLAN:
        raise UsageError(f"a plan of {horizon:,} steps × {table.states:,} states is larger than {MAX_PLAN:,} actions.")
    actions = np.zeros((horizon, table.states), dtype=np.int32)
    now, after = np.zeros(table.states), np.zeros(table.states)
    for t in reversed(range(horizon)):
        kernels.backup(*table.arrays, discount, kernels.BEST, after, now, actions[t])
        now, after = after, now
    return Plan(table, actions, float(table.initial @ after))


def _frame(table: Table, horizon: int | None, discount: float | None) -> tuple[int | None, float]:
    """The horizon and discount to use; an explicit discount below 1 with no horizon means an endless task."""
    gamma = table.discount if discount is None else Real(0, 1).parse("discount", discount)
    steps = Integer(0).parse("horizon", horizon) if horizon is not None else table.horizon
    if steps is None and gamma >= 1:
        raise UsageError("discount must be below 1 where there is no horizon.")
    return steps, gamma


def finite_frame(table: Table, horizon: int | None = None, discount: float | None = None) -> tuple[int, float]:
    """The horizon and discount to use where there must be a horizon."""
    if horizon is None and table.horizon is None:
        raise UsageError("this needs a horizon: give one, or a table that has it.")
    steps, gamma = _frame(table, horizon, discount)
    assert steps is not None
    return steps, gamma


def discounted(table: Table, discount: float) -> Returns:
    """Expected discounted returns of the endless task, without the time limit."""
    return returns(replace(table, horizon=None), discount=discount)
