"""What are the networks of a pack? Layers whose parameters have one more dimension in front: the cells.

A pack goes through a layer in one batched product. Its result for a cell is the same, bit for bit, in a pack of any
size, if all widths are multiples of 8: they are padded with zeros (never to the widths of other cells). Convolutions of
batches go from cell to cell, because grouped ones do not keep that promise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from mohs.agents.deep.networks.activations import ACTIVATIONS

Generators = Sequence[torch.Generator]
# Draws the weights [inputs, outputs] of one cell.
Init = Callable[[torch.Generator, int, int], Tensor]


def generators(keys: Sequence[int]) -> list[torch.Generator]:
    """One generator for the first weights of each cell."""
    return [torch.Generator().manual_seed(key & (2**63 - 1)) for key in keys]


def padded(width: int) -> int:
    """The next multiple of 8."""
    return -(-width // 8) * 8


def fan_in(generator: torch.Generator, inputs: int, outputs: int) -> Tensor:
    """Uniform within ±1/√inputs, as torch's linear layers begin."""
    bound = 1 / math.sqrt(inputs)
    return (torch.rand(inputs, outputs, generator=generator) * 2 - 1) * bound


def orthogonal(gain: float) -> Init:
    """Orthogonal weights and no bias, as policy gradients like to begin."""

    def draw(generator: torch.Generator, inputs: int, outputs: int) -> Tensor:
        tall = torch.randn(max(inputs, outputs), min(inputs, outputs), generator=generator)
        q, r = torch.linalg.qr(tall)
        q = q * torch.sign(torch.diagonal(r))
        weights: Tensor = gain * (q if inputs >= outputs else q.T)
        return weights

    return draw


class Network(nn.Module):
    """A module whose parameters and buffers all begin with the dimension of the cells."""

    def save(self, i: int) -> dict[str, Any]:
        return {name: value[i].cpu().numpy().copy() for name, value in self.state_dict().items()}

    def load(self, i: int, state: dict[str, Any]) -> None:
        with torch.no_grad():
            for name, value in self.state_dict().items():
                value[i] = torch.from_numpy(state[name]).to(value.device)

    def finite(self) -> Tensor:
        """For each cell, whether all its parameters are numbers: then their sums are."""
        return torch.stack([p.detach().flatten(1).sum(1).isfinite() for p in self.parameters()]).all(0)


