"""A table refuses arrays that are not an MDP."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import mohs
from mohs import UsageError


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"succ": np.array([0, 99] * 36, dtype=np.int32)}, "succ must name states"),
        ({"succ": np.zeros(3, dtype=np.int32)}, "succ has shape"),
        ({"reward": np.full(72, np.nan)}, "finite"),
        ({"initial": np.zeros(9)}, "sum to 1"),
        ({"indptr": np.zeros(73, dtype=np.int64)}, "both"),
        ({"prob": np.zeros(72), "indptr": np.arange(73)}, "sum to 1"),
        ({"prob": np.zeros(72), "indptr": np.arange(3)}, "73 non-decreasing offsets"),
        ({"actions": 0}, "at least one"),
    ],
)
def test_bad_tables(change, message):
    table = mohs.table("toy/discrete")
    assert (table.states, table.actions) == (9, 8)
    with pytest.raises(UsageError, match=message):
        dataclasses.replace(table, **change)
