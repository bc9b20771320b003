"""The figures of a card show what the card and exact computation say."""

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
from small_cards import made, the_lake, the_pole

from mohs import Table
from mohs.exact.bounds.simple import simple_bound
from mohs.exact.values.returns import Law, ReturnLaws, ReturnSample
from mohs.protocols.card.figures.greedy import (
    LookAhead,
    LookAheads,
    look_ahead_figure,
    look_aheads,
    vertical_range,
)
from mohs.protocols.card.figures.horizon_scatter import _shared, free_places, scatter, scatter_figure
from mohs.protocols.card.figures.horizons import horizons, horizons_figure
from mohs.protocols.card.figures.returns import BINS, DEEPEST, gathered, returns_figure
from mohs.protocols.card.record import Card, Length
from mohs.report.numbers import written
from read_pages import html, texts

sys.path.append(str(Path(__file__).parents[2] / "exact"))
from small_tables import tables


@pytest.fixture(scope="module")
def lake() -> Card:
    return the_lake()


@pytest.fixture(scope="module")
def sampled() -> Card:
    return the_pole()


def test_look_ahead_draws_the_cards_returns(lake: Card) -> None:
    data = look_aheads(lake)
    assert data is not None
    assert data.sticky is not None
    figure = look_ahead_figure(data)
    assert lake.sticky is not None
    drawn = [tuple(t.y) for t in figure.data]
    assert drawn == [lake.greedy_returns, lake.sticky[1].greedy_returns]
    assert f"min_k = {lake.min_k}" in texts(figure)
    assert f"epw = {lake.epw}" in texts(figure)
    for name, value in (("optimal", 1.0), ("random", lake.random_return), ("worst", 0.0)):
        assert value is not None
        assert name in texts(figure)
        assert written(value) in texts(figure)


def ahead(returns: tuple[float, ...], **other: object) -> LookAheads:
    plain = LookAhead("a", returns, None, None)
    data = LookAheads(plain, None, (("optimal", 1.0), ("random", 0.0), ("worst", -9.0)), 1.0, "")
    return replace(data, **other)  # type: ignore[arg-type]


def test_a_window_beyond_the_drawn_look_aheads_is_pointed_at() -> None:
    figure = look_ahead_figure(ahead((0.5, 1.0), plain=LookAhead("a", (0.5, 1.0), 2, 40)))
    assert "epw = 40 →" in texts(figure)
    assert len([s for s in figure.layout.shapes if s.x0 == s.x1]) == 1


def test_a_task_that_no_look_ahead_solves_says_why() -> None:
    assert "no way" in texts(look_ahead_figure(ahead((0.5,), reason="no way")))


@given(st.lists(st.floats(-100, 1), min_size=1, max_size=20))
def test_every_return_of_greedy_play_and_the_optimum_are_in_sight(values: list[float]) -> None:
    low, high = vertical_range(ahead(tuple(values)))
    assert low < high
    assert low <= min([*values, 1.0]) <= max([*values, 1.0]) <= high
    # What is drawn of the references does not press greedy play together, unless it is level anyway.
    span = max([*values, 1.0]) - min([*values, 1.0])
    assert high - low <= max(8.01 * span, 10.0)


def test_small_differences_are_not_blown_up() -> None:
    assert vertical_range(ahead((0.999, 1.0)))[0] <= 0.0


def enumerated(table: Table) -> Counter[float]:
    """The return of every sequence of actions of a deterministic table, each as likely as the others."""
    assert table.horizon is not None
    found: Counter[float] = Counter()
    starts = np.flatnonzero(table.initial)
    for start, actions in itertools.product(starts, itertools.product(range(table.actions), repeat=table.horizon)):
        state, total = int(start), 0.0
        for a in actions:
            if table.terminal[state]:
                break
            total += table.reward[state * table.actions + a]
            state = int(table.succ[state * table.actions + a])
        found[total] += table.initial[start] / table.actions**table.horizon
    return found


