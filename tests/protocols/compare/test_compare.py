"""Two diagnosed agents on the same cells: which is better, dial by dial and over all."""

from __future__ import annotations

import json

import pytest

from invented_diagnoses import invented, judged
from mohs import UsageError
from mohs.agents.registry import agent
from mohs.protocols.compare.command import compare
from mohs.protocols.compare.comparison import compare_diagnoses
from mohs.protocols.diagnose.study import DiagnosisStudy


def falling(task, seed):
    return 90 - 10 * task["delay"] - 300 * task["transition_noise"] + seed % 3


def test_comparing_two_agents():
    better, worse = (
        DiagnosisStudy.make(agent(name), dials=["delay", "reward_noise"], seeds=8) for name in ("sarsa", "random")
    )
    a = judged(better, invented(better, falling))
    b = judged(worse, invented(worse, lambda task, seed: falling(task, seed) - 20))
    found = compare_diagnoses(a, b)
    assert found.measure == "attained"
    assert found.overall.value == 1.0
    assert found.difference.value == pytest.approx(0.2, abs=0.02)
    assert dict(found.correlations)["delay"].value == pytest.approx(1.0)
    assert compare_diagnoses(b, a).overall.value == 0.0
    json.dumps(found.to_json(), allow_nan=False)
    # Vanilla is one point of the whole and none of a dial's.
    equal = judged(worse, invented(worse, lambda t, s: falling(t, s) + (20 if t == worse.task({}, s) else -20)))
    assert dict(compare_diagnoses(a, equal).dials) == dict(found.dials)
    assert compare_diagnoses(a, equal).overall.value == pytest.approx(8 / 9)
    other = DiagnosisStudy.make(agent("random"), dials=["sequence_length"], seeds=8)
    with pytest.raises(UsageError, match="in common"):
        compare_diagnoses(a, judged(other, invented(other, falling)))
    longer = DiagnosisStudy.make(agent("random"), dials=["delay"], seeds=8, budget=500)
    with pytest.raises(UsageError, match="cannot be compared"):
        compare_diagnoses(a, judged(longer, invented(longer, falling)))


def on_cartpole(dials, **params):
    return DiagnosisStudy.make(agent("random"), env="CartPole-v1", seeds=6, budget=1000, dials=dials, params=params)


@pytest.mark.parametrize(("a", "b"), [(3, 4), (None, None)])
def test_what_is_no_diagnosis_is_refused(a, b):
    with pytest.raises(UsageError, match="must be a diagnosis"):
        compare(a, b)


def test_two_agents_are_compared_by_what_they_earn_where_tasks_have_no_references():
    """Both have a vanilla score of 1, each in its own unit, but one earns twice as much."""
    study = on_cartpole(["delay", "reward_scale"])
    better, worse = (
        judged(
            study,
            invented(
                study,
                lambda task, seed, f=factor: f * (120.0 + seed - 12.5 * task["delay"]) * task["reward_scale"],
                lambda seed: 1.0,
            ),
        )
        for factor in (2, 1)
    )
    found = compare_diagnoses(better, worse)
    assert found.measure == "auc_plain"
    assert found.overall.value == 1.0
    assert found.difference.value > 50
    other = on_cartpole(["delay"], sutton_barto_reward=True)
    with pytest.raises(UsageError, match="cannot be compared"):
        compare_diagnoses(better, judged(other, invented(other, falling)))
