"""Ties in Qᵏ are decided exactly: look-ahead and the simple bound against plain fractions, however rare success is."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import BRIDGE, MDPS

import mohs
from mohs import Table, UsageError
from mohs.exact.bounds.simple import simple_bound
from mohs.exact.bounds.stochastic import stochastic_horizon
from mohs.exact.lookahead import qvi
from mohs.exact.lookahead.qvi import TIES, epw, greedy, min_k
from mohs.tables.challenge.catalogue import catalogue_entry
from mohs.tables.transforms import sticky_actions


def lock(states, actions=4, reward=1.0, fee=0.0):
    """One action of each state leads on, the others back to the start; only the last step pays."""
    moves = np.zeros((states, actions), dtype=int)
    rewards = np.full((states, actions), -fee)
    for state in range(states):
        moves[state, state % actions] = state + 1 if state + 1 < states else -1
    rewards[-1, (states - 1) % actions] += reward
    return Table.from_arrays(moves, rewards, horizon=states)


class Exactly:
    """A table in fractions, with its values at every step by plain loops."""

    def __init__(self, table, discount=Fraction(1)):
        self.table, self.steps, self.discount = table, table.horizon, discount
        self.width, self.states = range(table.actions), range(table.states)
        self.zero = [Fraction(0)] * table.states
        self.best = self.backward(max)

    def entries(self, s, a):
        """(probability, reward, next state) of what can happen."""
        row = s * self.table.actions + a
        if self.table.deterministic:
            return [(Fraction(1), Fraction(self.table.reward[row]), int(self.table.succ[row]))]
        span = range(self.table.indptr[row], self.table.indptr[row + 1])
        found = [(self.table.prob[e], self.table.reward[e], int(self.table.succ[e])) for e in span]
        return [(Fraction(p), Fraction(r), n) for p, r, n in found if p > 0]

    def q(self, s, a, after, discount):
        if self.table.terminal[s]:
            return Fraction(0)
        return sum(p * (r + discount * after[n]) for p, r, n in self.entries(s, a))

    def backward(self, rule, discount=Fraction(1)):
        """[t][s] for t = 0 .. T."""
        found = [self.zero]
        for _ in range(self.steps):
            found.insert(0, [rule([self.q(s, a, found[0], discount) for a in self.width]) for s in self.states])
        return found

    def q_k(self, k, base="random"):
        """[t][s][a], look-ahead of k steps."""
        mean = {"random": lambda row: sum(row) / len(row), "nothing": lambda row: Fraction(0)}[base]
        after = self.backward(mean, self.discount)[1:]
        for _ in range(k):
            q = [
                [[self.q(s, a, after[t], self.discount) for a in self.width] for s in self.states]
                for t in range(self.steps)
            ]
            after = [[max(row) for row in q[t]] for t in range(1, self.steps)] + [self.zero]
        return q

    def greedy(self, k, base="random"):
        """From each start: the worst return of a greedy policy, and whether one takes a sub-optimal action."""
        q, earned, fails = self.q_k(k, base), self.zero, [False] * self.table.states
        for t in reversed(range(self.steps)):
            now_earned, now_fails = [], []
            for s in self.states:
                tied = [a for a in self.width if q[t][s][a] == max(q[t][s])]
                over = bool(self.table.terminal[s])
                poor = [self.q(s, a, self.best[t + 1], Fraction(1)) < self.best[t][s] - Fraction(TIES) for a in tied]
                lost = [not over and any(fails[n] for _, _, n in self.entries(s, a)) for a in tied]
                now_earned.append(min(self.q(s, a, earned, Fraction(1)) for a in tied))
                now_fails.append(any(poor) or any(lost))
            earned, fails = now_earned, now_fails
        return earned, fails

    def expected(self, k, base="random"):
        """What `greedy` must say of k: the return, and whether all is optimal by actions and by the return."""
        earned, fails = self.greedy(k, base)
        starts = np.flatnonzero(self.table.initial).tolist()
        worst = sum(self.table.initial[s] * float(earned[s]) for s in starts)
        by_return = all(earned[s] >= self.best[0][s] - Fraction(TIES) for s in starts)
        return worst, {"actions": not any(fails[s] for s in starts), "return": by_return}


def compare(table, base="random"):
    exactly = Exactly(table)
    found = {criterion: greedy(table, base=base, criterion=criterion) for criterion in qvi.CRITERIA}
    for k in range(1, table.horizon + 1):
        worst, optimal = exactly.expected(k, base)
        for criterion, answer in found.items():
            assert answer.returns[k - 1] == pytest.approx(worst, rel=1e-9, abs=1e-9)
            assert answer.optimal[k - 1] == optimal[criterion]


@st.composite
def rare(draw):
    """Small tables with long chains: random play nearly always falls back, and rewards of both signs cancel."""
    states, actions = draw(st.integers(3, 6)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    moves = np.zeros((states, actions), dtype=int)
    rewards = rng.choice([0.0, 0.0, 0.0, 1.0, -1.0, 3.0], size=(states, actions))
    for state in range(states):
        moves[state] = rng.integers(0, state + 1, size=actions)
        moves[state, rng.integers(actions)] = min(state + 1, states - 1) if rng.random() < 0.9 else -1
    rewards[-1, rng.integers(actions)] += draw(st.sampled_from([2.0, 2.0**-20, 1e6]))
    return Table.from_arrays(moves, rewards, horizon=draw(st.integers(4, 8)))


@settings(max_examples=30, deadline=None)
@given(rare(), st.sampled_from(["random", "nothing"]))
def test_look_ahead_in_deterministic_tables_is_that_of_fractions(table, base):
    compare(table, base)


@st.composite
def slim(draw):
    """Small stochastic tables: sticky ones, and ones where an action nearly always has no effect."""
    table = draw(rare())
    table = replace(table, horizon=draw(st.integers(2, 5)))
    if draw(st.booleans()):
        return sticky_actions(table, 0.25)
    chance = draw(st.sampled_from([0.5, 2.0**-12, 2.0**-45]))
    moves = np.zeros((table.states, table.actions, table.states))
    for row, to in enumerate(table.succ):
        moves[row // table.actions, row % table.actions, to] += chance
        moves[row // table.actions, row % table.actions, row // table.actions] += 1 - chance
    rewards = table.reward.reshape(table.states, table.actions)
    return Table.from_arrays(moves, rewards, terminal=np.flatnonzero(table.terminal), horizon=table.horizon)


@settings(max_examples=30, deadline=None)
@given(slim(), st.sampled_from(["random", "nothing"]))
def test_look_ahead_in_stochastic_tables_is_that_of_fractions(table, base):
    compare(table, base)


@settings(max_examples=25, deadline=None)
@given(rare(), st.sampled_from([Fraction(1, 2), Fraction(9, 10), Fraction(99, 100)]))
def test_look_ahead_with_a_discount_is_that_of_fractions(table, discount):
    table = replace(table, horizon=min(table.horizon, 6))
    exactly, found = Exactly(table, discount), greedy(table, discount=float(discount))
    for k in range(1, table.horizon + 1):
        worst, optimal = exactly.expected(k)
        assert found.returns[k - 1] == pytest.approx(worst, rel=1e-9, abs=1e-9)
        assert found.optimal[k - 1] == optimal["actions"]


@pytest.mark.parametrize("states", [2, 5, 24, 25, 30, 64, 100, 200])
def test_a_combination_lock_needs_one_step_whatever_its_length(states):
    table = lock(states)
    assert min_k(table) == 1
    assert greedy(table, 1).returns == [1.0]
    assert min_k(table, discount=0.99) == 1
    assert epw(table) == states
    assert min_k(lock(states, reward=1e-3, fee=1e-4 / states), tolerance=1e-9) == 1


def test_a_lock_with_rewards_that_cancel():
    """The way on is worth 4⁻³⁰ more in sums of whole numbers: less than their last digit as floating-point numbers."""
    table = lock(30)
    rewards = table.reward.reshape(-1, 4).copy()
    rewards[0] += 3.0
    rewards[1] -= 3.0
    for shown in (table, replace(table, reward=rewards.ravel()), replace(table, reward=table.reward - 1.0)):
        worst, optimal = Exactly(shown).expected(1)
        found = greedy(shown, 1)
        assert (found.returns[0], found.optimal[0]) == (pytest.approx(worst), optimal["actions"])


def exact_m(table, k):
    """16 v / gap² ln(2 T Aᵏ) in fractions, over the states that the bound counts."""
    exactly = Exactly(table)
    worst, q = exactly.backward(min), exactly.q_k(k)
    mean = exactly.backward(lambda row: sum(row) / len(row))
    one = Fraction(1)

    def spread(t, s):
        if table.terminal[s] or t >= table.horizon:
            return Fraction(0)
        leads = [exactly.entries(s, a)[0][2] for a in exactly.width]
        return max((mean[t + 1][n] - worst[t + 1][n]) * (exactly.best[t + 1][n] - worst[t + 1][n]) for n in leads)

    @cache
    def backed(t, s, left):
        if left == 0 or table.terminal[s] or t >= table.horizon:
            return spread(t, s)
        return max(backed(t + 1, exactly.entries(s, a)[0][2], left - 1) for a in exactly.width)

    reached, most = {int(s) for s in np.flatnonzero(table.initial)}, Fraction(0)
    for t in range(table.horizon):
        following = set()
        for s in (s for s in reached if not table.terminal[s]):
            value = [exactly.q(s, a, exactly.best[t + 1], one) for a in exactly.width]
            good = [a for a in exactly.width if value[a] >= max(value) - Fraction(TIES)]
            others = [q[t][s][a] for a in exactly.width if a not in good]
            if others:
                gap = max(q[t][s][a] for a in good) - max(others)
                if gap <= 0:
                    return math.inf
                most = max(most, 16 * backed(t, s, k - 1) / gap**2)
            following |= {exactly.entries(s, a)[0][2] for a in exactly.width if not others or q[t][s][a] > max(others)}
        reached = following
    return max(1, math.ceil(float(most) * math.log(2 * table.horizon * table.actions**k)))


@settings(max_examples=30, deadline=None)
@given(rare())
def test_the_simple_bound_is_that_of_fractions(table):
    table = replace(table, horizon=min(table.horizon, 6))
    found = simple_bound(table)
    for k, m in enumerate(found.ms, start=1):
        expected = exact_m(table, k)
        # m has the square of a gap between values near 1: one of 1e-6 is known to ten digits in double precision
        assert m == expected or m == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("states", [10, 24, 30])
def test_the_simple_bound_of_a_lock(states):
    table = lock(states)
    found = simple_bound(table)
    assert found.ms[0] == pytest.approx(exact_m(table, 1), rel=1e-9)


def test_the_smallest_gap_of_a_lock():
    found = stochastic_horizon(lock(40))
    assert found.solvable[0]
    assert found.gaps[0] == pytest.approx(4.0**-39, rel=1e-9)


def test_which_loss_a_rare_state_makes_optimal_actions_fail():
    """Sticky CliffWalking: with k = 11 the start loses less than 1e-4, but a state that can be reached loses more."""
    table = sticky_actions(mohs.Table.from_gymnasium("CliffWalking-v1"), 0.25)
    assert min_k(table, horizon=30) == min_k(table, horizon=30, criterion="actions") == 14
    assert min_k(table, horizon=30, criterion="return") == 11
    with pytest.raises(UsageError, match="criterion"):
        min_k(table, horizon=30, criterion="states")


def test_what_is_too_large_for_integers_counts_as_tied(monkeypatch):
    """Ties that only integers can tell are then counted against the policy, so that "optimal" stays true."""
    table = sticky_actions(lock(6, actions=2, fee=0.1), 0.3)
    exact = greedy(table)
    monkeypatch.setattr(qvi, "MAX_ENTRIES", 0)
    tied = greedy(table)
    assert np.all(tied.returns <= exact.returns + 1e-12)
    assert np.all(exact.optimal >= tied.optimal)


def test_min_k_of_a_level_where_success_is_rare():
    assert min_k(mohs.table("sokoban-14")) == catalogue_entry("sokoban-14").min_k == 49


@pytest.mark.skipif(not BRIDGE.is_dir(), reason="the BRIDGE files are not there (MOHS_BRIDGE_DIR names their folder)")
@pytest.mark.parametrize("name", MDPS)
def test_bridge_is_in_keys(name):
    table = Table.load(BRIDGE / f"{name}.npz", horizon=MDPS[name][0])
    assert qvi.ranks.units(table, table.horizon, 1.0) is not None


@pytest.mark.slow
def test_the_simple_bound_of_a_grid_with_lava():
    """24.405 was computed independently."""
    pytest.importorskip("minigrid")
    table = Table.from_gymnasium("MiniGrid-LavaCrossingS9N1-v0", horizon=60, clock="step_count")
    assert simple_bound(table).effective_horizon == pytest.approx(24.405, abs=5e-4)
