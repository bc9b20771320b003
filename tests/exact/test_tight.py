"""The tight bound is a bound: envelopes hold exact distributions, and GORP fails no more often than it says."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import binom
from small_tables import BRIDGE, MDPS, tables

import mohs
from mohs import Table, UsageError
from mohs.exact.bounds import envelope_kernels, tight_kernels
from mohs.exact.bounds.simple import simple_bound
from mohs.exact.bounds.tight import _optima_after, failure, tight_bound
from mohs.exact.values.solve import returns, values

chances = st.floats(1e-4, 1 - 1e-4)
episodes = st.sampled_from([1, 2, 3, 7, 30, 200, 5000])


def leaf_of(gains, probabilities):
    """A leaf from the whole distribution of a return."""
    gains, probabilities = np.asarray(gains, dtype=float), np.asarray(probabilities)
    mean = probabilities @ gains
    leaf = np.zeros(envelope_kernels.COLUMNS)
    fourth = probabilities @ (gains - mean) ** 4
    envelope_kernels.set_leaf(
        leaf, mean, probabilities @ (gains - mean) ** 2, fourth, gains.max(), gains.min(), 0.0
    )  # fmt: skip
    return leaf


def mean_distribution(gains, probabilities, m):
    """Values and probabilities of the mean of m whole-numbered returns, by repeated convolution."""
    step = np.zeros(max(gains) - min(gains) + 1)
    for gain, p in zip(gains, probabilities, strict=True):
        step[gain - min(gains)] += p
    total = np.ones(1)
    for _ in range(m):
        total = np.convolve(total, step)
    return min(gains) + np.arange(len(total)) / m, total


@given(chances, episodes, st.floats(0, 1))
def test_tails_bound_the_exact_ones_and_improve_on_bernstein(p, m, share):
    """Of the mean of m returns that are 1 with probability p."""
    distance = share * (1 - p)
    variance = p * (1 - p)
    found = envelope_kernels.tail(m, 1 - p, variance, distance)
    assert found >= binom.sf(math.ceil(m * (p + distance) * (1 - 1e-12)) - 1, m, p) * (1 - 1e-9)
    assert found <= math.exp(-m * distance**2 / 2 / (variance + (1 - p) * distance / 3)) * (1 + 1e-12)
    assert found + math.exp(-16) >= envelope_kernels.tail(m + 1, 1 - p, variance, distance)  # below, Bernstein's only
    if found > 1e-6:
        u = (1 - p) * distance / variance
        bennett = math.exp(-m * variance / (1 - p) ** 2 * ((1 + u) * math.log1p(u) - u))
        assert found == pytest.approx(bennett, rel=0.1)


@given(chances, episodes, st.booleans())
def test_two_values_are_binomial(p, m, skip):
    leaf = leaf_of([-2, 3], [1 - p, p])
    envelope_kernels.start(leaf, float(m))
    numbers = np.arange(m + 1)[:: 3 if skip else 1]
    found = np.array([envelope_kernels.envelope(leaf, float(m), -2 + 5 * number / m, 1e-9) for number in numbers])
    assert found[:, 0] == pytest.approx(binom.cdf(numbers, m, p), abs=1e-11)
    assert found[:, 1] == pytest.approx(found[:, 0], abs=1e-11)


@given(
    st.lists(st.integers(-4, 6), min_size=2, max_size=4, unique=True),
    st.lists(st.floats(0.001, 1), min_size=4, max_size=4),
    st.sampled_from([1, 2, 5, 20, 60]),
)
def test_envelopes_hold_exact_distributions(gains, weights, m):
    probabilities = np.array(weights[: len(gains)]) / sum(weights[: len(gains)])
    points, total = mean_distribution(gains, probabilities, m)
    exact = np.cumsum(total)
    for general in (False, True):
        leaf = leaf_of(gains, probabilities)
        if general:
            leaf[envelope_kernels.KIND] = envelope_kernels.NORMAL
        envelope_kernels.start(leaf, float(m))
        bounds = np.array([envelope_kernels.envelope(leaf, float(m), x, 1e-9) for x in points])
        assert np.all(bounds[:, 0] <= exact + 1e-9)
        assert np.all(bounds[:, 1] >= exact - 1e-9)


def test_envelopes_close_in():
    """With many returns nothing but the Berry-Esseen error is left open."""
    leaf = leaf_of([0, 1, 2], [0.5, 0.3, 0.2])
    envelope_kernels.start(leaf, 1e10)
    for x in leaf[envelope_kernels.AVERAGE] + np.linspace(-3, 3, 7) * leaf[envelope_kernels.DEVIATION]:
        least, most = envelope_kernels.envelope(leaf, 1e10, x, 0.0)
        assert 0 < most - least < 2e-5


def expected_failure(groups, harm, m):
    """The kernel for leaves of each first action, given as (gains, probabilities)."""
    leaves = np.array([leaf_of(*leaf) for group in groups for leaf in group])
    ends, width = np.cumsum([len(group) for group in groups]), len(groups)
    leads, ranked, work = np.zeros(width, dtype=np.int64), np.zeros(width, dtype=np.int64), np.zeros((4, width))
    live, begin = np.ones(width, dtype=np.bool_), 0
    for action, end in enumerate(ends):
        leads[action] = begin + np.argmax(leaves[begin:end, envelope_kernels.AVERAGE])
        begin = end
    return tight_kernels.expected_failure(
        leaves, ends, live, leads, np.array(harm, dtype=float), float(m), 0.0, 1e-12, ranked, *work
    )  # fmt: skip


def outcomes(groups, m):
    """Every outcome of the best leaf of each first action, with its probability."""
    best = []
    for group in groups:
        points, total = mean_distribution(*group[0], m)
        cdf = np.cumsum(total)
        for leaf in group[1:]:
            other, more = mean_distribution(*leaf, m)
            assert np.array_equal(other, points)
            cdf = cdf * np.cumsum(more)
        best.append(list(zip(points, np.diff(cdf, prepend=0), strict=True)))
    for outcome in itertools.product(*best):
        yield [x for x, _ in outcome], math.prod(p for _, p in outcome)


@settings(max_examples=60)
@given(
    st.lists(st.lists(chances, min_size=1, max_size=2), min_size=2, max_size=4),
    st.lists(st.floats(0, 1), min_size=4, max_size=4),
    st.integers(1, 4),
)
def test_the_worst_of_tied_actions_is_taken(chances, harm, m):
    groups = [[([0, 1], [1 - p, p]) for p in group] for group in chances]
    harm = harm[: len(groups)]
    expected = sum(p * max(f for f, x in zip(harm, xs, strict=True) if x == max(xs)) for xs, p in outcomes(groups, m))
    assert expected_failure(groups, harm, m) == pytest.approx(expected, abs=1e-6)


@settings(max_examples=60)
@given(
    st.lists(chances, min_size=2, max_size=4),
    st.lists(st.floats(0, 1), min_size=4, max_size=4, unique=True),
    st.integers(1, 4),
)
def test_the_greedy_sum_solves_the_linear_program(chances, harm, m):
    """Over the nested sets of worst actions; in the box of single actions the largest sum is never smaller."""
    groups = [[([0, 1], [1 - p, p])] for p in chances]
    harm = np.array(harm[: len(groups)])
    worst_first = np.argsort(-harm)
    tops, alone, sole = np.zeros((3, len(groups)))
    for xs, p in outcomes(groups, m):
        tied = np.array(xs) == max(xs)
        tops += p * (np.cumsum(tied[worst_first]) > 0)
        alone += p * tied
        sole += p * (tied & (tied.sum() == 1))
    nested = np.tril(np.ones((len(groups), len(groups))))[:, np.argsort(worst_first)]
    every = np.ones((1, len(groups)))
    sets = linprog(-harm, A_ub=nested, b_ub=tops + 1e-12, A_eq=every, b_eq=[1.0])
    box = linprog(-harm, A_eq=every, b_eq=[1.0], bounds=list(zip(sole - 1e-12, alone + 1e-12, strict=True)))
    assert expected_failure(groups, harm, m) == pytest.approx(-sets.fun, abs=1e-6)
    assert -sets.fun <= -box.fun + 1e-6  # the tolerance of the solver


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.sampled_from([1, 4, 16, 64]))
def test_it_holds_for_any_returns(seed, m):
    """Against the exact probabilities of returns of three values."""
    rng = np.random.default_rng(seed)
    groups = [[([0, 1, 3], rng.dirichlet(np.ones(3)))] for _ in range(3)]
    harm = [1.0, 0.4, 0.0]
    cdfs = [np.cumsum(mean_distribution(*group[0], m)[1]) for group in groups]
    steps = [np.diff(cdf, prepend=0) for cdf in cdfs]
    worst = steps[0] @ (cdfs[1] * cdfs[2])
    two = np.diff(cdfs[0] * cdfs[1], prepend=0) @ cdfs[2]
    exact = 0.6 * worst + 0.4 * two
    found = expected_failure(groups, harm, m)
    assert exact - 1e-9 <= found <= 1
    if m == 64:
        assert found <= exact + 0.35


def play(table, k, m, runs, discount, pick, rng):
    """How often GORP finds an optimal policy: `runs` at once, each with its own episodes."""
    steps, width = table.horizon, table.actions
    state = rng.choice(table.states, runs, p=table.initial)
    best, gained = values(table, horizon=steps, discount=1.0)[state], np.zeros(runs)

    def move(state, action, gain, weight):
        live = ~table.terminal[state]
        row = state * width + action
        return np.where(live, table.succ[row], state), gain + np.where(live, weight * table.reward[row], 0.0)

    for t in range(steps):
        depth = min(k, steps - t)
        means = []
        for sequence in itertools.product(range(width), repeat=depth):
            at, gain = np.repeat(state[:, None], m, axis=1), np.zeros((runs, m))
            for step in range(steps - t):
                action = sequence[step] if step < depth else rng.integers(width, size=at.shape)
                at, gain = move(at, action, gain, discount**step)
            means.append(gain.mean(axis=1))
        tied = np.array(means) >= np.max(means, axis=0) - 1e-9
        chosen = pick(tied) // width ** (depth - 1)
        state, gained = move(state, chosen, gained, 1.0)
    return np.mean(gained >= best - 1e-4)


PICKS = {
    "first": lambda tied: np.argmax(tied, axis=0),
    "last": lambda tied: len(tied) - 1 - np.argmax(tied[::-1], axis=0),
}


@settings(max_examples=60)
@given(
    tables(), st.integers(1, 2), st.sampled_from([1, 3, 12]), st.sampled_from([1.0, 0.8]), st.sampled_from(list(PICKS))
)
def test_gorp_fails_no_more_often(table, k, m, discount, pick):
    k, runs = min(k, table.horizon), 300
    table = replace(table, initial=np.full(table.states, 1 / table.states))
    most = failure(table, k, m, discount=discount)
    if most < 1:
        success = play(table, k, m, runs, discount, PICKS[pick], np.random.default_rng(0))
        assert 1 - success <= most + 4.5 * math.sqrt(most * (1 - most) / runs) + 0.01


@settings(max_examples=30)
@given(tables(), st.sampled_from(list(PICKS)))
def test_with_m_episodes_gorp_succeeds_in_half_of_the_runs(table, pick):
    found = tight_bound(table, most=30)
    if found.m is not None and found.m <= 300:
        success = play(table, found.k, found.m, 150, 1.0, PICKS[pick], np.random.default_rng(0))
        assert success >= 0.5 - 4.5 * math.sqrt(0.25 / 150)
        assert found.effective_horizon == found.k + math.log(found.m, table.actions)
        assert found.charged == table.horizon**2 * table.actions**found.k * found.m
        assert failure(table, found.k, found.m) <= 0.5
        assert found.m == 1 or failure(table, found.k, math.floor(found.m / 1.011)) > 0.5
        assert dict(found.ks)[found.k] == found.m


@pytest.mark.parametrize("m", [1, 2, 5])
def test_an_exact_case(m):
    """The last step is seen without error, so that GORP fails if and only if the first goes wrong."""
    moves = [[1, 1, 2, 2], [-1] * 4, [-1] * 4]
    rewards = [[0, 0, -1, -1], [2, 2, 0, 0], [2, 2, 2, 0]]  # the other first actions win more often, but less
    groups = [[([0, 2], [0.5, 0.5])]] * 2 + [[([-1, 1], [0.25, 0.75])]] * 2
    exact = sum(p for xs, p in outcomes(groups, m) if max(xs[2:]) >= max(xs[:2]) - 1e-9)
    assert 0.1 < exact < 0.9
    assert failure(Table.from_arrays(moves, rewards, horizon=2), 1, m) == pytest.approx(exact, abs=1e-6)


def test_failure_falls_with_m():
    """Where random play singles out the optimal actions."""
    moves = [[1, 0], [2, 0], [3, 0], [-1, 0]]
    rewards = [[0, 0], [0, 0], [0, 0], [1, 0]]
    table = Table.from_arrays(moves, rewards, horizon=5)
    found = [failure(table, 1, m) for m in (1, 2, 5, 10, 20, 50, 100, 1000, 1e5, 1e10, 1e20)]
    assert all(later <= earlier + 1e-3 for earlier, later in itertools.pairwise(found))
    assert found[0] > 0.9
    assert found[-1] < 1e-3


@settings(max_examples=30)
@given(tables(), st.sampled_from([2, 9]))
def test_starts_count_by_their_probability(table, m):
    live = np.flatnonzero(~table.terminal)
    weights = np.zeros(table.states)
    weights[live] = np.arange(1.0, len(live) + 1)
    mixed = replace(table, initial=weights / weights.sum())
    alone = [failure(replace(table, initial=np.eye(table.states)[s]), 1, m) for s in live]
    assert failure(mixed, 1, m) == pytest.approx(mixed.initial[live] @ alone, abs=1e-12)


@pytest.mark.parametrize("steps", [1, 2, 3, 8, 9, 10])
def test_optima_are_found_again_forwards(steps):
    table = mohs.table("toy/discrete")
    found = [after.copy() for after in _optima_after(table, steps)]
    assert len(found) == steps
    for t, after in enumerate(found):
        assert np.array_equal(after, values(table, horizon=steps - 1 - t))


def test_where_random_play_misleads_there_is_no_bound():
    """Random play earns more with the bait; only looking to the end finds the way."""
    moves = [[1, 2, 1], [1, 1, 1], [3, 1, 1], [4, 1, 1], [1, 1, 1]]
    rewards = np.zeros((5, 3))
    rewards[0, 0], rewards[4, 0] = 1.0, 1.2
    table = Table.from_arrays(moves, rewards, horizon=4)
    assert returns(table).optimal == 1.2
    short, long = tight_bound(table, most=30), tight_bound(table)
    assert (short.effective_horizon, short.k, short.m) == (math.inf, None, None)
    assert [m for _, m in short.ks] == [math.inf, math.inf, math.inf]
    assert (long.effective_horizon, long.k, long.m) == (4, 4, 1)
    assert [m for _, m in long.ks] == [math.inf, math.inf, math.inf, 1]


@pytest.mark.skipif(not BRIDGE.is_dir(), reason="the BRIDGE files are not there (MOHS_BRIDGE_DIR names their folder)")
@pytest.mark.parametrize("name", MDPS)
def test_bridge(name):
    table = Table.load(BRIDGE / f"{name}.npz", horizon=MDPS[name][0])
    expected = json.loads((BRIDGE / f"{name}.consolidated_gorp_bounds.json").read_text())
    found = tight_bound(table)
    assert found.effective_horizon == pytest.approx(expected["effective_horizon"], rel=0.02)
    assert found.charged == pytest.approx(expected["sample_complexity"], rel=0.15)
    assert found.effective_horizon < simple_bound(table).effective_horizon


def test_what_it_is_not_for():
    with pytest.raises(UsageError, match="deterministic"):
        tight_bound(mohs.table("toy/discrete", transition_noise=0.1))
    with pytest.raises(UsageError, match="at least two actions"):
        tight_bound(Table.from_arrays([[0]], [[0.0]], horizon=2))
    with pytest.raises(UsageError, match="at least one step"):
        tight_bound(Table.from_arrays([[0, 0]], [[0.0, 1.0]]), horizon=0)
    with pytest.raises(UsageError, match="more than 1,048,576 sequences"):
        failure(Table.from_arrays([[0, 0]], [[0.0, 1.0]], horizon=30), 21, 1)
