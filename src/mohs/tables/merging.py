"""Which states are equivalent? Those from which every sequence of actions gives the same observations and rewards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mohs.core.errors import UsageError
from mohs.tables.table import Table


def merged(table: Table) -> Table:
    """The smallest equivalent deterministic table; each state keeps the place of the first one merged into it.

    Classes of states that look alike now are split by the classes that their actions lead to, until none is (Moore
    1956).
    """
    if not table.deterministic:
        raise UsageError("states can be merged in deterministic tables only.")
    shape = table.states, table.actions
    own = np.arange(table.states)[:, None]
    succ = np.where(table.terminal[:, None], own, table.succ.reshape(shape))
    reward = np.where(table.terminal[:, None], 0.0, table.reward.reshape(shape))
    alike = np.unique(np.column_stack([table.observation, table.terminal, reward]), axis=0, return_inverse=True)[
        1
    ].ravel()
    while True:
        finer = np.unique(np.column_stack([alike, alike[succ]]), axis=0, return_inverse=True)[1].ravel()
        if finer.max() == alike.max():
            break
        alike = finer
    kept = np.sort(np.unique(alike, return_index=True)[1])
    number = np.empty(len(kept), dtype=np.int32)
    number[alike[kept]] = np.arange(len(kept))
    return replace(
        table,
        succ=number[alike[succ[kept]]].ravel(),
        reward=reward[kept].ravel(),
        terminal=table.terminal[kept],
        initial=np.bincount(number[alike], table.initial, len(kept)).astype(np.float64),
        observation=table.observation[kept],
    )
