"""PPO: its update is that of a single network written plainly; it learns; schedules and presets."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from single_networks import Single, advantages_of

from mohs import Cell, Probe, Segment, Task
from mohs.agents.deep.algorithms import actor_critic
from mohs.agents.deep.algorithms.actor_critic import before_update
from mohs.agents.deep.algorithms.ppo import PpoConfig, clipped_objective
from mohs.agents.deep.buffers.rollouts import flat, minibatches
from mohs.agents.deep.draws import Draws
from mohs.agents.registry import agent, learner

STEPS, COPIES = 8, 3


def pack_of(seeds, steps, task="toy/discrete", hyperparameters=None, **params):
    tasks = [Task.make(task, seed=s, **params) for s in seeds]
    made = agent("ppo", **(hyperparameters or {}))
    probes = [(Probe("eval", t, (steps,), 10),) for t in tasks]
    parts = zip(seeds, tasks, probes, strict=True)
    return learner([Cell(made, s, (Segment(t, steps),), p) for s, t, p in parts])


@pytest.mark.parametrize("clip_range_vf", [None, 0.01])
@pytest.mark.parametrize("task", ["toy/discrete", "toy/continuous"])
def test_an_update_is_that_of_single_networks(task, clip_range_vf):
    c = {
        "n_steps": STEPS, "num_envs": COPIES, "batch_size": 10, "n_epochs": 3, "ent_coef": 0.02, "clip_range": 0.05,
        "learning_rate": 0.01, "clip_range_vf": clip_range_vf,
    }  # fmt: skip
    pack = pack_of(range(2), 100, task, c)
    algorithm = pack._algorithm
    singles = [Single(algorithm.network, i) for i in range(2)]
    pack.train(STEPS * COPIES)  # the rollout is used, and still lies there
    for i, one in enumerate(singles):
        draws = Draws(algorithm.draws.keys[i : i + 1])
        draws.count = STEPS  # one draw for each step of the rollout
        _plain_ppo(one, algorithm, i, draws, c)
        assert draws.count == algorithm.draws.count
        one.assert_close(algorithm.network, i)


def _plain_ppo(one, algorithm, i, draws, c):
    inner = torch.optim.Adam(one.parameters(), lr=c["learning_rate"], eps=1e-5)
    advantages, returns = advantages_of(one, algorithm, i, 0.99, 0.95)
    seen, actions = one.batch(algorithm, i)
    with torch.no_grad():
        policy, old_values = one(seen)
        old = one.log_prob(policy, actions)
    for _ in range(c["n_epochs"]):
        for at in minibatches(draws, len(old), c["batch_size"]):
            at = torch.from_numpy(at[0])
            policy, values = one(seen[at])
            a = advantages[at]
            a = (a - a.mean()) / (a.std() + 1e-8)
            ratio = (one.log_prob(policy, actions[at]) - old[at]).exp()
            objective = torch.min(ratio * a, ratio.clamp(1 - c["clip_range"], 1 + c["clip_range"]) * a)
            if c["clip_range_vf"]:
                values = old_values[at] + (values - old_values[at]).clamp(-c["clip_range_vf"], c["clip_range_vf"])
            loss = -objective.mean() + 0.5 * (returns[at] - values).square().mean() - 0.02 * one.entropy(policy).mean()
            inner.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(one.parameters(), 0.5)
            inner.step()


def test_odds_beyond_the_clip_range_are_worth_nothing_more():
    ratio = torch.tensor([[0.5, 1.5, 0.5, 1.5]], requires_grad=True)
    objective = clipped_objective(ratio, torch.tensor([[1.0, 1.0, -1.0, -1.0]]), 0.2)
    assert objective.tolist() == [[0.5, pytest.approx(1.2), pytest.approx(-0.8), -1.5]]
    objective.sum().backward()
    assert ratio.grad.tolist() == [[1.0, 0.0, 0.0, -1.0]]


def test_a_linear_schedule_ends_at_zero():
    linear = {"n_steps": 10, "batch_size": 10, "n_epochs": 1, "hidden": (8,), "learning_rate_schedule": "linear"}
    pack = pack_of([0], 40, hyperparameters=linear)
    weights = []
    for _ in range(4):
        pack.train(10)
        weights.append(pack._algorithm.network.critic.weight.detach().clone())
    moved = [float((b - a).abs().max()) for a, b in pairwise(weights)]
    assert moved[0] > moved[1] > moved[2] == 0


def test_vanilla_is_learnt():
    pack = pack_of(range(3), 2048)
    pack.train(2048)
    assert (pack.evaluate(0)["return"] > 95).all()


def test_several_choices_at_once_are_learnt():
    """Irrelevant states and actions beside those that count: a vanilla task otherwise."""
    pack = pack_of(range(2), 3072, irrelevant_features=True)
    pack.train(3072)
    assert (pack.evaluate(0)["return"] > 80).all()


def test_the_continuous_toy_is_learnt():
    pack = pack_of(range(2), 5120, "toy/continuous", make_denser=True, target_radius=0.5)
    random = pack.evaluate(0)["length"]
    pack.train(5120)
    found = pack.evaluate(0)
    assert (found["return"] > 4).all()  # targets are 7.7 away on average
    assert (found["length"] < 0.6 * random).all()


@pytest.mark.parametrize("preset", PpoConfig.presets())
def test_presets_are_valid(preset):
    assert agent("ppo", preset=preset)
    if preset.startswith("effective_horizon"):
        config = PpoConfig.of(agent("ppo", preset=preset))
        assert config.n_steps == int(preset.rpartition("_")[2])


def test_a_long_rollout_is_valued_in_parts(monkeypatch):
    pack = pack_of([0, 1], 100, hyperparameters={"n_steps": 30, "hidden": (8,)})
    pack.train(29)
    algorithm = pack._algorithm
    whole = before_update(algorithm)
    monkeypatch.setattr(actor_critic, "AT_ONCE", 7)
    for parts, at_once in zip(before_update(algorithm), whole, strict=True):
        np.testing.assert_allclose(parts, at_once, rtol=1e-5, atol=1e-6)
    direct = algorithm.values(flat(algorithm.rollout.seen[:, :-1]))
    np.testing.assert_allclose(
        whole[0], np.concatenate([direct, algorithm.values(algorithm.rollout.now)], 1), rtol=1e-6
    )
