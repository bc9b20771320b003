"""The diagnosis: what is asked, and what is concluded from made-up and from real scores."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mohs import UsageError
from mohs.protocols.diagnose.batteries import BATTERIES
from mohs.protocols.compare.comparison import compare
from mohs.protocols.diagnose.verdict import Study, plan, verdict
from mohs.protocols.measures import measures
from mohs.runs.plan import packs
from mohs.stats import auc, bonferroni_comparisons, estimate, paper_scale


def made_up(study, score):
    """Scores in which a run's return is what `score(task, seed)` says, in units of the vanilla optimum of 100."""
    scores = {}
    for cell in plan(study).cells:
        value = score(cell.segments[0].source, cell.seed)
        if value is not None:
            flat = np.full(10, float(value))
            end = np.array([study.budget])
            scores[cell.key] = {
                "train/return": (np.arange(1, 11) * study.budget // 10, flat),
                "eval/return": (end, flat[:1]),
                "noise_free/return": (end, flat[:1]),
            }
    return scores


def falling(task, seed):
    return 90 - 10 * task["delay"] - 300 * task["transition_noise"] + seed % 3


TOYS = {"discrete toy": "toy/discrete", "continuous toy": "toy/continuous", "grid toy": "toy/grid"}


@pytest.mark.parametrize("kind", TOYS)
def test_every_battery_is_a_valid_plan(kind):
    for name in BATTERIES[kind]:
        study = Study.make(agent("random"), name, seeds=1, env=TOYS[kind])
        assert all(study.task({})[dial] in values for dial, values in study.doses)
        cells = plan(study).cells
        assert len({c.key for c in cells}) == len(cells) > 10
        assert Study.from_json(json.loads(json.dumps(study.to_json()))) == study


def test_the_verdict_finds_the_breaking_dose():
    study = Study.make(agent("q_learning"), dials=["delay", "transition_noise", "irrelevant_features"], seeds=6)
    found = verdict(study, made_up(study, falling))
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
    study = Study.make(agent("q_learning"), dials=["delay"], seeds=5)
    steady = verdict(study, made_up(study, lambda task, seed: 80 + seed))
    assert steady.dials[0].breaking[0].status == "not_reached"
    assert "does not break it up to 8 steps" in steady.dials[0].sentence
    nothing = verdict(study, made_up(study, lambda task, seed: 0.5 + 0.01 * seed))
    assert nothing.dials[0].breaking[0].status == "not_learnt"
    assert "vanilla itself is not learnt" in nothing.dials[0].sentence


def test_missing_runs_are_counted_and_too_few_give_no_verdict():
    study = Study.make(agent("q_learning"), dials=["delay"], seeds=4)
    gaps = verdict(study, made_up(study, lambda task, seed: None if task["delay"] == 8 else falling(task, seed)))
    assert gaps.missing == 4
    assert [dose.missing for dose in gaps.dials[0].doses] == [0, 0, 0, 0, 4]
    assert any("missing" in line for line in gaps.headline)
    empty = verdict(study, {})
    assert empty.missing == 20
    assert "no verdict" in empty.headline[0]
    few = verdict(Study.make(agent("q_learning"), dials=["delay"], seeds=2), made_up(study, falling))
    assert few.dials[0].breaking[0].status == "too_few"
    for found in (gaps, empty, few):
        json.dumps(found.to_json(), allow_nan=False)


def test_two_sided_dials_have_two_breaking_doses():
    study = Study.make(agent("q_learning"), "standard", dials=["reward_shift"], seeds=5)
    scores = made_up(study, lambda t, s: 100 * t["reward_shift"] + (90 if t["reward_shift"] == 0 else 10) + s)
    assert len(verdict(study, scores).dials[0].breaking) == 2


def test_damage_counts_harder_doses_only():
    study = Study.make(agent("q_learning"), "standard", dials=["terminal_state_density", "reward_density"], seeds=5)

    def score(task, seed):
        return {0.0: 99, 0.125: 95, 0.25: 60, 0.375: 20, 0.5: 5}[task["terminal_state_density"]] + 0.1 * seed

    found = {d.name: d for d in verdict(study, made_up(study, score)).dials}
    assert 0.7 < found["terminal_state_density"].damage.value < 0.9
    assert not found["reward_density"].damage.known
    assert found["reward_density"].sentence == "reward_density was tested at no harder dose."


def test_nothing_is_lost_where_nothing_was_learnt():
    study = Study.make(agent("random"), dials=["delay", "irrelevant_features"], seeds=5)
    found = verdict(study, made_up(study, lambda task, seed: 0.5 + 0.1 * seed * (task["delay"] > 0)))
    assert not any(d.damage.known for d in found.dials)
    assert "no dial gets a verdict" in found.headline[1]


def test_pairs():
    study = Study.make(agent("q_learning"), dials=["delay"], pairs=[("delay", "sequence_length")], seeds=3)
    found = verdict(study, made_up(study, falling))
    (pair,) = found.pairs
    assert pair.samples["normalised"].shape == (5, 4, 3)
    assert set(pair.samples) == set(measures("toy/discrete"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"battery": "quik"}, "Did you mean 'quick'"),
        ({"dials": ["dealy"]}, "Did you mean 'delay'"),
        ({"dials": []}, "at least one dial"),
        ({"pairs": [("delay", "delay")]}, "two different dials"),
        ({"pairs": [("delay", "nois")]}, "unknown dial"),
        ({"dials": ["reward_dist"]}, "reward_dist has no usual doses"),
        ({"dials": ["make_denser"]}, "sequence_length:make_denser"),
        ({"seeds": 0}, "seeds is 0"),
        ({"budget": 10}, "budget is 10"),
        ({"env": "toy/discreet"}, "Did you mean 'toy/discrete'"),
    ],
)
def test_bad_studies(options, message):
    with pytest.raises(UsageError, match=message):
        Study.make(agent("random"), **options)


