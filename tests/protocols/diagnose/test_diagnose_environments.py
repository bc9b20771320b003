"""The diagnosis on environments other than the discrete toy: what is asked, and by what returns are normalised."""

from __future__ import annotations

import json

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st

from invented_diagnoses import LENGTH, invented, judged, trained
from mohs import Cell, Probe, Segment, Task, UsageError
from mohs.agents.registry import agent, learner
from mohs.envs.continuous import ContinuousEnv
from mohs.envs.dials import dial_of
from mohs.protocols.conduct import planned
from mohs.protocols.diagnose.scale import find_scale
from mohs.protocols.diagnose.study import REFERENCE_EPISODES, DiagnosisStudy, plan
from mohs.protocols.measures import available
from mohs.protocols.scale import plain
from mohs.report.page import page_html
from mohs.runs.execution import Execution
from mohs.runs.results import Results

RANDOM = agent("random")


def cartpole(seeds=6, **options):
    return DiagnosisStudy.make(RANDOM, env="CartPole-v1", seeds=seeds, budget=1000, **options)


def made_up(study, score, **random):
    """Curves of runs that earn `score(task, seed)` on the plain scale of rewards."""

    def paid(task, seed):
        return score(task, seed) * task["reward_scale"] + LENGTH * task["reward_shift"]

    return invented(study, paid, **random)


def report_html(found):
    return page_html(found.page(), found.to_json())


def falling(task, seed):
    return 120.0 + seed - 12.5 * task["delay"]


# What is asked.


def test_studies_of_the_discrete_toy_keep_their_keys_and_those_without_parameters_load():
    study = DiagnosisStudy.make(agent("q_learning"), "quick", seeds=2)
    assert plan(study).key == "67fbaae8452423b87c73bd6b6e14e454"
    assert "params" not in study.to_json()
    assert DiagnosisStudy.from_json(study.to_json()) == study


@pytest.mark.parametrize("env", ["CartPole-v1", "Pendulum-v1", "toy/continuous", "toy/grid", "FrozenLake-v1"])
@pytest.mark.parametrize("battery", ["quick", "standard", "full"])
def test_every_environment_has_batteries(env, battery):
    study = DiagnosisStudy.make(RANDOM, battery, env=env, seeds=1)
    again = DiagnosisStudy.from_json(json.loads(json.dumps(study.to_json())))
    assert again == study
    assert plan(again).key == plan(study).key
    assert {"delay", "transition_noise", "reward_noise"} <= set(dict(study.doses))
    for name, values in study.doses:
        assert study.task({})[name] in values
        assert len(set(values)) == len(values) > 1


def test_dials_that_an_environment_does_not_allow_are_left_out_of_its_battery():
    dials = {
        env: set(dict(DiagnosisStudy.make(RANDOM, "full", env=env, seeds=1).doses))
        for env in ("CartPole-v1", "FrozenLake-v1")
    }
    assert "observation_noise" in dials["CartPole-v1"]
    assert "observation_noise" not in dials["FrozenLake-v1"]
    assert not {"image_transforms", "time_unit", "action_space_max"} & (dials["CartPole-v1"] | dials["FrozenLake-v1"])


def test_doses_that_an_environment_does_not_allow_are_left_out_one_by_one_and_named():
    """A step of Hopper's is 4 frames, of which 0.2 and 0.4 are no whole number."""
    study = DiagnosisStudy.make(RANDOM, "standard", env="Hopper-v5", seeds=1)
    assert dict(study.doses)["time_unit"] == (1.0, 2.0, 4.0)
    assert study.left_out == ("time_unit = 0.2, 0.4", "image_transforms")
    assert DiagnosisStudy.from_json(json.loads(json.dumps(study.to_json()))) == study
    line = "Left out of the battery, because the environment does not allow it: time_unit = 0.2, 0.4; image_transforms."
    found = judged(study, {})
    assert found.sentences[-1] == line
    assert line in report_html(found)
    assert DiagnosisStudy.make(RANDOM, "standard", env="Hopper-v5", dials=["delay"]).left_out == ()