@given(tables())
@settings(max_examples=30, deadline=None)
def test_returns_of_random_play_are_those_of_all_action_sequences(table: Table) -> None:
    data = made(table).return_laws
    assert isinstance(data, ReturnLaws)
    brute = enumerated(table)
    assert data.random.values is not None
    assert data.random.probabilities is not None
    assert sorted(brute) == data.random.values.tolist()
    assert data.random.probabilities == pytest.approx([brute[v] for v in sorted(brute)])
    assert data.optimal.mean == pytest.approx(max(brute))
    assert data.chance == pytest.approx(brute[max(brute)])
    bars = gathered(data.random)
    assert dict(zip(*bars.listed(), strict=True)) == pytest.approx(dict(brute))


@given(tables())
@settings(max_examples=20, deadline=None)
def test_rewards_without_a_unit_have_a_mean_and_a_deviation(table: Table) -> None:
    odd = replace(table, reward=table.reward * math.pi + np.linspace(0, math.sqrt(2), table.reward.size) ** 2)
    data = made(odd).return_laws
    assert isinstance(data, ReturnLaws)
    brute = enumerated(odd)
    mean = sum(v * p for v, p in brute.items())
    deviation = math.sqrt(sum((v - mean) ** 2 * p for v, p in brute.items()))
    assert (data.random.mean, data.random.deviation) == pytest.approx((mean, deviation), abs=1e-6)
    assert data.optimal.mean == pytest.approx(max(brute))
    if data.chance is None:
        assert "unit" in texts(returns_figure(data))


def test_some_tables_have_no_unit() -> None:
    table = Table.from_arrays([[0, 0]], [[1.0, math.pi]], horizon=3)
    data = made(table).return_laws
    assert isinstance(data, ReturnLaws)
    assert data.chance is None
    assert data.random.values is None


@given(st.integers(BINS + 1, 400), st.integers(0, 99))
@settings(max_examples=20, deadline=None)
def test_bins_keep_all_probability_that_can_be_seen(count: int, seed: int) -> None:
    weights = np.random.default_rng(seed).exponential(size=count) ** 12
    law = Law("random play", 0.0, 1.0, np.arange(count) * 0.1, weights / weights.sum())
    bars = gathered(law)
    assert bars.binned
    assert len(bars.places) <= BINS
    assert bars.heights.sum() == pytest.approx(1, abs=count * DEEPEST)
    assert (bars.heights > 0).all()


def test_tails_are_read_off_a_logarithmic_axis() -> None:
    rare = Law("random play", 0.1, 0.3, np.array([0.0, 1.0]), np.array([1 - 1e-9, 1e-9]))
    sure = Law("optimal play", 1.0, 0.0, np.array([1.0]), np.array([1.0]))
    figure = returns_figure(ReturnLaws(rare, sure, 1e-9))
    assert figure.layout.yaxis.type == "log"
    assert figure.layout.yaxis.range[0] < -9
    assert "1.00e-09" in texts(figure)
    even = replace(rare, probabilities=np.array([0.5, 0.5]))
    assert returns_figure(ReturnLaws(even, sure, 0.5)).layout.yaxis.type is None


def test_sampled_returns_show_n_and_the_interval_of_their_mean(sampled: Card) -> None:
    data = sampled.return_laws
    assert isinstance(data, ReturnSample)
    figure = returns_figure(data)
    assert "n = 50" in texts(figure)
    band, line = figure.layout.shapes
    assert (band.x0, band.x1, line.x0) == (data.mean.low, data.mean.high, data.mean.value)
    bins = figure.data[0].xbins
    assert bins.start <= data.returns.min()
    assert data.returns.max() <= bins.end


@given(tables())
@settings(max_examples=30, deadline=None)
def test_the_best_k_is_the_simple_bounds(table: Table) -> None:
    found, bound = horizons(made(table)), simple_bound(table)
    assert bound.k is not None
    assert found is not None
    assert found.best_k == bound.k
    assert found.by_k[bound.k - 1] == pytest.approx(bound.effective_horizon)
    assert len(found.by_k) == len(bound.ms)


