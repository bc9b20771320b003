"""The report of a study shows every point of every agent, and what is missing as missing."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from mohs.core.cell import Agent
from mohs.protocols.experiment.figures import maps
from mohs.protocols.experiment.page import summary_csv
from mohs.protocols.experiment.study import Axis, Evaluation, Experiment, Level, StudyAgent, plan
from mohs.protocols.experiment.verdict import ExperimentVerdict, verdict
from mohs.runs.results import Results
from read_pages import html


def axis(name, *values):
    return Axis(name, tuple(Level(value, ((name, value),)) for value in values))


def invented(*axes: Axis, seeds: int = 6) -> ExperimentVerdict:
    """Two agents, of which the second has no run at the first level of the first axis."""
    asked = Experiment(
        "small", "", "Does <it> work?", "–", "grid", seeds,
        tuple(StudyAgent(name, Agent.make(name), 1000) for name in ("q_learning", "sarsa")),
        "toy/discrete", (), axes, Evaluation(), ("auc_paper", "length"),
    )  # fmt: skip
    steps, rng, scores = np.arange(100, 1001, 100), np.random.default_rng(0), {}
    for cell in plan(asked).cells:
        task = cell.segments[0].source
        if cell.agent.name == "sarsa" and task["delay"] == axes[0].levels[0].value:
            continue
        curve = 50 / (1 + task["delay"]) + rng.standard_normal(10)
        scores[cell.key] = {
            "train/return": (steps, curve), "train/length": (steps, 2 * curve),
            "eval/return": (steps[-1:], curve[-1:]), "eval/length": (steps[-1:], curve[-1:]),
        }  # fmt: skip
    return verdict(asked, Results.of(plan(asked), scores))


@pytest.fixture(scope="module")
def bars() -> ExperimentVerdict:
    return invented(axis("delay", 0, 2, 4))


def test_one_axis_gives_bars_and_curves_for_each_agent(bars):
    figures = bars.figures()
    assert list(figures) == [
        "compared-1",
        "1-q_learning-delay-bars", "1-q_learning-delay-curves", "2-sarsa-delay-bars", "2-sarsa-delay-curves",
    ]  # fmt: skip
    drawn = figures["1-q_learning-delay-bars"].data
    means = [point.means[name].value for name in ("auc_paper", "length") for point in bars.panels[0].points]
    assert [float(bar.y[0]) for bar in drawn] == pytest.approx(means)
    texts = [bar.text for bar in figures["2-sarsa-delay-bars"].data]
    assert texts == ["missing", None, None, "missing", None, None]


def test_two_axes_give_maps_and_further_axes_one_for_each_value():
    found = invented(axis("delay", 0, 2), axis("reward_noise", 0.0, 1.0, 5.0), axis("sequence_length", 1, 2))
    figures = found.figures()
    kinds = [name.removeprefix("1-q_learning-delay-reward_noise-sequence_length-") for name in figures][:6]
    assert kinds == ["compared-1", "map-auc_paper-1", "map-auc_paper-2", "map-length-1", "map-length-2", "curves"]
    first, second = maps(found.panels[0], "auc_paper", 6)
    spots = {tuple(level.value for level in spot.point): spot for spot in found.panels[0].points}
    assert first.means[1][2] == spots[(2, 5.0, 1)].means["auc_paper"]
    assert second.spreads[0][1] == spots[(0, 1.0, 2)].spreads["auc_paper"]
    assert "sequence_length = 2" in second.title


def test_the_page_asks_the_question_and_says_what_is_missing(bars):
    page = html(bars)
    assert "<h1>Does &lt;it&gt; work?</h1>" in page
    assert "6 runs are missing" in page
    assert page.count('data-figure="') == 5


def test_the_tables_have_every_run(bars):
    runs = bars.frame()
    assert len(runs) == 2 * 3 * 6
    lost = runs[(runs["agent"] == "sarsa") & (runs["delay"] == 0)]
    assert len(lost) == 6
    assert lost["auc"].isna().all()
    summary = list(csv.DictReader(io.StringIO(summary_csv(bars))))
    assert {row["statistic"] for row in summary} == {"mean", "sd"}
    assert {row["missing"] for row in summary if row["agent"] == "sarsa" and row["delay"] == "0"} == {"6"}
