"""What is run: settings that fit the budget, editions by rule, a cell for each try, and data both ways."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import mohs
from invented_challenge import facts, study_of
from mohs import UsageError
from mohs.agents.registry import config
from mohs.exact.values.solve import values
from mohs.protocols.challenge.editions import QUICK_CHALLENGE, QUICK_CONTROLS, few, is_control, survivors
from mohs.protocols.challenge.settings import all_with_settings, linear_clip_range, linear_learning_rate, with_settings
from mohs.protocols.challenge.study import ChallengeStudy, plan
from mohs.protocols.challenge.study import facts as known_of
from mohs.tables.challenge.catalogue import Status, catalogue, catalogue_entry

FULL = 10_000_000


def test_the_papers_settings_are_its_own():
    ppo, dqn = all_with_settings(["ppo", "dqn"], FULL)
    assert [s.name for s in ppo.settings] == ["128", "1280", "12800"]
    for setting, steps in zip(ppo.settings, (128, 1280, 12800), strict=True):
        c = config(setting.agent)
        assert (c.n_steps, c.num_envs, c.batch_size, c.n_epochs) == (steps, 8, 256, 4)
        assert (c.learning_rate, c.learning_rate_schedule, c.clip_range, c.clip_range_schedule) == (
            2.5e-4,
            "linear",
            0.1,
            "linear",
        )
        assert (c.vf_coef, c.ent_coef, c.gamma, c.hidden) == (0.5, 0.01, 0.99, (64, 64))
    for setting, share in zip(dqn.settings, (0.1, 1.0), strict=True):
        c = config(setting.agent)
        assert (c.exploration_initial_eps, c.exploration_final_eps, c.exploration_fraction) == (1.0, 0.01, share)
        assert (c.learning_rate, c.batch_size, c.buffer_size, c.learning_starts) == (1e-4, 32, 100_000, 100_000)
        assert (c.target_update_interval, c.train_freq, c.gamma, c.hidden) == (1000, 4, 0.99, (64, 64))


def test_agents_of_stable_baselines3_have_the_same_settings_by_their_own_names():
    ppo, dqn = all_with_settings(["sb3:PPO", "sb3:DQN"], FULL)
    ours = all_with_settings(["ppo", "dqn"], FULL)
    for setting, mine in zip(ppo.settings, ours[0].settings, strict=True):
        given, c = dict(setting.agent.params), config(mine.agent)
        assert given["n_steps"] == c.n_steps * c.num_envs  # one environment, rollouts as long
        assert (given["batch_size"], given["n_epochs"], given["gamma"]) == (c.batch_size, c.n_epochs, c.gamma)
        assert (given["ent_coef"], given["vf_coef"]) == (c.ent_coef, c.vf_coef)
    for setting, mine in zip(dqn.settings, ours[1].settings, strict=True):
        given, c = dict(setting.agent.params), config(mine.agent)
        assert given["exploration_fraction"] == c.exploration_fraction
        assert given["exploration_final_eps"] == c.exploration_final_eps
        assert (given["buffer_size"], given["learning_starts"]) == (c.buffer_size, c.learning_starts)
        assert (given["target_update_interval"], given["train_freq"]) == (c.target_update_interval, c.train_freq)
    assert (linear_learning_rate(1.0), linear_learning_rate(0.0), linear_clip_range(0.5)) == (2.5e-4, 0, 0.05)


@pytest.mark.parametrize("budget", [10, 5000, 300_000, 3_000_000, FULL])
def test_smaller_budgets_scale_what_would_not_fit(budget):
    ppo, dqn = all_with_settings(["ppo", "dqn"], budget)
    for setting in dqn.settings:
        assert config(setting.agent).learning_starts == min(100_000, budget // 10)
    kept = [config(setting.agent) for setting in ppo.settings]
    assert kept  # the shortest at least
    assert all(c.n_steps * c.num_envs * 10 <= budget for c in kept[1:])
    assert len(kept) + len(ppo.left_out) == 3
    assert ppo.left_out == ("12800",) * (budget < 12800 * 80) or budget < 1280 * 80


def test_settings_can_be_chosen_and_hyperparameters_set_in_all_of_them():
    ppo, dqn = all_with_settings(["ppo", "dqn"], 300_000, ["12800", "slow"], hyperparameters={"hidden": (32,)})
    assert [s.name for s in (*ppo.settings, *dqn.settings)] == ["12800", "slow"]
    assert config(ppo.settings[0].agent).hidden == config(dqn.settings[0].agent).hidden == (32,)
    first = [s.name for c in all_with_settings(["ppo", "dqn", "random"], FULL, most=1) for s in c.settings]
    assert first == ["128", "fast", "default"]
    with pytest.raises(UsageError, match="unknown setting '129'"):
        all_with_settings(["ppo"], FULL, ["129"])
    with pytest.raises(UsageError, match="unknown setting of dqn '128'"):
        all_with_settings(["ppo", "dqn"], FULL, ["128"])


def test_agents_see_states_as_suits_them():
    assert with_settings("q_learning", FULL).settings[0].observation == "state"
    assert with_settings("dqn", FULL).settings[0].observation == "cells"
    assert with_settings("sb3:DQN", FULL).settings[0].observation == "flat"
    assert [s.name for s in with_settings("rainbow", FULL).settings] == ["default"]


def test_a_cell_for_each_mdp_agent_setting_and_seed():
    mdps = facts({}, {}, {})
    study = study_of(mdps, seeds=4)
    tries = sum(len(c.settings) for c in study.agents)
    cells = plan(study).cells
    assert len(cells) == len({cell.key for cell in cells}) == len(mdps) * tries * 4
    for cell in cells:
        (probe,) = cell.probes
        assert cell.steps == study.budget
        assert probe.source == cell.segments[0].source
        assert (list(probe.at), probe.episodes, probe.mode) == (list(range(1000, 20_001, 1000)), 1, "greedy")
    assert ChallengeStudy.from_json(json.loads(json.dumps(study.to_json()))) == study


def test_where_actions_stick_evaluations_are_longer_and_estimates_slower():
    study = ChallengeStudy.make(["q_learning"], mdps=["hanoi-3"], budget=100_000, seeds=1, sticky=0.25)
    assert (study.every, study.episodes) == (10_000, 100)
    assert "with sticky actions 0.25" in study.name
    for cell in plan(study).cells:
        (probe,) = cell.probes
        assert cell.segments[0].source["sticky_actions"] == probe.source["sticky_actions"] == 0.25
        assert probe.episodes == 100
        assert dict(cell.agent.params)["learning_rate"] == 0.1
    assert ChallengeStudy.from_json(json.loads(json.dumps(study.to_json()))) == study


def test_studies_from_before_sticky_actions_are_read():
    study = study_of(facts({}))
    old = {name: value for name, value in study.to_json().items() if name not in ("sticky", "episodes")}
    assert ChallengeStudy.from_json(old) == study


def test_with_sticky_actions_the_optimum_is_that_of_their_table():
    study = replace(study_of([catalogue_entry("hanoi-3")]), sticky=0.25)
    (known,) = known_of(study)
    table = mohs.table("hanoi-3", sticky_actions=0.25)
    assert known.optimal_return == pytest.approx(float(table.initial @ values(table, "best")))
    assert known.random_return == pytest.approx(float(table.initial @ values(table, "mean")))
    assert (known.guess_steps, known.gorp_steps) == (None, None)
    assert known_of(replace(study, sticky=0.0)) == [catalogue_entry("hanoi-3")]


def test_thousands_of_evaluations_are_a_few_bytes_of_a_plan():
    study = replace(study_of(facts({})), budget=FULL)
    cell = plan(study).cells[0]
    assert len(cell.probes[0].at) == 10_000
    assert len(json.dumps(cell.to_json())) < 2000


def test_the_full_edition_is_every_mdp_that_survived_the_filter():
    assert survivors(catalogue()) == [mdp for mdp in catalogue() if mdp.status == "challenge"]


def invented(counts):
    """A catalogue with so many MDPs of the challenge and of those dropped, for each source."""
    (plain,) = facts({})
    made = []
    for number, (source, (hard, easy)) in enumerate(counts.items()):
        for i in range(hard):
            made.append(replace(plain, id=f"{source}-{i}", source=source, states=1000 * number + 10 * i + 5))
        for i in range(easy):
            horizon = 1.0 + (7 * i + 3) % 5
            easier = {
                "status": Status.GORP,
                "gorp_steps": 10**4,
                "effective_horizon": horizon,
                "states": 1000 * number + i,
            }
            made.append(replace(plain, id=f"{source}-easy-{i}", source=source, **easier))
    return made


def test_the_quick_edition_follows_from_a_rule():
    listed = invented(dict.fromkeys(("a", "b", "c", "d", "e", "f", "g", "h"), (3, 3)))
    chosen = few(listed)
    hard, easy = [m for m in chosen if not is_control(m)], [m for m in chosen if is_control(m)]
    assert (len(hard), len(easy)) == (QUICK_CHALLENGE, QUICK_CONTROLS)
    assert len({m.source for m in hard}) == len(hard)
    assert {m.source for m in easy} <= {m.source for m in hard}
    for mdp in hard:
        assert mdp.states == min(m.states for m in listed if m.source == mdp.source and not is_control(m))
    for mdp in easy:
        of_source = [m for m in listed if m.source == mdp.source and is_control(m)]
        assert mdp.effective_horizon == min(m.effective_horizon for m in of_source)
    assert [m.source for m in hard] == ["a", "b", "c", "d", "e", "f"]  # the smallest
    assert [m.source for m in easy] == ["a", "b", "c", "d"]
    assert few(reversed(listed)) == chosen  # the order of the list does not matter


def test_a_control_looks_like_its_mdp():
    listed = [replace(m, board="9x9") if m.id.startswith("a-easy") else m for m in invented({"a": (1, 2), "b": (1, 1)})]
    assert [m.id for m in few(listed)] == ["a-0", "b-0", "b-easy-0"]


def test_the_quick_edition_takes_only_controls_that_gorp_solved():
    listed = [replace(m, gorp_steps=None) if is_control(m) else m for m in invented({"a": (1, 2), "b": (1, 0)})]
    assert [m.id for m in few(listed)] == ["a-0", "b-0"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"agents": []}, "at least one agent"),
        ({"edition": "quik"}, "edition is 'quik'"),
        ({"mdps": []}, "at least one MDP"),
        ({"mdps": ["nothing"]}, "unknown MDP of the challenge 'nothing'"),
        ({"budget": 0}, "budget is 0"),
        ({"seeds": 0}, "seeds is 0"),
        ({"sticky": 1.5}, "sticky is 1.5"),
        ({"episodes": 0}, "episodes is 0"),
        ({"budget": 500}, "every is 1,000, but must be at most the budget of 500"),
        ({"agents": ["pppo"]}, "Did you mean 'ppo'"),
        ({"hyperparameters": {"hiden": (2,)}}, "Did you mean 'hidden'"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(options, sentence):
    with pytest.raises(UsageError, match=sentence):
        ChallengeStudy.make(**{"agents": ["ppo"], **options})
