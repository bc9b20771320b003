"""TD3: right, the same in any pack, and its actor waits for its critics."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from continuous_packs import (
    cell,
    check_best_action,
    check_divergence_stays,
    check_packs_and_pauses,
    check_values,
    pendulum_returns,
    vanilla_returns,
)

from mohs.agents.registry import learner


@pytest.mark.parametrize("params", [{}, {"mode": "sample", "n_step": 4, "policy_delay": 3}])
def test_a_cell_does_not_depend_on_its_pack_nor_on_pauses(params):
    check_packs_and_pauses("td3", **params)


def test_divergence_of_one_cell_does_not_touch_the_others():
    check_divergence_stays("td3")


def test_values_of_probes():
    check_values("td3")


def test_the_best_action_of_a_probe():
    check_best_action("td3")


@pytest.mark.slow
def test_vanilla_is_learnt():
    before, after = vanilla_returns("td3", 2500)
    assert np.median(before["return"]) < 0
    assert np.median(after["return"]) > 5.5


@pytest.mark.slow
def test_pendulum_is_learnt():
    assert np.median(pendulum_returns("td3", 8000)) > -250


def test_the_actor_is_updated_less_often_than_the_critics():
    pack = learner([cell("td3", 0, policy_delay=3)])
    rule = pack._algorithm.rule
    pack.train(40)
    changes = []
    for _ in range(6):
        before = [network.save(0) for network in (rule.actor, rule.critics)]
        pack.train(1)
        after = [network.save(0) for network in (rule.actor, rule.critics)]
        changes.append([any((a[k] != b[k]).any() for k in a) for a, b in zip(before, after, strict=True)])
    assert changes == [[False, True], [False, True], [True, True]] * 2


def test_the_actor_follows_the_first_critic_and_moves_no_critic():
    rule = learner([cell("td3", 0)])._algorithm.rule
    seen = torch.randn(1, 4, 8, generator=torch.Generator().manual_seed(0))
    action = torch.tanh(rule.actor(seen))
    both, first = rule.critics(seen, action), rule.critics(seen, action, 1)
    assert torch.equal(first, both[:, :1])
    assert not torch.allclose(both[:, 0], both[:, 1])
    before = rule.critics.save(0)
    rule.actor_adam.step(-first[:, 0].mean(1))
    assert rule.actor.last.weight.grad.any()
    assert all(p.grad is None for p in rule.critics.parameters())
    assert all((before[name] == value).all() for name, value in rule.critics.save(0).items())
