"""Are a task's parts those that its dials ask for, and does each dial turn only what it names?"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mohs import Task, UsageError
from mohs.tables.toys import automaton
from mohs.tables.toys.toy import Toy, floor_share, toy


def parts(seed: int = 0, **params: Any) -> Toy:
    return toy(Task.make("toy/discrete", seed=seed, **params))


def sequences(of: Toy) -> set[tuple[int, ...]]:
    return {tuple(sequence) for sequence in of.sequences.tolist()}


def test_number_of_sequences() -> None:
    made = parts(diameter=3, sequence_length=5, reward_density=0.01)
    assert len(made.sequences) == int(0.01 * 6 * 6 * 6 * 5 * 5) * 3
    assert len(sequences(made)) == len(made.sequences)


@pytest.mark.parametrize(("share", "count", "expected"), [(0.29, 100, 29), (1 / 6, 6, 1), (0.7, 10, 7), (0.25, 7, 1)])
def test_floors_are_exact_in_decimals(share: float, count: int, expected: int) -> None:
    assert floor_share(share, count) == expected


def test_a_density_of_one_in_six_gives_one_sequence() -> None:
    assert len(parts(reward_density=1 / 6).sequences) == 1
    with pytest.raises(UsageError, match="none rewardable"):
        parts(reward_density=0.1)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    actions=st.sampled_from([3, 4, 8]), diameter=st.integers(1, 3), length=st.integers(1, 4),
    density=st.sampled_from([0.1, 0.25, 0.5, 1.0]), terminal=st.sampled_from([0.0, 0.25, 0.5]), seed=st.integers(0, 99),
)  # fmt: skip
def test_generated_parts(actions: int, diameter: int, length: int, density: float, terminal: float, seed: int) -> None:
    try:
        made = parts(
            seed, action_space_size=actions, diameter=diameter, sequence_length=length, reward_density=density,
            terminal_state_density=terminal,
        )  # fmt: skip
    except UsageError as error:
        assert "none rewardable" in str(error)  # noqa: PT017
        return
    states = actions * diameter
    assert made.succ is not None
    for state, following in enumerate(made.succ):  # a permutation of the next set
        first = (state // actions + 1) * actions % states
        assert sorted(following) == list(range(first, first + actions))
    assert made.terminal.reshape(diameter, actions).sum(axis=1).tolist() == [int(terminal * actions)] * diameter
    assert np.array_equal(made.initial > 0, ~made.terminal)
    counts = np.zeros(diameter, dtype=int)
    for sequence in made.sequences.tolist():
        assert len(set(sequence)) == length
        assert not made.terminal[sequence].any()
        assert all(b in made.succ[a] for a, b in pairwise(sequence))
        counts[sequence[0] // actions] += 1
    assert np.ptp(counts) <= 1
    least = density == 0.25 and made.possible_sequences > 0  # the default density gives one sequence at least
    assert len(made.sequences) == max(floor_share(density, made.possible_sequences), int(least))
    assert made.density == len(made.sequences) / made.possible_sequences


OTHER_DIALS: list[dict[str, Any]] = [
    {"delay": 5}, {"transition_noise": 0.3}, {"reward_noise": 2.0}, {"reward_scale": 3.0}, {"reward_shift": 1.0},
    {"term_state_reward": -1.0}, {"make_denser": True}, {"reward_every_n_steps": False}, {"max_episode_steps": 7},
    {"irrelevant_features": True}, {"delay_at_end": "terminated"},
]  # fmt: skip


@pytest.mark.parametrize("dial", OTHER_DIALS, ids=lambda dial: next(iter(dial)))
def test_dials_of_play_change_no_part(dial: dict[str, Any]) -> None:
    base = {"sequence_length": 3, "diameter": 2}
    one, two = parts(3, **base), parts(3, **base, **dial)
    for name in ("succ", "terminal", "initial", "sequences", "sequence_rewards"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name


def test_sequences_leave_the_dynamics_and_terminals() -> None:
    one = parts(4)
    for dial in ({"sequence_length": 4}, {"reward_density": 0.9}, {"reward_dist": (0.1, 3.0)}):
        two = parts(4, **dial)
        for name in ("succ", "terminal", "initial"):
            assert np.array_equal(getattr(one, name), getattr(two, name)), name
    assert np.array_equal(one.sequences, parts(4, reward_dist=(0.1, 3.0)).sequences)


def test_densities_are_nested() -> None:
    for length, diameter in ((1, 1), (3, 1), (2, 3)):
        densities = (0.2, 0.3, 0.45, 0.8, 1.0)
        made = [parts(1, sequence_length=length, diameter=diameter, reward_density=d) for d in densities]
        for sparse, dense in pairwise(made):
            assert sequences(sparse) <= sequences(dense)
    terminal = [parts(1, terminal_state_density=d, reward_density=1.0).terminal for d in (0.0, 0.25, 0.5, 0.75)]
    for few, many in pairwise(terminal):
        assert few.sum() < many.sum()
        assert many[few].all()


def test_terminals_leave_the_dynamics() -> None:
    assert np.array_equal(parts(2).succ, parts(2, terminal_state_density=0.5).succ)


def test_seeds_differ_in_every_part() -> None:
    one, two = parts(0, sequence_length=3), parts(1, sequence_length=3)
    assert not np.array_equal(one.succ, two.succ)
    assert not np.array_equal(one.terminal, two.terminal)
    assert sequences(one) != sequences(two)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(1, 4), st.integers(2, 4), st.integers(0, 999))
def test_the_automaton_finds_what_a_search_finds(length: int, states: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    known = np.unique(rng.integers(states, size=(rng.integers(1, 8), length)), axis=0)
    rewards = rng.integers(1, 9, size=len(known)).astype(float)
    machine = automaton.build(known, rewards, states)
    node, path = 0, []
    for state in rng.integers(states, size=200).tolist():
        node = machine.step[node, state]
        path.append(state)
        full = [r for s, r in zip(known.tolist(), rewards, strict=True) if path[-length:] == s]
        assert machine.full[node] == max(full, default=0)
        partial = 0.0
        for i in range(1, length):
            shared = [r for s, r in zip(known.tolist(), rewards, strict=True) if len(path) >= i and path[-i:] == s[:i]]
            partial += i / length * max(shared, default=0)
        assert machine.partial[node] == pytest.approx(partial, abs=1e-12)
