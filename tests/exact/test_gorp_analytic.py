"""The analytic probabilities of GORP's choices against full enumeration and against runs that play every step."""

from __future__ import annotations

import numpy as np
import pytest
from gorp_reference import Chance, corridor, surprising
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from mohs import Table
from mohs.core.errors import UsageError
from mohs.exact.lookahead import gorp_analytic
from mohs.exact.lookahead.final_states import final_states
from mohs.exact.lookahead.gorp import gorp_horizon, success

CLOSE = 5e-4  # ties are integrated over a grid


@st.composite
def determined_by_final_states(draw):
    """Tables whose rewards are differences of a potential, except for the last reward of an episode."""
    states, actions = draw(st.integers(2, 6)), draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    moves = rng.integers(-1 if draw(st.booleans()) else 0, states, size=(states, actions))
    potential = np.append(rng.integers(-1, 3, size=states), 0)
    potential[0] = 0
    pays = np.where(moves < 0, rng.integers(-1, 3, size=moves.shape), 0)
    rewards = potential[moves] - potential[:states, None] + pays
    return Table.from_arrays(moves, rewards.astype(float), horizon=draw(st.integers(1, 5)))


def first_moves(table, chance, state, left):
    """By enumeration: the probability of every return or state that the first action leads to."""
    found = {}
    for action, share in enumerate(chance.choices(state, left)):
        after, reward = chance.step(state, action)
        place = ("end", reward) if table.terminal[after] else after
        found[place] = found.get(place, 0.0) + share
    return sorted(found.values())


@settings(max_examples=60, deadline=None)
@given(determined_by_final_states(), st.integers(1, 2), st.integers(1, 4))
def test_the_probabilities_of_a_choice_are_those_of_the_enumeration(table, k, m):
    prepared = gorp_analytic.prepare(table)
    enumerated = Chance(table, min(k, table.horizon), m)
    _, shares = gorp_analytic.choice(prepared, k, m, int(prepared.final.starts[0]), table.horizon)
    expected = first_moves(table, enumerated, 0, table.horizon)
    np.testing.assert_allclose(sorted(shares), expected, atol=CLOSE)


@settings(max_examples=15, deadline=None)
@given(determined_by_final_states(), st.integers(1, 2), st.sampled_from([1, 3]))
def test_runs_succeed_as_often_as_the_enumeration_says(table, k, m):
    k = min(k, table.horizon)
    found = success(table, k, m, 400, analytic=True)
    assert not surprising(found.successes, 400, float(np.clip(Chance(table, k, m).value, CLOSE, 1 - CLOSE)))
    assert found.simulated == 0


@pytest.mark.parametrize(("k", "m"), [(1, 40), (2, 8), (3, 100), (2, 1000)])
def test_analytic_runs_succeed_as_often_as_runs_that_play(k, m):
    """A way of six steps, at whose end 3 are paid; the first step back pays 1 and ends it."""
    moves = [[s + 1, -1, max(0, s - 1)] for s in range(5)] + [[-1, 0, 4]]
    rewards = [[0.0, float(s < 2), 0.0] for s in range(5)] + [[3.0, 0.0, 0.0]]
    table = Table.from_arrays(moves, rewards, horizon=9)
    played, drawn = success(table, k, m, 600), success(table, k, m, 4000, analytic=True)
    chance = np.clip(drawn.successes / drawn.runs, 1e-3, 1 - 1e-3)
    assert not surprising(played.successes, played.runs, float(chance))


def test_sums_of_many_returns_are_the_powers_of_their_distribution():
    rng = np.random.default_rng(0)
    each = rng.dirichlet(np.ones(4), size=5)
    returns, m = np.array([0, 1, 3, 7]), 33
    one = np.zeros((5, 8))
    one[:, returns] = each
    seen, above, atom = gorp_analytic._sums(each, returns, m)
    for i, row in enumerate(np.flatnonzero(seen)):
        sums = np.ones(1)
        for _ in range(m):
            sums = np.convolve(sums, one[row])
        tail = sums[-atom.shape[1] :]
        np.testing.assert_allclose(atom[i], tail, atol=1e-13)
        np.testing.assert_allclose(above[i], np.cumsum(tail[::-1])[::-1] - tail, atol=1e-13)


def test_so_many_episodes_decide_as_their_means_do():
    """One action ends with 1, the other with 2 in nearly half of the time: their means are .99 and 1."""
    each, returns = np.array([[0.0, 1.0, 0.0], [0.505, 0.0, 0.495]]), np.array([0, 1, 2])
    shares = []
    for m in (1, 100, 10**4, 10**6, 10**9, 2**40):
        seen, above, atom = gorp_analytic._sums(each, returns, m)
        shares.append(gorp_analytic._shares(np.eye(2)[:, seen], above, atom)[0])
    assert shares[0] == pytest.approx(0.505, abs=1e-6)
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(("chance", "m"), [(0.4, 5000), (1e-4, 20_000), (0.999, 3000)])
def test_sums_in_a_window_are_binomial(chance, m, monkeypatch):
    monkeypatch.setattr(gorp_analytic, "_CHUNK", 1)
    each = np.array([[1 - chance, chance]] * 3)
    _, above, atom = gorp_analytic._sums(each, np.array([0, 1]), m)
    assert atom.shape[1] < m
    sums = np.arange(atom.shape[1]) + int((m + 1) * chance) - int(np.argmax(atom[0]))
    for i in range(3):
        np.testing.assert_allclose(atom[i], binom.pmf(sums, m, chance), atol=1e-12)
        np.testing.assert_allclose(above[i], binom.sf(sums, m, chance), atol=1e-12)


