"""SAC: right, the same in any pack, and as random as it should be."""

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
from torch.distributions import Independent, Normal, TransformedDistribution
from torch.distributions.transforms import TanhTransform

from mohs import Task
from mohs.agents.deep.algorithms.sac import squashed
from mohs.agents.registry import learner

# Entropy is part of a soft value: little of it, where values are those of rewards.
PLAIN = {"learn_ent_coef": False, "ent_coef": 0.01}


@pytest.mark.parametrize("params", [{}, {"mode": "sample", "n_step": 3, "activation": "tanh", "learn_ent_coef": False}])
def test_a_cell_does_not_depend_on_its_pack_nor_on_pauses(params):
    check_packs_and_pauses("sac", **params)


def test_images_are_seen_too():
    images = Task.make("toy/continuous", image_representations=True, image_width=40, image_height=40)
    check_packs_and_pauses("sac", task=images, batch_size=4, buffer_size=50, filters=((8, 8, 4), (8, 4, 2)))


def test_divergence_of_one_cell_does_not_touch_the_others():
    check_divergence_stays("sac")


def test_values_of_probes():
    check_values("sac", **PLAIN)


def test_the_best_action_of_a_probe():
    check_best_action("sac", **PLAIN)


def test_densities_of_squashed_normals_against_torch():
    generator = torch.Generator().manual_seed(0)
    # Not so wide that the action rounds to 1, from which torch cannot find back.
    mean, log_std, normals = (torch.randn(3, 50, 2, generator=generator, dtype=torch.float64) / 2 for _ in range(3))
    action, log_density = squashed(mean, log_std, normals)
    known = Independent(TransformedDistribution(Normal(mean, log_std.exp()), TanhTransform(cache_size=1)), 1)
    torch.testing.assert_close(log_density, known.log_prob(action))


def test_gradients_of_densities_are_those_of_torch():
    generator = torch.Generator().manual_seed(1)
    drawn = [torch.randn(3, 50, 2, generator=generator, dtype=torch.float64) for _ in range(3)]
    ours, theirs = ([x.clone().requires_grad_() for x in drawn[:2]] for _ in range(2))
    squashed(*ours, drawn[2])[1].sum().backward()
    wide = theirs[0] + theirs[1].exp() * drawn[2]
    density = Normal(theirs[0], theirs[1].exp()).log_prob(wide) - torch.log(1 - torch.tanh(wide) ** 2)
    density.sum().backward()
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a.grad, b.grad)


def test_densities_stay_numbers_far_from_zero():
    far = torch.tensor([[[40.0, -40.0]]])
    action, log_density = squashed(far, torch.zeros_like(far), torch.zeros_like(far))
    assert action.abs().max() == 1
    # log(1 - tanh²(u)) is 2 (log 2 - u) there.
    assert log_density.item() == pytest.approx(4 * (40 - np.log(2)) - np.log(2 * np.pi), rel=1e-5)


def test_what_entropy_is_worth_is_learnt_for_each_cell():
    """It falls where the policy is more random than asked for, and rises where it is less."""
    for target, sign in ((-20.0, -1), (20.0, 1)):
        pack = learner([cell("sac", seed, target_entropy=target, learning_rate=1e-2) for seed in range(2)])
        pack.train(160)
        logs = pack._algorithm.rule.entropy.log().detach().flatten() * sign
        assert logs.min() > 0.5
    fixed = learner([cell("sac", 0, learn_ent_coef=False, ent_coef=0.5)])
    fixed.train(160)
    assert fixed._algorithm.rule.entropy.log().exp().item() == pytest.approx(0.5)


def test_vanilla_is_learnt():
    before, after = vanilla_returns("sac", 2500)
    assert np.median(before["return"]) < 0
    assert np.median(after["return"]) > 5.5


@pytest.mark.slow
def test_pendulum_is_learnt():
    assert np.median(pendulum_returns("sac", 8000, learning_rate=1e-3)) > -250