class Affine(torch.autograd.Function):
    """Products with weights [cells, outputs, inputs]: of that layout all three are fast, and in torch's own gradient of
    a batched product the one of the weights would have to be transposed."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return torch.baddbmm(bias, x, weight.mT)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        (gradient,) = gradients
        x, weight = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        return (
            torch.bmm(gradient, weight) if of_x else None,
            torch.bmm(gradient.mT, x) if of_weight else None,
            gradient.sum(1, keepdim=True) if of_bias else None,
        )


def affine(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """[cells, batch, inputs] → [cells, batch, outputs], by weights [cells, outputs, inputs]."""
    if not torch.is_grad_enabled():
        return torch.baddbmm(bias, x, weight.mT)
    out: Tensor = Affine.apply(x, weight, bias)  # type: ignore[no-untyped-call]
    return out


class Linear(Network):
    """[cells, batch, inputs] → [cells, batch, outputs], both padded."""

    def __init__(self, init: Generators, inputs: int, outputs: int, draw: Init = fan_in) -> None:
        super().__init__()
        self.inputs, self.outputs = inputs, outputs
        weight = torch.zeros(len(init), padded(outputs), padded(inputs))
        bias = torch.zeros(len(init), 1, padded(outputs))
        for i, generator in enumerate(init):
            weight[i, :outputs, :inputs] = draw(generator, inputs, outputs).T
            if draw is fan_in:
                bias[i, 0, :outputs] = fan_in(generator, inputs, outputs)[0]
        self.weight, self.bias = nn.Parameter(weight), nn.Parameter(bias)

    def forward(self, x: Tensor) -> Tensor:
        return affine(x, self.weight, self.bias)


class NoisyLinear(Network):
    """A linear layer that explores: factorised noise on every weight (Fortunato et al. 2018).

    `resample` gives it new noise, `quiet` none.
    """

    def __init__(self, init: Generators, inputs: int, outputs: int, sigma: float = 0.5) -> None:
        super().__init__()
        self.inputs, self.outputs = inputs, outputs
        self.mean = Linear(init, inputs, outputs)
        scale = torch.zeros_like(self.mean.weight)
        scale[:, :outputs, :inputs] = sigma / math.sqrt(inputs)
        self.scale = nn.Parameter(scale)
        self.bias_scale = nn.Parameter(scale[:, None, :, 0].clone())
        # Not part of the state: noise is drawn anew before every use.
        self.register_buffer("_inputs", torch.zeros(len(init), 1, scale.shape[2]), persistent=False)
        self.register_buffer("_outputs", torch.zeros(len(init), scale.shape[1], 1), persistent=False)
        self._inputs: Tensor
        self._outputs: Tensor

    @property
    def width(self) -> int:
        """How many normals `resample` takes for each cell."""
        return self._inputs.shape[2] + self._outputs.shape[1]

    def resample(self, normals: Tensor) -> None:
        """New noise from normals [cells, width]."""
        shaped = normals.sign() * normals.abs().sqrt()
        inputs = self._inputs.shape[2]
        self._inputs.copy_(shaped[:, None, :inputs])
        self._outputs.copy_(shaped[:, inputs:, None])

    def quiet(self) -> None:
        self._inputs.zero_()
        self._outputs.zero_()

    def forward(self, x: Tensor) -> Tensor:
        weight = self.mean.weight + self.scale * (self._outputs * self._inputs)
        return affine(x, weight, self.mean.bias + self.bias_scale * self._outputs.mT)


class Mlp(Network):
    """Hidden layers with an activation after each; the last is as wide as `outputs` says."""

    def __init__(
        self,
        init: Generators,
        inputs: int,
        hidden: Sequence[int],
        activation: str = "relu",
        draw: Init = fan_in,
        noisy: float = 0.0,
    ) -> None:
        super().__init__()
        self.outputs = hidden[-1] if hidden else inputs
        self.activation = ACTIVATIONS[activation]
        widths = list(pairwise([inputs, *hidden]))
        layers = [NoisyLinear(init, a, b, noisy) if noisy else Linear(init, a, b, draw) for a, b in widths]
        self.layers = nn.ModuleList(layers)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = self.activation(layer(x))
        return x


class Cnn(Network):
    """A small convolutional encoder: [cells, batch, channels, height, width] of bytes → [cells, batch, features].

    `filters` are (channels, kernel, stride) of each layer, without a margin, each followed by an activation; `top` is
    the largest value of a pixel, which counts as 1.
    """

    def __init__(
        self,
        init: Generators,
        shape: Sequence[int],
        filters: Sequence[Sequence[int]],
        activation: str = "relu",
        top: int = 255,
    ) -> None:
        super().__init__()
        self.activation = ACTIVATIONS[activation]
        self.top = top
        self.strides = [stride for _, _, stride in filters]
        channels, height, width = shape
        planes = channels
        weights, biases = [], []
        for filters_out, kernel, stride in filters:
            size = channels * kernel * kernel
            weight = torch.zeros(len(init), padded(filters_out), planes, kernel, kernel)
            bias = torch.zeros(len(init), padded(filters_out))
            for i, generator in enumerate(init):
                drawn = fan_in(generator, size, filters_out).T.reshape(filters_out, channels, kernel, kernel)
                weight[i, :filters_out, :channels] = drawn
                bias[i, :filters_out] = fan_in(generator, size, filters_out)[0]
            weights.append(weight)
            biases.append(bias)
            channels, planes = filters_out, padded(filters_out)
            height, width = (height - kernel) // stride + 1, (width - kernel) // stride + 1
        self.weights, self.biases = nn.ParameterList(weights), nn.ParameterList(biases)
        self.outputs = planes * height * width

    def forward(self, x: Tensor) -> Tensor:
        cells, batch = x.shape[:2]
        pixels, first, stride = first_layer(x.flatten(0, 1), self.weights[0].flatten(0, 1) / self.top, self.strides[0])
        weights = [first.view(cells, -1, *first.shape[1:]), *self.weights[1:]]
        strides = [stride, *self.strides[1:]]
        if batch == 1 and not torch.is_grad_enabled():
            return self._single(pixels, weights, strides)
        # Unbound at once: slices one by one would make a gradient of all cells for each.
        layers = [zip(w.unbind(0), b.unbind(0), strict=True) for w, b in zip(weights, self.biases, strict=True)]
        each = zip(pixels.view(cells, -1, *pixels.shape[1:]).unbind(0), zip(*layers, strict=True), strict=True)
        return torch.stack([self._batch(one, mine, strides) for one, mine in each])

    def _batch(self, x: Tensor, layers: Sequence[tuple[Tensor, Tensor]], strides: Sequence[int]) -> Tensor:
        """The features [batch, features] of a cell, pixel by pixel with their channels side by side."""
        x = x.float()
        for (weight, bias), stride in zip(layers, strides, strict=True):
            x = self.activation(functional.conv2d(x, weight, bias, stride))
        return x.permute(0, 2, 3, 1).flatten(1)

    def _single(self, x: Tensor, weights: Sequence[Tensor], strides: Sequence[int]) -> Tensor:
        """The features [cells, 1, features] of an image of each cell: all cells at once, as products with patches."""
        x = x.permute(0, 2, 3, 1).float()
        for weight, bias, stride in zip(weights, self.biases, strides, strict=True):
            kernel = weight.shape[-1]
            patches = x.unfold(1, kernel, stride).unfold(2, kernel, stride).permute(0, 1, 2, 4, 5, 3)
            cells, height, width = patches.shape[:3]
            filters = _padded(weight.permute(0, 1, 3, 4, 2).flatten(2))
            x = affine(_padded(patches.reshape(cells, height * width, -1)), filters, bias[:, None])
            x = self.activation(x).view(cells, height, width, -1)
        return x.flatten(1)[:, None]


def _padded(x: Tensor) -> Tensor:
    """The last dimension padded with zeros."""
    size = x.shape[-1]
    return x if size == padded(size) else functional.pad(x, (0, padded(size) - size))


def first_layer(x: Tensor, weight: Tensor, stride: int) -> tuple[Tensor, Tensor, int]:
    """Pixels, filters and stride of an equal convolution that is faster where images have few channels.

    Blocks of stride × stride pixels become the channels of one, in images and filters alike.
    """
    kernel = weight.shape[-1]
    if kernel % stride:
        return x.contiguous(memory_format=torch.channels_last), weight, stride
    height, width = ((size - kernel) // stride * stride + kernel for size in x.shape[-2:])
    return blocks(x[..., :height, :width], stride), blocks(weight, stride), 1


# What holds a row of a block of so many bytes: it is moved at once.
WORDS = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def blocks(x: Tensor, size: int) -> Tensor:
    """[n, channels, height, width] → [n, channels × size², height / size, width / size]."""
    n, channels, height, width = x.shape
    parts = x.reshape(n, channels, height // size, size, width // size, size)
    if x.dtype == torch.uint8 and size in WORDS:
        parts = _gathered(parts.contiguous().view(WORDS[size])).view(x.dtype)
    else:
        parts = _gathered(parts)
    return parts.flatten(3).permute(0, 3, 1, 2)


def _gathered(parts: Tensor) -> Tensor:
    """[n, channels, rows, row, columns, column] → [n, rows, columns, channels, row, column]."""
    return parts.permute(0, 2, 4, 1, 3, 5).contiguous()
