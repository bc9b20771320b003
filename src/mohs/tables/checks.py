"""Are the arrays of a table a finite MDP? One error message for each possible fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError

if TYPE_CHECKING:
    from mohs.tables.table import Table

# One type each, so that every kernel on tables is compiled once.
_TYPES: dict[str, type[np.generic]] = {
    "terminal": np.bool_,
    "succ": np.int32,
    "reward": np.float64,
    "initial": np.float64,
    "observation": np.int32,
    "indptr": np.int64,
    "prob": np.float64,
}
MAX_REWARD = 1e100
TOLERANCE = 1e-6  # by which probabilities may miss 1


def check(table: Table) -> None:
    """Raises `UsageError` if the arrays are not a finite MDP."""
    _check_arrays(table)
    states, actions = table.states, table.actions
    if table.succ.size and (table.succ.min() < 0 or table.succ.max() >= states):
        wrong = table.succ.min() if table.succ.min() < 0 else table.succ.max()
        raise UsageError(f"succ must name states from 0 to {states - 1}, but names {wrong}.")
    if table.action_names and len(table.action_names) != actions:
        raise UsageError(f"{len(table.action_names)} action_names were given for {actions} actions.")
    if not np.all(np.isfinite(table.reward)):
        raise UsageError("reward must hold finite numbers.")
    if np.abs(table.reward).max(initial=0.0) > MAX_REWARD:
        raise UsageError(f"reward must be between -{MAX_REWARD:g} and {MAX_REWARD:g}: sums of larger ones overflow.")
    # Written so that NaN, which compares as False, is refused.
    if not np.all(table.initial >= 0):
        raise UsageError(f"initial must be probabilities ≥ 0, but holds {table.initial[~(table.initial >= 0)][0]:g}.")
    if not abs(table.initial.sum() - 1) <= 1e-9:
        raise UsageError(f"initial must be probabilities ≥ 0 that sum to 1, but sums to {table.initial.sum():g}.")
    if not np.any(table.initial[~table.terminal] > 0):
        raise UsageError(
            "initial must give a non-terminal state a positive probability: every start state is terminal."
        )
    if table.prob is not None and table.indptr is not None:
        check_probabilities("prob", table.prob, table.indptr, np.repeat(~table.terminal, actions), actions)


def check_probabilities(
    name: str, prob: npt.NDArray[np.float64], indptr: npt.NDArray[Any], live: npt.NDArray[np.bool_], actions: int
) -> None:
    """Every probability is one, and those of each live row sum to 1."""
    if not np.all((prob >= 0) & (prob <= 1 + TOLERANCE)):
        wrong = prob[~((prob >= 0) & (prob <= 1 + TOLERANCE))][0]
        raise UsageError(f"{name} must be ≥ 0 and sum to 1 for every state and action, but holds {wrong:g}.")
    sums = np.diff(np.concatenate([[0.0], np.cumsum(prob)])[indptr])
    off = live & (np.abs(sums - 1) > TOLERANCE)
    if off.any():
        state, action = divmod(int(np.argmax(off)), actions)
        raise UsageError(
            f"{name} must be ≥ 0 and sum to 1 for every state and action, but for action {action} in state {state} "
            f"they sum to {sums[off][0]:g}."
        )


def _check_arrays(table: Table) -> None:
    """The types and shapes, which the other checks rely on."""
    if (table.indptr is None) != (table.prob is None):
        raise UsageError("a table has indptr and prob both (stochastic) or neither (deterministic).")
    for name, wanted in _TYPES.items():
        array = getattr(table, name)
        if array is None and name in ("indptr", "prob"):
            continue
        if not isinstance(array, np.ndarray) or array.dtype != wanted:
            found = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
            raise UsageError(f"{name} must be an array of {wanted.__name__}, not {found}.")
    if table.terminal.ndim != 1:
        raise UsageError(f"terminal has shape {table.terminal.shape}, but must have one value for each state.")
    states, actions = table.states, table.actions
    if actions < 1 or states < 1:
        raise UsageError("a table must have at least one state and one action.")
    rows = entries = states * actions
    if table.indptr is not None:
        if table.indptr.shape != (rows + 1,) or table.indptr[0] != 0 or np.any(np.diff(table.indptr) < 0):
            raise UsageError(
                f"indptr must be {rows + 1} non-decreasing offsets from 0, one more than states × actions."
            )
        entries = int(table.indptr[-1])
    sizes = {"succ": entries, "reward": entries, "prob": entries, "initial": states, "observation": states}
    for name, size in sizes.items():
        array = getattr(table, name)
        if array is not None and array.shape != (size,):
            raise UsageError(f"{name} has shape {array.shape}, but must have ({size},).")
