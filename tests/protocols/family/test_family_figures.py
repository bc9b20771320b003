"""Do the figures of a family show what a plain computation gives, and only where they apply?"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from planted_families import cartpoles, results

import mohs.protocols.family.figures.budget as budget
import mohs.protocols.family.figures.sensitivity as sensitivity
from mohs.core.cell import Agent
from mohs.core.family import Family
from mohs.core.point import Point
from mohs.protocols.family.curves import binned
from mohs.protocols.family.figures.budget import budget_errors, budget_figure
from mohs.protocols.family.figures.sensitivity import failure_sensitivity
from mohs.protocols.family.figures.simplex import simplex_figure, simplex_leaders, thirds
from mohs.protocols.family.figures.training import training_figure, training_spread, weighted_mean, weighted_quantile
from mohs.protocols.family.study import FamilyStudy
from mohs.protocols.family.verdict import FamilyVerdict, verdict
from mohs.protocols.scale import score_of
from mohs.report.fit import fitted
from mohs.runs.results import Results
from mohs.stats.family import DESIGNS, RESAMPLED, error_against_budget, failure_weights

A, B = Agent.make("dqn"), Agent.make("ppo")
FAMILY = cartpoles()
NEW = {"budget", "sensitivity", "simplex", "training"}


@pytest.fixture(autouse=True)
def few_samples(monkeypatch) -> None:
    for module in (budget, sensitivity):
        monkeypatch.setattr(module, "REPEATS", 20)


def returned(point: Point, share: float) -> float:
    """The return that is this share of the way from the random policy to the optimum."""
    score = score_of(point.task)
    return score.low.value + share * score.spread


def at(point: Point, axis: str) -> float:
    return dict(point.at).get(axis, 1.0)


def judged(score, family: Family = FAMILY, methods=(A, B), curve=None, **options) -> FamilyVerdict:
    study = FamilyStudy.make(methods, family, "carts", steps=1000, **options)
    curves = None if curve is None else lambda m, p, s: [returned(p, share) for share in curve(m, p, s)]
    return verdict(study, results(study, lambda m, p, s: returned(p, score(m, p, s)), curves))


def uneven(method: str, point: Point, seed: int) -> float:
    """dqn is better with short poles, ppo with long ones; the longest pole fails."""
    if at(point, "length") > 1.9:
        return 0.05
    return 0.5 + 0.2 * (at(point, "length") - 1.1) * (1 if method == "ppo" else -1) + 0.01 * seed


# --- Complete runs ---


def test_complete_scores_are_in_the_order_of_the_family() -> None:
    found = judged(uneven, seeds=2, draw=3)
    exact = [[[uneven(m, p, s) for s in range(2)] for p in FAMILY.members] for m in ("dqn", "ppo")]
    np.testing.assert_allclose(found.complete, exact, atol=1e-12)


def test_a_sample_is_not_complete() -> None:
    assert judged(uneven, budget=32).complete is None
    assert judged(uneven, budget=64, design="m1").complete is None  # as many draws as points, some of them twice


def test_runs_with_a_missing_seed_are_not_complete() -> None:
    study = FamilyStudy.make((A, B), FAMILY, "carts", steps=1000, seeds=2)
    whole = results(study, lambda m, p, s: returned(p, 0.5))
    track = next(t for t in whole.curves if t.point == study.points[3].name)
    found = verdict(study, Results(2, {**whole.curves, track: (whole.curves[track][0], None)}, whole.planned, 1))
    assert len(found.used) == 64
    assert found.complete is None
    assert not {"budget", "sensitivity"} & found.figures().keys()


# --- Errors against budget ---


def test_errors_against_budget_are_those_of_all_seeds() -> None:
    found = judged(uneven, seeds=2)
    data, study = budget_errors(found), found.study
    errors = error_against_budget(
        found.complete,
        study.weights,
        study.coordinates.space,
        data.sizes,
        RESAMPLED,
        20,
        range_=found.outcomes.bounds,
        references=found.outcomes.references,
    )
    for i, each in enumerate(errors):
        assert data.rmse[i] == pytest.approx(np.sqrt((each.rmse**2).mean(axis=1)))
        assert data.bias[i] == pytest.approx(np.maximum(*np.abs(each.bias).T))
        np.testing.assert_array_equal(data.coverage[i], np.fmin(*each.coverage.T))
    assert np.isnan(data.coverage[:, 0]).all(), "a sample of 5 points has no interval"


def test_designs_without_intervals_are_absent_from_the_coverage() -> None:
    data = budget_errors(judged(uneven))
    figure = budget_figure(data)
    drawn = {row: {t.name for t in figure.data if (t.yaxis or "y") == row} for row in ("y", "y2", "y3")}
    assert drawn["y"] == drawn["y2"] == set(data.designs)
    assert drawn["y3"] == {DESIGNS[name].title for name in RESAMPLED if DESIGNS[name].interval}
    assert [shape.y0 for shape in figure.layout.shapes] == [0.95]


# --- Where failures lie ---


def test_sensitivity_is_that_of_the_weights_of_failures() -> None:
    found = judged(uneven)
    data, study = failure_sensitivity(found), found.study
    agents = list(data.agents)
    for i, kind in enumerate(("low", "high", "random")):
        weights = failure_weights(found.complete.mean(axis=(0, 2)), kind, threshold=study.failure)
        errors = error_against_budget(
            found.complete, weights, study.coordinates.space, [6], sensitivity.SHOWN, 20, range_=found.outcomes.bounds
        )
        np.testing.assert_allclose(data.bias[i], [e.bias[0, agents] for e in errors])
        np.testing.assert_allclose(data.sd[i], [e.sd[0, agents] for e in errors])
    assert "8 points" in data.note


@pytest.mark.parametrize("share", [0.0, 0.9])
def test_sensitivity_needs_failures_and_successes(share: float) -> None:
    assert failure_sensitivity(judged(lambda m, p, s: share)) is None


# --- The simplex ---


def test_the_leader_of_a_mix_is_the_best_under_its_weights() -> None:
    found = judged(uneven)
    data = simplex_leaders(found)
    assert [part.partition(":")[0] for part in data.parts] == ["length low", "length middle", "length high"]
    lengths = np.array([at(p, "length") for p in FAMILY.members])
    codes = thirds(lengths, found.study.weights)
    for mix, leader in zip(data.grid[::50], data.leaders[::50], strict=True):
        weights = np.array([mix[k] / (codes == k).sum() for k in codes])
        means = [sum(w * uneven(m, p, 0) for w, p in zip(weights, FAMILY.members, strict=True)) for m in ("dqn", "ppo")]
        assert means[leader] == pytest.approx(max(means), abs=1e-9)
    assert set(data.leaders.tolist()) == {0, 1}
    overall = [r.overall.value for r in found.results]
    assert data.means @ data.own == pytest.approx(overall), "the star is the family"


def test_parts_of_an_axis_have_weights_as_equal_as_possible() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        column, weights = rng.integers(6, size=30).astype(float), rng.random(30)
        known = np.unique(column)
        sums = [
            [weights[column <= a].sum(), weights[(column > a) & (column <= b)].sum(), weights[column > b].sum()]
            for a, b in itertools.combinations(known[:-1], 2)
        ]
        codes = thirds(column, weights)
        assert (np.diff(codes[np.argsort(column)]) >= 0).all()
        assert (np.bincount(codes, weights) ** 2).sum() == pytest.approx(min((np.square(each)).sum() for each in sums))


def test_three_strata_are_the_parts() -> None:
    names = np.array(["light", "usual", "heavy"])
    strata = [str(names[np.searchsorted([9, 15], at(p, "gravity"))]) for p in FAMILY]
    named = [replace(p, stratum=stratum if p.weight else "") for p, stratum in zip(FAMILY, strata, strict=True)]
    found = judged(uneven, replace(FAMILY, points=tuple(named)))
    data = simplex_leaders(found)
    assert data.parts == ("light", "usual", "heavy")
    assert data.own == pytest.approx([2 / 8, 3 / 8, 3 / 8])


def test_a_simplex_needs_two_methods_and_three_values() -> None:
    assert simplex_leaders(judged(uneven, methods=(A,))) is None
    assert simplex_leaders(judged(uneven, cartpoles(2, 2))) is None
    assert simplex_leaders(judged(uneven, cartpoles(2, 3))).parts[0].startswith("gravity low")


def test_every_corner_has_room_for_its_name() -> None:
    figure = simplex_figure(simplex_leaders(judged(uneven)))
    for width in (340, 560):
        layout = fitted(figure, width).layout
        assert min(layout.margin.l, layout.margin.r) > 40
        inner = layout.height - layout.margin.t - layout.margin.b
        assert inner >= np.sqrt(3) / 2 * (width - layout.margin.l - layout.margin.r)


# --- Training ---


def learning(method: str, point: Point, seed: int) -> list[float]:
    return [uneven(method, point, seed) * k / 4 for k in range(1, 5)]


def test_training_is_normalised_at_each_point_and_spread_over_points() -> None:
    found = judged(uneven, curve=learning, seeds=2)
    data = training_spread(found)
    assert data.steps == (250, 500, 750, 1000)
    assert data.normalised
    for k, agent in enumerate(data.agents):
        label, points = found.study.labels[agent], found.study.members
        final = np.sort([np.mean([uneven(label, p, s) for s in range(2)]) for p in points])
        for window in range(4):
            share = (window + 1) / 4
            assert data.means[k, window] == pytest.approx(share * final.mean())
            assert data.low[k, window] == pytest.approx(share * final[int(np.ceil(0.1 * 64)) - 1])
            assert data.high[k, window] == pytest.approx(share * final[int(np.ceil(0.9 * 64)) - 1])
    assert len({trace.xaxis for trace in training_figure(data).data}) == 2, "a panel for each method"


def test_windows_of_unlike_lengths_share_bins() -> None:
    ends, steps = np.array([400, 1000]), np.array([200, 400, 600, 800, 1000])
    assert binned(steps, np.array([1.0, 3.0, np.nan, 4.0, 6.0]), ends).tolist() == [2.0, 5.0]
    assert np.isnan(binned(steps, np.array([1.0, 3.0, np.nan, np.nan, np.nan]), ends)[1])
    assert binned(ends, np.array([7.0, 8.0]), ends).tolist() == [7.0, 8.0]


def test_points_without_a_value_are_left_out_of_quantiles_and_means() -> None:
    weights = np.array([0.1, 0.2, 0.3, 0.4])
    values = np.array([[[4.0, np.nan], [3.0, np.nan], [2.0, np.nan], [np.nan, np.nan]]])
    assert weighted_mean(values, weights)[0, 0] == pytest.approx((0.4 + 0.6 + 0.6) / 0.6)
    found = [weighted_quantile(values, weights, share)[0, 0] for share in (0.1, 0.5, 0.6, 0.9)]
    assert found == [2.0, 2.0, 3.0, 4.0]
    assert np.isnan(weighted_mean(values, weights)[0, 1])
    assert np.isnan(weighted_quantile(values, weights, 0.5)[0, 1])


def test_training_is_raw_where_another_task_is_evaluated() -> None:
    found = judged(uneven, curve=lambda m, p, s: [0.5, 0.5], evaluation={"max_episode_steps": 100}, budget=32)
    data = training_spread(found)
    assert not data.normalised
    assert data.note.endswith("raw returns")


# --- Where figures appear ---


SHOWN: dict[str, tuple[Callable[[], FamilyVerdict], set[str]]] = {
    "all points, curves": (lambda: judged(uneven, curve=learning), NEW),
    "all points, no curves": (lambda: judged(uneven), NEW - {"training"}),
    "no failures": (lambda: judged(lambda m, p, s: 0.5 + 0.001 * at(p, "length")), NEW - {"training", "sensitivity"}),
    "a sample": (lambda: judged(uneven, curve=learning, budget=32), {"simplex", "training"}),
    "one method": (lambda: judged(uneven, methods=(A,)), {"budget", "sensitivity"}),
    "few points": (lambda: judged(uneven, cartpoles(4, 4)), {"simplex"}),
}


@pytest.mark.parametrize("name", SHOWN)
def test_figures_appear_exactly_where_they_apply(name: str) -> None:
    make, expected = SHOWN[name]
    page = make().page()
    assert NEW & page.figures.keys() == expected
    assert {f for f in NEW if f'data-figure="{f}"' in page.body} == expected
