"""What is the exact value of the optimal, the random, the worst, or any given policy?

A table is stationary, so a finite-horizon value depends only on the state and the steps left: the value after t of T
steps is that at the start with horizon T - t.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from mohs.core.domain import Integer, Real
from mohs.core.errors import UsageError, unknown
from mohs.exact.values import solve_kernels as kernels
from mohs.tables.table import Float, Table

Rule = Literal["best", "mean", "worst"]
# A rule; actions [S] or action probabilities [S, A], the same at every step; or either with T steps in front.
Policy = Rule | npt.NDArray[Any]
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
    policy: Policy = "best",
    *,
    horizon: int | None = None,
    discount: float | None = None,
    tolerance: float = 1e-10,
) -> Float:
    """The value of every state. Without a horizon the discounted fixed point, within `tolerance`."""
    steps, gamma = _frame(table, horizon, discount)
    if steps is None:
        return _fixed_point(table, policy, gamma, tolerance)
    last = np.zeros(table.states)
    for found in backward(table, policy, horizon=steps, discount=gamma):
        last = found
    return last.copy()


def backward(
    table: Table, policy: Policy = "best", *, horizon: int | None = None, discount: float | None = None
) -> Iterator[Float]:
    """The values of all states with 0, 1, 2, … steps left. Each array is overwritten two steps later."""
    steps, gamma = finite_frame(table, horizon, discount)
    given = policy if isinstance(policy, str) else probabilities(table, policy, steps)
    after, now = np.zeros(table.states), np.zeros(table.states)
    yield after
    for left in range(1, steps + 1):
        _step(table, given if isinstance(given, str) or given.ndim == 2 else given[steps - left], gamma, after, now)
        after, now = now, after
        yield after


def q_values(
    table: Table, policy: Policy = "best", *, horizon: int | None = None, discount: float | None = None
) -> Float:
    """[S, A]: the value of taking an action first and following the policy from then on."""
    steps, gamma = _frame(table, horizon, discount)
    if not isinstance(policy, str) and steps is not None:
        given = probabilities(table, policy, steps)
        policy = given if given.ndim == 2 else given[1:]  # the first action is given
    left = None if steps is None else max(0, steps - 1)
    result = np.zeros((table.states, table.actions))
    if steps != 0:
        kernels.action_values(*table.arrays, gamma, values(table, policy, horizon=left, discount=gamma), result)
    return result


def optimal_actions(
    table: Table, tolerance: float, *, horizon: int | None = None, discount: float | None = None
) -> npt.NDArray[np.bool_]:
    """[S, A]: which first actions are optimal, within `tolerance`; every one where the episode is over."""
    q = q_values(table, "best", horizon=horizon, discount=discount)
    return np.asarray(q >= q.max(axis=1, keepdims=True) - tolerance)


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


def finite_frame(table: Table, horizon: int | None = None, discount: float | None = None) -> tuple[int, float]:
    """The horizon and discount to use; raises `UsageError` where there is no horizon."""
    if horizon is None and table.horizon is None:
        raise UsageError("a horizon is needed: pass one, or a table that has one.")
    steps, gamma = _frame(table, horizon, discount)
    assert steps is not None
    return steps, gamma


def discounted(table: Table, discount: float) -> Returns:
    """Expected discounted returns of the infinite-horizon task."""
    return returns(replace(table, horizon=None), discount=discount)


def _frame(table: Table, horizon: int | None, discount: float | None) -> tuple[int | None, float]:
    """The horizon and discount to use; an explicit discount below 1 with no horizon means an endless task."""
    gamma = table.discount if discount is None else Real(0, 1).parse("discount", discount)
    steps = Integer(0).parse("horizon", horizon) if horizon is not None else table.horizon
    if steps is None and gamma >= 1:
        raise UsageError("discount must be below 1 where there is no horizon.")
    return steps, gamma


def _fixed_point(table: Table, policy: Policy, discount: float, tolerance: float) -> Float:
    given = policy if isinstance(policy, str) else probabilities(table, policy, None)
    after, now = np.zeros(table.states), np.zeros(table.states)
    while True:
        change = _step(table, given, discount, after, now)
        after, now = now, after
        if change * discount <= tolerance * (1 - discount):
            return after


def _step(table: Table, policy: Policy, discount: float, after: Float, now: Float) -> float:
    """`now` from the values one step later; the largest change."""
    if not isinstance(policy, str):
        return float(kernels.follow(*table.arrays, discount, policy, after, now))
    if policy not in _RULES:
        raise unknown("policy", policy, list(_RULES))
    return float(kernels.backup(*table.arrays, discount, _RULES[policy], after, now, _NO_CHOICE))


def probabilities(table: Table, policy: npt.NDArray[Any], steps: int | None) -> Float:
    """Action probabilities [S, A] or [T, S, A] of a policy given as such or as actions [S] or [T, S]."""
    given = np.asarray(policy)
    if given.dtype.kind in "iu":
        if given.size and not 0 <= given.min() <= given.max() < table.actions:
            raise UsageError(f"a policy of actions must name actions from 0 to {table.actions - 1}.")
        given = np.eye(table.actions)[given]
    allowed: list[tuple[int, ...]] = [(table.states, table.actions)]
    if steps is not None:
        allowed.append((steps, *allowed[0]))
    if given.shape not in allowed:
        raise UsageError(f"the policy has shape {given.shape}, but must have one of {allowed} (or actions instead).")
    if not np.all(given >= 0) or np.abs(given.sum(axis=-1) - 1).max(initial=0.0) > 1e-6:
        raise UsageError("the probabilities of a policy must be ≥ 0 and sum to 1 in every state.")
    return given.astype(np.float64)
