"""What a study asks is plain data: points, cells, and the same experiment after a stay in the store."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mohs.core.cell import Agent
from mohs.protocols.conduct import carry_out, planned, stored_verdict
from mohs.protocols.experiment.study import Axis, Evaluation, Experiment, Level, StudyAgent, plan, points_of
from mohs.protocols.experiment.verdict import verdict
from mohs.protocols.measures import MEASURES, available, measure
from mohs.protocols.scale import own_references
from mohs.runs.execution import Execution
from mohs.runs.results import Results
from mohs.runs.store import open_store

DELAY = Axis("delay", tuple(Level(v, (("delay", v),)) for v in (0, 4)))
NOISE = Axis("transition_noise", tuple(Level(v, (("transition_noise", v),)) for v in (0.0, 0.25)))
RATE = Axis("agent.learning_rate", tuple(Level(v, (("agent.learning_rate", v),)) for v in (0.05, 0.3)))


def experiment(axes=(DELAY,), mode="grid", seeds=3, noise_free=False, agents=("q_learning",), budget=1000):
    return Experiment(
        label="small",
        size="quick",
        question="Does it work?",
        source="–",
        mode=mode,
        seeds=seeds,
        agents=tuple(StudyAgent(name, Agent.make(name), budget) for name in agents),
        env="toy/discrete",
        params=(("reward_density", 0.5),),
        axes=tuple(axes),
        evaluation=Evaluation(2, 5, noise_free),
        figures=("auc_paper",),
    )


def invented(asked, keep=lambda cell: True, noise_free=False):
    """Curves of every cell that `keep` takes: returns fall with the delay and rise with the seed."""
    scores = {}
    for cell in plan(asked).cells:
        if keep(cell):
            level = 10.0 / (1 + cell.segments[0].source["delay"]) + cell.seed
            steps = np.arange(100, 1001, 100)
            found = {"train/return": (steps, np.full(10, level)), "train/length": (steps, np.full(10, 50.0))}
            for probe in ("eval", "noise_free") if noise_free else ("eval",):
                found |= {f"{probe}/return": (steps[:2], np.array([0.0, level]))}
                found |= {f"{probe}/length": (steps[:2], np.array([100.0, 60.0]))}
            scores[cell.key] = found
    return scores


def judged(asked, scores):
    return verdict(asked, Results.of(plan(asked), scores))


def test_a_grid_has_all_combinations_and_a_sweep_one_axis_at_a_time():
    assert len(plan(experiment((DELAY, NOISE, RATE))).cells) == 3 * 8
    sweep = experiment((DELAY, NOISE, RATE), "sweep")
    # Delay 0 and noise 0 are the same task and run once.
    assert [len(axes) for axes in sweep.panels()] == [1, 1, 1]
    assert len(plan(sweep).cells) == 3 * (1 + 1 + 1 + 2)


def test_a_hyperparameter_is_an_axis_like_any_other():
    asked = experiment((DELAY, RATE))
    cells = {(c.segments[0].source["delay"], dict(c.agent.params)["learning_rate"]) for c in plan(asked).cells}
    assert cells == {(d, r) for d in (0, 4) for r in (0.05, 0.3)}


def test_cells_are_paired_and_evaluated_at_equal_distances():
    cells = plan(experiment(noise_free=True)).cells
    assert [c.seed for c in cells] == [0, 0, 1, 1, 2, 2]
    assert all(c.segments[0].source.seed == c.seed and c.segments[0].source["reward_density"] == 0.5 for c in cells)
    assert all([p.name for p in c.probes] == ["eval", "noise_free"] for c in cells)
    assert all(p.at == (500, 1000) and p.episodes == 5 for c in cells for p in c.probes)


def test_budgets_may_differ_between_agents():
    asked = experiment(agents=("q_learning", "sarsa"))
    asked = replace(asked, agents=(asked.agents[0], StudyAgent("sarsa", Agent.make("sarsa"), 600)))
    assert {(c.agent.name, c.steps) for c in plan(asked).cells} == {("q_learning", 1000), ("sarsa", 600)}


def test_an_experiment_is_the_same_after_json():
    asked = experiment((DELAY, RATE), noise_free=True)
    again = Experiment.from_json(plan(asked).options)
    assert again == asked
    assert plan(again).key == plan(asked).key


def test_measures_are_those_of_the_curves():
    asked = experiment(noise_free=True)
    cell = plan(asked).cells[1]
    task, scale = cell.segments[0].source, own_references("toy/discrete")
    assert task["delay"] == 4
    names = available("toy/discrete", scale, noise_free=True)
    found = measure(task, invented(asked, noise_free=True)[cell.key], names, scale)
    assert tuple(found) == names
    assert set(names) == set(MEASURES) - {"auc_plain", "attained", "auc_pooled"}
    assert found["auc"] == found["final"] == 2.0
    assert found["auc_paper"] == pytest.approx(2.0 * 100 / 96)
    assert (found["length"], found["eval_length"], found["noise_free_length"]) == (50.0, 80.0, 80.0)
    assert found["eval"] == found["noise_free"] == 1.0  # the mean over evaluations
    assert found["normalised_auc"] == pytest.approx(scale.score(task).normalise(2.0))
    assert found["normalised_final"] == found["normalised_auc"] < found["auc"]
    assert found["normalised_eval"] == found["normalised_noise_free"] == pytest.approx(scale.score(task).normalise(1.0))


def test_an_environment_has_the_measures_that_it_can_have():
    assert "auc_paper" not in available("toy/continuous", own_references("toy/continuous"), noise_free=False)
    assert own_references("CartPole-v1") is None
    names = available("CartPole-v1", None, noise_free=False)
    assert not any("normalised" in name or "noise_free" in name for name in names)


def test_studies_with_the_old_names_of_measures_are_read():
    asked = replace(experiment(), figures=("auc_paper", "normalised_auc", "auc"))
    old = {**asked.to_json(), "figures": ["paper", "normalised", "auc"]}
    assert Experiment.from_json(old) == asked


def test_a_verdict_has_means_spreads_and_what_is_missing():
    asked = experiment((DELAY, NOISE), seeds=5)
    lost = {(4, 0.25), (0, 0.25)}
    scores = invented(
        asked,
        lambda cell: (
            (cell.segments[0].source["delay"], cell.segments[0].source["transition_noise"]) not in lost
            or (cell.segments[0].source["delay"] == 0 and cell.seed < 2)
        ),
    )
    found = judged(asked, scores)
    (panel,) = found.panels
    assert [result.point for result in panel.points] == points_of(asked.axes)
    assert [(result.n, result.missing) for result in panel.points] == [(5, 0), (2, 3), (5, 0), (0, 5)]
    assert panel.points[0].means["auc"].value == pytest.approx(12.0)
    assert panel.points[0].spreads["auc"].value == pytest.approx(np.std(range(5), ddof=1))
    assert panel.points[0].spreads["auc"].known
    assert np.isnan(panel.points[3].means["auc"].value)
    assert (found.runs, found.missing) == (20, 8)
    assert "highest at delay = 0, transition_noise = 0.0" in found.sentences[1]
    assert "8 runs are missing" in found.sentences[-1]
    assert found.to_json()["panels"][0]["points"][3]["missing"] == 5


def test_bars_are_corrected_for_their_comparisons_and_maps_are_not():
    bars, grid = experiment(), experiment((DELAY, NOISE))
    three = experiment((Axis("delay", tuple(Level(v, (("delay", v),)) for v in (0, 2, 4))),))
    levels = [judged(e, invented(e)).panels[0].points[0].means["auc"].level for e in (bars, grid, three)]
    assert levels == pytest.approx([0.95, 0.95, 1 - 0.05 / 3])


def test_a_study_runs_and_its_verdict_is_that_of_the_store(tmp_path):
    asked = experiment(seeds=2, noise_free=True, agents=("q_learning", "random"))
    how = Execution(f"sqlite:///{tmp_path}/results.db", workers=0, progress="silent")
    outcome = carry_out(asked, planned(asked, how), how)
    assert (outcome.summary.done, outcome.summary.failed) == (8, 0)
    found = outcome.verdict
    with open_store(how.store) as store:
        assert stored_verdict(store, plan(asked).key).to_json() == found.to_json()
    assert found.missing == 0
    learnt, random = (panel.points[0].means["auc"].value for panel in found.panels)
    assert learnt > random
