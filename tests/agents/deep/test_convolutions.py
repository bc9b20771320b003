"""Encoders of images: the same numbers as torch's own layers, and the same bits alone and in any pack."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from mohs.agents.deep.networks.convolutions import Cnn, Impala
from mohs.agents.deep.networks.layers import generators

KEYS = [11, 22, 33]


def gradients(network, x):
    loss = network(x).square().mean((1, 2))
    network.zero_grad()
    loss.sum().backward()
    return [p.grad.clone() for p in network.parameters()]


@pytest.mark.parametrize(
    ("shape", "filters"),
    [((1, 36, 40), ((8, 8, 4), (8, 4, 2))), ((3, 17, 20), ((8, 5, 3), (4, 3, 1))), ((4, 10, 10), ((16, 3, 1),))],
)
def test_convolutions_are_those_of_torch(shape, filters):
    pack = Cnn(generators(KEYS), shape, filters)
    x = torch.randint(0, 256, (3, 2, *shape), dtype=torch.uint8)
    found = pack(x)
    grads = gradients(pack, x)
    for i in range(3):
        parameters = [p[i].detach().requires_grad_() for p in (*pack.weights, *pack.biases)]
        y = x[i].float() / 255
        for weight, bias, (_, _, stride) in zip(
            parameters[: len(filters)], parameters[len(filters) :], filters, strict=True
        ):
            y = torch.relu(functional.conv2d(y, weight, bias, stride))
        y = y.permute(0, 2, 3, 1).flatten(1)
        torch.testing.assert_close(found[i, :, : pack.outputs], y)
        expected = torch.autograd.grad(y.square().sum() / found[i].numel(), parameters)
        for mine, other in zip(grads, expected, strict=True):
            torch.testing.assert_close(mine[i], other)


def test_convolutions_have_the_same_bits_in_a_pack():
    x = torch.randint(0, 256, (3, 4, 1, 40, 40), dtype=torch.uint8)
    pack = gradients(Cnn(generators(KEYS), (1, 40, 40), ((16, 8, 4), (32, 4, 2))), x)
    for i, key in enumerate(KEYS):
        alone = gradients(Cnn(generators([key]), (1, 40, 40), ((16, 8, 4), (32, 4, 2))), x[i : i + 1])
        assert all(torch.equal(mine[i], other[0]) for mine, other in zip(pack, alone, strict=True))


@pytest.mark.parametrize(
    ("shape", "filters"),
    [((1, 36, 40), ((8, 8, 4), (8, 4, 2))), ((3, 17, 20), ((8, 5, 3), (4, 3, 1))), ((2, 31, 30), ((16, 6, 2),))],
)
def test_single_images_are_seen_as_in_a_batch_and_with_the_same_bits_in_a_pack(shape, filters):
    keys = list(range(11))
    x = torch.randint(0, 256, (len(keys), 2, *shape), dtype=torch.uint8)
    pack = Cnn(generators(keys), shape, filters)
    with torch.no_grad():
        single = pack(x[:, :1])
        torch.testing.assert_close(single, pack(x)[:, :1])
        for i, key in enumerate(keys):
            assert torch.equal(single[i], Cnn(generators([key]), shape, filters)(x[i : i + 1, :1])[0])


SIZES = [((3, 24, 24), (16, 32, 32), 2, 256), ((5, 17, 20), (8, 12), 1, 20), ((1, 9, 9), (8,), 0, 8)]


def impala(keys, shape, channels, blocks, width):
    return Impala(generators(keys), shape, channels, blocks, width)


def plain_impala(pack, i, x, channels, blocks):
    """Figure 3 of the paper with torch's own functions, without padded channels."""
    parameters = zip(pack.weights, pack.biases, strict=True)
    inputs = x.shape[1]

    def convolution(x, outputs):
        weight, bias = next(parameters)
        return functional.conv2d(x, weight[i, :outputs, : x.shape[1]], bias[i, :outputs], padding=1)

    x = x.float() / 255
    for outputs in channels:
        x = functional.max_pool2d(convolution(x, outputs), kernel_size=3, stride=2, padding=1)
        for _ in range(blocks):
            x = x + convolution(convolution(x.relu(), outputs).relu(), outputs)
    assert x.shape[1] == channels[-1] != inputs
    x = x.relu().permute(0, 2, 3, 1)
    planes = pack.weights[-1].shape[1]
    x = functional.pad(x, (0, planes - channels[-1])).flatten(1)
    return (x @ pack.dense.weight[i, :, : x.shape[1]].T + pack.dense.bias[i, 0]).relu()


@pytest.mark.parametrize("size", SIZES)
def test_impala_is_that_of_the_paper(size):
    shape, channels, blocks, width = size
    pack = impala(KEYS, *size)
    x = torch.randint(0, 256, (3, 2, *shape), dtype=torch.uint8)
    found, grads = pack(x), gradients(pack, x)
    assert pack.outputs == width
    assert len(pack.weights) == len(channels) * (1 + 2 * blocks)
    for i in range(3):
        y = plain_impala(pack, i, x[i], channels, blocks)
        torch.testing.assert_close(found[i], y)
        assert (found[i, :, width:] == 0).all()
        expected = torch.autograd.grad(y.square().sum() / found[i].numel(), list(pack.parameters()))
        for mine, other in zip(grads, expected, strict=True):
            torch.testing.assert_close(mine[i], other[i])


@pytest.mark.parametrize("size", SIZES)
def test_impala_has_the_same_bits_in_a_pack(size):
    for batch in (1, 6):
        x = torch.randint(0, 256, (3, batch, *size[0]), dtype=torch.uint8)
        pack = gradients(impala(KEYS, *size), x)
        for i, key in enumerate(KEYS):
            alone = gradients(impala([key], *size), x[i : i + 1])
            assert all(torch.equal(mine[i], other[0]) for mine, other in zip(pack, alone, strict=True))


def test_planes_of_zeros_and_ones_are_seen_like_white_pixels():
    ones = torch.randint(0, 2, (3, 4, 5, 24, 24), dtype=torch.uint8)
    for make in (lambda top: Impala(generators(KEYS), (5, 24, 24), (8,), 1, 16, top=top),
                 lambda top: Cnn(generators(KEYS), (5, 24, 24), ((16, 4, 4),), top=top)):  # fmt: skip
        torch.testing.assert_close(make(1)(ones), make(255)(ones * 255))
