"""What follows from runs of the challenge: solved, after how many steps, stuck or not; and what is missing stays so."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from invented_challenge import BUDGET, EVERY, OPTIMUM, facts, from_step, judged, missing, study_of
from mohs.exact.lookahead.gorp import LONG
from mohs.exact.lookahead.qvi import TIES
from mohs.protocols.challenge.runs import first_solved, kind
from mohs.protocols.challenge.verdict import groups, length
from mohs.report.data import json_text
from mohs.tables.challenge.catalogue import Status

STEPS = np.arange(EVERY, BUDGET + 1, EVERY)


def concluded(play, mdps=None, **options):
    mdps = mdps or facts({}, {})
    return judged(study_of(mdps, **options), play, mdps)


def test_an_agent_that_is_optimal_at_once_has_the_complexity_of_its_first_evaluation():
    found = concluded(from_step(0))
    for result in found.agents:
        assert result.shares["all"].value == 1
        assert [o.complexity.value for o in result.outcomes] == [EVERY, EVERY]
        assert set(result.kinds) - {"solved"} == {name for name, n in result.kinds.items() if n == 0}
    assert found.missing == 0


def test_what_is_never_solved_has_no_complexity():
    for result in concluded(from_step(math.inf)).agents:
        assert result.shares["all"].value == 0
        assert all(o.solved is False and o.complexity.value == math.inf for o in result.outcomes)


def test_solved_is_what_any_setting_and_seed_reaches():
    def one(agent, setting, mdp, seed, steps):
        lucky = (agent, setting, seed) == ("dqn", "slow", 2)
        return from_step(5000 if lucky else math.inf)(agent, setting, mdp, seed, steps)

    ppo, dqn = concluded(one).agents
    assert (ppo.shares["all"].value, dqn.shares["all"].value) == (0, 1)
    for outcome in dqn.outcomes:
        assert (outcome.runs_solved, outcome.runs) == (1, 6)
        assert dqn.agent.settings[outcome.best].name == "slow"
        assert outcome.complexity.value == math.inf  # one of three seeds is fewer than half


def test_complexity_is_the_median_over_seeds_of_the_best_setting():
    firsts = {"fast": (2000, 9000, 20_000), "slow": (8000, 4000, 7000)}

    def play(agent, setting, mdp, seed, steps):
        return from_step(firsts.get(setting, (0,) * 3)[seed])(agent, setting, mdp, seed, steps)

    dqn = concluded(play).agents[1]
    assert all(o.complexity.value == 7000 for o in dqn.outcomes)  # of 4000, 7000, 8000; not the 9000 of the other
    np.testing.assert_array_equal(dqn.outcomes[0].firsts, list(firsts.values()))


@pytest.mark.parametrize("short_by", [0, TIES / 2, 2 * TIES, 1.0])
def test_the_optimum_is_reached_up_to_a_tolerance(short_by):
    at = first_solved(STEPS, np.full(len(STEPS), OPTIMUM - short_by), OPTIMUM)
    assert at == (EVERY if short_by <= TIES else math.inf)


@pytest.mark.parametrize(("earned", "solved"), [(1.89, False), (1.91, True), (2.0, True)])
def test_where_actions_stick_nearly_optimal_is_enough(earned, solved):
    """Random play earns 0 and the best 2, so 1.9 are needed. Guessing and GORP are not for what is not certain."""
    mdps = facts({"random_return": 0.0})
    study = replace(study_of(mdps), sticky=0.25)
    found = judged(study, lambda *run: np.full(len(run[-1]), earned), mdps)
    assert all(result.outcomes[0].solved is solved for result in found.agents)
    assert found.to_json()["mdps"][0]["goal"] == pytest.approx(1.9)
    assert found.baselines == ()
    assert not any("baselines" in line for line in found.sentences)


def test_every_run_is_of_one_kind():
    rise = np.linspace(0, 1, 20)
    assert kind(np.where(rise > 0.4, OPTIMUM, 0), OPTIMUM) == "solved"
    assert kind(rise, OPTIMUM) == "rising"
    assert kind(np.minimum(rise, 0.3), OPTIMUM) == "stuck"
    assert kind(np.full(20, 1.0), OPTIMUM) == "flat"
    assert kind(1 - rise, OPTIMUM) == "flat"
    assert kind(np.where(np.arange(20) == 5, 1.0, 0.5), OPTIMUM) == "flat"  # one good evaluation is no maximum
    assert kind(np.array([0.0]), OPTIMUM) == "flat"


def test_curves_are_the_mean_and_the_range_over_seeds():
    found = concluded(lambda agent, setting, mdp, seed, steps: steps / BUDGET + 0.1 * seed)
    mean, low, high = found.agents[0].outcomes[0].curve
    np.testing.assert_allclose(mean, STEPS / BUDGET + 0.1)
    np.testing.assert_allclose((low, high), (STEPS / BUDGET, STEPS / BUDGET + 0.2))


def test_missing_runs_are_missing_and_not_unsolved():
    mdps = facts({}, {})
    first = mdps[0].id

    def play(agent, setting, mdp, seed, steps):
        if agent == "ppo" and seed == 1:
            return None
        return from_step(3000 if mdp == first else math.inf)(agent, setting, mdp, seed, steps)

    found = concluded(play, mdps)
    ppo, dqn = found.agents
    assert [o.solved for o in ppo.outcomes] == [True, None]
    assert [o.solved for o in dqn.outcomes] == [True, False]
    assert (ppo.shares["all"].value, ppo.shares["all"].n) == (1, 1)
    assert (dqn.shares["all"].value, dqn.shares["all"].n) == (0.5, 2)
    assert ppo.outcomes[0].complexity.n == 2
    assert found.missing == ppo.kinds["missing"] == 2 * len(ppo.agent.settings)
    assert "are missing" in found.sentences[-1]


def test_without_any_run_nothing_is_decided():
    mdps = facts({}, {})
    found = judged(study_of(mdps), missing, mdps)
    assert found.missing == found.runs > 0
    assert all(o.solved is None and math.isnan(o.complexity.value) for s in found.agents for o in s.outcomes)
    assert "no MDP is decided yet" in found.sentences[0]
    assert json.loads(json_text(found.to_json()))["agents"][0]["shares_solved"]["all"]["value"] is None


def test_mdps_are_told_apart_by_what_is_known_of_their_effective_horizon():
    mdps = facts(
        {"effective_horizon": LONG - 1, "status": Status.GORP},
        {"effective_horizon": LONG},
        {"effective_horizon": None, "effective_horizon_low": LONG + 1},
        {"effective_horizon": None, "effective_horizon_low": LONG - 1},
    )
    found = concluded(
        lambda agent, setting, mdp, seed, steps: from_step(0 if mdp == mdps[0].id else math.inf)(
            agent, setting, mdp, seed, steps
        ),
        mdps,
    )
    assert [length(point) for point in found.scores.family] == ["short", "long", "long", "unknown"]
    assert groups(found.scores.family) == {
        "all": [0, 1, 2, 3], "challenge": [1, 2, 3], "controls": [0], "short": [0], "long": [1, 2], "unknown": [3]
    }  # fmt: skip
    shares = found.agents[0].shares
    assert (shares["controls"].value, shares["challenge"].value) == (1, 0)
    assert (shares["short"].value, shares["long"].value) == (1, 0)
    assert "0 of 3 challenge MDPs" in found.sentences[0]
    assert "1 of 1 controls" in found.sentences[0]
    assert "best of 1 setting × 3 seeds" in found.sentences[0]


def test_baselines_are_given_the_same_steps():
    mdps = facts(
        {"gorp_steps": BUDGET, "guess_steps": BUDGET + 1.0},
        {"gorp_steps": BUDGET + 1, "guess_steps": 10.0},
        {"gorp_steps": None, "gorp_budget": BUDGET},
        {"gorp_steps": None, "gorp_budget": BUDGET - 1},  # nobody knows
    )
    gorp, guess = concluded(from_step(0), mdps).baselines
    assert (gorp.shares["all"].value, gorp.shares["all"].n) == (pytest.approx(1 / 3), 3)
    assert (guess.shares["all"].value, guess.shares["all"].n) == (1 / 4, 4)


def test_a_verdict_is_data():
    data = json.loads(json_text(concluded(from_step(4000)).to_json()))
    assert data["agents"][1]["tries"] == 6
    (first, *_) = data["agents"][1]["mdps"].values()
    assert first["sample_complexity"]["value"] == 4000
    assert first["first_solved_step"]["fast"] == [4000, 4000, 4000]


def test_data_tell_a_run_that_never_solved_from_one_that_is_missing():
    def play(agent, setting, mdp, seed, steps):
        return None if seed == 1 else from_step(4000 if seed == 0 else math.inf)(agent, setting, mdp, seed, steps)

    data = json.loads(json_text(concluded(play).to_json()))
    (first, *_) = data["agents"][1]["mdps"].values()
    assert first["first_solved_step"]["fast"] == [4000, None, None]
    assert first["kinds"]["fast"] == ["solved", "missing", "flat"]