def test_an_environment_without_a_time_limit_gets_one():
    study = DiagnosisStudy.make(RANDOM, env="CliffWalking-v1", params={"max_episode_steps": 30}, seeds=1)
    assert {point.task["max_episode_steps"] for point in study.family} == {30}


def test_minigrid_ends_its_own_episodes():
    study = DiagnosisStudy.make(agent("random"), env="MiniGrid-Empty-5x5-v0", dials=["delay"], seeds=1, budget=200)
    assert study.task({})["max_episode_steps"] is None


def test_the_batterys_own_parameters_give_way():
    line = {"reward_function": "move_along_a_line", "sequence_length": 4}
    study = DiagnosisStudy.make(
        agent("random"), env="toy/continuous", params=line, dials=["delay"], seeds=1, budget=200
    )
    assert study.task({}) == Task.make("toy/continuous", **line)


def test_an_evaluation_does_not_dwarf_the_training():
    """With 10 steps of training, no episode is begun after 100 steps of evaluation; the toy's last for 30."""
    task = Task.make("toy/continuous", max_episode_steps=30, start_point=(9.0, 9.0))
    cell = Cell(agent("random"), 0, (Segment(task, 10),), (Probe("eval", task, (10,), 20),), 10)
    pack = learner([cell])
    calls = []
    env_step = ContinuousEnv.step

    def counted(self, action):
        calls.append(action)
        return env_step(self, action)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ContinuousEnv, "step", counted)
        pack.evaluate(0)
    assert len(calls) == 120


def test_vanilla_is_the_base_task():
    study = DiagnosisStudy.make(RANDOM, env="toy/continuous", params={"delay": 3}, doses={"delay": [8, 1]})
    assert dict(study.params) == {"delay": 3, "make_denser": True, "target_radius": 0.5}
    assert dict(study.doses)["delay"] == (1, 3, 8)
    assert study.family[0].task == Task.make("toy/continuous", delay=3, make_denser=True, target_radius=0.5)
    found = judged(study, {})
    (delay,) = [d for d in found.dials if d.name == "delay"]
    assert delay.doses[delay.vanilla].value == 3
    sparse = DiagnosisStudy.make(RANDOM, env="toy/continuous", params={"make_denser": False})
    assert not sparse.task({})["make_denser"]


def test_a_gymnasium_id_of_ours_is_the_toy():
    assert DiagnosisStudy.make(RANDOM, env="mohs/Grid-v0").env == "toy/grid"


def test_units_are_those_of_the_environment():
    units = {
        env: dial_of(Task.make(env), "transition_noise").unit for env in ("CartPole-v1", "Pendulum-v1", "toy/grid")
    }
    assert units == {"CartPole-v1": "probability", "Pendulum-v1": "std. deviation", "toy/grid": "probability"}
    assert dial_of(Task.make("toy/continuous"), "transition_noise").unit == "std. deviation"


class Switches(gymnasium.Env):
    observation_space, action_space = spaces.Box(-1.0, 1.0, (2,)), spaces.MultiBinary(3)


