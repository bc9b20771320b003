"""What is the return under sticky actions? Without the table of all pairs of a state and the last action.

That table has a row for every pair and action, too many where there are many actions. But the last action is repeated
with the same probability whichever action is chosen, so V(s, last) = (1 − p) · max Q(s, ·) + p · Q(s, last): one number
for each pair is enough. The best choice does not depend on the last action.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from mohs.core.domain import Choice, Real
from mohs.core.errors import UsageError
from mohs.core.kernel import kernel
from mohs.exact.values.solve import finite_frame
from mohs.exact.values.solve_kernels import BEST, MEAN
from mohs.tables.table import Table

_RULES = {"best": BEST, "mean": MEAN}


def sticky_return(
    table: Table, probability: float, policy: Literal["best", "mean"] = "best", *, horizon: int | None = None
) -> float:
    """The expected return of the optimal or the random policy; the first action never sticks."""
    p = Real(0, 1).parse("probability", probability)
    rule = _RULES[Choice(tuple(_RULES)).parse("policy", policy)]
    if not table.deterministic:
        raise UsageError("sticky_return is for deterministic tables; transforms.sticky_actions is for all.")
    steps, discount = finite_frame(table, horizon)
    after, now = np.zeros((2, table.states, table.actions + 1))
    for _ in range(steps):
        stick_back(table.succ, table.reward, table.terminal, table.actions, p, discount, rule, after, now)
        after, now = now, after
    return float(table.initial @ after[:, table.actions])


@kernel
def stick_back(succ, reward, terminal, actions, p, discount, rule, after, now):
    """One step back: `now[state, last]` from `after`; the last column is for states that no action led to."""
    for state in range(len(terminal)):
        if terminal[state]:
            continue
        best, total = -np.inf, 0.0
        for action in range(actions):
            row = state * actions + action
            q = reward[row] + discount * after[succ[row], action]
            now[state, action] = q
            best, total = max(best, q), total + q
        chosen = best if rule == BEST else total / actions
        for action in range(actions):
            now[state, action] = (1 - p) * chosen + p * now[state, action]
        now[state, actions] = chosen
