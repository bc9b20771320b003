"""Returns with sticky actions, beside the table of all pairs of a state and the last action."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import tables

from mohs import Table
from mohs.core.errors import UsageError
from mohs.exact.values.solve import values
from mohs.exact.values.sticky import sticky_return
from mohs.tables.transforms import sticky_actions


@settings(max_examples=60, deadline=None)
@given(tables(), st.sampled_from([0.0, 0.25, 0.6, 1.0]), st.sampled_from(["best", "mean"]))
def test_the_return_is_that_of_the_table_of_pairs(table, probability, policy):
    pairs = sticky_actions(table, probability)
    expected = float(pairs.initial @ values(pairs, policy))
    assert sticky_return(table, probability, policy) == pytest.approx(expected, abs=1e-12)


def test_the_first_action_never_sticks():
    """Two right steps pay 1 each: the second is chosen again with what is left of ¼."""
    table = Table.from_arrays([[1, -1], [-1, -1]], [[1.0, 0.0], [0.0, 1.0]], horizon=2)
    assert sticky_return(table, 0.25) == 1.75


def test_bad_input_is_refused():
    table = Table.from_arrays([[0, 0]], [[0.0, 1.0]], horizon=2)
    with pytest.raises(UsageError, match="probability"):
        sticky_return(table, 1.5)
    with pytest.raises(UsageError, match="deterministic"):
        sticky_return(sticky_actions(table, 0.5), 0.5)
