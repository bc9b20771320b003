"""The figures of a diagnosis say what the verdict says: n, the same intervals, and what is missing."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from mohs.core.task import Task
from mohs.protocols.diagnose.effects import Effect
from mohs.protocols.diagnose.figures.data import dial_curves, pair_map
from mohs.protocols.diagnose.figures.dial import dial_figure
from mohs.protocols.diagnose.figures.mdp import mdp_figure, mdp_graph
from mohs.protocols.diagnose.figures.profile import profiles
from mohs.protocols.diagnose.figures.ranking import ranking_figure, rankings
from mohs.protocols.diagnose.figures.response import dial_response
from mohs.protocols.diagnose.verdict import Diagnosis, DialVerdict
from mohs.report import numbers
from mohs.report.figures.curves import curves_figure
from mohs.report.figures.pairs import pair_figure
from mohs.report.theme import DARK, exchange, themed
from mohs.stats import BreakingDose, Estimate
from read_pages import texts


def named(verdict: Diagnosis, name: str) -> DialVerdict:
    return next(d for d in verdict.dials if d.name == name)


@pytest.mark.parametrize("name", ["holed", "single"])
def test_every_figure_shows_n(name: str, request: pytest.FixtureRequest) -> None:
    for figure in request.getfixturevalue(name).figures().values():
        assert "n = " in figure.layout.title.text


def error_ends(trace: go.Scatter, axis: str = "y") -> list[tuple[float, float, float]]:
    values, error = trace[axis], trace[f"error_{axis}"]
    return [(v, v - down, v + up) for v, down, up in zip(values, error.arrayminus, error.array, strict=True)]


def ends(e: Estimate) -> tuple[float, float, float]:
    return (e.value, e.low, e.high)


def test_intervals_of_a_dial_are_the_verdicts(whole: Diagnosis) -> None:
    dial = named(whole, "delay")
    figure = dial_figure(dial_response(whole, dial))
    bars = [error_ends(t)[0] for t in figure.data if t.type == "bar"]
    assert np.allclose(bars, [ends(d.means["auc_paper"]) for d in dial.doses])
    (means,) = [t for t in figure.data if t.name == "mean"]
    assert np.allclose(error_ends(means), [ends(d.means[dial.measure]) for d in dial.doses])


def test_intervals_of_the_ranking_are_the_verdicts(whole: Diagnosis) -> None:
    bars = [error_ends(t, "x")[0] for t in ranking_figure(rankings(whole)["ranking"]).data]
    known = [i for i, d in enumerate(whole.dials) if d.damage.known]
    assert known
    assert np.allclose([bars[i] for i in known], [[100 * x for x in ends(whole.dials[i].damage)] for i in known])


def test_only_noise_dials_have_a_noise_free_line(whole: Diagnosis) -> None:
    lined = {d.name for d in whole.dials if dial_response(whole, d).noise_free is not None}
    assert lined == {"reward_noise"}


def test_fit_crosses_half_of_vanilla_at_the_breaking_dose(whole: Diagnosis) -> None:
    dial = named(whole, "delay")
    data = dial_response(whole, dial)
    (found,) = dial.breaking
    assert found.status == "reached"
    ((x, y),) = data.fits
    assert np.interp(found.dose, x, y) == pytest.approx(data.half)


def test_two_sided_dials_have_a_fit_on_each_side_of_vanilla(whole: Diagnosis) -> None:
    dial = named(whole, "reward_scale")
    data = dial_response(whole, dial)
    assert data.axis.kind == "log"
    assert [(min(x), max(x)) for x, _ in data.fits] == [(0.01, 1.0), (1.0, 100.0)]
    dial_figure(data)


def test_unordered_dials_have_neither_fit_nor_half(whole: Diagnosis) -> None:
    data = dial_response(whole, named(whole, "irrelevant_features"))
    assert data.fits == ()
    assert math.isnan(data.half)
    assert data.axis.kind == "category"
    assert not [t for t in dial_figure(data).data if t.name == "half of vanilla"]


@pytest.mark.parametrize(("dose", "low", "high"), [(1.5, 1.0, math.inf), (math.inf, 3.0, math.inf), (math.inf,) * 3])
def test_infinite_ends_of_a_breaking_dose_stay_inside_the_axis(
    whole: Diagnosis, dose: float, low: float, high: float
) -> None:
    status = "reached" if math.isfinite(dose) else "not_reached"
    dial = replace(named(whole, "delay"), breaking=(BreakingDose(status, dose, low, high, 5, 0.95, "up"),))
    figure = dial_figure(dial_response(whole, dial))
    for trace in figure.data:
        assert np.isfinite(np.array(trace.x, dtype=float)).all()


def test_a_dose_without_runs_is_hatched_and_named(holed: Diagnosis) -> None:
    data = dial_response(holed, named(holed, "delay"))
    figure = dial_figure(data)
    hatched = [t for t in figure.data if t.type == "bar" and t.marker.pattern.shape == "/"]
    assert [t.text for t in hatched] == ["missing"]
    (cross,) = [t for t in figure.data if t.name == "missing"]
    assert list(cross.x) == [8.0]
    assert "n = 3" in texts(figure)
    assert "n = 0" in texts(figure)


def test_missing_curves_are_named(holed: Diagnosis) -> None:
    figure = curves_figure(dial_curves(holed, named(holed, "delay")))
    words = [a.text for a in figure.layout.annotations]
    assert "missing" in words
    assert any("n = 3 of 5" in w for w in words)


def test_curves_are_normalised_as_the_scores_are(holed: Diagnosis) -> None:
    dial = named(holed, "delay")
    data = dial_curves(holed, dial)
    assert data.ends == "0 = random, 1 = optimum"
    for panel, dose in zip(data.panels, dial.doses, strict=True):
        if panel.n:
            scores = dose.samples[dial.measure]
            assert np.allclose(panel.runs.mean(axis=1), scores[~np.isnan(scores)])


def test_cells_of_a_pair_show_value_interval_and_n_or_are_hatched(holed: Diagnosis) -> None:
    (pair,) = holed.pairs
    data = pair_map(pair, holed.measure)
    figure = pair_figure(data)
    first = figure.data[0].text
    for row, cells in zip(data.means, first, strict=True):
        for e, text in zip(row, cells, strict=True):
            assert text == "" if e.n == 0 else numbers.number(e.value) in text and f"n = {e.n}" in text
    absent = sum(e.n == 0 for row in data.means for e in row)
    assert absent == len(data.labels_b)
    assert [a.text for a in figure.layout.annotations].count("missing") == 2 * absent
    assert len(figure.layout.shapes) == 2 * absent


def test_pair_deviation_is_the_samples(whole: Diagnosis) -> None:
    (pair,) = whole.pairs
    spreads = [[e.value for e in row] for row in pair_map(pair, whole.measure).spreads]
    assert np.allclose(spreads, pair.samples[whole.measure].std(axis=2, ddof=1))


def test_profile_counts_vanilla_once(whole: Diagnosis) -> None:
    others = sum(len(d.doses) - 1 for d in whole.dials)
    data = profiles(whole)
    assert data.everything.n == (others + 1) * whole.study.seeds
    assert data.vanilla.n == whole.study.seeds


@pytest.mark.parametrize("params", [{}, {"diameter": 3, "action_space_size": 4}, {"sequence_length": 3}])
def test_graph_has_every_transition_of_states_that_go_on(params: dict[str, int]) -> None:
    graph = mdp_graph(Task.make("toy/discrete", **params))
    assert graph is not None
    going = sum(not n.terminal for n in graph.nodes if not n.again)
    assert len(graph.edges) == going * graph.actions
    assert graph.table is not None
    for edge in graph.edges:
        assert graph.nodes[edge.target].state == graph.table[edge.source][edge.action]
    figure = mdp_figure(graph)
    assert sum((t.name or "").startswith("action") for t in figure.data) == graph.actions


def test_large_graphs_are_left_out() -> None:
    assert mdp_graph(Task.make("toy/discrete", action_space_size=41)) is None


def test_dark_figures_hold_no_light_colour(whole: Diagnosis) -> None:
    only_light = set(exchange(DARK)) - set(exchange(DARK).values())
    text = themed(dial_figure(dial_response(whole, whole.dials[0])), "dark").to_json()
    assert not [colour for colour in only_light if colour in text]


def test_a_dial_without_damage_to_tell_of_is_not_drawn_as_missing(whole: Diagnosis) -> None:
    unknown = Estimate(math.nan, math.nan, math.nan, 0, 0.95, "damage", "")
    untested = {"damage": unknown, "breaking": (), "effect": Effect.UNTESTED}
    quiet = replace(whole, dials=tuple(replace(d, **untested) for d in whole.dials))
    assert all(row.words == "no harder dose tested" for row in rankings(quiet)["ranking"].rows)
    assert not ranking_figure(rankings(quiet)["ranking"]).data