def test_switches_are_chosen():
    gymnasium.register("Switches-v0", entry_point=Switches, max_episode_steps=5)
    try:
        assert dial_of(Task.make("Switches-v0"), "transition_noise").unit == "probability"
    finally:
        del gymnasium.registry["Switches-v0"]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("random", {"env": "CartPole-v1", "dials": ["diameter"]}, "diameter is no dial of CartPole-v1: it applies to"),
        ("random", {"env": "toy/grid", "dials": ["target_radius"]}, "target_radius is no dial of toy/grid"),
        ("random", {"env": "CartPole-v1", "doses": {"delay": [0]}}, "a dose other than vanilla's"),
        ("random", {"env": "CartPole-v1", "doses": {"delay": [0.5]}}, "delay is 0.5"),
        ("random", {"env": "CartPole-v1", "params": {"delai": 1}}, "Did you mean 'delay'"),
        ("q_learning", {"env": "CartPole-v1"}, "q_learning keeps a table of states"),
        ("sarsa", {"env": "toy/continuous"}, "sarsa keeps a table of states"),
        ("optimal", {"env": "FrozenLake-v1"}, "optimal keeps a table of states"),
        ("q_learning", {"params": {"image_representations": True}}, "toy/discrete as images"),
        ("gorp", {"env": "Pendulum-v1"}, "finitely many actions"),
        ("random", {"env": "CliffWalking-v1"}, "no time limit.*set max_episode_steps"),
        ("random", {"env": "FrozenLake-v1", "params": {"map_name": "none"}}, "FrozenLake-v1 cannot be made"),
        ("random", {"env": "Hopper-v5", "dials": ["time_unit"]}, "time_unit is 0.2"),
        ("random", {"env": "Hopper-v5", "doses": {"time_unit": [2, 0.5, 0.3]}}, "time_unit is 0.3"),
        ("random", {"env": "Hopper-v5", "dials": ["delay"], "pairs": [("delay", "time_unit")]}, "time_unit is 0.2"),
    ],
)
def test_what_cannot_be_is_said_before_anything_runs(name, options, message):
    with pytest.raises(UsageError, match=message):
        planned(DiagnosisStudy.make(agent(name), **options), Execution())


# By what returns are normalised.


@given(
    st.lists(st.floats(-10, 10, allow_subnormal=False), min_size=1, max_size=30),
    st.floats(0.01, 100) | st.floats(-100, -0.01),
    st.floats(-10, 10, allow_subnormal=False),
)
def test_scale_and_shift_are_undone(rewards, scale, shift):
    """A plain derivation: every reward is scaled and shifted, and the return is brought back."""
    task = Task.make("CartPole-v1", reward_scale=scale, reward_shift=shift)
    paid = sum(r * scale + shift for r in rewards)
    assert plain(task, paid, float(len(rewards))) == pytest.approx(sum(rewards), abs=1e-6)


def test_vanilla_is_one_and_random_play_zero():
    study = cartpole(dials=["delay", "reward_scale", "reward_shift"])
    found = judged(study, made_up(study, falling))
    assert found.vanilla.means["normalised_auc"].value == pytest.approx(1.0)
    by_name = {d.name: d for d in found.dials}
    # Seeds differ by as much in random play as in the run, so every run of a dose has the same score.
    for dose in by_name["delay"].doses:
        assert dose.samples["normalised_auc"] == pytest.approx(1 - 0.125 * dose.value)
        assert dose.normal_curves[1] == pytest.approx(1 - 0.125 * dose.value)
    assert by_name["delay"].breaking[0].dose == pytest.approx(4.0)
    # The arithmetic of these dials is no effect of theirs.
    for name in ("reward_scale", "reward_shift"):
        assert all(dose.samples["normalised_auc"] == pytest.approx(1.0) for dose in by_name[name].doses)
        assert all(dose.samples["auc_plain"] == pytest.approx(120 + np.arange(6)) for dose in by_name[name].doses)
        assert by_name[name].damage.value == pytest.approx(0, abs=1e-9)
        assert {b.status for b in by_name[name].breaking} == {"not_reached"}
    names = available("CartPole-v1", found.scale, noise_free=True)
    assert tuple(found.vanilla.samples) == names
    assert "auc_plain" in names
    assert "auc_paper" not in names
    assert "earns 122 [" in found.sentences[0]
    assert "the random policy 22.5" in found.sentences[0]
    assert "the agent's own vanilla runs" in found.to_json()["references"]["1"]
    page = report_html(found)
    assert "0 = random, 1 = own vanilla" in page
    assert "exact" not in found.scale.text


