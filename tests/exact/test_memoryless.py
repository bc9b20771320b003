"""Is the best memoryless policy the best? All deterministic ones are tried, in plain Python, on many small tables."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import mixed_tables, outcomes

import mohs
from mohs import Table, ctgraph
from mohs.core.errors import UsageError
from mohs.exact.values.memoryless import MAX_CELLS, best_memoryless


@st.composite
def aliased(draw):
    """Small tables of every kind, in which some states look alike."""
    table = draw(mixed_tables())
    looks = draw(st.integers(1, table.states))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    observation = (10 + 3 * rng.integers(looks, size=table.states)).astype(np.int32)
    return replace(table, observation=observation, discount=draw(st.sampled_from([1.0, 0.7])))


def evaluated(table: Table, policy: dict[int, np.ndarray]) -> tuple[float, float]:
    """The expected return and length of a memoryless policy: probabilities of states, step by step."""
    mass, total, length = dict(enumerate(table.initial)), 0.0, 0.0
    for t in range(table.horizon):
        after = dict.fromkeys(range(table.states), 0.0)
        for state, chance in mass.items():
            if chance == 0 or table.terminal[state]:
                continue
            length += chance
            for action, share in enumerate(policy[int(table.observation[state])]):
                for following, p, reward in outcomes(table, state, action):
                    total += chance * share * p * reward * table.discount**t
                    after[following] += chance * share * p
        mass = after
    return total, length


def acting(table: Table) -> list[int]:
    return sorted({int(o) for o in table.observation[~table.terminal]})


def brute_force(table: Table) -> float:
    """The largest return of a deterministic memoryless policy."""
    seen, actions = acting(table), np.eye(table.actions)
    tried = itertools.product(range(table.actions), repeat=len(seen))
    return max(evaluated(table, dict(zip(seen, actions[list(each)], strict=True)))[0] for each in tried)


def full_information(table: Table) -> float:
    """The optimal return, by backward induction in plain Python."""
    value = np.zeros(table.states)
    for _ in range(table.horizon):
        value = np.array([
            0.0 if table.terminal[s] else max(
                sum(p * (r + table.discount * value[to]) for to, p, r in outcomes(table, s, a))
                for a in range(table.actions)
            )
            for s in range(table.states)
        ])  # fmt: skip
    return float(table.initial @ value)


@settings(max_examples=300, deadline=None)
@given(aliased())
def test_it_agrees_with_brute_force_over_all_deterministic_policies(table):
    best, found = brute_force(table), best_memoryless(table, randomised=False)
    assert found.value == pytest.approx(best, abs=1e-9)
    assert found.upper == pytest.approx(best, abs=1e-9)
    assert found.optimal == pytest.approx(full_information(table), abs=1e-9)
    assert not found.randomised


@settings(max_examples=150, deadline=None)
@given(aliased())
def test_the_policy_earns_what_it_is_said_to(table):
    for randomised in (False, True):
        found = best_memoryless(table, randomised=randomised)
        policy = dict(zip(found.observations.tolist(), found.policy, strict=True))
        value, length = evaluated(table, policy)
        assert acting(table) == found.observations.tolist()
        assert found.policy.sum(axis=1) == pytest.approx(1)
        assert (found.value, found.length) == (pytest.approx(value, abs=1e-9), pytest.approx(length, abs=1e-9))


@settings(max_examples=150, deadline=None)
@given(aliased(), st.sampled_from([0.0, 0.05, 0.5]), st.sampled_from([1, 30, 300, 10**6]))
def test_limits_of_work_and_tolerance_leave_a_valid_bracket(table, tolerance, work):
    best = brute_force(table)
    found = best_memoryless(table, tolerance=tolerance, work=work, randomised=False)
    assert found.value <= best + 1e-9
    assert best <= found.upper + 1e-9
    assert found.upper <= found.optimal + 1e-9
    if work == 10**6:  # enough for tables of this size
        assert best - found.value <= tolerance * abs(found.optimal) + 1e-9
        assert found.upper - found.value <= tolerance * abs(found.optimal) + 1e-9


@settings(max_examples=100, deadline=None)
@given(aliased())
def test_a_randomised_policy_never_earns_less(table):
    found, plain = best_memoryless(table), best_memoryless(table, randomised=False)
    assert plain.value - 1e-12 <= found.value <= found.upper <= max(found.optimal, found.value)
    assert found.value <= found.optimal + 1e-9


def two_doors(horizon: int) -> Table:
    """Two states that look alike; the right door of each pays 1 and leads to the other (Singh et al. 1994, figure 1).

    The wrong door costs 1 and stays. A deterministic policy is wrong in one of them for ever.
    """
    moves, pay = [[1, 0], [1, 0]], [[1.0, -1.0], [-1.0, 1.0]]
    table = Table.from_arrays(moves, pay, initial=[0.5, 0.5], horizon=horizon)
    return replace(table, observation=np.zeros(2, dtype=np.int32))


@pytest.mark.parametrize("horizon", [2, 10, 50])
def test_it_finds_a_randomised_policy_that_beats_every_deterministic_one(horizon):
    table = two_doors(horizon)
    found = best_memoryless(table)
    assert found.optimal == horizon
    assert brute_force(table) == pytest.approx(1 - horizon)  # half of the starts pay once, all else costs 1
    assert found.randomised
    assert found.policy == pytest.approx(np.array([[0.5, 0.5]]), abs=0.05)
    assert found.value == pytest.approx(0, abs=0.01 * horizon)  # each step pays 1 or costs 1, at even chances
    assert found.upper == pytest.approx(found.value)
    assert found.length == pytest.approx(horizon)


@pytest.mark.parametrize("goal", list(itertools.product([1, 2], repeat=3)))
@pytest.mark.parametrize("wait", [0.0, 0.5])
def test_it_agrees_with_the_formula_of_ct_graphs_whose_decisions_look_alike(goal, wait):
    ids = {"wait_ids": (1, 1), "decision_ids": (2, 2), "wait_probability": wait, "max_episode_steps": 200}
    table = mohs.table("ctgraph", depth=3, goal=goal, **ids)
    assert best_memoryless(table).value == pytest.approx(ctgraph.best_memoryless(goal), rel=1e-2)


@pytest.mark.parametrize("seed", range(3))
def test_it_agrees_with_brute_force_on_toys_with_sequences(seed):
    task = mohs.Task.make("toy/discrete", state_space_size=4, action_space_size=4, sequence_length=2, seed=seed)
    for turned in ({}, {"delay": 1}, {"transition_noise": 0.2}):
        table = mohs.table(task.replace(**turned, max_episode_steps=10))
        found = best_memoryless(table, randomised=False)
        assert found.value == found.upper == pytest.approx(brute_force(table))


def test_bad_input_is_refused():
    table = mohs.table("toy/grid", grid_shape=(3, 3))
    with pytest.raises(UsageError, match="tolerance"):
        best_memoryless(table, tolerance=-1)
    with pytest.raises(UsageError, match="work"):
        best_memoryless(table, work=0)
    with pytest.raises(UsageError, match="more than"):
        best_memoryless(table, horizon=MAX_CELLS)