def run(study):
    scores = {}
    for pack in packs(plan(study).cells, 64):
        of = learner(pack)
        of.train(study.budget)
        evaluated = [(p.name, of.evaluate(i)) for i, p in enumerate(pack[0].probes)]
        for i, (cell, curves) in enumerate(zip(pack, of.curves(), strict=True)):
            points = dict(curves)
            for name, values in evaluated:
                points |= {f"{name}/{m}": (np.array([study.budget]), v[i : i + 1]) for m, v in values.items()}
            scores[cell.key] = points
    return scores


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
    study = Study.make(agent("q_learning"), dials=list(APPENDIX_D), seeds=1000)

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
    study = Study.make(agent("q_learning"), dials=["transition_noise"], seeds=30)
    (dial,) = verdict(study, run(study)).dials
    for dose in dial.doses[1:]:
        assert dose.means["noise_free"].low > dose.means["normalised"].high


def test_the_optimal_agent_scores_one_where_there_is_no_noise():
    dials = ["delay", "sequence_length", "irrelevant_features"]
    study = Study.make(agent("optimal"), dials=dials, seeds=2, budget=2000)
    for d in verdict(study, run(study)).dials:
        for dose in d.doses:
            assert dose.samples["normalised"] == pytest.approx(1.0, abs=1e-9)
            assert dose.samples["eval"] == pytest.approx(1.0, abs=1e-9)


def test_comparing_two_agents():
    better, worse = (Study.make(agent(name), dials=["delay", "reward_noise"], seeds=8) for name in ("sarsa", "random"))
    a = verdict(better, made_up(better, falling))
    b = verdict(worse, made_up(worse, lambda task, seed: falling(task, seed) - 20))
    found = compare(a, b)
    assert found.overall.value == 1.0
    assert found.difference.value == pytest.approx(0.2, abs=0.02)
    assert dict(found.correlations)["delay"].value == pytest.approx(1.0)
    assert compare(b, a).overall.value == 0.0
    json.dumps(found.to_json(), allow_nan=False)
    # Vanilla is one point of the whole and none of a dial's.
    equal = verdict(worse, made_up(worse, lambda t, s: falling(t, s) + (20 if t == worse.task({}, s) else -20)))
    assert dict(compare(a, equal).dials) == dict(found.dials)
    assert compare(a, equal).overall.value == pytest.approx(8 / 9)
    other = Study.make(agent("random"), dials=["sequence_length"], seeds=8)
    with pytest.raises(UsageError, match="in common"):
        compare(a, verdict(other, made_up(other, falling)))
    longer = Study.make(agent("random"), dials=["delay"], seeds=8, budget=500)
    with pytest.raises(UsageError, match="cannot be compared"):
        compare(a, verdict(longer, made_up(longer, falling)))
