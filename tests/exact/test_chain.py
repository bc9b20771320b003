"""Random play that starts again, against powers of its matrix, its eigenvalues and its long run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_tables import mixed_tables, reachable, transitions

from mohs import Table
from mohs.exact.measures.chain import mixing_time, return_time

ONE = Table.from_arrays([[0, 0]], [[0.0, 1.0]], horizon=3)
# The first action ends the episode for a reward, the second waits.
LOTTERY = Table.from_arrays([[-1, 0]], [[1.0, 0.0]], horizon=3)
BANDIT = Table.from_arrays([[-1, -1]], [[1.0, 0.0]], horizon=3)


def chain_of(table):
    """Dense and plain: random play on the states it can come to, the ends as one, from which it starts again."""
    live = [s for s in reachable(table) if not table.terminal[s]]
    ends = [s for s in reachable(table) if table.terminal[s]]
    mean = transitions(table).mean(axis=1)
    matrix = np.array([[*mean[s, live], *([mean[s, ends].sum()] if ends else [])] for s in live])
    start = np.array([*table.initial[live], *([table.initial[ends].sum()] if ends else [])])
    return (np.vstack([matrix, start]) if ends else matrix), start


def long_run(matrix):
    """Where play from each state is after a trillion steps, each of which it waits with probability ½."""
    power = (matrix + np.eye(len(matrix))) / 2
    for _ in range(40):
        power = power @ power
        power /= power.sum(axis=1, keepdims=True)
    return power


@settings(max_examples=80)
@given(mixed_tables())
def test_mixing_step_by_step(table):
    matrix, _ = chain_of(table)
    limits = long_run(matrix)
    found = mixing_time(table)
    assert found.kind == "exact"
    if not np.allclose(limits, limits[0], atol=1e-6):  # where play ends up depends on where it began
        assert found.steps == math.inf
        return
    eigenvalues = np.linalg.eigvals(matrix)
    assert found.lazy == (np.sum(np.abs(np.abs(eigenvalues) - 1) < 1e-9) > 1)
    matrix = (matrix + np.eye(len(matrix))) / 2 if found.lazy else matrix
    power, steps = np.eye(len(matrix)), 0
    while np.abs(power - limits[0]).sum(axis=1).max() / 2 > 0.25 + 1e-9:
        power, steps = power @ matrix, steps + 1
    assert found.steps == steps


@settings(max_examples=40)
@given(st.integers(6, 12), st.integers(0, 1000))
def test_the_spectral_bound_is_one(states, seed):
    moves = np.random.default_rng(seed).integers(states, size=(states, 3))
    table = Table.from_arrays(moves, np.zeros((states, 3)))
    exact = mixing_time(table)
    assume(len(chain_of(table)[0]) > 3 and exact.steps < math.inf)
    bound = mixing_time(table, limit=1)
    assert bound.kind == "spectral"
    assert bound.lazy == exact.lazy
    assert 0 <= bound.steps <= exact.steps
    matrix, _ = chain_of(table)
    matrix = (matrix + np.eye(len(matrix))) / 2 if exact.lazy else matrix
    second = np.sort(np.abs(np.linalg.eigvals(matrix)))[-2]
    assume(second > 1e-3)
    assert bound.steps == pytest.approx(math.log(2) / -math.log(second), rel=1e-5)


def test_mixing_by_hand():
    assert mixing_time(ONE).steps == 0
    # One action of two stays: both states are as likely after a step.
    swap = Table.from_arrays([[0, 1], [1, 0]], np.zeros((2, 2)))
    assert (mixing_time(swap).steps, mixing_time(swap).lazy) == (1, False)
    # Start, end, start, end: the distance ½ of the lazy chain is 0 after one step.
    assert (mixing_time(BANDIT).steps, mixing_time(BANDIT).lazy) == (1, True)
    apart = Table.from_arrays([[0], [1]], np.zeros((2, 1)), initial=[0.5, 0.5])
    assert mixing_time(apart).steps == math.inf


def test_a_large_chain_is_measured_by_its_second_eigenvalue():
    """Random play stays, or goes left or right on a cycle of n: its second eigenvalue is (1 + 2 cos 2π/n) / 3."""
    n = 40
    states = np.arange(n)
    cycle = Table.from_arrays(np.stack([states, (states + 1) % n, (states - 1) % n], axis=1), np.zeros((n, 3)))
    second = (1 + 2 * math.cos(2 * math.pi / n)) / 3
    assert mixing_time(cycle, limit=10).steps == pytest.approx(math.log(2) / -math.log(second), rel=1e-6)
    assert return_time(cycle) == pytest.approx(n)


@settings(max_examples=80)
@given(mixed_tables())
def test_the_return_time_by_the_long_run(table):
    matrix, start = chain_of(table)
    away = start == 0
    stuck = [s for s in range(len(matrix)) if long_run(matrix)[s, ~away].sum() < 1e-9]
    found = return_time(table)
    if stuck:
        assert found == math.inf
        return
    inside = matrix[np.ix_(away, away)]
    steps, left, expected = 0, (start @ matrix)[away], 1.0
    while left.sum() > 1e-13 and steps < 100_000:
        expected, left, steps = expected + left.sum(), left @ inside, steps + 1
    assert found == pytest.approx(expected, rel=1e-6)
    if np.count_nonzero(start) == 1:
        assert found == pytest.approx(1 / long_run(matrix)[0, ~away].sum(), rel=1e-6)  # Kac


def test_the_return_time_by_hand():
    assert return_time(ONE) == 1
    assert return_time(BANDIT) == 2
    assert return_time(LOTTERY) == pytest.approx(1.5)
    assert return_time(Table.from_arrays([[0, 1], [1, 1]], np.zeros((2, 2)))) == math.inf
    # One start is never left, and the other for good.
    apart = Table.from_arrays([[0], [2], [2]], np.zeros((3, 1)), initial=[0.5, 0.5, 0.0])
    assert return_time(apart) == math.inf
    assert return_time(Table.from_arrays([[0, 1], [0, 2], [1, 2]], np.zeros((3, 2)))) == pytest.approx(3)


def test_the_return_time_of_many_states():
    """On a random walk that is as likely to go either way every state is equally likely in the long run."""
    rng, n = np.random.default_rng(0), 6000
    moves = np.stack(
        [p for order in [rng.permutation(n) for _ in range(2)] for p in (order, np.argsort(order))], axis=1
    )
    assert return_time(Table.from_arrays(moves, np.zeros(moves.shape))) == pytest.approx(n, rel=1e-6)
