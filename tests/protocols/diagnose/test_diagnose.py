"""The diagnosis: what is asked, and what is concluded from invented and from real runs."""

from __future__ import annotations

import json

import numpy as np
import pytest

from invented_diagnoses import invented, judged, trained
from mohs import UsageError
from mohs.agents.registry import agent, learner
from mohs.protocols.diagnose.batteries import batteries
from mohs.protocols.diagnose.study import DiagnosisStudy, plan
from mohs.protocols.measures import available
from mohs.protocols.scale import own_references
from mohs.stats import auc, bonferroni_comparisons, estimate, paper_scale


def falling(task, seed):
    return 90 - 10 * task["delay"] - 300 * task["transition_noise"] + seed % 3


@pytest.mark.parametrize("env", ["toy/discrete", "toy/continuous", "toy/grid"])
def test_every_battery_is_a_valid_plan(env):
    for name in batteries(env):
        study = DiagnosisStudy.make(agent("random"), name, seeds=1, env=env)
        assert all(study.task({})[dial] in values for dial, values in study.doses)
        cells = plan(study).cells
        assert len({c.key for c in cells}) == len(cells) > 10
        assert DiagnosisStudy.from_json(json.loads(json.dumps(study.to_json()))) == study


def test_the_verdict_finds_the_breaking_dose():
    study = DiagnosisStudy.make(
        agent("q_learning"), dials=["delay", "transition_noise", "irrelevant_features"], seeds=6
    )
    found = judged(study, invented(study, falling))
    by_name = {d.name: d for d in found.dials}
    (delay,) = by_name["delay"].breaking
    # 90 - 10 d falls to half of about 91 between doses 4 and 8; the references move slightly with delay.
    assert delay.status == "reached"
    assert 4 < delay.dose < 6
    assert delay.low <= delay.dose <= delay.high
    assert by_name["irrelevant_features"].breaking[0].status == "unordered"
    assert by_name["irrelevant_features"].damage.value == pytest.approx(0, abs=1e-9)
    assert [d.damage.value for d in found.dials] == sorted((d.damage.value for d in found.dials), reverse=True)
    assert found.missing == 0
    assert "delay breaks the agent at" in by_name["delay"].sentence
    json.dumps(found.to_json(), allow_nan=False)


def test_not_reached_and_not_learnt():
    study = DiagnosisStudy.make(agent("q_learning"), dials=["delay"], seeds=5)
    steady = judged(study, invented(study, lambda task, seed: 80 + seed - task["delay"] * (2 + seed % 2)))
    assert steady.dials[0].breaking[0].status == "not_reached"
    assert "does not break it up to 8 steps" in steady.dials[0].sentence
    same = judged(study, invented(study, lambda task, seed: 80 + seed))
    assert same.dials[0].sentence == "delay has no effect: the runs are identical at every dose."
    nothing = judged(study, invented(study, lambda task, seed: 0.5 + 0.01 * seed))
    assert nothing.dials[0].breaking[0].status == "not_learnt"
    assert "vanilla itself is not learnt" in nothing.dials[0].sentence


def test_missing_runs_are_counted_and_too_few_give_no_verdict():
    study = DiagnosisStudy.make(agent("q_learning"), dials=["delay"], seeds=4)
    gaps = judged(study, invented(study, lambda task, seed: None if task["delay"] == 8 else falling(task, seed)))
    assert gaps.missing == 4
    assert [dose.missing for dose in gaps.dials[0].doses] == [0, 0, 0, 0, 4]
    assert any("have not finished" in line for line in gaps.sentences)
    empty = judged(study, {})
    assert empty.missing == 20
    assert "no verdict" in empty.sentences[0]
    few = judged(DiagnosisStudy.make(agent("q_learning"), dials=["delay"], seeds=2), invented(study, falling))
    assert few.dials[0].breaking[0].status == "too_few"
    for found in (gaps, empty, few):
        json.dumps(found.to_json(), allow_nan=False)


def test_two_sided_dials_have_two_breaking_doses():
    study = DiagnosisStudy.make(agent("q_learning"), "standard", dials=["reward_shift"], seeds=5)
    scores = invented(study, lambda t, s: 100 * t["reward_shift"] + (90 if t["reward_shift"] == 0 else 10) + s)
    assert len(judged(study, scores).dials[0].breaking) == 2


def test_damage_counts_harder_doses_only():
    study = DiagnosisStudy.make(
        agent("q_learning"), "standard", dials=["terminal_state_density", "reward_density"], seeds=5
    )

    def score(task, seed):
        return {0.0: 99, 0.125: 95, 0.25: 60, 0.375: 20, 0.5: 5}[task["terminal_state_density"]] + 0.1 * seed

    found = {d.name: d for d in judged(study, invented(study, score)).dials}
    assert 0.7 < found["terminal_state_density"].damage.value < 0.9
    assert not found["reward_density"].damage.known
    assert found["reward_density"].sentence == "reward_density was tested at no harder dose."


