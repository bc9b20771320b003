"""How is a table made harder? Transforms from table to table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.domain import Integer, Real
from mohs.core.errors import UsageError
from mohs.tables import transform_kernels as kernels
from mohs.tables.table import Float, Table

MAX_HISTORIES = 2_000_000


def sticky_actions(table: Table, probability: float) -> Table:
    """With this probability the action before is taken again (Machado et al. 2018); the first one never sticks.

    The state remembers the last action, so a table of S states becomes one of up to S · (A + 1).
    """
    p = Real(0, 1).parse("probability", probability)
    starts, width = np.flatnonzero(table.initial), table.actions + 1
    pairs = np.empty(table.states * width, dtype=np.int64)
    pairs[: len(starts)] = starts * width + table.actions
    numbers = np.full(len(pairs), -1, dtype=np.int32)
    numbers[pairs[: len(starts)]] = np.arange(len(starts))
    count, entries = kernels.stick(*table.arrays, p, len(starts), numbers, pairs, *_room(-1, 0))
    written = _room(count * table.actions, entries)
    kernels.stick(*table.arrays, p, count, numbers, pairs, *written)
    initial = np.zeros(count)
    initial[: len(starts)] = table.initial[starts]
    return _rebuilt(table, pairs[:count] // width, initial, *written)


def action_noise(table: Table, probability: float) -> Table:
    """With this probability another action is taken, uniformly among the others: transition noise of any table."""
    p = Real(0, 1).parse("probability", probability)
    if p > 0 and table.actions < 2:
        raise UsageError("action noise needs at least two actions.")
    written = _room(table.states * table.actions, kernels.mix(*table.arrays, p, *_room(-1, 0)))
    kernels.mix(*table.arrays, p, *written)
    return _rebuilt(table, np.arange(table.states), table.initial, *written)


def observed_history(table: Table, length: int, limit: int = MAX_HISTORIES) -> Table:
    """The table as an agent sees it that acts on the last `length` observations; fewer where an episode begins.

    States are pairs of a state and the observations that led there, and each list of observations is one observation.

    Raises:
        UsageError: more than `limit` pairs are reachable.
    """
    if Integer(1).parse("length", length) == 1:
        return table
    seen, looks = np.unique(table.observation, return_inverse=True)
    base = len(seen) + 1  # 0: no observation yet
    if table.states * base**length > 2**62:
        raise UsageError(f"a history of {length} observations, {len(seen):,} different ones, is too long to number.")
    histories = base**length
    starts = np.flatnonzero(table.initial)
    indptr = np.arange(table.states * table.actions + 1) if table.indptr is None else table.indptr
    first, last = indptr[:: table.actions][:-1], indptr[:: table.actions][1:]
    sizes = np.where(table.terminal, 0, last - first)

    def entries(pairs: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The entries of the rows of some pairs, and the pairs that they lead to."""
        state, history = np.divmod(pairs, histories)
        counts = sizes[state]
        ends = np.cumsum(counts)
        entry = np.arange(ends[-1] if len(ends) else 0) + np.repeat(first[state] - (ends - counts), counts)
        after = table.succ[entry].astype(np.int64)
        return entry, after * histories + (np.repeat(history, counts) * base + looks[after] + 1) % histories

    known = frontier = starts * histories + looks[starts] + 1
    while len(frontier):
        frontier = np.setdiff1d(entries(frontier)[1], known)
        known = np.union1d(known, frontier)
        if len(known) > limit:
            raise UsageError(f"a history of {length} observations makes a table of more than {limit:,} states.")
    state = known // histories
    entry, after = entries(known)
    counts = np.where(table.terminal[:, None], 0, np.diff(indptr).reshape(table.states, table.actions))[state]
    initial = np.zeros(len(known))
    initial[np.searchsorted(known, starts * histories + looks[starts] + 1)] = table.initial[starts]
    succ = np.searchsorted(known, after).astype(np.int32)
    prob = np.ones(len(entry)) if table.prob is None else table.prob[entry]
    pointers = np.concatenate([[0], np.cumsum(counts.ravel())])
    made = _rebuilt(table, state, initial, pointers, succ, prob, table.reward[entry])
    return replace(made, observation=np.unique(known % histories, return_inverse=True)[1].astype(np.int32), several=())


def sticky_pairs(table: Table, horizon: int) -> int:
    """How many states sticky actions make, counted as BRIDGE's files count them (Laidlaw et al. 2024).

    These are the pairs of state and last action that play reaches in fewer than `horizon` steps. A start counts as if
    action 0 had led there. All terminal states are one; the episode goes on there, which pairs it with every action.
    """
    steps, actions, end = Integer(1).parse("horizon", horizon), table.actions, table.states
    rows = np.arange(table.states * actions)
    sources = rows if table.indptr is None else np.repeat(rows, np.diff(table.indptr))
    possible = ~table.terminal[sources // actions]
    if table.prob is not None:
        possible &= table.prob > 0
    sources, targets = sources[possible], table.succ[possible]
    state = np.append(sources // actions, np.full(actions, end))
    action = np.append(sources % actions, np.arange(actions))
    after = np.append(np.where(table.terminal[targets], end, targets), np.full(actions, end))

    starts = np.flatnonzero(table.initial)
    starts = np.where(table.terminal[starts], end, starts)
    found = np.unique(starts * actions)
    if steps == 1:
        return len(found)
    left = np.zeros(table.states + 1, dtype=np.bool_)  # the states that can still be left in time
    left[starts] = True
    for _ in range(steps - 2):
        before = int(left.sum())
        left[after[left[state]]] = True
        if left.sum() == before:
            break
    reached = left[state]
    return len(np.union1d(found, after[reached] * actions + action[reached]))


def _room(rows: int, entries: int) -> tuple[npt.NDArray[Any], ...]:
    """Arrays for the rows' offsets and the entries' states, probabilities and rewards; the kernels count if empty."""
    indptr = np.zeros(rows + 1, dtype=np.int64)
    return indptr, np.empty(entries, dtype=np.int32), np.empty(entries), np.empty(entries)


def _rebuilt(
    table: Table,
    base: npt.NDArray[np.int64],
    initial: Float,
    indptr: npt.NDArray[np.int64],
    succ: npt.NDArray[np.int32],
    prob: Float,
    reward: Float,
) -> Table:
    """A table whose states are those of another one, each perhaps several times."""
    return Table(
        table.actions,
        succ,
        reward,
        table.terminal[base],
        initial,
        table.observation[base],
        table.horizon,
        table.discount,
        indptr,
        prob,
        table.action_names,
        table.renderer,
        table.several,
    ).simplified()