def test_lengths_show_intervals_and_reasons(lake: Card) -> None:
    data = horizons(lake)
    assert data is not None
    figure = horizons_figure(data)
    bars = [t for t in figure.data if t.type == "bar"]
    (gorp,) = [b for b in bars if b.error_x.visible]
    assert (gorp.x[0] - gorp.error_x.arrayminus[0], gorp.x[0] + gorp.error_x.array[0]) == (2.25, 2.75)
    assert "2.50 [2.25, 2.75]" in texts(figure)
    assert "nobody asked for it" in texts(figure)
    assert "n = 100" in texts(figure)


def test_infinite_lengths_stay_inside(lake: Card) -> None:
    open_ended = {**lake.effective_horizon, "gorp": Length(2.5, 2, 3, (2.25, math.inf), 100)}
    card = replace(lake, effective_horizon=open_ended, simple_bound_m=(math.inf, math.inf, 4.0, math.inf))
    data = horizons(card)
    assert data is not None
    assert data.best_k == 3
    figure = horizons_figure(data)
    assert "∞" in texts(figure)
    assert "no m suffices" in texts(figure)
    assert "Infinity" not in figure.to_json()
    assert "Infinity" not in scatter_figure(scatter([card, card])).to_json()
    endless = replace(card, effective_horizon={"simple": Length(math.inf, None, None)}, simple_bound_m=(math.inf,))
    assert "∞" in "".join(texts(f) for name, f in endless.figures().items() if name == "horizons")


def test_scatter_takes_what_was_measured_before_what_bounds_it(lake: Card, sampled: Card) -> None:
    bound = replace(lake, name="bounded", effective_horizon={**lake.effective_horizon, "gorp": None})
    data = scatter([lake, bound, sampled])
    assert [(t.name, t.kind) for t in data.tasks] == [("a lake", "gorp"), ("bounded", "bound")]
    assert data.absent == (("a pole", "it has no table"),)
    figure = scatter_figure(data)
    measured, open_ = figure.data
    assert (measured.x[0], measured.y[0]) == (16, 2.5)
    assert (measured.y[0] - measured.error_y.arrayminus[0], measured.y[0] + measured.error_y.array[0]) == (2.25, 2.75)
    assert not open_.error_y.visible
    assert open_.marker.symbol == "circle-open"
    assert sum(bool(a.showarrow) for a in figure.layout.annotations) == 1
    assert {"a lake", "bounded"} <= {a.text for a in figure.layout.annotations}
    assert "2 of 3 tasks" in texts(figure)


def test_a_task_without_a_place_in_the_scatter_says_why(lake: Card) -> None:
    reasons = {"effective_horizon.gorp": "of no use here", "effective_horizon.stochastic": "not solvable"}
    lost = replace(lake, deterministic=False, effective_horizon={}, undefined=reasons)
    assert scatter([lost, lake]).absent == (("a lake", "not solvable"),)
    assert horizons(replace(lost, sticky=None)) is None
    assert "not solvable" in html(replace(lost, sticky=None))


def test_names_in_the_scatter_keep_off_each_other() -> None:
    points = [(500.0, 200.0), (505.0, 203.0), (500.0, 190.0), (900.0, 300.0)]
    names = ["first task", "second task", "third task", "a name near the right border"]
    drawn = [(x - 8, x + 8, y - 8, y + 8) for x, y in points]
    boxes = [p.box(at, n) for p, at, n in zip(free_places(points, names, drawn, 992), points, names, strict=True)]
    assert all(_shared(a, b) == 0 for a, b in itertools.combinations(boxes, 2))
    assert all(_shared(a, b) == 0 for a in boxes for b in drawn)
    assert all(box[0] >= 0 and box[1] <= 992 for box in boxes)
