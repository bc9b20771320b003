"""A2C: its update is that of a single network written plainly; it learns; its presets are valid."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from single_networks import Single, advantages_of

from mohs import Cell, Probe, Segment, Task
from mohs.agents.deep.algorithms.a2c import A2cConfig
from mohs.agents.registry import agent, learner

STEPS, COPIES = 6, 3


def pack_of(seeds, steps, task="toy/discrete", /, **hyperparameters):
    tasks = [Task.make(task, seed=s) for s in seeds]
    made = agent("a2c", **hyperparameters)
    probes = [(Probe("eval", t, (steps,), 10),) for t in tasks]
    parts = zip(seeds, tasks, probes, strict=True)
    return learner([Cell(made, s, (Segment(t, steps),), p) for s, t, p in parts])


@pytest.mark.parametrize("optimiser", ["rmsprop", "adam"])
@pytest.mark.parametrize("task", ["toy/discrete", "toy/continuous"])
def test_an_update_is_that_of_single_networks(task, optimiser):
    c = {"n_steps": STEPS, "num_envs": COPIES, "optimiser": optimiser, "ent_coef": 0.02, "max_grad_norm": 0.3,
         "learning_rate": 0.01, "gae_lambda": 1.0}  # fmt: skip
    pack = pack_of(range(2), 100, task, **c)
    algorithm = pack._algorithm
    singles = [Single(algorithm.network, i) for i in range(2)]
    pack.train(STEPS * COPIES)  # the rollout is used, and still lies there
    kind = {"rmsprop": torch.optim.RMSprop, "adam": torch.optim.Adam}[optimiser]
    for i, one in enumerate(singles):
        inner = kind(one.parameters(), lr=0.01, eps=1e-5)
        advantages, returns = advantages_of(one, algorithm, i, 0.99, 1.0)
        seen, actions = one.batch(algorithm, i)
        policy, values = one(seen)
        loss = -(advantages * one.log_prob(policy, actions)).mean() + 0.5 * (returns - values).square().mean()
        loss = loss - 0.02 * one.entropy(policy).mean()
        inner.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(one.parameters(), 0.3)
        inner.step()
        one.assert_close(algorithm.network, i)


def test_vanilla_is_learnt():
    pack = pack_of(range(4), 6000)
    pack.train(6000)
    assert np.median(pack.evaluate(0)["return"]) > 95


@pytest.mark.parametrize("preset", A2cConfig.presets())
def test_presets_are_valid(preset):
    assert agent("a2c", preset=preset)
