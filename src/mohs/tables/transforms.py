"""How is a table made harder? Transforms from table to table."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.core.domain import Real
from mohs.core.errors import UsageError
from mohs.tables.table import Float, Table


def sticky_actions(table: Table, probability: float) -> Table:
    """With this probability the action before is taken again (Machado et al. 2018); the first one never sticks.

    The state remembers the last action, so a table of S states becomes one of up to S · (A + 1).
    """
    p = Real(0, 1).parse("probability", probability)
    starts = np.flatnonzero(table.initial)
    none = table.actions  # stands for no action before
    order = {(int(s), none): i for i, s in enumerate(starts)}
    queue = list(order)
    indptr, succ, prob, reward = [0], [], [], []
    for state, last in queue:
        for action in range(table.actions):
            mixture = {action: 1.0} if last == none else {action: 1 - p}
            if last != none:
                mixture[last] = mixture.get(last, 0.0) + p
            for taken, weight in mixture.items():
                if table.terminal[state] or weight == 0:
                    continue
                for after, chance, pay in entries(table, state, taken):
                    key = (after, taken)
                    if key not in order:
                        order[key] = len(order)
                        queue.append(key)
                    succ.append(order[key])
                    prob.append(weight * chance)
                    reward.append(pay)
            indptr.append(len(succ))
    base = np.array([state for state, _ in order])
    initial = np.zeros(len(order))
    initial[: len(starts)] = table.initial[starts]
    return _rebuilt(table, base, initial, indptr, succ, prob, reward)


def action_noise(table: Table, probability: float) -> Table:
    """With this probability another action is taken than the chosen one, each alike: transition noise of any table."""
    p = Real(0, 1).parse("probability", probability)
    if p > 0 and table.actions < 2:
        raise UsageError("action noise needs at least two actions.")
    indptr, succ, prob, reward = [0], [], [], []
    for state in range(table.states):
        for action in range(table.actions):
            for taken in range(table.actions) if not table.terminal[state] else ():
                weight = 1 - p if taken == action else p / (table.actions - 1)
                for after, chance, pay in entries(table, state, taken) if weight > 0 else ():
                    succ.append(after)
                    prob.append(weight * chance)
                    reward.append(pay)
            indptr.append(len(succ))
    return _rebuilt(table, np.arange(table.states), table.initial, indptr, succ, prob, reward)


def entries(table: Table, state: int, action: int) -> list[tuple[int, float, float]]:
    """Where an action leads: (state, probability, reward)."""
    row = state * table.actions + action
    if table.indptr is None or table.prob is None:
        return [(int(table.succ[row]), 1.0, float(table.reward[row]))]
    found = slice(int(table.indptr[row]), int(table.indptr[row + 1]))
    return list(zip(table.succ[found].tolist(), table.prob[found].tolist(), table.reward[found].tolist(), strict=True))


def _rebuilt(
    table: Table,
    base: npt.NDArray[np.int64],
    initial: Float,
    indptr: list[int],
    succ: list[int],
    prob: list[float],
    reward: list[float],
) -> Table:
    """A table whose states are those of another one, each perhaps several times."""
    return Table(
        table.actions,
        np.array(succ, dtype=np.int32),
        np.array(reward, dtype=np.float64),
        table.terminal[base],
        initial,
        table.observation[base],
        table.horizon,
        table.discount,
        np.array(indptr, dtype=np.int64),
        np.array(prob, dtype=np.float64),
        table.action_names,
        table.renderer,
    ).simplified()
