"""Does the final state of an episode determine its return? Then transitions and one return per final state suffice.

This holds where rewards are differences of a potential: a count of satisfied goals, a player's lead, or a single reward
at the end. The path of an episode is then irrelevant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mohs.core.errors import UsageError
from mohs.exact.values.distribution import unit
from mohs.tables.table import Float, Table

NEAR = 1e-5  # potentials and returns that differ by less are equal; rewards may be kept in single precision
MAX_SPAN = 2**14  # units between the least and the largest return


@dataclass(frozen=True, eq=False)
class FinalStates:
    """The reachable non-terminal states, renumbered, followed by one absorbing state per return in ascending order.

    `moves[i, j]` counts the actions that lead from i to j. `worth[i]` is the index in `returns` of the return of an
    episode that stops in state i. `returns` are in units above the smallest return.
    """

    actions: int
    moves: sparse.csr_array
    worth: npt.NDArray[np.int16]
    returns: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    probs: Float


def final_states(table: Table) -> FinalStates:
    """Returns the table in this form, or raises `UsageError` where the return depends on the path."""
    if not table.deterministic:
        raise UsageError("the final state determines the return in deterministic tables only; this one is stochastic.")
    succ = table.succ.reshape(table.states, table.actions)
    reward = table.reward.reshape(table.states, table.actions)
    potential = _potential(table, succ, reward)
    live = np.flatnonzero(~np.isnan(potential) & ~table.terminal)
    over = table.terminal[succ[live]]
    final = potential[live, None] + reward[live]
    returns, number = _numbered(np.concatenate([[0.0], potential[live], final[over]]))
    worth, ended = number[1 : len(live) + 1], number[len(live) + 1 :]
    place = np.full(table.states, len(live) + number[0], dtype=np.int32)  # a terminal start state earns nothing
    place[live] = np.arange(len(live))
    to = place[succ[live]]
    to[over] = len(live) + ended
    starts = np.flatnonzero(table.initial)
    return FinalStates(
        table.actions,
        _moves(to, len(returns)),
        np.concatenate([worth, np.arange(len(returns))]).astype(np.int16),
        returns,
        place[starts].astype(np.int64),
        table.initial[starts],
    )


def _potential(table: Table, succ: npt.NDArray[np.int32], reward: Float) -> Float:
    """The return so far in each non-terminal state; NaN where a state cannot be reached."""
    potential = np.full(table.states, np.nan)
    found = np.flatnonzero((table.initial > 0) & ~table.terminal)
    potential[found] = 0.0
    while len(found):
        to, earned = succ[found].ravel(), (potential[found, None] + reward[found]).ravel()
        new = ~table.terminal[to] & np.isnan(potential[to])
        potential[to[new]] = earned[new]
        found = np.unique(to[new])
    live = np.flatnonzero(~np.isnan(potential))
    off = np.abs(potential[live, None] + reward[live] - potential[succ[live]])
    if np.any(off[~table.terminal[succ[live]]] > NEAR):
        raise UsageError("the final state does not determine the return of this table: the return depends on the path.")
    return potential


def _numbered(values: Float) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The distinct returns in units above the smallest, and the index of each of the values among them."""
    order = np.argsort(values, kind="stable")
    new = np.diff(values[order], prepend=-np.inf) > NEAR
    above = values[order][new] - values[order[0]]
    size = unit(above, within=NEAR)
    if size is None or above[-1] / size > MAX_SPAN:
        raise UsageError("the returns of this table are not multiples of a common unit, or the unit is too small.")
    number = np.empty(len(values), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return np.round(above / size).astype(np.int64), number


def _moves(to: npt.NDArray[np.int32], returns: int) -> sparse.csr_array:
    states, actions = to.shape
    count = states + returns
    targets = np.concatenate([to.ravel(), np.repeat(np.arange(states, count, dtype=np.int32), actions)])
    first = np.arange(count + 1, dtype=np.int64) * actions
    moves = sparse.csr_array((np.ones(len(targets), dtype=np.float32), targets, first), shape=(count, count))
    moves.sum_duplicates()
    return moves
