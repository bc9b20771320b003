"""Scores are one labelled array: every value is found by its labels, and a run that is missing is NaN."""

from __future__ import annotations

import numpy as np
import pytest

from mohs import Agent, Cell, Family, Point, Segment, Task
from mohs.protocols.scores import Scores
from mohs.runs.plan import Plan, Track
from mohs.runs.results import Results

AGENTS, SEEDS, MEASURES = ("q_learning", "sarsa"), 3, ("auc", "final")
FAMILY = Family(
    ("delay",),
    (
        Point("vanilla", Task.make("toy/discrete"), (), 3.0, "easy", (("states", 8.0),)),
        Point("late", Task.make("toy/discrete", delay=4), (("delay", 4),), 1.0, "hard", (("gap", 0.5),)),
    ),
)  # fmt: skip
MISSING = ("sarsa", "late", 1)


def level(agent, point, seed):
    return 100.0 * AGENTS.index(agent) + 10.0 * (point == "late") + seed


def results():
    """Curves in which a run's level is its return, all but one."""
    tracks = {
        Track(agent, point.name): lambda seed, a=agent, p=point: Cell(Agent.make(a), seed, (Segment(p.task, 10),))
        for agent in AGENTS
        for point in FAMILY
    }
    plan = Plan.of("invented", "invented", {}, tracks, SEEDS)
    labels = [(track.agent, track.point, seed) for seed in range(SEEDS) for track in plan.tracks]
    found = {
        key: {"train/return": (np.array([10]), np.array([level(*label)]))}
        for key, label in zip(plan.runs, labels, strict=True)
        if label != MISSING
    }
    return Results.of(plan, found)


@pytest.fixture
def scores():
    def measured(agent, point, seed, curves):
        value = float(curves["train/return"][1][-1])
        assert value == level(agent, point.name, seed)  # every run is measured under its own labels
        return {"final": -value, "auc": value, "unasked": 0.0}

    return Scores.of(results(), FAMILY, AGENTS, MEASURES, measured)


def test_values_are_found_by_their_labels(scores):
    assert scores.values.shape == (2, 2, 3, 2)
    for agent in AGENTS:
        for point in ("vanilla", "late"):
            expected = [np.nan if (agent, point, s) == MISSING else level(agent, point, s) for s in range(SEEDS)]
            np.testing.assert_array_equal(scores.at(agent, point, "auc"), expected)
            samples = scores.samples(agent, point)
            assert tuple(samples) == MEASURES
            np.testing.assert_array_equal(samples["final"], -np.array(expected))


def test_only_the_missing_run_is_nan(scores):
    assert np.argwhere(np.isnan(scores.values[..., 0])).tolist() == [[1, 1, 1]]
    assert (np.isnan(scores.values[..., 0]) == np.isnan(scores.values[..., 1])).all()
    tracks = {Track(agent, point.name): (None,) * SEEDS for agent in AGENTS for point in FAMILY}
    nothing = Scores.of(Results(SEEDS, tracks, 0, 0), FAMILY, AGENTS, MEASURES, lambda *_: {})
    assert nothing.values.shape == scores.values.shape
    assert np.isnan(nothing.values).all()


def test_the_frame_has_a_row_for_each_run_and_all_that_is_known_of_its_point(scores):
    frame = scores.frame()
    assert list(frame.columns) == [
        "agent", "point", "delay", "stratum", "weight", "states", "gap", "seed", "auc", "final"
    ]  # fmt: skip
    assert len(frame) == 2 * 2 * 3
    for row in frame.itertuples():
        here = level(row.agent, row.point, row.seed)
        assert np.isnan(row.auc) if (row.agent, row.point, row.seed) == MISSING else row.auc == here
    vanilla, late = (frame[frame["point"] == name] for name in ("vanilla", "late"))
    assert set(late["delay"]) == {4}
    assert vanilla["delay"].isna().all()
    assert (set(vanilla["weight"]), set(late["weight"])) == ({0.75}, {0.25})
    assert (set(vanilla["stratum"]), set(late["stratum"])) == ({"easy"}, {"hard"})
    assert (set(late["gap"]), set(vanilla["states"])) == ({0.5}, {8.0})
    assert vanilla["gap"].isna().all()
    assert late["states"].isna().all()
