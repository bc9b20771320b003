"""Agents of stable-baselines3: found by name, trained as by themselves, exactly so many steps, repeatable."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
import torch
from stable_baselines3 import DQN, PPO

from mohs import Cell, Probe, Segment, Task, UsageError
from mohs.agents.registry import agent, check_plays, learner
from mohs.agents.sb3 import agent as sb3
from mohs.core.errors import MohsError
from mohs.protocols.diagnose.study import DiagnosisStudy, plan
from mohs.runs.checks import check_plan
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.plan import Plan
from mohs.runs.store import open_store

TOY = Task.make("toy/discrete", max_episode_steps=10)
TWO_CHOICES = Task.make("toy/discrete", irrelevant_features=True, max_episode_steps=10)
POINT = Task.make("toy/continuous", max_episode_steps=10, make_denser=True)
IMAGE = Task.make("toy/discrete", image_representations=True, max_episode_steps=10)
ROLLOUT = {"n_steps": 16, "batch_size": 8, "n_epochs": 1}
OFF_POLICY = {"learning_starts": 20, "batch_size": 8}
SMALL = {
    "A2C": {},
    "ARS": {"n_delta": 1},
    "DDPG": OFF_POLICY,
    "DQN": OFF_POLICY,
    "PPO": ROLLOUT,
    "QRDQN": OFF_POLICY,
    "RecurrentPPO": ROLLOUT,
    "SAC": OFF_POLICY,
    "TD3": OFF_POLICY,
    "TRPO": {"n_steps": 16, "batch_size": 8},
}
RANGES = ("DDPG", "SAC", "TD3")


def cell(made, task, steps=64, at=(40, 64), mode="greedy", **more):
    return Cell(made, 3, (Segment(task, steps),), (Probe("eval", task, at, 2, mode),), 16, **more)


def run(one):
    """The training curve and the evaluations of a cell, cut where they are due."""
    of, found, before = learner([one]), [], 0
    for at in one.probes[0].at:
        of.train(at - before)
        found.append(of.evaluate(0)["return"][0])
        before = at
    return of.curves()[0]["train/return"][1].tolist(), found


@pytest.mark.parametrize("name", sorted(SMALL))
def test_every_algorithm_trains_plays_and_repeats_itself(name):
    one = cell(agent(f"sb3:{name}", **SMALL[name]), POINT if name in RANGES else TOY, mode="sample")
    first, again = run(one), run(one)
    assert np.array_equal(first[0], again[0], equal_nan=True)
    assert first[1] == again[1]


@pytest.mark.parametrize("name", ["DQN", "QRDQN", "ARS", "PPO"])
def test_several_choices_at_once_are_played_by_all(name):
    run(cell(agent(f"sb3:{name}", **SMALL[name]), TWO_CHOICES))


@pytest.mark.parametrize("name", ["DQN", "A2C", "ARS", "RecurrentPPO"])
def test_images_are_seen(name):
    few = {**SMALL[name], "n_steps": 8} if name == "RecurrentPPO" else SMALL[name]
    run(cell(agent(f"sb3:{name}", **few), IMAGE, steps=24, at=(24,)))


def direct(algorithm, steps, **params):
    """The weights after training with the library alone, in the same environment."""
    of = learner([cell(agent(f"sb3:{algorithm.__name__}", **params), TOY, steps, (steps,))])._learners[0]
    model = algorithm("MlpPolicy", of._env, seed=of._agent._model.seed, **params)
    of._env.left = steps
    model.learn(steps)
    return parameters(model)


def parameters(model):
    return torch.cat([p.detach().flatten() for p in model.policy.parameters()])


@pytest.mark.parametrize(
    ("algorithm", "params"),
    [(DQN, {**OFF_POLICY, "exploration_fraction": 0.5}), (PPO, {**ROLLOUT, "n_steps": 32})],
)
def test_pauses_change_nothing_that_the_library_does_by_itself(algorithm, params):
    of = learner([cell(agent(f"sb3:{algorithm.__name__}", **params), TOY, 96, (7, 40, 95, 96), "sample")])
    before = 0
    for at in (7, 40, 95, 96):  # in the middle of rollouts and of updates' rounds
        of.train(at - before)
        of.evaluate(0)
        before = at
    assert torch.equal(parameters(of._learners[0]._agent._model), direct(algorithm, 96, **params))


def test_exactly_the_budget_is_taken_and_an_incomplete_rollout_is_left():
    of = learner([cell(agent("sb3:PPO", **ROLLOUT), TOY, 40, (40,))])
    of.train(32)
    learnt = parameters(of._learners[0]._agent._model)
    of.train(8)
    assert of._learners[0]._windows.step == 40
    assert torch.equal(parameters(of._learners[0]._agent._model), learnt)


def test_a_rollout_that_never_ends_is_refused():
    with pytest.raises(UsageError, match=r"n_steps=2048 steps, but the run only 64"):
        learner([cell(agent("sb3:PPO"), TOY)])


@pytest.mark.parametrize("name", ["DQN", "PPO", "RecurrentPPO"])
def test_a_second_segment_begins_in_its_own_environment(name):
    segments = Segment(TOY, 40), Segment(Task.make("toy/discrete", seed=1, max_episode_steps=10), 24)
    of = learner([Cell(agent(f"sb3:{name}", **SMALL[name]), 0, segments, (), 8)])
    for steps in (30, 10, 20, 4):
        of.train(steps)
    model = of._learners[0]._agent._model
    assert model.num_timesteps == 64
    assert model._total_timesteps == 64


def test_others_find_the_generators_as_they_left_them():
    def draws():
        return random.random(), np.random.rand(), torch.rand(1).item()

    def seed():
        random.seed(0), np.random.seed(0), torch.manual_seed(0)

    seed()
    expected = draws()
    seed()
    run(cell(agent("sb3:DQN", **OFF_POLICY), TOY, mode="sample"))
    assert draws() == expected


def test_hyperparameters_may_be_mappings_classes_functions_and_noise():
    kwargs = {"net_arch": [8], "activation_fn": torch.nn.Tanh}
    made = agent("sb3:DQN", policy_kwargs=kwargs, learning_rate="math:exp", **OFF_POLICY)
    assert made == agent(
        "sb3:DQN", policy_kwargs='{"net_arch": [8], "activation_fn": "torch.nn.modules.activation:Tanh"}',
        learning_rate="math:exp", **OFF_POLICY,
    )  # fmt: skip
    one = cell(made, TOY)
    model = learner([Cell.from_json(one.to_json())])._learners[0]._agent._model
    assert model.lr_schedule(1.0) == pytest.approx(np.e)
    assert [type(layer).__name__ for layer in model.q_net.q_net] == ["Linear", "Tanh", "Linear"]
    noisy = learner([cell(agent("sb3:TD3", action_noise=0.25), POINT)])._learners[0]._agent._model.action_noise
    assert noisy._sigma.tolist() == [0.25, 0.25]


def test_the_memory_is_no_larger_than_the_run():
    assert learner([cell(agent("sb3:DQN"), IMAGE)])._learners[0]._agent._model.replay_buffer.buffer_size == 64


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("sb3:PPPO", {}, "unknown algorithm of stable-baselines3 'PPPO'. Did you mean 'PPO'"),
        ("sb3:qrdqn", {}, "unknown algorithm of stable-baselines3 'qrdqn'. Did you mean 'QRDQN'"),
        ("sb3:PPO", {"learning_rat": 1}, "hyperparameter of sb3:PPO 'learning_rat'. Did you mean 'learning_rate'"),
        ("sb3:PPO", {"seed": 1}, "unknown hyperparameter of sb3:PPO 'seed'"),
        ("sb3:PPO", {"policy_kwargs": {"net_arch": object()}}, "policy_kwargs is"),
        ("sb3:PPO", {"policy_kwargs": '{"net_arch": [8}'}, "policy_kwargs of sb3:PPO is .* which is not JSON"),
        ("sb3:PPO", {"n_steps": "abc"}, "n_steps of sb3:PPO is 'abc', but must be an integer ≥ 1"),
        ("sb3:PPO", {"gamma": 1.5}, r"gamma of sb3:PPO is 1.5, but must be a number in \[0, 1\]"),
        ("sb3:PPO", {"gae_lambda": -1}, "gae_lambda of sb3:PPO is -1"),
        ("sb3:PPO", {"learning_rate": "fast"}, "learning_rate of sb3:PPO is 'fast'"),
        ("sb3:QRDQN", {"max_grad_norm": "none"}, "max_grad_norm of sb3:QRDQN is 'none', but must be a finite number"),
        ("sb3:DQN", {"optimize_memory_usage": 2}, "optimize_memory_usage of sb3:DQN is 2, but must be True or False"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_before_anything_runs(name, params, message):
    with pytest.raises(UsageError, match=message):
        agent(name, **params)


@pytest.mark.parametrize(("name", "task"), [("DQN", POINT), ("SAC", TOY)])
def test_actions_that_cannot_be_played_are_refused_in_one_sentence(name, task):
    with pytest.raises(UsageError, match=f"sb3:{name} plays actions that are"):
        check_plays(agent(f"sb3:{name}"), task)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"policy_kwargs": {"net_arch": "wide"}}, "sb3:PPO policy_kwargs=.*wide.* cannot be built: "),
        ({"policy_kwargs": {"width": 8}}, "cannot be built: .*'width'"),
        ({"device": "gpu"}, "sb3:PPO device=gpu cannot be built: "),
        ({"n_steps": 1}, "sb3:PPO n_steps=1 cannot be built: "),
    ],
)  # fmt: skip
def test_what_no_model_can_be_built_with_is_refused_before_training(params, message):
    with pytest.raises(UsageError, match=message):
        check_plays(agent("sb3:PPO", **params), TOY)


def test_building_a_model_to_check_leaves_the_generators_alone():
    torch.manual_seed(0), np.random.seed(0), random.seed(0)
    expected = torch.rand(1).item(), np.random.rand(), random.random()
    torch.manual_seed(0), np.random.seed(0), random.seed(0)
    check_plays(agent("sb3:DQN"), TWO_CHOICES, steps=10)
    assert (torch.rand(1).item(), np.random.rand(), random.random()) == expected


def test_a_study_builds_one_model_for_each_kind_of_spaces(monkeypatch):
    built = []
    monkeypatch.setattr(sb3, "check_builds", lambda made, env: built.append(env.observation_space))
    study = DiagnosisStudy.make(agent("sb3:DQN"), dials=["delay", "irrelevant_features"], seeds=1, budget=200)
    check_plan(plan(study))
    assert len(built) == 2  # of tasks with and without irrelevant features


def test_other_spellings_are_the_same_agent():
    assert agent("sb3:QR-DQN") == agent("sb3:QRDQN")
    assert agent("sb3:PPO").source.startswith("stable-baselines3 ")


def test_a_run_that_was_planned_with_another_version_is_refused():
    other = replace(agent("sb3:DQN"), source="stable-baselines3 0.1")
    with pytest.raises(UsageError, match=r"planned with stable-baselines3 0\.1, but here is stable-baselines3 "):
        learner([cell(other, TOY)])


def test_without_the_library_the_extra_is_named(monkeypatch):
    importing = sb3.import_module

    def missing(name):
        if name == "sb3_contrib":
            raise ImportError(name)
        return importing(name)

    monkeypatch.setattr(sb3, "import_module", missing)
    with pytest.raises(UsageError, match=r"sb3:TRPO needs sb3-contrib: install it with pip install .*\[sb3\]"):
        agent("sb3:TRPO")


@pytest.mark.filterwarnings("ignore:overflow")
def test_a_network_that_is_no_longer_made_of_numbers_fails():
    endless = Task.make("toy/continuous", reward_scale=1e39, make_denser=True, max_episode_steps=10)
    of = learner([cell(agent("sb3:DDPG", **OFF_POLICY), endless)])
    with pytest.raises(MohsError, match="sb3:DDPG diverged"):
        of.train(21)  # to its first update; with the next action the environment would complain


def test_an_environment_that_breaks_is_the_error_of_its_cell(tmp_path):
    (tmp_path / "broken_env.py").write_text(
        "import gymnasium\n"
        "from gymnasium.envs.classic_control import CartPoleEnv\n"
        "class Broken(CartPoleEnv):\n"
        "    def step(self, action):\n"
        "        raise RuntimeError('the pole broke')\n"
        "gymnasium.register('Broken-v0', entry_point=Broken, max_episode_steps=10)\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(tmp_path))
        task = Task.make("broken_env:Broken-v0")
        with open_store(f"sqlite:///{tmp_path}/broken.db") as store:
            one = cell(agent("sb3:DQN"), task, at=(64,))
            plan = Plan("broken", "test", {}, (one,))
            summary = execute(plan, store, Execution(workers=0, progress="silent"))
            assert summary.failed == 1
            assert "the pole broke" in store.cells()[0].error


def test_dqn_learns_the_toy():
    task = Task.make("toy/discrete", max_episode_steps=20, seed=1)
    params = {"learning_rate": 2e-3, "learning_starts": 100, "target_update_interval": 100, "exploration_fraction": 0.5}
    of = learner([cell(agent("sb3:DQN", **params, policy_kwargs={"net_arch": [32]}), task, 3000, (3000,))])
    before = of.evaluate(0)["return"][0]
    of.train(3000)
    assert of.evaluate(0)["return"][0] > max(before, 0) + 8