def test_nothing_is_lost_where_nothing_was_learnt():
    study = DiagnosisStudy.make(agent("random"), dials=["delay", "irrelevant_features"], seeds=5)
    found = judged(study, invented(study, lambda task, seed: 0.5 + 0.1 * seed * (task["delay"] > 0)))
    assert not any(d.damage.known for d in found.dials)
    assert "no dial gets a verdict" in found.sentences[1]


def test_pairs():
    study = DiagnosisStudy.make(agent("q_learning"), dials=["delay"], pairs=[("delay", "sequence_length")], seeds=3)
    found = judged(study, invented(study, falling))
    (pair,) = found.pairs
    assert pair.samples["normalised_auc"].shape == (5, 4, 3)
    named = available("toy/discrete", own_references("toy/discrete"), noise_free=True)
    assert set(pair.samples) == {*named, "attained", "auc_pooled"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"battery": "quik"}, "Did you mean 'quick'"),
        ({"dials": ["dealy"]}, "Did you mean 'delay'"),
        ({"dials": []}, "at least one dial"),
        ({"pairs": [("delay", "delay")]}, "two different dials"),
        ({"pairs": [("delay", "nois")]}, "unknown dial"),
        ({"dials": ["reward_dist"]}, "reward_dist has no default doses"),
        ({"dials": ["make_denser"]}, "sequence_length:make_denser"),
        ({"seeds": 0}, "seeds is 0"),
        ({"budget": 10}, "budget is 10"),
        ({"env": "toy/discreet"}, "Did you mean 'toy/discrete'"),
    ],
)
def test_bad_studies(options, message):
    with pytest.raises(UsageError, match=message):
        DiagnosisStudy.make(agent("random"), **options)


APPENDIX_D = {
    "delay": (0, 1, 2, 4, 8),
    "sequence_length": (1, 2, 3, 4),
    "transition_noise": (0.0, 0.02, 0.05, 0.1, 0.25),
    "reward_noise": (0.0, 1.0, 5.0, 10.0, 25.0),
}


@pytest.fixture(scope="module")
def appendix_d():
    """The paper's tabular experiments (Figures 37 to 40): AUC in its scaling, Q-learning, 1,000 seeds.

    Intervals hold together for all pairs of the 16 different tasks.
    """
    study = DiagnosisStudy.make(agent("q_learning"), dials=list(APPENDIX_D), seeds=1000)

    def level(**params):
        pack = learner([study.cell(study.task(params), seed) for seed in range(study.seeds)])
        pack.train(study.budget)
        runs = auc(np.array([curves["train/return"][1] for curves in pack.curves()]))
        scale = paper_scale(params.get("delay", 0), params.get("sequence_length", 1))
        return estimate(runs * scale, "mean", 0.95, bonferroni_comparisons(16))

    vanilla = level()
    return {
        dial: {dose: vanilla if dose == doses[0] else level(**{dial: dose}) for dose in doses}
        for dial, doses in APPENDIX_D.items()
    }


@pytest.mark.parametrize("dial", APPENDIX_D)
def test_performance_falls_with_every_dial_of_appendix_d(appendix_d, dial):
    """Whatever the dose, it hurts, and the largest hurts most, with intervals that do not overlap."""
    vanilla, *levels = appendix_d[dial].values()
    means = [level.value for level in levels]
    assert means == sorted(means, reverse=True)
    assert all(level.high < vanilla.low for level in levels[0 if dial != "delay" else 1 :])
    assert levels[-1].high < levels[0].low


def test_sequence_length_hurts_more_than_delay(appendix_d):
    """One more step to remember; equal doses; the largest doses."""
    delay, length = appendix_d["delay"], appendix_d["sequence_length"]
    assert length[2].high < delay[1].low
    assert length[4].high < delay[4].low
    assert length[4].high < delay[8].low


def test_noise_free_policies_survive_transition_noise_better_than_training_shows():
    """Section 6.2.4, Figure 7."""
    study = DiagnosisStudy.make(agent("q_learning"), dials=["transition_noise"], seeds=30)
    (dial,) = judged(study, trained(study)).dials
    for dose in dial.doses[1:]:
        assert dose.means["normalised_noise_free"].low > dose.means["normalised_auc"].high


def test_the_optimal_agent_scores_one_where_there_is_no_noise():
    dials = ["delay", "sequence_length", "irrelevant_features"]
    study = DiagnosisStudy.make(agent("optimal"), dials=dials, seeds=2, budget=2000)
    for d in judged(study, trained(study)).dials:
        for dose in d.doses:
            assert dose.samples["normalised_auc"] == pytest.approx(1.0, abs=1e-9)
            assert dose.samples["normalised_eval"] == pytest.approx(1.0, abs=1e-9)
