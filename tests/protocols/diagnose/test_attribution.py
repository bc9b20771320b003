"""Whose fault is a loss? Oracles and agents whose parts are known get the right ones, and the right words."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from invented_diagnoses import invented, judged, trained
from mohs.agents.registry import agent
from mohs.core.cell import Agent
from mohs.exact.attainable import attainable
from mohs.protocols.diagnose.attribution import NO_OPTIMUM, Ceilings, Reach, attribute
from mohs.protocols.diagnose.effects import Effect
from mohs.protocols.diagnose.gate import gate
from mohs.protocols.diagnose.sentences import blame
from mohs.protocols.diagnose.study import DiagnosisStudy, plan
from mohs.protocols.diagnose.verdict import Diagnosis
from mohs.runs.results import Results
from mohs.stats import Estimate, Gains

ALIASED = {"state_space_size": 4, "action_space_size": 4, "reward_density": 0.34}
SEARCH = 0.002  # of the optimum: twice the tolerance of the search for the best policy without memory


def study(name: str | Agent, **options) -> DiagnosisStudy:
    return DiagnosisStudy.make(agent(name) if isinstance(name, str) else name, **options)


@cache
def diagnosed(name: str, *dials: str, seeds: int = 20, budget: int = 20_000) -> Diagnosis:
    asked = study(name, dials=list(dials) or None, seeds=seeds, budget=budget)
    return judged(asked, trained(asked))


def doses(found: Diagnosis):
    """Every dose whose loss is attributed, with its dial."""
    return [(dial, dose, dose.attribution) for dial in found.dials for dose in dial.doses if dose.attribution]


def holds(part: Estimate, truth: float, margin: float = 1e-9) -> bool:
    return part.low - margin <= truth <= part.high + margin


def test_the_optimal_agent_never_breaks_and_has_no_learning_part():
    found = diagnosed("optimal")
    assert len(doses(found)) == 16
    for dial, dose, attribution in doses(found):
        assert holds(attribution.parts.learning, 0), (dial.name, dose.value)
        assert attribution.parts.memory.value == pytest.approx(0, abs=1e-9)
        assert attribution.reason == ""
    effects = {dial.name: dial.effect for dial in found.dials}
    assert set(effects.values()) <= {Effect.SMALL, Effect.IDENTICAL}
    noisy = next(a for dial, dose, a in doses(found) if dial.name == "transition_noise" and dose.value == 0.1)
    assert noisy.parts.task.value == pytest.approx(1 - 29.8 / 100, abs=0.01)
    assert noisy.parts.total.value == pytest.approx(noisy.parts.task.value, abs=0.02)


def test_the_memoryless_oracle_has_no_learning_part():
    found = diagnosed("memoryless", "delay", "sequence_length")
    for dial, dose, attribution in doses(found):
        assert holds(attribution.parts.learning, 0, SEARCH), (dial.name, dose.value)
        assert dial.effect == Effect.SMALL
        if dial.name == "delay":  # what is pending need not be remembered: the same actions are the best
            assert attribution.parts.memory.value == pytest.approx(0, abs=SEARCH)
    longest = next(a for dial, dose, a in doses(found) if dial.name == "sequence_length" and dose.value == 4)
    assert longest.parts.memory.value > 0.01


def test_the_random_policy_is_stopped_at_vanilla():
    asked = study("random", dials=["delay"], seeds=5, budget=2000)
    found = trained(asked)
    stop = gate(asked).decide(Results.of(plan(asked), found))
    assert stop is not None
    assert stop.reason.startswith("Vanilla is not learnt")
    whole = judged(asked, found)
    assert [dial.effect for dial in whole.dials] == [Effect.NOT_LEARNT]
    assert any("too little to break" in text for text in whole.sentences)


def test_two_seeds_decide_nothing():
    found = diagnosed("optimal", "delay", "transition_noise", seeds=2, budget=2000)
    assert {dial.effect for dial in found.dials} == {Effect.TOO_FEW}
    assert not any(word in text for text in found.sentences for word in ("breaks", "may break", "costs"))


def test_a_history_loses_the_memory_part():
    """Q-learning with the last three observations may blame no missing memory, and earns more."""
    plain, longer = (
        judged(asked, trained(asked))
        for asked in (
            study(agent("q_learning", history=n, learning_rate=0.1, gamma=0.9), dials=["sequence_length"],
                  doses={"sequence_length": [1, 2]}, params=ALIASED, seeds=20, budget=20_000)
            for n in (1, 3)
        )
    )  # fmt: skip
    (_, _, before), (_, _, after) = *doses(plain), *doses(longer)
    assert before.parts.memory.low > 0.05
    assert after.parts.memory.value == pytest.approx(0, abs=SEARCH)
    assert before.parts.task == after.parts.task
    earned = [found.dials[0].doses[1].means["eval"] for found in (plain, longer)]
    assert earned[1].value > earned[0].value


def test_parts_of_invented_runs_add_up_whatever_is_missing():
    asked = study("q_learning", dials=["delay", "sequence_length", "transition_noise"], seeds=6, budget=1000)

    def score(task, seed):
        return None if seed == 1 and task["delay"] == 2 else 40.0 / (1 + task["delay"] + task["sequence_length"]) + seed

    for _, _, attribution in doses(judged(asked, invented(asked, score))):
        parts = attribution.parts
        assert parts.task.value + parts.memory.value + parts.learning.value == pytest.approx(parts.total.value)
        assert parts.policy.value + parts.training.value == pytest.approx(parts.learning.value)


def gains(own, reachable, optimal=1.0, n: int = 5) -> Gains:
    return Gains(*(np.full(n, float(each)) for each in (own, own, reachable, optimal)))


def test_a_bracket_is_shown_and_a_search_out_of_reach_said():
    vanilla, dose = Reach(gains(1, 1), np.ones(5), True), gains(0.3, 0.5)
    known = attribute(vanilla, Reach(dose, np.full(5, 0.5), True), 0.95)
    assert (known.least_memory, known.bracketed) == (pytest.approx(0.5), False)
    between = attribute(vanilla, Reach(dose, np.full(5, 0.9), True), 0.95)
    assert (between.least_memory, between.parts.memory.value, between.bracketed) == (
        pytest.approx(0.1), pytest.approx(0.5), True,
    )  # fmt: skip
    unknown = attribute(vanilla, Reach(dose, np.full(5, 0.9), True).optimal, 0.95)
    assert unknown.reason
    assert math.isnan(unknown.parts.memory.value)
    assert not unknown.bracketed
    assert unknown.parts.learning.value == pytest.approx(0.7)  # memory's part stays with it
    assert unknown.to_json()["least_memory"] is None


def test_rewards_of_another_scale_are_no_loss():
    asked = study("q_learning", dials=["reward_scale"], doses={"reward_scale": [1, 10]}, seeds=4, budget=1000)
    runs = invented(asked, lambda task, seed: 50.0 * task["reward_scale"])
    ((_, _, attribution),) = doses(judged(asked, runs))
    assert attribution.parts.total.value == pytest.approx(0, abs=1e-9)
    assert attribution.parts.task.value == pytest.approx(0, abs=1e-9)


def test_the_attained_share_is_of_the_very_task_of_each_seed():
    ceilings = Ceilings.of_agent(study("q_learning", params=ALIASED, dials=["sequence_length"]))
    shares = []
    for seed in range(6):
        task = ceilings.study.task({"sequence_length": 2}, seed)
        known = attainable(task)
        assert ceilings.attained(task, known.random) == pytest.approx(0)
        assert ceilings.attained(task, known.reachable) == pytest.approx(1)
        shares.append(known.reachable / known.optimal)
    assert min(shares) < 0.7 < max(shares)


def test_where_nothing_is_attributed():
    pole = study("random", env="CartPole-v1")
    assert Ceilings.of_agent(pole).of(pole.task({})) == NO_OPTIMUM
    toy = study("random", env="toy/continuous")
    known = Ceilings.of_agent(toy).of(toy.task({}))
    assert not isinstance(known, str)
    assert known.random < known.optimal == known.bound
    assert (known.reachable, known.reason) == (None, "it has no table")
    assert "transition noise" in str(Ceilings.of_agent(toy).of(toy.task({"transition_noise": 0.1})))


@pytest.mark.parametrize(("spread", "told"), [(0.01, True), (0.5, False)])
def test_the_cut_of_the_learning_is_told_only_if_evaluations_can_tell(spread, told):
    ones, rng = np.ones(10), np.random.default_rng(0)
    learnt = 0.6 + spread * rng.standard_normal(10)
    own = 0.4 + 0.01 * rng.standard_normal(10)
    found = attribute(
        Reach(Gains(ones, ones, ones, ones), ones, True), Reach(Gains(own, learnt, ones, ones), ones, True), 0.95
    )
    said = blame("dqn", 8, "steps", found)
    assert said.startswith("At 8 steps dqn loses 60%")
    assert "0% is the task's, 0% needs memory, 60% is learning" in said
    assert ("in the learnt policy" in said) == told
