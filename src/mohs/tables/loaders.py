"""Where else can a table come from? Plain arrays, BRIDGE files, Gymnasium environments that expose `P`, our own files.

Our format is an npz with the fields of `Table` by name: `actions`, `succ`, `reward`, `terminal`, `initial`,
`observation`, `horizon` (-1: none), `discount`, `action_names`, `renderer` and, for a stochastic table, `indptr` and
`prob`; `format` is 1.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.files import replace
from mohs.tables.table import Float, Table

FORMAT = 1
_ARRAYS = ("succ", "reward", "terminal", "initial", "observation", "indptr", "prob")


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
    """A table from [S, A] next states or [S, A, S] probabilities, and rewards [S, A] or [S, A, S].

    A next state of -1 ends the episode. `initial` is a start state or the probabilities of all.
    """
    moves, pay = np.asarray(transitions), np.asarray(rewards, dtype=np.float64)
    if moves.ndim not in (2, 3) or 0 in moves.shape or (moves.ndim == 3 and moves.shape[0] != moves.shape[2]):
        raise UsageError(f"transitions have shape {moves.shape}, but must have [S, A] or [S, A, S].")
    states, actions = moves.shape[:2]
    if pay.shape not in (moves.shape[:2], (states, actions, states)) or (moves.ndim == 2 and pay.ndim == 3):
        raise UsageError(f"rewards have shape {pay.shape}, which does not fit transitions of shape {moves.shape}.")
    ends = np.zeros(states, dtype=np.bool_)
    for state in terminal:
        if not 0 <= state < states:
            raise UsageError(f"terminal names state {state}, but the states are 0 to {states - 1}.")
        ends[state] = True
    options = {"horizon": horizon, "discount": discount, "action_names": tuple(action_names)}
    start = _start(initial, states)
    if moves.ndim == 2:
        if moves.dtype.kind not in "iu" or moves.min() < -1 or moves.max() >= states:
            raise UsageError(f"transitions [S, A] must be whole numbers from -1 (the end) to {states - 1}.")
        return _deterministic(moves.astype(np.int64), pay, ends, start, options)
    return _stochastic(moves.astype(np.float64), pay, ends, start, options)


def _start(initial: int | Sequence[float], states: int) -> Float:
    if isinstance(initial, int | np.integer):
        if not 0 <= initial < states:
            raise UsageError(f"initial is {initial}, but the states are 0 to {states - 1}.")
        return np.asarray(np.arange(states) == initial, dtype=np.float64)
    given = np.asarray(initial, dtype=np.float64)
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
    if not np.all(np.isfinite(probs)) or probs.min() < 0 or np.abs(probs.sum(axis=2) - 1).max() > 1e-6:
        raise UsageError("the probabilities of transitions must be ≥ 0 and sum to 1 for every state and action.")
    state, action, after = np.nonzero(probs)
    reward = pay[state, action] if pay.ndim == 2 else pay[state, action, after]
    indptr = np.concatenate([[0], np.cumsum(np.count_nonzero(probs, axis=2).ravel())])
    seen = np.arange(states, dtype=np.int32)
    prob = probs[state, action, after]
    return Table(actions, after.astype(np.int32), reward, ends, start, seen, **options, indptr=indptr, prob=prob)


def from_gymnasium(env: str | gymnasium.Env[Any, Any], **kwargs: Any) -> Table:
    """The table of an environment that exposes its dynamics as `P[state][action]`, as Gymnasium's toy texts do."""
    try:
        made = gymnasium.make(env, **kwargs) if isinstance(env, str) else env
    except gymnasium.error.Error as error:
        raise UsageError(f"{env!r} cannot be made: {error}") from error
    bare: Any = made.unwrapped
    dynamics, start = getattr(bare, "P", None), getattr(bare, "initial_state_distrib", None)
    if dynamics is None or start is None:
        raise UsageError(f"{env} exposes no dynamics P with an initial_state_distrib, so it has no table this way.")
    horizon = made.spec.max_episode_steps if made.spec is not None else None
    actions = len(dynamics[0])
    # A state that ends the episode is another one than the same state passed through.
    order: dict[tuple[int, bool], int] = {(int(s), False): i for i, s in enumerate(np.flatnonzero(start))}
    indptr, succ, prob, reward = [0], [], [], []
    queue = list(order)
    for state, over in queue:
        for action in range(actions):
            merged: dict[tuple[int, bool, float], float] = {}
            for p, after, pay, done in dynamics[state][action] if not over else ():
                key = (int(after), bool(done), float(pay))
                merged[key] = merged.get(key, 0.0) + float(p)
            for (after, done, pay), p in merged.items():
                if (after, done) not in order:
                    order[after, done] = len(order)
                    queue.append((after, done))
                succ.append(order[after, done])
                prob.append(p)
                reward.append(pay)
            indptr.append(len(succ))
    initial = np.zeros(len(order))
    first = np.flatnonzero(start)
    initial[: len(first)] = np.asarray(start, dtype=np.float64)[first]
    ends = np.array([over for _, over in order])
    seen = np.array([state for state, _ in order], dtype=np.int32)
    arrays = np.array(succ, dtype=np.int32), np.array(reward, dtype=np.float64)
    return Table(
        actions, *arrays, ends, initial / initial.sum(), seen, horizon, indptr=np.array(indptr, dtype=np.int64),
        prob=np.array(prob, dtype=np.float64),
    ).simplified()  # fmt: skip


def load(path: str | os.PathLike[str], *, horizon: int | None = None) -> Table:
    """A table from a file of ours, or from a BRIDGE file: `transitions` (-1 = the end) and `rewards`, from state 0."""
    try:
        with np.load(path, allow_pickle=False) as file:
            data = {name: file[name] for name in file.files}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path} cannot be read as a table: {error}.") from error
    if set(data) == {"transitions", "rewards"}:
        return from_arrays(data["transitions"], data["rewards"], horizon=horizon)
    if int(data.get("format", 0)) != FORMAT:
        raise UsageError(f"{path} is not a table: it holds {', '.join(sorted(data)) or 'nothing'}.")
    missing = {"actions", "succ", "reward", "terminal", "initial", "observation", "horizon", "discount"} - set(data)
    if missing:
        raise UsageError(f"{path} is not a whole table: {', '.join(sorted(missing))} is missing.")
    limit = int(data["horizon"])
    return Table(
        actions=int(data["actions"]),
        horizon=horizon if horizon is not None else None if limit < 0 else limit,
        discount=float(data["discount"]),
        action_names=tuple(data["action_names"].tolist()) if "action_names" in data else (),
        renderer=str(data["renderer"]) if "renderer" in data else "",
        **{name: data[name] for name in _ARRAYS if name in data},
    )


def save(table: Table, path: str | os.PathLike[str]) -> None:
    """Writes a table whole or not at all."""
    arrays = {name: getattr(table, name) for name in _ARRAYS if getattr(table, name) is not None}
    fields: dict[str, Any] = {
        "format": FORMAT,
        "actions": table.actions,
        "horizon": -1 if table.horizon is None else table.horizon,
        "discount": table.discount,
        "action_names": np.array(table.action_names, dtype=np.str_),
        "renderer": table.renderer,
    }
    try:
        replace(Path(path), lambda file: np.savez_compressed(file, allow_pickle=False, **fields, **arrays))
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from error
