"""Layers of a pack: the same numbers as torch's own layers, and the same bits alone and in any pack."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn import functional

from mohs.agents.deep.draws import Draws
from mohs.agents.deep.networks.layers import Linear, Mlp, NoisyLinear, generators, orthogonal, padded
from mohs.agents.deep.optimise import Adam, RmsProp, clip_each, move_toward

KEYS = [11, 22, 33]


def inputs(cells, batch, width, seed=0):
    x = torch.rand(cells, batch, width, generator=torch.Generator().manual_seed(seed)) * 2 - 1
    return functional.pad(x, (0, padded(width) - width))


def gradients(network, x):
    loss = network(x).square().mean((1, 2))
    network.zero_grad()
    loss.sum().backward()
    return [p.grad.clone() for p in network.parameters()]


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_a_layer_is_that_of_torch(activation):
    """Values and gradients of single networks made of torch's own layers."""
    pack = Mlp(generators(KEYS), 5, (20, 12), activation)
    x = inputs(3, 7, 5)
    found = pack(x)
    grads = gradients(pack, x)
    for i in range(3):
        one = torch.nn.Sequential()
        for layer in pack.layers:
            plain = torch.nn.Linear(layer.inputs, layer.outputs)
            plain.weight.data = layer.weight[i, : layer.outputs, : layer.inputs].detach().clone()
            plain.bias.data = layer.bias[i, 0, : layer.outputs].detach().clone()
            one.extend([plain, torch.nn.ReLU() if activation == "relu" else torch.nn.Tanh()])
        out = one(x[i, :, :5])
        torch.testing.assert_close(found[i, :, :12], out)
        assert (found[i, :, 12:] == 0).all()
        (out.square().sum() / (7 * padded(12))).backward()
        expected = [
            g for layer in one if isinstance(layer, torch.nn.Linear) for g in (layer.weight.grad, layer.bias.grad)
        ]
        for mine, other in zip([g[i] for g in grads], expected, strict=True):
            used = mine[: other.shape[0], : other.shape[1]] if other.dim() == 2 else mine[0, : len(other)]
            torch.testing.assert_close(used, other)
            assert mine.count_nonzero() == used.count_nonzero()  # nothing moves where nothing is


@pytest.mark.parametrize("batch", [1, 5, 32])
@pytest.mark.parametrize("widths", [(5, 20, 12), (8, 64, 64), (30, 256, 8)])
def test_the_same_bits_alone_and_in_a_pack(batch, widths):
    """Values, gradients, clipping and the step of the optimiser."""

    def run(keys, x):
        network = Mlp(generators(keys), widths[0], widths[1:])
        for optimiser in (Adam(network.parameters(), 0.01, clip=0.01), RmsProp(network.parameters(), 0.01)):
            for _ in range(3):
                optimiser.step(network(x).square().mean((1, 2)))
        return [network(x).detach(), *gradients(network, x)]

    keys = list(range(11))  # more than one instruction takes at once, and not a multiple of it
    x = inputs(len(keys), batch, widths[0])
    pack = run(keys, x)
    for i, key in enumerate(keys):
        for mine, alone in zip(pack, run([key], x[i : i + 1]), strict=True):
            assert torch.equal(mine[i], alone[0])


def test_noise_is_factorised_and_has_the_stated_size():
    layer = NoisyLinear(generators(KEYS), 6, 10, sigma=0.5)
    x = torch.eye(6)[None].repeat(3, 1, 1)
    x = functional.pad(x, (0, padded(6) - 6))
    quiet = layer.mean(x)
    assert torch.equal(layer(x), quiet)
    draws, seen = Draws(KEYS), []
    for _ in range(2000):
        layer.resample(torch.from_numpy(draws.normal(layer.width)))
        seen.append((layer(x) - quiet)[..., :10].detach())
    noise = torch.stack(seen)
    # A weight's noise is f(a) f(b) σ/√6 and a bias' f(b) σ/√6, with E f² = E |normal| = √(2/π).
    variance = (0.5**2 / 6) * (2 / np.pi + np.sqrt(2 / np.pi))
    np.testing.assert_allclose(noise.var(0).mean(), variance, rtol=0.05)
    assert noise.mean(0).abs().max() < 6 * np.sqrt(variance / 2000)
    assert not torch.equal(noise[:, 0], noise[:, 1])
    # Of rank one beside the bias: the differences between inputs are multiples of one row.
    rows = noise[0, 0] - noise[0, 0, :1]
    assert np.linalg.matrix_rank(rows.numpy(), tol=1e-4) == 1
    layer.quiet()
    assert torch.equal(layer(x), quiet)


def test_orthogonal_weights():
    drawn = orthogonal(2.0)(generators([1])[0], 12, 5)
    torch.testing.assert_close(drawn.T @ drawn, 4 * torch.eye(5))


def test_gradients_are_clipped_cell_by_cell():
    network = Linear(generators(KEYS), 4, 4)
    for p in network.parameters():
        p.grad = torch.ones_like(p) * torch.tensor([0.001, 1.0, 100.0]).view(3, *[1] * (p.dim() - 1))
    before = [p.grad.clone() for p in network.parameters()]
    clip_each(network.parameters(), 2.0)
    after = [p.grad for p in network.parameters()]
    norms = torch.stack([g.flatten(1).square().sum(1) for g in after]).sum(0).sqrt()
    assert all(torch.equal(a[0], b[0]) for a, b in zip(after, before, strict=True))
    torch.testing.assert_close(norms[1:], torch.full((2,), 2.0))


def test_targets_follow_wholly_or_by_a_part():
    target, source = (Linear(generators(keys), 4, 4) for keys in ([1], [2]))
    first = target.weight.detach().clone()
    move_toward(target, source, 0.25)
    torch.testing.assert_close(target.weight, 0.75 * first + 0.25 * source.weight)
    move_toward(target, source, 1)
    assert torch.equal(target.weight, source.weight)


def test_a_network_of_numbers_is_told_from_others():
    network = Linear(generators(KEYS), 4, 4)
    network.bias.data[1, 0, 2] = torch.nan
    assert network.finite().tolist() == [True, False, True]
