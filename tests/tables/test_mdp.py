"""An Mdp is a table without chance and with one start, and a board for every state."""

from __future__ import annotations

import numpy as np
import pytest

from mohs import Table, UsageError
from mohs.tables.mdp import Mdp

TABLE = Table.from_arrays([[0, 1], [1, 2], [2, 2]], np.zeros((3, 2)), terminal=[2], initial=1, horizon=4)
CELLS = np.zeros((3, 6), dtype=np.uint8)


def test_the_start_is_where_episodes_begin():
    assert Mdp(TABLE, CELLS, (2, 3), ".").start == 1


def test_what_is_no_mdp_is_refused():
    stochastic = Table.from_arrays(np.full((2, 1, 2), 0.5), np.zeros((2, 1)), horizon=4)
    two_starts = Table.from_arrays([[0], [0]], np.zeros((2, 1)), initial=[0.5, 0.5], horizon=4)
    for table, cells, codes, message in (
        (stochastic, CELLS[:2], ".", "must be deterministic"),
        (two_starts, CELLS[:2], ".", "must have one start, but has 2"),
        (TABLE, CELLS[:2], ".", r"cells has shape \(2, 6\), but 3 states with boards of 2 × 3 need \(3, 6\)"),
        (TABLE, CELLS.astype(np.int64), ".", "array of uint8, not int64"),
        (TABLE, CELLS + np.uint8(2), ".#", "the code 2, but codes has 2 characters"),
    ):
        with pytest.raises(UsageError, match=message):
            Mdp(table, cells, (2, 3), codes)
