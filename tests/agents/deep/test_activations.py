"""Our hyperbolic tangent beside torch's."""

from __future__ import annotations

import pytest
import torch

from mohs.agents.deep.networks.activations import tanh_


def test_values_are_right_everywhere():
    x = torch.linspace(-20, 20, 200_001)
    found = tanh_(x.clone())
    assert (found.double() - x.double().tanh()).abs().max() < 4e-7
    assert found.abs().max() <= 1


def test_numbers_that_are_none_stay_so():
    found = tanh_(torch.tensor([torch.nan, torch.inf, -torch.inf, 0.0]))
    assert found[0].isnan()
    torch.testing.assert_close(found[1:], torch.tensor([1.0, -1.0, 0.0]))


def test_gradients_are_those_of_torch():
    x = torch.randn(3, 7, 8, generator=torch.Generator().manual_seed(0))
    ours, theirs = (x.clone().requires_grad_() for _ in range(2))
    tanh_(ours * 2).square().sum().backward()
    torch.tanh(theirs * 2).square().sum().backward()
    torch.testing.assert_close(ours.grad, theirs.grad, atol=3e-6, rtol=1e-5)


@pytest.mark.parametrize("gradients", [True, False])
def test_a_number_has_the_same_bits_wherever_it_lies(gradients):
    x = torch.randn(1003, generator=torch.Generator().manual_seed(1)) * 3
    with torch.set_grad_enabled(gradients):
        whole = tanh_(x.clone())
        for start, end in ((0, 1), (3, 20), (500, 1003)):
            assert torch.equal(whole[start:end], tanh_(x[start:end].clone()))


def test_other_layouts_go_to_torch():
    x = torch.randn(4, 6, dtype=torch.float64)
    assert torch.equal(tanh_(x.clone()), x.tanh())
    turned = torch.randn(4, 6).mT
    assert torch.equal(tanh_(turned.clone(memory_format=torch.preserve_format)), turned.tanh())