def test_what_is_rare_counts_where_sequences_are_many():
    """Of 1e16 sequences one wins in the mean; the other move has none that can: a draw decides if none wins."""
    each, counts = np.array([[1.0, 1e-16], [1.0, 0.0]]), np.array([[1e16, 0.0], [0.0, 1e16]])
    _, above, atom = gorp_analytic._sums(each, np.array([0, 1]), 1)
    assert gorp_analytic._shares(counts, above, atom)[0] == pytest.approx(1 - np.exp(-1) / 2, abs=CLOSE)


def test_what_rounding_would_spoil_is_refused():
    table = Table.from_arrays([[0, 0, 0, -1]], [[0.0, 0.0, 0.0, 1.0]], horizon=400)
    prepared = gorp_analytic.prepare(table)
    assert gorp_analytic.most(prepared, 10) == int(1e13 / 4**10)
    assert (gorp_analytic.most(prepared, 30), gorp_analytic.most(prepared, 400)) == (1, 0)
    for k, m in ((10, 10**8), (30, 2), (400, 1)):
        with pytest.raises(UsageError, match="exact up to m"):
            success(table, k, m, 5, analytic=True)
    assert success(table, 30, 1, 5, analytic=True).successes == 5


def test_sums_that_do_not_fit_into_memory_are_refused():
    with pytest.raises(UsageError, match="too much memory"):
        gorp_analytic._sums(np.full((2, 2), 0.5), np.array([0, 2**14]), 2**34)


def test_returns_that_are_nearly_equal_are_one():
    table = Table.from_arrays([[-1, -1, -1, -1]], [[0.0, 0.9e-5, 1.8e-5, 1.0]], horizon=1)
    assert final_states(table).returns.tolist() == [0, 1]


def test_starts_are_drawn_and_may_be_terminal():
    """From two starts the right action is seen at once, and the third is terminal."""
    table = Table.from_arrays(
        [[3, 3], [3, 2], [0, 0], [0, 0]], [[1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]],
        terminal=[2, 3], initial=[0.25, 0.5, 0.25, 0.0], horizon=2,
    )  # fmt: skip
    sure = success(table, 1, 1, 200, analytic=True)
    assert sure.successes == 200
    poor = Table.from_arrays([[2, 1], [3, 1], [2, 1], [0, 0]], [[0.0, 0.0]] * 4, terminal=[3], horizon=2)
    assert success(poor, 1, 1, 50, analytic=True).successes == 50  # nothing can be lost


def test_ties_go_to_every_best_sequence_alike():
    """Seven sequences that surely earn the same, one of which begins with the first move."""
    counts, each = np.array([[1.0], [6.0]]), np.array([[1.0]])
    np.testing.assert_allclose(gorp_analytic._shares(counts, 0 * each, each), [1 / 7, 6 / 7], atol=1e-9)


def test_a_return_that_depends_on_the_path_is_refused():
    with pytest.raises(UsageError, match="depends on the path"):
        final_states(corridor(3))
    with pytest.raises(UsageError, match="depends on the path"):
        gorp_horizon(corridor(3), analytic=True)


def test_a_discount_is_refused():
    table = Table.from_arrays([[0, -1]], [[0.0, 1.0]], horizon=3)
    with pytest.raises(UsageError, match="undiscounted"):
        success(table, 1, 1, 5, discount=0.5, analytic=True)


@pytest.mark.parametrize("state", [3, 4])
def test_rewards_in_single_precision_are_the_same_returns(state):
    """Thirds that are rounded are still thirds."""
    rewards = np.array([[1 / 3, 0.0], [1 / 3, -1 / 3], [1 / 3, -2 / 3]])
    table = Table.from_arrays([[1, 0], [2, 0], [-1, 0]], rewards.astype(np.float32).astype(float), horizon=state)
    assert final_states(table).returns.tolist() == [0, 1, 2, 3]


def test_effective_horizon_far_beyond_what_can_be_played():
    """Twelve right steps in a row of twelve, one of four actions each: only looking all the way finds them."""
    moves = [[s + 1, -1, -1, -1] for s in range(11)] + [[-1, -1, -1, -1]]
    rewards = [[0.0, 0.0, 0.0, 0.0] for _ in range(11)] + [[1.0, 0.0, 0.0, 0.0]]
    table = Table.from_arrays(moves, rewards, horizon=12)
    found = gorp_horizon(table, budget=12**2 * 4**12, analytic=True)
    assert found.effective_horizon is not None
    assert 10 < found.effective_horizon <= 12
    assert gorp_horizon(table, budget=12**2 * 4**10, analytic=True).effective_horizon is None
