"""The picture of a task shows its states, what they are worth and where play can go."""

from __future__ import annotations

import itertools
import math
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_cards import NAMES, chain, grid

from mohs import Table
from mohs.exact.measures.distances import distances
from mohs.exact.values import solve
from mohs.exact.values.states import state_values
from mohs.protocols.card.figures.state_graph import HIGHEST, SPAN, StateGraph, layout, node_size
from mohs.protocols.card.figures.state_grid import StateGrid, grid_shape
from mohs.protocols.card.figures.state_layers import StateLayers
from mohs.protocols.card.figures.states import StatePicture, state_figure, state_picture
from mohs.tables.puzzles.tiles import tiles
from mohs.tables.transforms import sticky_actions

sys.path.append(str(Path(__file__).parents[2] / "exact"))
from small_tables import tables


def drawn(table: Table, horizon: int) -> StatePicture:
    return state_picture(table, state_values(table, horizon))


@given(st.integers(2, 4), st.integers(2, 4), st.integers(0, 99), st.integers(1, 4))
@settings(max_examples=25, deadline=None)
def test_a_grid_shows_the_value_and_every_optimal_action_of_each_cell(
    rows: int, columns: int, seed: int, horizon: int
) -> None:
    cells = np.random.default_rng(seed).permutation(np.arange(1, rows * columns)).tolist()
    table = grid(rows, columns, cells[0], tuple(cells[1:2]), horizon)
    picture = drawn(table, horizon)
    assert isinstance(picture, StateGrid)
    succ, reward = table.succ.reshape(-1, 4), table.reward.reshape(-1, 4)

    def best(cell: int, left: int) -> list[float]:
        """Of each action, by trying all ways to go on."""
        return [
            reward[cell, a] + (0 if left == 1 or table.terminal[succ[cell, a]] else max(best(succ[cell, a], left - 1)))
            for a in range(4)
        ]

    shown = {divmod(c, columns) for c in range(table.states) if picture.state.flat[c] >= 0}
    assert (0, 0) in shown
    for row, column in shown:
        cell = row * columns + column
        if table.terminal[cell]:
            assert math.isnan(picture.value[row, column])
            continue
        q = best(cell, horizon)
        assert picture.value[row, column] == max(q)
        optimal = {NAMES[a] for a in range(4) if q[a] == max(q)}
        assert {move for at, move in picture.moves if at == (row, column)} == optimal
    assert picture.starts == ((0, 0),)
    assert set(picture.paying_ends) <= {divmod(cells[0], columns)}
    assert set(picture.ends) <= {divmod(c, columns) for c in cells[:2]}
    assert {*picture.ends, *picture.paying_ends} == {at for at in shown if table.terminal[at[0] * columns + at[1]]}


def test_of_a_cell_with_several_states_one_that_goes_on_is_shown() -> None:
    # States 0 and 2 are in cell 0 (2 is further off), 1 and 3 in cell 1 (3 ends).
    table = Table.from_arrays(
        [[1, 1], [2, 3], [3, 3], [3, 3]], [[0, 0], [0, 5], [1, 1], [0, 0]], horizon=3, terminal=[3]
    )
    table = replace(table, renderer="grid 1 2", observation=np.array([0, 1, 0, 1], dtype=np.int32))
    picture = drawn(table, 3)
    assert isinstance(picture, StateGrid)
    assert picture.state.tolist() == [[0, 1]]
    assert picture.value.tolist() == [[5, 5]]
    assert picture.paying_ends == ((0, 1),)
    assert picture.hidden == 2
    assert picture.moves == (), "the actions have no names"


@pytest.mark.parametrize(
    ("renderer", "shape"),
    [("grid 2 3", (2, 3)), ("grid 9 9", (9, 9)), ("grid 2 2", None), ("grid 6", None), ("grid a b", None), ("", None)],
)
def test_a_grid_is_what_says_so_and_fits(renderer: str, shape: tuple[int, int] | None) -> None:
    assert grid_shape(replace(grid(2, 3, 5, (), 4), renderer=renderer)) == shape


def reachable(table: Table, horizon: int) -> dict[int, int]:
    """The distance of every state, by plain breadth-first search over the possible moves."""
    found = {int(s): 0 for s in np.flatnonzero(table.initial)}
    for depth in range(horizon):
        for source, target, _ in moves(table, [s for s, d in found.items() if d == depth]):
            assert source in found
            found.setdefault(target, depth + 1)
    return found


def moves(table: Table, states: list[int]) -> set[tuple[int, int, float]]:
    """(from, to, reward) of all entries of these states that can be taken."""
    found = set()
    for s in (s for s in states if not table.terminal[s]):
        for row in range(s * table.actions, (s + 1) * table.actions):
            for e in [row] if table.indptr is None else range(table.indptr[row], table.indptr[row + 1]):
                if table.prob is None or table.prob[e] > 0:
                    found.add((s, int(table.succ[e]), float(table.reward[e])))
    return found


