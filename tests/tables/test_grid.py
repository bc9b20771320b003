"""Is the grid, as a table, what its words say? Against plain walks, shortest paths, formulas and brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mohs
from mohs import Task, UsageError
from mohs.exact.values.solve import returns
from mohs.tables.toys.grid import action_names, coordinates, moves, numbers

SHAPES = st.lists(st.integers(1, 5), min_size=1, max_size=4).map(tuple).filter(lambda shape: np.prod(shape) > 1)
LAWS = settings(max_examples=60, deadline=None)


def cell_of(table, task, state):
    return tuple(coordinates(task["grid_shape"])[table.observation[state]].tolist())


def entries(table, state, action):
    """(successor, reward, probability) of a row."""
    row = state * table.actions + action
    if table.deterministic:
        return [(int(table.succ[row]), float(table.reward[row]), 1.0)]
    span = range(table.indptr[row], table.indptr[row + 1])
    return [(int(table.succ[e]), float(table.reward[e]), float(table.prob[e])) for e in span]


def walk(cell, action, shape):
    """One move in plain words."""
    dimension, forth = divmod(action, 2)
    moved = list(cell)
    moved[dimension] += 1 if forth else -1
    return tuple(moved) if 0 <= moved[dimension] < shape[dimension] else tuple(cell)


@st.composite
def tasks(draw, largest=3, **fixed):
    shape = draw(st.lists(st.integers(1, largest), min_size=1, max_size=2).map(tuple).filter(lambda s: np.prod(s) > 1))
    cells = list(itertools.product(*(range(size) for size in shape)))
    target = draw(st.sampled_from(cells))
    rest = [cell for cell in cells if cell != target]
    start = draw(st.sampled_from(rest))
    ends = draw(st.sets(st.sampled_from(rest))) - {start}
    params = {
        "grid_shape": shape,
        "target_point": target,
        "terminal_states": sorted(ends),
        "start_point": draw(st.sampled_from([None, start])),
        "make_denser": draw(st.booleans()),
        "delay": draw(st.integers(0, 2)),
        "delay_at_end": draw(st.sampled_from(["drop", "terminated"])),
        "reward_scale": draw(st.sampled_from([1.0, -2.0])),
        "reward_shift": draw(st.sampled_from([0.0, 0.25])),
        "term_state_reward": draw(st.sampled_from([0.0, -1.5])),
        "transition_noise": draw(st.sampled_from([0.0, 0.3])),
        "max_episode_steps": draw(st.integers(1, 5)),
    }
    return Task.make("toy/grid", **{**params, **fixed})


def test_cells_are_numbered_as_a_page_is_read():
    assert coordinates((3, 2)).tolist() == [[0, 1], [1, 1], [2, 1], [0, 0], [1, 0], [2, 0]]
    assert coordinates((2, 1, 2)).tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1]]


@LAWS
@given(SHAPES)
def test_numbers_and_coordinates_are_inverse(shape):
    points = coordinates(shape)
    assert len({tuple(p) for p in points.tolist()}) == np.prod(shape)
    assert numbers(points, shape).tolist() == list(range(len(points)))


@LAWS
@given(SHAPES)
def test_moves_are_plain_walks(shape):
    points = coordinates(shape).tolist()
    led = moves(shape)
    assert led.shape == (len(points), 2 * len(shape))
    for number, action in itertools.product(range(len(points)), range(2 * len(shape))):
        assert tuple(points[led[number, action]]) == walk(points[number], action, shape)


def test_names_agree_with_the_picture():
    """Reading order makes `left` the cell before and `up` the row before."""
    shape = (4, 3)
    led, names = moves(shape), action_names(2)
    middle = numbers([(1, 1)], shape)[0]
    assert {name: int(led[middle, a] - middle) for a, name in enumerate(names)} == {
        "left": -1, "right": 1, "down": 4, "up": -4,
    }  # fmt: skip
    assert len(set(action_names(3))) == 6
    assert mohs.table("toy/grid", grid_shape=shape).renderer == "grid 3 4"


@LAWS
@given(tasks(largest=5), st.integers(1, 12))
def test_the_sparse_optimum_is_the_share_of_starts_that_reach_the_target_in_time(task, horizon):
    """Shortest paths by breadth-first search around the cells that end the episode."""
    plain = {name: task[name] for name in ("grid_shape", "target_point", "terminal_states")}
    shape, target = plain["grid_shape"], plain["target_point"] or tuple(n - 1 for n in plain["grid_shape"])
    away = steps_from(target, shape, set(plain["terminal_states"]))
    cells = itertools.product(*(range(size) for size in shape))
    starts = [cell for cell in cells if cell != target and cell not in plain["terminal_states"]]
    reached = np.mean([away.get(cell, np.inf) <= horizon for cell in starts])
    table = mohs.table("toy/grid", max_episode_steps=horizon, **plain)
    assert returns(table).optimal == pytest.approx(reached)
    if not plain["terminal_states"]:  # the distance covered, then: it telescopes
        dense = mohs.table("toy/grid", make_denser=True, max_episode_steps=horizon, **plain)
        covered = np.mean([min(sum(abs(a - b) for a, b in zip(c, target, strict=True)), horizon) for c in starts])
        assert returns(dense).optimal == pytest.approx(covered)


def steps_from(target, shape, closed):
    """Of every cell that a walk from the target reaches, the length of the shortest one: walks can be turned round."""
    away, queue = {target: 0}, [target]
    for cell in queue:
        for action in range(2 * len(shape)):
            after = walk(cell, action, shape)
            if after not in away and after not in closed:
                away[after] = away[cell] + 1
                queue.append(after)
    return away


def test_optima_of_the_plain_grid():
    """1; the mean distance to the corner (448 over 63 cells: 64 · 7 in all); and what delay leaves of them."""
    assert returns(mohs.table("toy/grid")).optimal == pytest.approx(1)
    assert returns(mohs.table("toy/grid", make_denser=True)).optimal == pytest.approx(448 / 63)
    assert returns(mohs.table("toy/grid", delay=4)).optimal == pytest.approx(1)
    assert returns(mohs.table("toy/grid", delay=4, delay_at_end="drop")).optimal == pytest.approx(0)
    corner = {"start_point": (0, 0), "max_episode_steps": 14}
    assert returns(mohs.table("toy/grid", **corner)).optimal == 1
    assert returns(mohs.table("toy/grid", **{**corner, "max_episode_steps": 13})).optimal == 0
    assert returns(mohs.table("toy/grid", reward_shift=-1, **corner)).optimal == -13


@LAWS
@given(tasks(delay=0))
def test_every_row_of_the_table_is_that_of_plain_words(task):
    """Noise included: with probability p one of the other actions is taken, each alike."""
    table, shape, p = mohs.table(task), task["grid_shape"], task["transition_noise"]
    target = task["target_point"] or tuple(n - 1 for n in shape)
    ends = {*task["terminal_states"], target}
    gap = lambda cell: sum(abs(a - b) for a, b in zip(cell, target, strict=True))  # noqa: E731
    checked = 0
    for state in range(table.states):
        cell = cell_of(table, task, state)
        assert table.terminal[state] == (cell in ends)
        for action in range(table.actions if cell not in ends else 0):
            expected = {}
            for taken in range(table.actions):
                chance = 1 - p if taken == action else p / (table.actions - 1)
                after = walk(cell, taken, shape)
                pay = gap(cell) - gap(after) if task["make_denser"] else float(after == target)
                pay = pay * task["reward_scale"] + task["reward_shift"]
                pay += task["term_state_reward"] * task["reward_scale"] * (after in ends)
                if chance > 0:
                    expected[after, pay] = expected.get((after, pay), 0) + chance
            found = {}
            for after, pay, chance in entries(table, state, action):
                key = cell_of(table, task, after), pay
                found[key] = found.get(key, 0) + chance
            assert found == pytest.approx(expected)
            checked += 1
    assert checked > 0


@LAWS
@given(tasks(transition_noise=0.0))
def test_exact_returns_are_those_of_all_action_sequences(task):
    """Brute force in the environment, from every start."""
    table = mohs.table(task)
    totals = np.zeros(3)
    starts = np.flatnonzero(table.initial)
    for start in starts:
        env = mohs.make(task, start_point=cell_of(table, task, start))
        plays = itertools.product(range(table.actions), repeat=task["max_episode_steps"])
        gains = [played(env, actions) for actions in plays]
        totals += table.initial[start] * np.array([max(gains), np.mean(gains), min(gains)])
    exact = returns(table)
    assert (exact.optimal, exact.random, exact.worst) == pytest.approx(tuple(totals), abs=1e-9)


def played(env, actions):
    env.reset(seed=0)
    total = 0.0
    for action in actions:
        _, reward, terminated, _, _ = env.step(action)
        total += reward
        if terminated:
            break
    return total


@pytest.mark.parametrize("noise", [0.1, 0.75, 1.0])
def test_noise_on_actions_leaves_the_random_policy(noise):
    """Another action than a uniformly random one is uniformly random."""
    brief = {"make_denser": True, "max_episode_steps": 14}
    one, two = (returns(mohs.table("toy/grid", transition_noise=p, **brief)) for p in (0.0, noise))
    assert two.random == pytest.approx(one.random)
    assert two.optimal < one.optimal - 1e-3


def test_noise_of_three_quarters_of_four_actions_leaves_nothing_to_choose():
    """Then every action is taken as often as every other, whichever is chosen."""
    blind = returns(mohs.table("toy/grid", transition_noise=0.75))
    assert blind.optimal == pytest.approx(blind.worst)


@LAWS
@given(tasks())
def test_the_second_grid_is_lumped_away(task):
    one, two = mohs.table(task), mohs.table(task, irrelevant_features=True)
    assert np.array_equal(one.succ, two.succ)
    assert np.array_equal(one.reward, two.reward)


def test_one_task_has_one_name():
    plain = Task.make("toy/grid")
    assert Task.make("toy/grid", target_point=(7, 7), terminal_states=[(7, 7)], grid_shape=[8, 8]) == plain
    some = Task.make("toy/grid", terminal_states=[(2, 1), (0, 3), (2, 1)])
    assert some == Task.make("toy/grid", terminal_states=np.array([(0, 3), (2, 1)]))
    assert Task.from_json(some.to_json()) == some
    assert some.key == Task.from_json(some.to_json()).key


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"grid_shape": (1, 1)}, "at least two cells"),
        ({"grid_shape": ()}, "at least two cells"),
        ({"grid_shape": (3000, 3000)}, "transitions"),
        ({"grid_shape": (0, 3)}, "grid_shape"),
        ({"target_point": (8, 0)}, "from 0 to 7"),
        ({"target_point": (1,)}, "2 coordinates"),
        ({"terminal_states": [(1, 1, 1)]}, "2 coordinates"),
        ({"terminal_states": [(-1, 1)]}, "terminal_states"),
        ({"start_point": (7, 7)}, "ends the episode"),
        ({"start_point": (1, 1), "terminal_states": [(1, 1)]}, "ends the episode"),
        ({"grid_shape": (2,), "terminal_states": [(0,)]}, "left to start from"),
        ({"reward_scale": 1e300, "term_state_reward": 1e300}, "finite"),
        ({"grid_shap": (2, 2)}, "Did you mean 'grid_shape'"),
        ({"transition_noise": 1.5}, "transition_noise"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_contradictions_are_told(params, words):
    with pytest.raises(UsageError, match=words):
        Task.make("toy/grid", **params)


def test_a_delay_too_long_for_a_table_is_told():
    with pytest.raises(UsageError, match="lower delay"):
        mohs.table("toy/grid", make_denser=True, delay=30, limit=10_000)