@pytest.mark.parametrize(
    ("level", "noise"), [(22.5, 3.0), (15.0, 3.0), (15.0, 0.0)], ids=["as random", "worse", "surely worse"]
)
def test_without_a_lead_over_random_play_nothing_breaks(level, noise):
    study = cartpole(dials=["delay"])
    wobble = noise * np.random.default_rng(0).standard_normal(study.seeds)
    found = judged(study, made_up(study, lambda task, seed: level + wobble[seed]))
    assert [b.status for b in found.dials[0].breaking] == ["not_learnt"]
    assert not found.dials[0].damage.known
    assert "no certain lead over the random policy" in found.sentences[1]
    assert found.missing == 0
    assert '<td class="missing">' not in report_html(found)
    json.dumps(found.to_json(), allow_nan=False)


def test_missing_random_play_is_missing():
    study = cartpole(dials=["delay"])
    found = judged(study, made_up(study, falling, random=lambda seed: None if seed == 0 else 20.0 + seed))
    assert found.missing == 1
    assert np.isnan(found.vanilla.samples["normalised_auc"]).tolist() == [True] + [False] * 5
    assert np.isfinite(found.vanilla.samples["auc"]).all()
    assert found.dials[0].breaking[0].status == "reached"
    unplayed = judged(study, made_up(study, falling, random=lambda seed: None))
    assert unplayed.missing == study.seeds
    assert unplayed.dials[0].breaking[0].status == "too_few"
    assert judged(study, {}).sentences[0].endswith("no verdict.")


def test_references_that_are_of_another_kind_are_named():
    study = DiagnosisStudy.make(
        RANDOM, env="toy/continuous", doses={"action_space_max": [0.1]}, dials=[], seeds=1, budget=200
    )
    found = judged(study, trained(study))
    assert "0 = random policy" in found.scale.text
    assert "upper bound" in found.scale.text
    assert "action_space_max = 0.1" in found.scale.text


def test_a_dose_that_is_a_parameters_default_is_named():
    options = {"params": {"action_space_max": 0.1}, "doses": {"action_space_max": [1.0]}, "dials": []}
    study = DiagnosisStudy.make(RANDOM, env="toy/continuous", seeds=1, **options)
    ran = Results.of(plan(study), {study.cell(point.task, 0).key: {} for point in study.family})
    assert Task.make("toy/continuous")["action_space_max"] == 1.0
    text = find_scale(study, ran).text
    assert "action_space_max = 1.0" in text
    assert "vanilla." not in text.partition("vanilla's).")[2]


# What is run.


def test_random_play_is_a_run_without_training():
    study = cartpole(seeds=2, doses={"delay": [0, 500]}, dials=[])
    scores = trained(study)
    assert len(scores) == len(plan(study).cells) == 2 * 3
    for seed in range(2):
        assert study.reference(seed).steps == 0
        curves = scores[study.reference(seed).key]
        # CartPole pays 1 for every step; a delay changes when, and not how much.
        assert curves["random/return"][1] == curves["random/length"][1]
        assert curves["random/return"][1][0] * REFERENCE_EPISODES == pytest.approx(
            round(curves["random/return"][1][0] * REFERENCE_EPISODES)
        )
        plain, delayed = (scores[study.cell(study.task({"delay": d}), seed).key] for d in (0, 500))
        assert np.array_equal(plain["train/return"][1], delayed["train/return"][1], equal_nan=True)
    found = judged(study, scores)
    assert found.missing == 0
    assert found.dials[0].doses[0].samples["auc"] == pytest.approx(found.dials[0].doses[1].samples["auc"])


def test_q_learning_learns_the_grid():
    study = DiagnosisStudy.make(agent("q_learning"), env="toy/grid", dials=["delay"], doses={"delay": [0, 4]}, seeds=4)
    found = judged(study, trained(study))
    assert found.vanilla.means["normalised_auc"].low > 0.8
    assert found.dials[0].doses[1].means["normalised_auc"].value < found.vanilla.means["normalised_auc"].value
    assert "grid" in report_html(found)
