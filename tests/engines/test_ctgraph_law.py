"""The engine of the CT-graph beside the tree of objects, its table, and what the paper says of it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from ctgraph_reference import payoff, places, tree

import mohs
from mohs import Task, TaskSet, UsageError
from mohs.tables.ctgraph.graph import graph, leaf, path, payoffs

SHAPES = [(2, 1), (2, 3), (3, 2), (4, 1), (5, 2)]


@pytest.mark.parametrize(("branching", "depth"), SHAPES)
@pytest.mark.parametrize("reward", ["needle", "gradient", "linear"])
@pytest.mark.parametrize("p", [0.0, 0.4])
def test_every_step_is_that_of_the_tree(branching, depth, reward, p):
    rng = np.random.default_rng(branching + depth)
    goal = tuple(int(a) for a in rng.integers(1, branching + 1, depth))
    env = mohs.make(
        "ctgraph", branching=branching, depth=depth, goal=goal, reward=reward, wait_probability=p, high_r=3.0,
        fail_r=-1.0, step_r=0.25,
    )  # fmt: skip
    stayed = ended = 0
    for episode in range(200):
        env.reset(seed=episode)
        place, over = tree(branching, depth), False
        while not over:
            good = 0 if place.kind == "wait" else int(rng.integers(1, branching + 1))
            action = good if rng.random() < 0.95 else int(rng.integers(branching + 1))
            waits = place.kind == "wait" and action == 0
            _, reward_got, over, _, info = env.step(action)
            if waits and info["kind"] == "wait":
                stayed += 1
                expected = 0.0
            else:
                place = place.leads[action]
                expected = 3.0 * payoff(place, goal, branching, reward) - (place.kind == "fail")
            assert info["kind"] == place.kind
            assert reward_got == pytest.approx(expected + 0.25)
            assert over == (place.kind in ("end", "fail"))
            ended += place.kind == "end"
    assert ended > 50
    assert (stayed > 0) == (p > 0)


@pytest.mark.parametrize(("branching", "depth"), [(b, d) for b in range(2, 6) for d in range(1, 6)])
def test_every_state_is_seen_as_itself(branching, depth):
    """Where the authors' code is not injective: b ≥ 3."""
    table = mohs.table(Task.make("ctgraph", branching=branching, depth=depth))
    assert len(set(table.observation.tolist())) == table.states == mohs.ctgraph.num_states(branching, depth)
    if branching**depth < 700:
        assert table.states == len(places(tree(branching, depth)))


@pytest.mark.parametrize(("p", "reward"), [(0.0, "gradient"), (0.3, "gradient"), (0.0, "linear")])
def test_the_table_is_what_the_engine_does(p, reward):
    task = Task.make(
        "ctgraph",
        branching=3,
        depth=2,
        wait_probability=p,
        fail_r=-1.0,
        step_r=0.1,
        reward=reward,
        swapped=(1, 1, 3),
    )
    table = mohs.table(task)
    many = 3000
    env = mohs.make_vec(task, num_envs=many, history=True, autoreset_mode="SameStep")
    _, info = env.reset(seed=0)
    rng = np.random.default_rng(0)
    counts = np.zeros((table.states * table.actions, table.states))
    for _ in range(60):
        before = info["state"]
        good = np.where(before % 2 == 1, rng.integers(1, 4, many), 0)
        actions = np.where(rng.random(many) < 0.8, good, rng.integers(0, 4, many))
        seen, rewards, terminated, _, info = env.step(actions)
        after = np.where(terminated, -1, info["state"])
        if terminated.any():
            after[terminated] = [int(one) for one in info["final_obs"][terminated]]
        np.testing.assert_array_equal(seen, info["state"])
        rows = before * table.actions + actions
        np.add.at(counts, (rows, after), 1)
        first = rows if table.indptr is None else table.indptr[rows]
        last = first + 1 if table.indptr is None else table.indptr[rows + 1]
        for row_first, row_last, to, paid in zip(first, last, after, rewards, strict=True):
            entries = list(table.succ[row_first:row_last])
            assert to in entries
            assert paid == pytest.approx(table.reward[row_first + entries.index(to)])
    if p:
        waiting = counts[2 * table.actions]
        assert waiting[2] / waiting.sum() == pytest.approx(p, abs=0.03)


def test_seeds_repeat_everything_and_fleets_agree_with_single_graphs():
    task = Task.make("CT-CO-B1", wait_probability=0.5, reward_noise=0.1)
    env = mohs.make_vec(task, num_envs=8, autoreset_mode="SameStep")
    rng = np.random.default_rng(0)
    actions = rng.choice(3, p=[0.7, 0.15, 0.15], size=(50, 8))

    def played():
        steps = [env.reset(seed=list(range(8)))[0]]
        rewards = []
        for chosen in actions:
            seen, reward, *_ = env.step(chosen)
            steps.append(seen)
            rewards.append(reward)
        return np.array(steps), np.array(rewards)

    first, paid = played()
    again, paid_again = played()
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(paid, paid_again)
    for i in range(8):
        single = mohs.make(task)
        seen, _ = single.reset(seed=i)
        for t, chosen in enumerate(actions[:, i]):
            assert seen == first[t, i]
            seen, reward, terminated, _, _ = single.step(int(chosen))
            assert reward == paid[t, i]
            if terminated:
                seen, _ = single.reset()


