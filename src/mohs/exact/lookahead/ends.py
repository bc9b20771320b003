"""Is a return told by where an episode ends? Then a table is its moves between states and the returns of its ends.

So it is where rewards are the change of a potential: a count of what is reached, how far a player is ahead, or nothing
until the end. Of an episode one need know only where it was cut off, or how it ended.
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
class Ends:
    """The states that play can be in, numbered anew, and behind them one end for each return, from the least up.

    `moves[i, j]` is the number of actions that lead from i to j; all actions of an end lead back to it. `worth` is the
    number of the return of an episode that is cut off in a state, or ends; `returns` are in units above the least.
    """

    actions: int
    moves: sparse.csr_array
    worth: npt.NDArray[np.int16]
    returns: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    chances: Float


def ends(table: Table) -> Ends:
    """The table in these terms; an error where it cannot be told so."""
    if not table.deterministic:
        raise UsageError("returns that are told by where an episode ends are for deterministic tables.")
    succ = table.succ.reshape(table.states, table.actions)
    reward = table.reward.reshape(table.states, table.actions)
    potential = _potential(table, succ, reward)
    live = np.flatnonzero(~np.isnan(potential) & ~table.terminal)
    over = table.terminal[succ[live]]
    final = potential[live, None] + reward[live]
    returns, number = _numbered(np.concatenate([[0.0], potential[live], final[over]]))
    worth, ended = number[1 : len(live) + 1], number[len(live) + 1 :]
    place = np.full(table.states, len(live) + number[0], dtype=np.int32)  # a start that is an end earns nothing
    place[live] = np.arange(len(live))
    to = place[succ[live]]
    to[over] = len(live) + ended
    starts = np.flatnonzero(table.initial)
    return Ends(
        table.actions,
        _moves(to, len(returns)),
        np.concatenate([worth, np.arange(len(returns))]).astype(np.int16),
        returns,
        place[starts].astype(np.int64),
        table.initial[starts],
    )


def _potential(table: Table, succ: npt.NDArray[np.int32], reward: Float) -> Float:
    """What was earned on the way to each state that goes on; not a number where none leads there."""
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
        raise UsageError("what an episode of this table earns is not told by where it ends: it depends on the way.")
    return potential


def _numbered(values: Float) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """All returns in units above the least, and the number of each of these values."""
    order = np.argsort(values, kind="stable")
    new = np.diff(values[order], prepend=-np.inf) > NEAR
    above = values[order][new] - values[order[0]]
    size = unit(above, within=NEAR)
    if size is None or above[-1] / size > MAX_SPAN:
        raise UsageError("the returns of this table are not whole multiples of one unit that is not too small.")
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
