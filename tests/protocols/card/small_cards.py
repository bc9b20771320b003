"""Cards to draw: of small tasks, with lengths that were not measured but invented."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import cache

import numpy as np

from mohs import Table
from mohs.envs.rollouts import Rollouts
from mohs.exact.bounds.simple import simple_bound
from mohs.exact.lookahead import qvi
from mohs.exact.values import solve
from mohs.protocols.card.record import Card, Length
from mohs.stats import estimate
from mohs.tables.transforms import sticky_actions

NAMES = ("left", "down", "right", "up")
MOVES = ((0, -1), (1, 0), (0, 1), (-1, 0))


def grid(rows: int, columns: int, goal: int, holes: tuple[int, ...], horizon: int) -> Table:
    """Steps on a board from its first cell; the goal pays 1 and ends, holes end, and one cannot walk off."""
    size = rows * columns
    succ = np.zeros((size, 4), dtype=int)
    reward = np.zeros((size, 4))
    for cell, (a, (down, right)) in itertools.product(range(size), enumerate(MOVES)):
        row, column = cell // columns + down, cell % columns + right
        inside = 0 <= row < rows and 0 <= column < columns
        succ[cell, a] = row * columns + column if inside else cell
        reward[cell, a] = float(succ[cell, a] == goal)
    table = Table.from_arrays(succ, reward, terminal=[goal, *holes], horizon=horizon, action_names=NAMES)
    return replace(table, renderer=f"grid {rows} {columns}")


def chain(states: int, horizon: int) -> Table:
    """Right leads on and pays at the end; left leads back to the start."""
    s = np.arange(states)
    moves = np.stack([np.zeros(states, dtype=int), np.minimum(s + 1, states - 1)], axis=1)
    return Table.from_arrays(moves, np.stack([0.0 * s, 1.0 * (s == states - 1)], axis=1), horizon=horizon)


def made(table: Table, name: str = "a task", **other: object) -> Card:
    """A card whose look-ahead and simple bound are real; other lengths are invented."""
    assert table.horizon is not None
    returns = solve.returns(table)
    bound = simple_bound(table) if table.deterministic else None
    lengths: dict[str, Length | None] = dict.fromkeys(("simple", "tight", "gorp", "stochastic"))
    undefined = {
        "effective_horizon.stochastic": "nobody asked for it",
        "effective_horizon": "it is for tasks without chance",
    }
    if bound is not None and bound.k is not None:
        lengths |= {"simple": Length(bound.effective_horizon, bound.k, bound.m)}
        lengths |= {"gorp": Length(2.5, 2, 3, (2.25, 2.75), 100)}
    found = Card(
        name=name, exact=True, horizon=table.horizon, gamma=1.0, actions=table.actions, states=table.states,
        deterministic=table.deterministic, optimal_return=returns.optimal, random_return=returns.random,
        worst_return=returns.worst, p_opt=qvi.p_opt(table), random_guess_bound=math.inf, min_k=qvi.min_k(table),
        epw=qvi.epw(table), covering_length=12.5, effective_horizon=lengths,
        simple_bound_m=None if bound is None else bound.ms,
        greedy_returns=tuple(qvi.greedy(table).returns.tolist()), harmless_discount=(0.99, True),
        measures={"paying_steps": 1e-9, "diameter": None},
        undefined=undefined | {"measures.diameter": "it is too large"}, table=table,
    )  # fmt: skip
    return replace(found, **other)  # type: ignore[arg-type]


@cache
def the_lake() -> Card:
    """A board with holes, and the same with sticky actions."""
    plain = grid(4, 4, 15, (5, 7, 11, 12), 12)
    return made(plain, "a lake", sticky=(0.25, made(sticky_actions(plain, 0.25), "a lake, sticky")))


@cache
def the_pole() -> Card:
    """A task without a table, sampled in fifty episodes."""
    returns = np.random.default_rng(0).normal(20, 5, size=50)
    zero_one = np.arange(50) % 2.0
    seen = Rollouts(
        500, returns, estimate(returns), estimate(returns), estimate(zero_one), estimate(zero_one), True, False
    )
    reasons = dict.fromkeys(("states", "optimal_return", "effective_horizon", "min_k"), "it has no table")
    return Card(
        name="a pole", exact=False, horizon=500, gamma=1.0, actions=2, deterministic=False,
        random_return=seen.random_return.value, undefined=reasons, rollouts=seen,
    )  # fmt: skip
