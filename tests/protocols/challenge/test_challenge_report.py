"""The page on the challenge says what the verdict says, draws what is censored as such, and shows what is missing."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pytest

from invented_challenge import BUDGET, EVERY, OPTIMUM, facts, from_step, judged, missing, study_of
from mohs.protocols.challenge.figures import MOST_PANELS, POINTS, thinned
from mohs.protocols.challenge.page import mdps_csv, steps_text
from mohs.stats.counts import median_time
from read_pages import html

MDPS = (
    {"status": "gorp", "effective_horizon": 3.0, "gorp_steps": 5000, "guess_steps": 1e4},
    {"effective_horizon": 9.0, "gorp_steps": 10**8},
    {"effective_horizon": None, "effective_horizon_low": 11.0},
    {"effective_horizon": None, "effective_horizon_low": None, "guess_steps": None, "gorp_budget": None},
)


def play(agent, setting, mdp, seed, steps):
    """The control is solved by all, the next by one seed of dqn; of the last, ppo's runs are missing."""
    first, second, _, last = (m.id for m in facts(*MDPS))
    if mdp == last and agent == "ppo":
        return None
    solves = mdp == first or (mdp == second and agent == "dqn" and seed == 0)
    return from_step(4000 if solves else math.inf)(agent, setting, mdp, seed, steps)


@pytest.fixture(scope="module")
def found():
    mdps = facts(*MDPS)
    return judged(study_of(mdps), play, mdps)


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_the_page_says_what_the_verdict_says(found, tmp_path):
    path = found.save(tmp_path)
    page = path.read_text()
    assert found.sentences[0] in page
    assert all(mdp.id in page for mdp in found.mdps)
    assert "best of 2 settings × 3 seeds" in page
    assert "left out, since the budget has too few such rollouts" in page
    assert {p.name for p in tmp_path.iterdir()} == {"report.html", "verdict.json", "mdps.csv", "frame.csv"}
    data = json.loads((tmp_path / "verdict.json").read_text())
    assert data["headline"] == list(found.sentences)


def test_what_is_missing_is_shown_as_missing(found):
    assert 'class="missing"' in html(found)
    lost = found.frame()[found.frame()["kind"] == "missing"]
    assert len(lost) == found.missing == 3
    assert lost["first_solved_step"].isna().all()
    undecided = [row for row in rows(mdps_csv(found)) if row["solved"] == ""]
    assert [(row["agent"], row["runs"]) for row in undecided] == [("ppo", "0")]


def test_every_run_and_every_mdp_has_its_row(found):
    frame = found.frame()
    assert len(frame) == found.runs
    assert set(frame["stratum"]) == {"challenge", "controls"}
    for (agent, mdp), rows_ in frame.groupby(["agent", "point"]):
        name, setting = agent.split(", ")
        result = next(result for result in found.agents if result.label == name)
        i, j = [s.name for s in result.agent.settings].index(setting), [m.id for m in found.mdps].index(mdp)
        assert rows_["kind"].tolist() == list(result.outcomes[j].kinds[i])
        np.testing.assert_array_equal(rows_["first_solved_step"], result.outcomes[j].firsts[i])
        assert set(rows_["states"]) == {found.mdps[j].states}
    assert len(rows(mdps_csv(found))) == len(found.mdps) * len(found.agents)


def test_what_is_not_solved_is_drawn_above_the_budget_and_what_is_not_known_not_at_all(found):
    ppo, dqn = (trace for trace in found.figures()["horizon"].data if trace.mode == "markers")
    solved, some, none = dqn.y
    assert solved == 4000
    assert BUDGET < some < none  # fewer than half of the seeds solve it, or none
    assert list(dqn.marker.symbol) == ["circle-open", "circle", "triangle-right"]
    assert len(ppo.x) == len(dqn.x) == 3


def test_every_mdp_has_a_panel_with_its_optimum(found):
    figure = found.figures()["curves"]
    optima = [shape for shape in figure.layout.shapes if shape.y0 == shape.y1 == OPTIMUM]
    assert len(optima) == len(found.mdps)


def test_where_there_are_many_mdps_every_source_has_a_figure_of_its_own():
    mdps = facts(*({} for _ in range(MOST_PANELS + 1)))
    nothing = judged(study_of(mdps), missing, mdps)
    drawn = [name for name in nothing.figures() if name.startswith("curves")]
    assert drawn == [f"curves-{source}" for source in dict.fromkeys(mdp.source for mdp in mdps)]


def test_figures_are_drawn_without_any_run():
    mdps = facts(*MDPS)
    nothing = judged(study_of(mdps), missing, mdps)
    assert "no MDP is decided yet" in html(nothing)


@pytest.mark.parametrize("count", [1, POINTS, POINTS + 1, 10_000])
def test_thinned_curves_keep_their_range_and_mean(count):
    steps = EVERY * np.arange(1, count + 1)
    mean = np.random.default_rng(count).normal(size=count)
    x, y, low, high = thinned(steps, (mean, mean - 1, mean + 1))
    assert len(x) <= POINTS
    assert x[-1] == steps[-1]
    assert (low.min(), high.max()) == (mean.min() - 1, mean.max() + 1)
    sizes = np.diff(np.append(0, x)) / EVERY
    assert (y * sizes).sum() == pytest.approx(mean.sum())


def test_steps_are_told_with_their_interval_or_without():
    assert steps_text(median_time([1000, 2000, math.inf])) == "2,000"
    assert steps_text(median_time([math.inf] * 3)) == "∞"
    assert steps_text(median_time([1000.0] * 9 + [math.inf])) == "1,000 [1,000, 1,000]"
    assert steps_text(median_time([math.nan])) == "missing"
