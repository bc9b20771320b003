"""Every measure by hand on a tiny table, and by brute force or linear algebra on random ones."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_tables import episodes, mixed_tables, outcomes, reachable, transitions

import mohs
from mohs import Table, UsageError
from mohs.exact.lookahead.qvi import TIES
from mohs.exact.measures.chain import return_time
from mohs.exact.measures.table_measures import (
    AbsorbingShare,
    Gaps,
    absorbing_share,
    gaps,
    measures,
    reward_sparsity,
    transition_entropy,
    value_norm,
)
from mohs.tables.puzzles.tiles import boards

ONE = Table.from_arrays([[0, 0]], [[0.0, 1.0]], horizon=3)
# The first action ends the episode for a reward, the second waits.
LOTTERY = Table.from_arrays([[-1, 0]], [[1.0, 0.0]], horizon=3)
BANDIT = Table.from_arrays([[-1, -1]], [[1.0, 0.0]], horizon=3)


@settings(max_examples=60)
@given(mixed_tables())
def test_sparsity_by_all_episodes(table):
    steps = paying = waited = silent = 0.0
    for chance, episode in episodes(table):
        pays = [pay != 0 for _, _, pay, _ in episode]
        steps += chance * len(pays)
        paying += chance * sum(pays)
        waited += chance * (pays.index(True) + 1 if any(pays) else len(pays))
        silent += chance * (not any(pays))
    found = reward_sparsity(table)
    assert found.paying_steps == pytest.approx(paying / steps)
    assert found.silent_episodes == pytest.approx(silent, abs=1e-12)
    if paying == 0:
        assert found.steps_to_reward == math.inf
    else:
        assert found.steps_to_reward == pytest.approx(waited / (1 - silent))


def test_the_steps_to_the_first_reward_are_counted_over_episodes():
    """Monte Carlo, with a reward that most episodes end without."""
    table = Table.from_arrays([[1, -1, -1], [-1, -1, -1]], [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], horizon=5)
    rng, counts = np.random.default_rng(0), []
    for _ in range(20_000):
        steps, state, paid = 0, 0, False
        while not paid:
            row = state * 3 + rng.integers(3)
            paid, state, steps = table.reward[row] != 0, table.succ[row], steps + 1
            state = 0 if table.terminal[state] else state
        counts.append(steps)
    assert np.mean(counts) == pytest.approx(
        reward_sparsity(table).steps_to_reward, abs=4 * np.std(counts) / math.sqrt(len(counts))
    )
    # By hand: 4/3 steps an episode, of which one in nine pays.
    assert reward_sparsity(table).steps_to_reward == pytest.approx(12)


def test_sparsity_by_hand():
    found = reward_sparsity(LOTTERY)
    assert (found.paying_steps, found.silent_episodes) == pytest.approx((1 / 2, 1 / 8))
    assert found.steps_to_reward == pytest.approx(2)
    assert reward_sparsity(replace(ONE, reward=np.zeros(2))).steps_to_reward == math.inf


def optimal(table):
    """For every step, by a dictionary of states that play can be in: all Q*, and all pairs of chance and next value."""
    states = [{int(s) for s in np.flatnonzero(table.initial)}]
    for _ in range(table.horizon - 1):
        following = set()
        for state, action in itertools.product(states[-1], range(table.actions)):
            if not table.terminal[state]:
                following |= {after for after, _, _ in outcomes(table, state, action)}
        states.append(following)

    def value(state, t):
        return 0.0 if t == table.horizon or table.terminal[state] else max(q(state, a, t) for a in range(table.actions))

    def q(state, action, t):
        return sum(p * (pay + table.discount * value(after, t + 1)) for after, p, pay in outcomes(table, state, action))

    for t, state in [(t, s) for t, found in enumerate(states) for s in found if not table.terminal[s]]:
        yield (
            [q(state, a, t) for a in range(table.actions)],
            [[(p, value(z, t + 1)) for z, p, _ in outcomes(table, state, a)] for a in range(table.actions)],
        )


@settings(max_examples=60)
@given(mixed_tables(), st.sampled_from([1.0, 0.9]))
def test_gaps_and_the_value_norm_by_recursion(table, gamma):
    table = replace(table, discount=gamma)
    lost, deviation = [], 0.0
    for q, following in optimal(table):
        lost += [max(q) - x for x in q if max(q) - x > TIES]
        for after in following:
            chances, ahead = np.array(after).T
            deviation = max(deviation, math.sqrt(np.average((ahead - chances @ ahead) ** 2, weights=chances)))
    assert gaps(table).smallest == pytest.approx(min(lost, default=math.inf))
    assert gaps(table).reciprocals == pytest.approx(sum(1 / x for x in lost))
    assert value_norm(table) == pytest.approx(deviation, abs=1e-9)
    assert gaps(replace(table, discount=0.3), discount=gamma) == gaps(table)


@settings(max_examples=40)
@given(mixed_tables())
def test_endless_gaps_and_norm_by_policy_iteration(table):
    endless, gamma = replace(table, horizon=None, discount=0.8), 0.8
    moves, states = transitions(table), np.arange(table.states)
    pay = np.array(
        [
            [
                0.0 if table.terminal[s] else sum(p * r for _, p, r in outcomes(table, s, a))
                for a in range(table.actions)
            ]
            for s in states
        ]
    )
    best = np.full(table.states, -math.inf)
    for policy in itertools.product(range(table.actions), repeat=table.states):
        chain, gain = moves[states, list(policy)], pay[states, list(policy)]
        best = np.maximum(best, np.linalg.solve(np.eye(table.states) - gamma * chain, gain))
    live = [s for s in reachable(table) if not table.terminal[s]]
    q = (pay + gamma * moves @ best)[live]
    lost = (best[live, None] - q)[best[live, None] - q > TIES]
    assume(not np.any(np.abs(best[live, None] - q - TIES) < 1e-8))
    assert gaps(endless).smallest == pytest.approx(lost.min(initial=math.inf), rel=1e-6)
    assert gaps(endless).reciprocals == pytest.approx((1 / lost).sum(), rel=1e-6)
    variance = (moves @ best**2 - (moves @ best) ** 2)[live].max(initial=0.0)
    assert value_norm(endless) ** 2 == pytest.approx(variance, abs=1e-8)


def test_gaps_and_the_value_norm_by_hand():
    # Waiting costs nothing until the last step, where it costs the reward.
    assert gaps(LOTTERY) == Gaps(smallest=1.0, reciprocals=1.0)
    assert gaps(replace(LOTTERY, horizon=None, discount=0.5)) == Gaps(smallest=0.5, reciprocals=2.0)
    assert gaps(replace(ONE, reward=np.zeros(2))) == Gaps(smallest=math.inf, reciprocals=0.0)
    # A coin decides whether 4 is paid in the step that follows.
    coin = [[[0, 0.5, 0.5]], [[0, 1, 0]], [[0, 0, 1]]]
    assert value_norm(Table.from_arrays(coin, [[0.0], [4.0], [0.0]], horizon=2)) == pytest.approx(2)
    assert value_norm(Table.from_arrays(coin, [[0.0], [4.0], [0.0]], horizon=1)) == 0
    assert value_norm(LOTTERY) == 0


@settings(max_examples=60)
@given(mixed_tables())
def test_entropy_by_all_episodes(table):
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = -np.nansum(transitions(table) * np.log2(transitions(table)), axis=2)
    total = steps = largest = 0.0
    for chance, episode in episodes(table):
        for state, action, _, _ in episode:
            total, steps = total + chance * bits[state, action], steps + chance
            largest = max(largest, bits[state].max())
    found = transition_entropy(table)
    assert found.mean == pytest.approx(total / steps, abs=1e-12)
    assert found.largest == pytest.approx(largest, abs=1e-12)


def test_entropy_by_hand():
    fair = Table.from_arrays([[[0.5, 0.5], [1, 0]], [[0.25, 0.75], [0, 1]]], np.zeros((2, 2)), horizon=1)
    assert (transition_entropy(fair).mean, transition_entropy(fair).largest) == (0.5, 1)
    assert transition_entropy(LOTTERY).largest == 0
    noisy = mohs.table("toy/discrete", transition_noise=0.25)
    assert 0 < transition_entropy(noisy).mean <= transition_entropy(noisy).largest + 1e-12 <= math.log2(8)


@settings(max_examples=60)
@given(mixed_tables())
def test_absorption_by_all_episodes(table):
    moves = transitions(table)
    stuck = np.array([np.allclose(moves[s, :, s], 1) for s in range(table.states)])
    seen = {int(s) for s in np.flatnonzero(table.initial)}
    # A start that is terminal is where its episode, which has no step, ends.
    absorbed = table.initial[table.terminal].sum()
    for chance, episode in episodes(table):
        seen |= {after for _, _, _, after in episode}
        absorbed += chance * bool(episode and stuck[episode[-1][3]])
    found = absorbing_share(table)
    assert found.states == pytest.approx(np.mean([stuck[s] for s in seen]))
    assert found.probability == pytest.approx(absorbed, abs=1e-12)


def test_absorption_by_hand():
    assert absorbing_share(LOTTERY) == AbsorbingShare(states=1 / 2, probability=7 / 8)
    assert absorbing_share(ONE) == AbsorbingShare(states=1, probability=1)
    assert absorbing_share(Table.from_arrays([[0, 1], [0, 1]], np.zeros((2, 2)), horizon=4)) == AbsorbingShare(
        states=0, probability=0
    )


@settings(max_examples=40)
@given(mixed_tables())
def test_states_out_of_reach_do_not_count(table):
    """Two more states, with rewards and a way to all the others, that nothing leads to."""
    assume(table.deterministic)
    n, width = table.states, table.actions
    wider = Table(
        width,
        np.concatenate([table.succ, np.arange(2 * width) % n]).astype(np.int32),
        np.concatenate([table.reward, np.full(2 * width, 7.0)]),
        np.append(table.terminal, [False, True]),
        np.append(table.initial, [0.0, 0.0]),
        np.arange(n + 2, dtype=np.int32),
        horizon=table.horizon,
    )
    plain, other = measures(table), measures(wider)
    assert other.notes == plain.notes
    assert other.values == pytest.approx(plain.values, rel=1e-9)


def test_all_measures_of_a_task():
    found = measures(LOTTERY)
    assert None not in found.values.values()
    assert found.values["paying_steps"] == reward_sparsity(LOTTERY).paying_steps
    assert found.values["absorbed_episodes"] == 7 / 8
    assert (found.values["diameter"], found.values["eccentricity"]) == (math.inf, 1)
    assert found.values["return_time"] == return_time(LOTTERY)
    assert not found.notes
    assert measures(replace(LOTTERY, horizon=9), horizon=3) == found
    assert "periodic" in measures(BANDIT).notes["mixing_time"]
    with pytest.raises(UsageError, match="horizon is 0"):
        measures(LOTTERY, horizon=0)


def test_what_cannot_be_had_says_why():
    found = measures(replace(LOTTERY, horizon=None))
    assert found.values["paying_steps"] is None
    assert "horizon is needed" in found.notes["paying_steps"]
    assert "discount must be below 1" in found.notes["smallest_gap"]
    assert found.values["return_time"] == return_time(LOTTERY)
    assert {name for name, value in found.values.items() if value is None} == set(found.notes)


@pytest.mark.slow
def test_the_measures_of_many_states():
    """As many as the sliding tiles have: what is too costly is left out with a reason."""
    succ = boards(3, 3).succ
    tiles = Table.from_arrays(succ, (succ == 0).astype(float), terminal=[0], initial=len(succ) - 1, horizon=50)
    found = measures(tiles)
    missing = {name for name, value in found.values.items() if value is None}
    assert missing == {"tight_covering_length", "diameter", "largest_finite_distance"}
    assert missing <= set(found.notes)
    assert "a lower bound" in found.notes["mixing_time"]
    assert found.values["eccentricity"] == 31
