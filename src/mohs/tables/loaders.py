"""How is a table read and written? From arrays; from and to files of mohs and of the BRIDGE data set.

The format of mohs is an npz with the fields of `Table` by name: `actions`, `succ`, `reward`, `terminal`, `initial`,
`observation`, `several`, `horizon` (-1: none), `discount`, `action_names`, `renderer` and, for a stochastic table,
`indptr` and `prob`; `format` is 1. BRIDGE's (Laidlaw et al. 2023) is for deterministic tables with one start, state 0:
`transitions` [S, A] are next states, -1 = the end, and `rewards` [S, A] have 32 bits; there may be pictures of the
states, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.arguments import checked
from mohs.core.domain import Each, Integer
from mohs.core.errors import UsageError
from mohs.core.files import reason, replace
from mohs.core.reading import arrays
from mohs.tables.checks import check_probabilities
from mohs.tables.table import Float, Table

FORMAT = 1
_ARRAYS = ("succ", "reward", "terminal", "initial", "observation", "indptr", "prob")
_BRIDGE = {"transitions", "rewards"}


@checked
def from_arrays(
    transitions: Any,
    rewards: Any,
    *,
    terminal: Sequence[int] = (),
    initial: int | Sequence[float] = 0,
    horizon: int | None = None,
    discount: float = 1.0,
    action_names: Sequence[str] = (),
) -> Table:
    """Makes a table from arrays.

    Args:
        transitions: Next states [S, A], where -1 ends the episode, or probabilities [S, A, S].
        rewards: Rewards [S, A] or [S, A, S].
        terminal: The terminal states.
        initial: The start state, or a probability for each state.
        horizon: The number of steps of an episode; None for an endless task.
        discount: The discount factor.
        action_names: The names of the actions.

    Returns:
        The table. With next states of -1 it has one more state, which is terminal.

    Raises:
        UsageError: The arrays are not a finite MDP.
    """
    moves, pay = _numbers("transitions", transitions), _numbers("rewards", rewards).astype(np.float64)
    if moves.ndim not in (2, 3) or 0 in moves.shape or (moves.ndim == 3 and moves.shape[0] != moves.shape[2]):
        raise UsageError(f"transitions have shape {moves.shape}, but must have [S, A] or [S, A, S].")
    states, actions = moves.shape[:2]
    if pay.shape not in (moves.shape[:2], (states, actions, states)) or (moves.ndim == 2 and pay.ndim == 3):
        raise UsageError(f"rewards have shape {pay.shape}, which does not fit transitions of shape {moves.shape}.")
    ends = np.zeros(states, dtype=np.bool_)
    for state in Each(Integer(0)).parse("terminal", list(terminal) if isinstance(terminal, Iterable) else terminal):
        if state >= states:
            raise UsageError(f"terminal names state {state}, but the states are 0 to {states - 1}.")
        ends[state] = True
    options = {"horizon": horizon, "discount": discount, "action_names": tuple(action_names)}
    start = _start(initial, states)
    if moves.ndim == 2:
        if moves.dtype.kind not in "iu" or moves.min() < -1 or moves.max() >= states:
            raise UsageError(f"transitions [S, A] must be whole numbers from -1 (the end) to {states - 1}.")
        return _deterministic(moves.astype(np.int64), pay, ends, start, options)
    return _stochastic(moves.astype(np.float64), pay, ends, start, options)


def _numbers(name: str, value: Any) -> npt.NDArray[Any]:
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise UsageError(f"{name} must be an array of numbers: {error}.") from error
    if array.dtype.kind not in "iuf":
        raise UsageError(f"{name} must be an array of numbers, not of {array.dtype}.")
    return array


def _start(initial: int | Sequence[float], states: int) -> Float:
    if isinstance(initial, int | np.integer):
        state = Integer(0, states - 1).parse("initial", initial)
        return np.asarray(np.arange(states) == state, dtype=np.float64)
    given = _numbers("initial", initial).astype(np.float64)
    if given.shape != (states,):
        raise UsageError(f"initial has shape {given.shape}, but must be a state or {states} probabilities.")
    return given


def _deterministic(
    moves: npt.NDArray[np.int64], pay: Float, ends: npt.NDArray[np.bool_], start: Float, options: dict[str, Any]
) -> Table:
    states, actions = moves.shape
    seen = np.arange(states, dtype=np.int32)
    if (moves < 0).any():  # one more state stands for the end
        moves = np.vstack([np.where(moves < 0, states, moves), np.full((1, actions), states)])
        pay = np.vstack([pay, np.zeros((1, actions))])
        ends, start, seen = np.append(ends, True), np.append(start, 0.0), np.append(seen, np.int32(-1))
    return Table(actions, moves.ravel().astype(np.int32), pay.ravel(), ends, start, seen, **options)


def _stochastic(probs: Float, pay: Float, ends: npt.NDArray[np.bool_], start: Float, options: dict[str, Any]) -> Table:
    states, actions = probs.shape[:2]
    rows = np.arange(0, probs.size + 1, states)
    check_probabilities("transitions", probs.ravel(), rows, np.repeat(~ends, actions), actions)
    state, action, after = np.nonzero(probs)
    reward = pay[state, action] if pay.ndim == 2 else pay[state, action, after]
    indptr = np.concatenate([[0], np.cumsum(np.count_nonzero(probs, axis=2).ravel())])
    seen = np.arange(states, dtype=np.int32)
    prob = probs[state, action, after]
    return Table(actions, after.astype(np.int32), reward, ends, start, seen, **options, indptr=indptr, prob=prob)


def load(path: str | os.PathLike[str], *, horizon: int | None = None) -> Table:
    """Reads a table from a file of mohs or of BRIDGE; the latter has no horizon."""
    try:
        data = arrays(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be read as a table: {reason(error)}.") from error
    except ValueError as error:
        raise UsageError(
            f"{path} cannot be read as a table, it is not an npz file: {str(error).rstrip('.')}."
        ) from error
    bridge = set(data) >= _BRIDGE
    if bridge:
        return from_arrays(data["transitions"], data["rewards"], horizon=horizon)
    if not np.array_equal(data.get("format", 0), FORMAT):
        raise UsageError(f"{path} is not a table: it holds {', '.join(sorted(data)) or 'nothing'}.")
    missing = {"actions", "succ", "reward", "terminal", "initial", "observation", "horizon", "discount"} - set(data)
    if missing:
        raise UsageError(f"{path} is not a whole table: {', '.join(sorted(missing))} is missing.")
    wrong = [
        name
        for name in ("actions", "horizon", "discount")
        if data[name].shape != () or data[name].dtype.kind not in "iuf"
    ]
    if wrong:
        raise UsageError(f"{path} is not a table: {', '.join(wrong)} must be a single number.")
    limit = Integer(-1).parse("horizon", data["horizon"].item())
    return Table(
        actions=Integer(1).parse("actions", data["actions"].item()),
        horizon=horizon if horizon is not None else None if limit < 0 else limit,
        discount=float(data["discount"]),
        action_names=tuple(data["action_names"].tolist()) if "action_names" in data else (),
        renderer=str(data["renderer"]) if "renderer" in data else "",
        several=Each(Each(Integer(0), 2)).parse("several", data["several"]) if "several" in data else (),
        **{name: data[name] for name in _ARRAYS if name in data},
    )


def save(table: Table, path: str | os.PathLike[str]) -> None:
    """Writes a table to a file, atomically."""
    arrays = {name: getattr(table, name) for name in _ARRAYS if getattr(table, name) is not None}
    fields: dict[str, Any] = {
        "format": FORMAT,
        "actions": table.actions,
        "horizon": -1 if table.horizon is None else table.horizon,
        "discount": table.discount,
        "action_names": np.array(table.action_names, dtype=np.str_),
        "renderer": table.renderer,
        "several": np.array(table.several, dtype=np.int32).reshape(-1, 2),
    }
    _write(path, **fields, **arrays)


def save_bridge(table: Table, path: str | os.PathLike[str]) -> None:
    """Writes a deterministic table with one start in BRIDGE's format.

    The start comes first, the other states keep their order, and all terminal states become -1. Rewards are rounded to
    32 bits. The format has no horizon, discount, observations and names.
    """
    plain, starts = table.simplified(), np.flatnonzero(table.initial)
    if not plain.deterministic:
        raise UsageError("BRIDGE's format is for deterministic tables, and this one is stochastic.")
    if len(starts) != 1:
        raise UsageError(f"BRIDGE's format is for tables with one start, and this one has {len(starts)}.")
    live = np.flatnonzero(~plain.terminal)
    order = np.concatenate([starts, live[live != starts[0]]])
    number = np.full(plain.states, -1, dtype=np.int64)
    number[order] = np.arange(len(order))
    shape = plain.states, plain.actions
    with np.errstate(over="ignore"):
        rewards = plain.reward.reshape(shape)[order].astype(np.float32)
    if not np.all(np.isfinite(rewards)):
        raise UsageError("BRIDGE's format has rewards of 32 bits, and one of this table's is too large for them.")
    _write(path, transitions=number[plain.succ.reshape(shape)[order]], rewards=rewards)


def _write(path: str | os.PathLike[str], **fields: Any) -> None:
    try:
        replace(Path(path), lambda file: np.savez_compressed(file, allow_pickle=False, **fields))
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from error
