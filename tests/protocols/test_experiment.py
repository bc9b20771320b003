"""What a study asks is plain data: points, cells, and the same experiment after a stay in the store."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mohs.agents.registry import config as config_of
from mohs.core.cell import Agent
from mohs.protocols.studies.cost import _eager, cost, stored, try_out
from mohs.protocols.studies.experiment import Axis, Contender, Evaluation, Experiment, Level, plan, points
from mohs.protocols.studies.measures import MEASURES, measure, measures
from mohs.protocols.studies.verdict import verdict
from mohs.runs.execute import execute
from mohs.runs.plan import packs
from mohs.runs.store import open_store

DELAY = Axis("delay", tuple(Level(v, (("delay", v),)) for v in (0, 4)))
NOISE = Axis("transition_noise", tuple(Level(v, (("transition_noise", v),)) for v in (0.0, 0.25)))
RATE = Axis("agent.learning_rate", tuple(Level(v, (("agent.learning_rate", v),)) for v in (0.05, 0.3)))


def experiment(axes=(DELAY,), mode="grid", seeds=3, noise_free=False, agents=("q_learning",), budget=1000):
    return Experiment(
        name="small",
        size="quick",
        question="Does it work?",
        source="–",
        mode=mode,
        seeds=seeds,
        contenders=tuple(Contender(name, Agent.make(name), budget) for name in agents),
        env="toy/discrete",
        params=(("reward_density", 0.5),),
        axes=tuple(axes),
        evaluation=Evaluation(2, 5, noise_free),
        figures=("paper",),
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
    asked = replace(asked, contenders=(asked.contenders[0], Contender("sarsa", Agent.make("sarsa"), 600)))
    assert {(c.agent.name, c.steps) for c in plan(asked).cells} == {("q_learning", 1000), ("sarsa", 600)}


def test_an_experiment_is_the_same_after_json():
    asked = experiment((DELAY, RATE), noise_free=True)
    again = Experiment.from_json(plan(asked).options)
    assert again == asked
    assert plan(again).key == plan(asked).key


def test_measures_are_those_of_the_curves():
    asked = experiment(noise_free=True)
    cell = plan(asked).cells[1]
    assert cell.segments[0].source["delay"] == 4
    found = measure(cell, invented(asked, noise_free=True)[cell.key])
    assert set(found) == set(measures("toy/discrete", True)) == set(MEASURES)
    assert found["auc"] == found["final"] == 2.0
    assert found["paper"] == pytest.approx(2.0 * 100 / 96)
    assert (found["length"], found["eval_length"]) == (50.0, 80.0)
    assert found["eval"] == 1.0  # the mean over evaluations
    assert found["normalised"] < found["auc"]
    assert "paper" not in measures("toy/continuous", False)
    assert not any("normalised" in name or "noise_free" in name for name in measures("CartPole-v1", False))


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
    found = verdict(asked, scores)
    (panel,) = found.panels
    assert [spot.point for spot in panel.spots] == points(asked.axes)
    assert [(spot.n, spot.missing) for spot in panel.spots] == [(5, 0), (2, 3), (5, 0), (0, 5)]
    assert panel.spots[0].means["auc"].value == pytest.approx(12.0)
    assert panel.spots[0].spreads["auc"].value == pytest.approx(np.std(range(5), ddof=1))
    assert panel.spots[0].spreads["auc"].known
    assert np.isnan(panel.spots[3].means["auc"].value)
    assert (found.runs, found.missing) == (20, 8)
    assert "highest at delay = 0, transition_noise = 0.0" in found.headline[0]
    assert "8 runs are missing" in found.headline[-1]
    assert found.to_json()["panels"][0]["points"][3]["missing"] == 5


def test_bars_are_corrected_for_their_comparisons_and_maps_are_not():
    bars, grid = experiment(), experiment((DELAY, NOISE))
    three = experiment((Axis("delay", tuple(Level(v, (("delay", v),)) for v in (0, 2, 4))),))
    levels = [verdict(e, invented(e)).panels[0].spots[0].means["auc"].level for e in (bars, grid, three)]
    assert levels == pytest.approx([0.95, 0.95, 1 - 0.05 / 3])


def test_a_study_runs_and_its_verdict_is_that_of_the_store(tmp_path):
    asked = experiment(seeds=2, noise_free=True, agents=("q_learning", "random"))
    with open_store(f"sqlite:///{tmp_path}/results.db") as store:
        summary = execute(plan(asked), store, workers=0, progress="silent")
        stored_plan = store.plan(plan(asked).key)
        found = verdict(
            Experiment.from_json(stored_plan.options), dict(store.results(c.key for c in plan(asked).cells))
        )
    assert (summary.done, summary.failed) == (8, 0)
    assert found.missing == 0
    learnt, random = (panel.spots[0].means["auc"].value for panel in found.panels)
    assert learnt > random


def test_the_cost_counts_what_is_left():
    cells = plan(experiment((DELAY, RATE), seeds=4)).cells
    found = cost(cells, workers=2)
    assert (found.cells, found.steps, found.workers) == (16, 16_000, 2)
    assert found.packs == len(packs(cells, 4))
    assert found.seconds > 0
    assert found.results == sum(stored(cell) for cell in cells)
    assert found.checkpoints > 0
    nothing = cost([], workers=2)
    assert (nothing.cells, nothing.packs, nothing.seconds) == (0, 0, 0)


def test_a_cell_that_breaks_at_its_trial_is_counted_and_stops_nothing(tmp_path, capsys):
    file = tmp_path / "broken.py"
    file.write_text("def make_agent(env, seed):\n    print('made')\n    raise RuntimeError('broken')\n")
    cells = plan(experiment(seeds=2)).cells
    broken = [replace(cell, agent=Agent.make(f"{file}:make_agent", "1")) for cell in cells]
    found = cost([*cells, *broken], workers=1)
    assert (found.cells, found.broken) == (8, 4)
    assert found.seconds > 0
    assert capsys.readouterr().out == ""


def test_a_trial_of_a_long_rollout_includes_updates():
    (cell,) = plan(experiment((Axis("delay", DELAY.levels[:1]),), seeds=1, agents=("ppo",), budget=4000)).cells
    for name, rollout in (("ppo", 64), ("recurrent_ppo", 16 * 8)):
        tried = _eager(replace(cell, agent=Agent.make(name, n_steps=2048)))
        config = config_of(tried.agent)
        assert config.n_steps * config.num_envs == rollout


def test_a_trial_grows_with_the_run():
    """Nothing is known of the clock, but a run that is much longer is estimated to take longer."""
    short, long = (plan(experiment(seeds=2, budget=steps)).cells[:2] for steps in (400, 400_000))
    assert try_out(long, 0.05).seconds > try_out(short, 0.05).seconds


def test_what_a_deep_agent_saves_grows_with_its_memory():
    (cell,) = plan(experiment((Axis("delay", DELAY.levels[:1]),), seeds=1, agents=("dqn",), budget=5000)).cells
    small, large = (
        replace(cell, agent=Agent.make("dqn", hidden=(8,), buffer_size=size, learning_starts=5000))
        for size in (100, 5000)
    )
    assert try_out([large], 0.05).checkpoint > try_out([small], 0.05).checkpoint