def test_sets_of_observations_are_drawn_anew_at_every_step():
    task = Task.make("ctgraph", wait_probability=0.9, wait_ids=(10, 14), decision_ids=(3, 4))
    parts = graph(task)
    env = mohs.make_vec(task, num_envs=500, history=True)
    seen, info = env.reset(seed=0)
    waits, decisions = [], []
    for _ in range(40):
        state = info["state"]
        good = np.where(state % 2 == 1, 1, 0)
        waits.extend(seen[(state >= 2) & (state % 2 == 0)])
        decisions.extend(seen[(state % 2 == 1) & (state > 2) & ((state - 2) // 2 < parts.decisions)])
        seen, _, _, _, info = env.step(good)
    shares = np.bincount(waits, minlength=15)[10:] / len(waits)
    assert set(waits) == set(range(10, 15))
    np.testing.assert_allclose(shares, 0.2, atol=0.02)
    assert set(decisions) == {3, 4}


def test_goals_are_set_at_reset_and_given_back():
    env = mohs.make("ctgraph", goal=(1, 1))
    ways = {(2, 1): 1.0, (1, 1): 0.0}

    def reached(decisions):
        reward = 0.0
        for action in (0, 0, decisions[0], 0, decisions[1], 0):
            _, reward, *_ = env.step(action)
        return reward

    for way, paid in ways.items():
        _, info = env.reset(seed=0, options={"goal": (2, 1)})
        assert info["goal"] == (2, 1)
        assert reached(way) == paid
    _, info = env.reset()
    assert info["goal"] == (2, 1)  # until told otherwise
    _, info = env.reset(options={"goal": None})
    assert info["goal"] == (1, 1)
    assert reached((1, 1)) == 1.0


def test_goals_that_change_are_drawn_from_all_ends():
    env = mohs.make_vec("ctgraph", num_envs=200, goal_every=2, depth=2, history=True, autoreset_mode="SameStep")
    goals = [env.reset(seed=1)[1]["goal"]]
    for _ in range(11):
        for _ in range(2):
            info = env.step(np.ones(200, dtype=np.int64))[4]  # fails in the first wait state
        goals.append(info["goal"])
    episodes = np.array(goals)
    assert (episodes[0::2] == episodes[1::2]).all()
    changed = (episodes[2::2] != episodes[1:-1:2]).mean()
    assert changed == pytest.approx(0.75, abs=0.06)
    assert set(episodes.ravel().tolist()) == {0, 1, 2, 3}


def test_leaves_and_paths_are_inverse_and_payoffs_are_those_of_the_paper():
    for branching, depth in SHAPES:
        for decisions in product(range(1, branching + 1), repeat=depth):
            assert path(leaf(decisions, branching), branching, depth) == decisions
        goal = tuple(range(1, depth + 1)) if depth <= branching else (1,) * depth
        task = Task.make("ctgraph", branching=branching, depth=depth, goal=goal, reward="gradient")
        found = payoffs(graph(task))
        assert found.max() == 1
        assert found.min() >= 0
        assert found[leaf(goal, branching)] == 1


def test_the_goal_of_a_deeper_graph_lies_behind_that_of_a_shallower_one():
    goals = [mohs.make("ctgraph", depth=d, seed=3).reset(seed=0)[1]["goal"] for d in (2, 3, 5)]
    assert goals[1][:2] == goals[0]
    assert goals[2][:3] == goals[1]
    drawn = {mohs.make("ctgraph", depth=2, seed=s).reset(seed=0)[1]["goal"] for s in range(40)}
    assert len(drawn) == 4


def test_a_set_of_graphs_is_played_one_for_each_episode():
    tasks = [Task.make("ctgraph", goal=goal) for goal in ((1, 1), (2, 2))]
    env = mohs.make(TaskSet.make(tasks))
    assert {env.reset(seed=s)[1]["goal"] for s in range(20)} == {(1, 1), (2, 2)}


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"goal": (1, 3)}, "2 decisions, each from 1 to 2"),
        ({"goal": (1,)}, "2 decisions"),
        ({"wait_probability": 1.0}, "must be below"),
        ({"wait_ids": (5, 3)}, "must not be above its last"),
        ({"wait_ids": (2, 5), "decision_ids": (4, 6)}, "must not overlap"),
        ({"num_observations": 5}, "shows 16"),
        ({"depth": 23, "branching": 3}, "at most 16,777,216"),
        ({"swapped": (9, 1, 2)}, "a decision node from 0 to 2"),
        ({"goal": (1, 1), "goal_every": 3}, "contradict"),
        ({"depht": 3}, "depth"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(params, says):
    with pytest.raises(UsageError, match=says):
        Task.make("ctgraph", **params)


def test_goals_of_other_graphs_are_refused_at_reset():
    with pytest.raises(UsageError, match="2 decisions, each from 1 to 2"):
        mohs.make("ctgraph").reset(options={"goal": (1, 2, 1)})
