"""Distributions over actions: those of torch, drawn from the streams of the cells."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from gymnasium import spaces
from torch import distributions

from mohs import UsageError
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.networks.layers import generators
from mohs.agents.deep.networks.policies import Categoricals, Gaussian, Head, Reals, actions, kl_divergence

CELLS, BATCH = 3, 5


def gaussian(width=4):
    g = torch.Generator().manual_seed(0)
    return Gaussian(torch.randn(CELLS, BATCH, width, generator=g), torch.randn(CELLS, 1, width, generator=g))


def categoricals(*sizes):
    g = torch.Generator().manual_seed(0)
    return Categoricals(tuple(torch.randn(CELLS, BATCH, n, generator=g).log_softmax(-1) for n in sizes))


def test_a_gaussian_is_torchs():
    mine = gaussian()
    torchs = distributions.Independent(distributions.Normal(mine.mean, mine.log_std.exp()), 1)
    action = mine.sample(Draws([1, 2, 3]))
    torch.testing.assert_close(mine.log_prob(action), torchs.log_prob(action))
    torch.testing.assert_close(mine.entropy(), torchs.entropy())
    assert torch.equal(mine.mode(), mine.mean)


@pytest.mark.parametrize("sizes", [(4,), (3, 2, 5)])
def test_choices_are_torchs_and_independent(sizes):
    mine = categoricals(*sizes)
    torchs = [distributions.Categorical(logits=part) for part in mine.parts]
    action = mine.sample(Draws([1, 2, 3]))
    assert action.shape == (CELLS, BATCH, len(sizes))
    each = [t.log_prob(action[..., i]) for i, t in enumerate(torchs)]
    torch.testing.assert_close(mine.log_prob(action), sum(each))
    torch.testing.assert_close(mine.entropy(), sum(t.entropy() for t in torchs))
    assert all(torch.equal(mine.mode()[..., i], t.logits.argmax(-1)) for i, t in enumerate(torchs))


def test_choices_are_drawn_as_often_as_their_chances_say():
    draws, mine = Draws([7, 8, 9]), categoricals(4, 2)
    drawn = torch.stack([mine.sample(draws) for _ in range(4000)])
    for i, part in enumerate(mine.parts):
        found = torch.nn.functional.one_hot(drawn[..., i], part.shape[-1]).double().mean(0)
        assert (found - part.exp()).abs().max() < 0.04  # five deviations of a share


def test_gaussian_samples_have_the_mean_and_the_deviation():
    draws, mine = Draws([7, 8, 9]), gaussian(2)
    drawn = torch.stack([mine.sample(draws) for _ in range(4000)])
    scaled = (drawn - mine.mean) / mine.log_std.exp()
    assert scaled.mean(0).abs().max() < 5 / 4000**0.5
    assert (scaled.std(0) - 1).abs().max() < 0.06


def test_a_certain_choice_is_always_taken_though_its_chances_fall_short_of_one():
    logs = torch.tensor([-1e-3, -100.0, -100.0]).expand(1, 1, 3)
    draws = Draws([1])
    assert all(0 <= int(Categoricals((logs,)).sample(draws)) < 3 for _ in range(2000))


def test_actions_are_clipped_to_the_box_only_where_it_has_bounds():
    box = spaces.Box(np.array([-1.0, -np.inf], np.float32), np.array([1.0, np.inf], np.float32))
    taken = actions(box, "ppo").act(np.array([[3.0, 30.0], [-3.0, -30.0]], np.float32))
    assert taken.tolist() == [[1.0, 30.0], [-1.0, -30.0]]


def test_actions_have_the_shape_and_the_start_of_their_space():
    assert actions(spaces.Box(-1, 1, (2, 3)), "ppo").act(np.zeros((4, 6), np.float32)).shape == (4, 2, 3)
    assert actions(spaces.Discrete(3, start=5), "ppo").act(np.array([[2]])).tolist() == [7]
    assert actions(spaces.MultiDiscrete([3, 2]), "ppo").act(np.array([[2, 1]])).tolist() == [[2, 1]]
    with pytest.raises(UsageError, match="ppo"):
        actions(spaces.Text(3), "ppo")


def test_a_head_begins_near_chance():
    init = generators([1, 2, 3])
    features = torch.randn(3, 5, 16)
    choices = Head(init, 16, actions(spaces.MultiDiscrete([4, 3]), "ppo"))(features)
    assert [part.shape[-1] for part in choices.parts] == [4, 3]
    assert (choices.parts[0].exp() - 0.25).abs().max() < 0.05
    numbers = Head(init, 16, Reals(np.zeros(2), np.ones(2), (2,)), log_std=-1.0)(features)
    assert numbers.mean.shape == (3, 5, 2)
    assert (numbers.log_std == -1).all()


def test_divergences_are_torchs():
    mine, other = gaussian(), Gaussian(gaussian().mean.flip(1), gaussian().log_std.flip(2))
    torchs = [distributions.Independent(distributions.Normal(one.mean, one.log_std.exp()), 1) for one in (mine, other)]
    torch.testing.assert_close(kl_divergence(mine, other), distributions.kl_divergence(*torchs))
    mine = categoricals(3, 2)
    other = Categoricals(tuple(part.flip(1) for part in mine.parts))
    pairs = zip(mine.parts, other.parts, strict=True)
    each = [
        distributions.kl_divergence(distributions.Categorical(logits=a), distributions.Categorical(logits=b))
        for a, b in pairs
    ]
    torch.testing.assert_close(kl_divergence(mine, other), sum(each))
    with pytest.raises(TypeError, match="a Categoricals and a Gaussian have no divergence"):
        kl_divergence(mine, gaussian())
