"""Diagnosed agents on the same cells: which is better, dial by dial and over all."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from invented_diagnoses import invented, judged
from mohs import UsageError
from mohs.agents.registry import agent
from mohs.core.cell import Agent
from mohs.protocols.compare.command import compare
from mohs.protocols.compare.comparison import compare_diagnoses
from mohs.protocols.diagnose.study import DiagnosisStudy
from mohs.stats import Estimate


def falling(task, seed):
    return 90 - 10 * task["delay"] - 300 * task["transition_noise"] + seed % 3


def study(name, dials=("delay", "reward_noise"), seeds=8, **more):
    return DiagnosisStudy.make(agent(name), dials=list(dials), seeds=seeds, **more)


def made(name, less=0.0, dials=("delay", "reward_noise"), seeds=8, **more):
    """An agent that earns so much less than `falling`."""
    asked = study(name, dials, seeds, **more)
    return judged(asked, invented(asked, lambda task, seed: falling(task, seed) - less))


def test_comparing_two_agents():
    worse = study("random")
    a, b = made("sarsa"), made("random", 20)
    found = compare_diagnoses([a, b])
    (pair,) = found.pairs
    assert found.measure == "normalised_auc"
    assert pair.overall.value == 1.0
    assert (pair.cliffs_delta.value, pair.cliffs_delta.low) == (1.0, 2 * pair.overall.low - 1)
    assert pair.difference.value == pytest.approx(0.2, abs=0.02)
    assert dict(pair.correlations)["delay"].value == pytest.approx(1.0)
    assert compare_diagnoses([b, a]).pairs[0].overall.value == 0.0
    json.dumps(found.to_json(), allow_nan=False)
    # Vanilla is one point of the whole and none of a dial's.
    equal = judged(worse, invented(worse, lambda t, s: falling(t, s) + (20 if t == worse.task({}, s) else -20)))
    again = compare_diagnoses([a, equal]).pairs[0]
    assert dict(again.dials) == dict(pair.dials)
    assert again.overall.value == pytest.approx(8 / 9)
    with pytest.raises(UsageError, match="in common"):
        compare_diagnoses([a, made("random", dials=["sequence_length"])])
    with pytest.raises(UsageError, match="cannot be compared"):
        compare_diagnoses([a, made("random", dials=["delay"], budget=500)])


def test_comparing_many_agents():
    found = compare_diagnoses(
        [made("sarsa", 20), made("q_learning"), made("random", 40), made("double_q_learning", 1e-9)]
    )
    assert [a.rank.value for a in found.agents] == pytest.approx([3, 1, 4, 2])
    assert found.order == (1, 3, 0, 2)
    assert len(found.pairs) == 6
    assert all(pair.overall.level == pytest.approx(1 - 0.05 / 6) for pair in found.pairs)
    assert found.friedman < 0.001
    assert found.groups == ()  # 8 seeds that all agree have p = 2/256, times 6
    means = [agent.mean.value for agent in found.agents]
    assert means[0] - means[1] == pytest.approx(found.pairs[0].difference.value)
    gaps = [agent.gap.value for agent in found.agents]
    assert gaps == pytest.approx([1 - mean for mean in means], abs=1e-9)  # no run reaches the optimum
    frame = found.frame()
    assert set(frame["quantity"]) >= {
        "mean rank",
        "interquartile mean",
        "optimality gap",
        "Cliff's delta",
        "difference",
    }
    json.dumps(found.to_json(), allow_nan=False)
    assert "best of 4 agents" in found.sentences[0]


def seldom_by_much(name):
    """An agent that earns a little more than `falling` at every dose but one, and much less there."""
    asked = study(name)
    return judged(asked, invented(asked, lambda t, s: falling(t, s) + (-60 if t["delay"] == 8 else 0.5)))


def test_an_agent_that_wins_often_by_little_and_loses_seldom_by_much_is_not_called_better():
    """It has the higher probability of improvement, but `--fail-if-worse` calls it worse."""
    odd, plain = seldom_by_much("random"), made("sarsa")
    found = compare_diagnoses([odd, plain])
    assert found.pairs[0].overall.low > 0.5
    assert found.worse_than() == ("sarsa",)
    assert found.sentences[0].startswith("random wins more often over these doses, but scores less on average.")
    assert compare_diagnoses([plain, odd]).sentences[0].startswith("random wins more often")
    many = compare_diagnoses([plain, odd, made("q_learning", 30)])
    assert many.order[0] == 1
    assert many.groups == ()
    assert "random ranks first, but does not score more on average than sarsa:" in many.sentences[0]


@pytest.mark.parametrize(
    ("wins", "scores", "text"),
    [
        (1, 1, "A is the better agent over these doses."),
        (-1, -1, "B is the better agent over these doses."),
        (0, 0, "Neither is clearly better over these doses."),
        (-1, 1, "B wins more often over these doses, but scores less on average."),
        (1, 0, "A wins more often over these doses, but does not clearly score more on average."),
        (0, -1, "B scores more on average over these doses, but does not clearly win more often."),
    ],
)
def test_better_needs_both_intervals(wins, scores, text):
    def interval(side, neutral):
        return Estimate(neutral + side, neutral + side - 0.5, neutral + side + 0.5, 9, 0.95, "", "")

    whole = compare_diagnoses([made("sarsa").labelled("A"), made("random", 20).labelled("B")])
    pair = replace(whole.pairs[0], overall=interval(wins, 0.5), difference=interval(scores, 0.0))
    assert replace(whole, pairs=(pair,)).sentences[0].startswith(text)


def test_agents_that_do_not_differ_are_one_group():
    """The second and third win in turns."""
    turns = [study(name) for name in ("sarsa", "q_learning")]
    b, c = (
        judged(asked, invented(asked, lambda t, s, sign=sign: falling(t, s) + sign * (-1) ** s * (1 + s % 4)))
        for asked, sign in zip(turns, (1, -1), strict=True)
    )
    found = compare_diagnoses([made("random", 30), b, c])
    assert found.groups == ((1, 2),)
    assert found.order[-1] == 0
    assert any("No significant difference: sarsa and q_learning" in sentence for sentence in found.sentences)


def test_too_few_seeds_for_pairs_are_said_with_the_number_that_could():
    found = compare_diagnoses([made(name, i, seeds=4) for i, name in enumerate(("sarsa", "q_learning", "random"))])
    assert any("4 seeds are too few to tell 3 agents apart by pairs: 7 seeds could." in s for s in found.sentences)
    assert 2.0 ** (1 - 7) * 3 <= 0.05 < 2.0 ** (1 - 6) * 3


def test_what_is_not_shared_is_left_out_and_named():
    asked = DiagnosisStudy.make(agent("random"), dials=["delay"], doses={"delay": [0, 1, 3]}, seeds=5)
    other = judged(asked, invented(asked, lambda task, seed: falling(task, seed) - 20))
    found = compare_diagnoses([made("sarsa"), other, made("q_learning", 10)])
    shared = found.shared
    assert shared.scores.shape == (3, 2, 5)
    (dial,) = shared.dials
    assert (dial.name, dial.doses, dial.vanilla) == ("delay", (0, 1), 0)
    (text,) = (sentence for sentence in found.sentences if sentence.startswith("Left out"))
    assert "the seeds from 5 on, which only sarsa and q_learning ran" in text
    assert "delay = 3, which sarsa and q_learning did not try" in text
    assert "delay = 2, 4, 8, which random did not try" in text
    assert "reward_noise, which random did not try" in text


def test_missing_runs_are_missing_and_aggregates_use_whole_seeds():
    asked = study("random")
    gone = judged(asked, invented(asked, lambda t, s: None if s == 2 and t["delay"] == 4 else falling(t, s) - 20))
    found = compare_diagnoses([made("sarsa"), gone])
    assert int(np.isnan(found.shared.scores).sum()) == 1
    assert found.shared.complete.shape[2] == 7
    assert {agent.rank.n for agent in found.agents} == {7}
    assert any("1 of 144 shared runs are missing." in sentence for sentence in found.sentences)
    # The first seed ran at one dose only, the second at all others: no seed ran everywhere.
    nothing = judged(asked, invented(asked, lambda t, s: None if s == (t["delay"] == 4) else falling(t, s) - 20))
    for others in ([], [made("q_learning", 10)]):
        empty = compare_diagnoses([made("sarsa", seeds=2), nothing, *others])
        assert (empty.agents[0].rank.n, empty.against(1).known) == (0, False)
        json.dumps(empty.to_json(), allow_nan=False)
        assert "improvement" in empty.page().figures
        assert empty.summary()


def test_worse_means_that_the_whole_interval_lies_below_the_margin():
    better, worse = made("sarsa"), made("random", 20)
    assert compare_diagnoses([worse, better]).worse_than() == ("sarsa",)
    assert compare_diagnoses([better, worse]).worse_than() == ()
    found = compare_diagnoses([worse, better])
    edge = -found.against(1).high
    assert found.worse_than(edge - 1e-6) == ("sarsa",)
    assert found.worse_than(edge + 1e-6) == ()
    three = compare_diagnoses([worse, made("q_learning", 25), better])
    assert three.worse_than() == ("sarsa",)
    assert three.against(1).level == pytest.approx(0.975)
    few = compare_diagnoses([made("random", 20, seeds=2), better])
    assert (few.against(1).known, few.worse_than()) == (False, ())


def test_a_study_is_not_compared_with_itself():
    one = made("sarsa")
    for other in (one, one.labelled("again"), made("sarsa", dials=["delay"], seeds=4)):
        with pytest.raises(UsageError, match="a study cannot be compared with itself"):
            compare_diagnoses([one, other])
    with pytest.raises(UsageError, match="two studies or more"):
        compare_diagnoses([one])


def test_names_tell_versions_and_labels_apart():
    asked = study("sarsa")
    versions = []
    for version in ("1" * 32, "2" * 32):
        mine = DiagnosisStudy(**{**vars_of(asked), "agent": Agent.make("folder/mine.py:make", version)})
        versions.append(judged(mine, invented(mine, lambda t, s, v=version: falling(t, s) - int(v[0]))))
    assert compare_diagnoses(versions).names == ("mine.py:make @11111111", "mine.py:make @22222222")
    labelled = [versions[0].labelled("old"), versions[1].labelled("new")]
    assert compare_diagnoses(labelled).names == ("old", "new")
    both = [versions[0].labelled("mine"), made("q_learning").labelled("mine")]
    assert compare_diagnoses(both).names == ("mine.py:make (mine)", "q_learning (mine)")


def vars_of(asked):
    return {name: getattr(asked, name) for name in asked.__dataclass_fields__}


def on_cartpole(name, dials, **params):
    return DiagnosisStudy.make(agent(name), env="CartPole-v1", seeds=6, budget=1000, dials=dials, params=params)


@pytest.mark.parametrize(("a", "b"), [(3, 4), (None, None)])
def test_what_is_no_diagnosis_is_refused(a, b):
    for given in ((a, b), ([a, b],)):
        with pytest.raises(UsageError, match="must be a diagnosis"):
            compare(*given)


def test_agents_are_compared_by_what_they_earn_where_tasks_have_no_references():
    """Both have a vanilla score of 1, each in its own unit, but one earns twice as much."""
    studies = [on_cartpole(name, ["delay", "reward_scale"]) for name in ("random", "dqn")]
    better, worse = (
        judged(
            asked,
            invented(
                asked,
                lambda task, seed, f=factor: f * (120.0 + seed - 12.5 * task["delay"]) * task["reward_scale"],
                lambda seed: 1.0,
            ),
        )
        for asked, factor in zip(studies, (2, 1), strict=True)
    )
    found = compare_diagnoses([better, worse])
    assert found.measure == "auc_plain"
    assert found.pairs[0].overall.value == 1.0
    assert found.pairs[0].difference.value > 50
    assert found.agents[0].gap is None
    other = on_cartpole("dqn", ["delay"], sutton_barto_reward=True)
    with pytest.raises(UsageError, match="cannot be compared"):
        compare_diagnoses([better, judged(other, invented(other, falling))])
