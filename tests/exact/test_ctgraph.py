"""The formulas of the CT-graph: against Table 2 as mended, the absorbing chain of the table, and random play."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import mohs
from mohs import Task, UsageError, ctgraph
from mohs.exact.measures.table_measures import observability
from mohs.exact.values.solve import values
from mohs.protocols.card.sentences import headline
from mohs.tables.table import Table
from mohs.tables.transforms import sticky_actions

KNOWN = {
    (2, 1, 0.0): 1 / 27, (2, 2, 0.0): 1 / 243, (2, 2, 0.5): 1 / 1125, (2, 3, 0.5): 1 / 16875, (2, 2, 0.9): 1 / 83349,
    (2, 4, 0.9): 1 / 330812181, (2, 5, 0.0): 1 / 177147, (3, 10, 0.9): 3.753371e-23,
}  # fmt: skip
# Branching, depth, p: P_R, P_E (two of them mended), ends, states.
TABLE_2 = [
    (2, 1, 0.0, 3.70e-2, 7.40e-2, 2, 8), (2, 2, 0.9, 1.20e-5, 4.80e-5, 4, 16), (3, 2, 0.9, 2.10e-6, 1.89e-5, 9, 28),
    (2, 4, 0.9, 3.02e-9, 4.84e-8, 16, 64), (3, 10, 0.9, 3.75e-23, 2.22e-18, 59049, 177148),
    (2, 16, 0.5, 3.04e-20, 2.00e-15, 65536, 262144),
]  # fmt: skip
GRID = list(product((2, 3), (1, 2, 3), (0.0, 0.5, 0.9)))


@pytest.mark.parametrize(("shape", "known"), KNOWN.items())
def test_probabilities_of_a_reward(shape, known):
    assert ctgraph.reward_probability(*shape) == pytest.approx(known, rel=2e-7)


@pytest.mark.parametrize(("b", "d", "p", "reward", "end", "ends", "states"), TABLE_2)
def test_table_2(b, d, p, reward, end, ends, states):
    assert ctgraph.reward_probability(b, d, p) == pytest.approx(reward, rel=5e-3)
    assert ctgraph.end_probability(b, d, p) == pytest.approx(end, rel=5e-3)
    assert ctgraph.navigation_probability(b, d, p) == 1 / ends
    assert ctgraph.num_ends(b, d) == ends
    assert ctgraph.num_states(b, d) == states
    assert ctgraph.optimal_search_episodes(b, d) == (ends + 1) / 2


def test_what_the_paper_says_of_its_configurations():
    assert ctgraph.expected_length(2, 2, 0.0) == 6
    assert ctgraph.expected_length(2, 3, 0.5) == 12
    assert ctgraph.expected_length(2, 2, 0.5) == 9
    assert ctgraph.expected_length(2, 2, 0.99) == pytest.approx(303)
    assert ctgraph.reward_probability(2, 2, 0.5) == pytest.approx(8.889e-4, rel=1e-4)
    assert (ctgraph.num_waits(2, 2), ctgraph.num_decisions(2, 2), ctgraph.num_ends(2, 2)) == (7, 3, 4)


@pytest.mark.parametrize(("b", "d", "p"), GRID)
def test_lengths_have_the_stated_distribution(b, d, p):
    lengths = np.arange(2 * (d + 1), 2 * (d + 1) + 4000)
    chances = np.array([ctgraph.length_probability(b, d, p, int(length)) for length in lengths[:600]])
    assert chances.sum() == pytest.approx(1, abs=1e-6)
    mean = chances @ lengths[:600]
    assert mean == pytest.approx(ctgraph.expected_length(b, d, p), rel=1e-5)
    variance = chances @ (lengths[:600] - mean) ** 2
    assert variance == pytest.approx(ctgraph.length_variance(b, d, p), rel=1e-3, abs=1e-9)
    assert ctgraph.length_probability(b, d, p, 2 * d + 1) == 0


@pytest.mark.parametrize(("b", "d", "p"), GRID)
def test_formulas_are_those_of_the_absorbing_chain(b, d, p):
    """Exact values of random play on the table, with rewards that count goals, ends and steps."""
    goal = mohs.table(Task.make("ctgraph", branching=b, depth=d, wait_probability=p))
    assert goal.initial @ values(goal, "mean") == pytest.approx(ctgraph.reward_probability(b, d, p), rel=1e-9)
    assert goal.initial @ values(goal, "best") == pytest.approx(1, abs=1e-9)
    steps = mohs.table(
        Task.make("ctgraph", branching=b, depth=d, wait_probability=p, high_r=1000.0, step_r=-1.0, fail_r=-1e6)
    )
    assert steps.initial @ values(steps, "best") == pytest.approx(1000 - ctgraph.expected_length(b, d, p), rel=1e-9)


@pytest.mark.parametrize(("b", "d", "p"), [shape for shape in GRID if ctgraph.reward_probability(*shape) >= 1e-4])
def test_random_play_earns_what_the_formulas_say(b, d, p):
    """Within five standard errors of a number of episodes that makes these small."""
    many = 20_000
    env = mohs.make_vec("ctgraph", num_envs=many, branching=b, depth=d, wait_probability=p, autoreset_mode="SameStep")
    env.reset(seed=7)
    rng = np.random.default_rng(1)
    episodes = rewarded = 0
    for _ in range(400):
        _, rewards, terminated, _, _ = env.step(rng.integers(0, b + 1, many))
        episodes += int(terminated.sum())
        rewarded += int(rewards.sum())
    chance = ctgraph.reward_probability(b, d, p)
    assert abs(rewarded / episodes - chance) < 5 * np.sqrt(chance / episodes)


def test_the_best_without_memory():
    assert ctgraph.best_memoryless((1, 1)) == 1
    assert ctgraph.best_memoryless((1, 2)) == 0.25
    assert ctgraph.best_memoryless((1, 2, 1)) == pytest.approx(4 / 27)
    assert ctgraph.best_memoryless((1, 2), unique_decisions=True) == 1


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: ctgraph.expected_length(1, 2, 0.0), "branching"),
        (lambda: ctgraph.expected_length(2, 0, 0.0), "depth"),
        (lambda: ctgraph.expected_length(2, 2, 1.0), r"\[0, 1\)"),
        (lambda: ctgraph.best_memoryless(()), "at least one"),
    ],
)
def test_impossible_graphs_are_refused(call, says):
    with pytest.raises(UsageError, match=says):
        call()


@pytest.mark.parametrize("p", [0.0, 0.3, 0.5])
def test_the_best_fixed_sequence_is_that_of_all_sequences(p):
    """All sequences of 7 actions at depth 1; the last of them wait in front of the end, as long as there are any."""
    exact = mohs.table(mohs.Task.make("ctgraph", depth=1, wait_probability=p, goal=(2,)))
    dense = np.zeros((exact.states, 3, exact.states))
    gain = np.zeros((exact.states, 3))
    for state in range(exact.states):
        for action in range(3):
            if exact.terminal[state]:
                dense[state, action, state] = 1
                continue
            row = state * 3 + action
            here = slice(row, row + 1) if exact.indptr is None else slice(*exact.indptr[row : row + 2])
            chance = np.ones(1) if exact.prob is None else exact.prob[here]
            np.add.at(dense[state, action], exact.succ[here], chance)
            gain[state, action] = (chance * exact.reward[here]).sum()
    best, length = 0.0, 7
    for actions in product(range(3), repeat=length):
        at, total = exact.initial.copy(), 0.0
        for action in actions:
            total += at @ gain[:, action]
            at = at @ dense[:, action]
        best = max(best, total)
    assert best == pytest.approx(ctgraph.best_open_loop(2, 1, p) * (1 - p ** (length - 3)))


def test_the_card_has_the_formulas_and_says_how_much_is_seen():
    found = mohs.card("CT-SU-B1", goal=[1, 2], runs=10)
    assert found.formulas["best_memoryless"] == 0.25
    assert any("without memory reaches the goal with probability 0.25 at best" in text for text in headline(found))
    assert found.formulas["reward_probability"] == pytest.approx(1 / 243)
    assert (found.measures["observations"], found.measures["most_alike"]) == (3, 7)  # home; 3 decisions; 7 waits
    assert found.random_return == pytest.approx(found.formulas["reward_probability"])
    seen = mohs.card("ctgraph", wait_probability=0.5, runs=10)
    assert seen.formulas["best_open_loop"] == 0.25
    assert seen.formulas["best_memoryless"] == 1
    assert not any("memory" in text for text in headline(seen))
    assert (seen.measures["most_alike"], seen.measures["most_of_one"]) == (1, 1)
    assert mohs.card("toy/discrete", delay=1, runs=10).formulas == {}


@pytest.mark.parametrize("name", ["CT-FO-B1", "CT-SU-B1", "CT-CO-B1", "CT-POSR-B1"])
def test_the_measures_of_what_is_seen_count_the_sets_of_observations(name, tmp_path):
    task = Task.make(name)
    env, seen = mohs.make(task), {}
    for seed in range(2000):
        number, info = env.reset(seed=seed)
        over, rng = False, np.random.default_rng(seed)
        while not over:
            seen.setdefault(info["state"], set()).add(int(number))
            number, _, over, _, info = env.step(int(rng.integers(1, 3)) if info["kind"] == "decision" else 0)
    found = observability(mohs.table(task))
    assert found.observations == len(set().union(*seen.values()))
    assert found.most_of_one == max(map(len, seen.values()))
    mohs.table(task).save(tmp_path / "graph.npz")
    assert observability(Table.load(tmp_path / "graph.npz")) == found
    assert observability(sticky_actions(mohs.table(task), 0.5)).observations == found.observations


@pytest.mark.parametrize("p", [0.0, 0.5])
@pytest.mark.parametrize("swapped", [None, (1, 1, 2)])
def test_policies_are_worth_what_the_formulas_say(p, swapped):
    task = Task.make("ctgraph", branching=3, depth=2, goal=(1, 1), wait_probability=p, swapped=swapped)
    exact, shape = mohs.table(task), (3, 2, p)
    worth = {
        ctgraph.random_policy: ctgraph.reward_probability(*shape),
        ctgraph.navigation_policy: ctgraph.navigation_probability(*shape),
        ctgraph.optimal_policy: 1.0,
    }
    for policy, chance in worth.items():
        chances = policy(task)
        np.testing.assert_allclose(chances.sum(1), 1)
        assert exact.initial @ values(exact, chances) == pytest.approx(chance)