@given(tables(), st.booleans())
@settings(max_examples=40, deadline=None)
def test_a_graph_has_the_moves_of_an_episode_and_what_they_pay(table: Table, noisy: bool) -> None:
    made_ = sticky_actions(table, 0.25) if noisy else table
    assert made_.horizon is not None
    picture = drawn(made_, made_.horizon)
    assert isinstance(picture, StateGraph)
    assert {n.state: n.distance for n in picture.nodes} == reachable(made_, made_.horizon)
    possible = [m for m in moves(made_, [n.state for n in picture.nodes]) if m[1] in {n.state for n in picture.nodes}]
    named = {(picture.nodes[e.source].state, picture.nodes[e.target].state): e.reward for e in picture.edges}
    assert set(named) == {m[:2] for m in possible}
    for ends, reward in named.items():
        assert abs(reward) == max(abs(m[2]) for m in possible if m[:2] == ends)
        assert reward in {m[2] for m in possible if m[:2] == ends} | {0.0}
    value = solve.values(made_, discount=1.0)
    assert all(n.value == value[n.state] for n in picture.nodes)


@given(st.integers(1, 60), st.integers(1, 4), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_nodes_of_a_graph_do_not_touch_and_layers_go_right(states: int, actions: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = Table.from_arrays(rng.integers(0, states, size=(states, actions)), np.zeros((states, actions)), horizon=99)
    picture = drawn(table, 99)
    assert isinstance(picture, StateGraph)
    places, height = layout(picture)
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + 1e9 * np.eye(len(places))
    assert node_size(places) < apart.min()
    assert (places[:, 0] >= 0).all()
    assert (places[:, 0] <= SPAN + 1e-9).all()
    assert (np.abs(places[:, 1]) <= height / 2).all()
    assert height <= HIGHEST
    counts = Counter(n.distance for n in picture.nodes)
    if len(places) <= 4 or max(counts.values()) <= len(places) / 2:
        for (a, b), (x, y) in zip(itertools.pairwise(picture.nodes), itertools.pairwise(places[:, 0]), strict=True):
            assert b.distance - a.distance in (0, 1)
            assert (y > x) == (b.distance > a.distance)


@given(st.integers(62, 150), st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_larger_tasks_are_counted_by_distance(states: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ahead = np.arange(states)[:, None] + rng.integers(-2, 4, size=(states, 3))
    moves_ = np.where(ahead >= states, -1, np.maximum(ahead, 0))
    moves_[:, 0] = np.append(np.arange(1, states), -1)
    table = Table.from_arrays(moves_, rng.integers(-1, 3, size=(states, 3)).astype(float), horizon=70)
    value, found = solve.values(table, discount=1.0), reachable(table, 70)
    picture = drawn(table, 70)
    if len(found) <= 60:
        assert isinstance(picture, StateGraph)
        return
    assert isinstance(picture, StateLayers)
    for d in range(len(picture.going)):
        here = [value[s] for s, depth in found.items() if depth == d and not table.terminal[s]]
        assert picture.going[d] == len(here)
        assert picture.ends[d] == sum(depth == d and bool(table.terminal[s]) for s, depth in found.items())
        if here:
            known = picture.least[d], picture.mean[d], picture.largest[d]
            assert known == pytest.approx((min(here), sum(here) / len(here), max(here)))
        else:
            assert math.isnan(picture.mean[d])


@pytest.mark.parametrize(
    ("table", "kind"),
    [(chain(2, 4), StateGraph), (chain(9, 12), StateGraph), (chain(60, 70), StateGraph), (chain(61, 70), StateLayers),
     (chain(200, 30), StateGraph), (chain(200, 210), StateLayers), (chain(5000, 5000), StateLayers)],
    ids=["2", "9", "60", "61", "200, 31 of them in time", "200", "5000"],
)  # fmt: skip
def test_the_picture_fits_the_number_of_states_that_an_episode_can_reach(table: Table, kind: type) -> None:
    assert table.horizon is not None
    picture = drawn(table, table.horizon)
    assert isinstance(picture, kind)
    assert len(state_figure(picture, table.horizon).data) > 0


def test_the_puzzle_of_181440_states_is_drawn_by_distance() -> None:
    table = tiles(distance=8)
    picture = drawn(table, 50)
    assert isinstance(picture, StateLayers)
    assert picture.going.sum() + picture.ends.sum() == 181_440
    assert picture.going.tolist() == (np.bincount(distances(table)) - picture.ends).tolist()
