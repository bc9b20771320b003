"""What are the networks of a pack? Layers whose parameters have one more dimension in front: the cells.

A pack goes through a layer in one batched product. Its result for a cell is the same, bit for bit, in a pack of any
size, if all widths are multiples of 8: they are padded with zeros (never to the widths of other cells). Convolutions go
from cell to cell, because grouped ones do not keep that promise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

Generators = Sequence[torch.Generator]
# Draws the weights [inputs, outputs] of one cell.
Init = Callable[[torch.Generator, int, int], Tensor]

# In place, because they are taken of what a layer has just made: new memory costs more than they do.
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": torch.relu_, "tanh": torch.tanh_}


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
        """For each cell, whether all its parameters are numbers."""
        return torch.stack([p.detach().flatten(1).isfinite().all(1) for p in self.parameters()]).all(0)


class Linear(Network):
    """[cells, batch, inputs] → [cells, batch, outputs], both padded."""

    def __init__(self, init: Generators, inputs: int, outputs: int, draw: Init = fan_in) -> None:
        super().__init__()
        self.inputs, self.outputs = inputs, outputs
        weight = torch.zeros(len(init), padded(inputs), padded(outputs))
        bias = torch.zeros(len(init), 1, padded(outputs))
        for i, generator in enumerate(init):
            weight[i, :inputs, :outputs] = draw(generator, inputs, outputs)
            if draw is fan_in:
                bias[i, 0, :outputs] = fan_in(generator, inputs, outputs)[0]
        self.weight, self.bias = nn.Parameter(weight), nn.Parameter(bias)

    def forward(self, x: Tensor) -> Tensor:
        return torch.baddbmm(self.bias, x, self.weight)


class NoisyLinear(Network):
    """A linear layer that explores: factorised noise on every weight (Fortunato et al. 2018).

    `resample` gives it new noise, `quiet` none.
    """

    def __init__(self, init: Generators, inputs: int, outputs: int, sigma: float = 0.5) -> None:
        super().__init__()
        self.inputs, self.outputs = inputs, outputs
        self.mean = Linear(init, inputs, outputs)
        rows, columns = padded(inputs), padded(outputs)
        scale = torch.zeros(len(init), rows, columns)
        scale[:, :inputs, :outputs] = sigma / math.sqrt(inputs)
        self.scale = nn.Parameter(scale)
        self.bias_scale = nn.Parameter(scale[:, :1].clone())
        # Not part of the state: noise is drawn anew before every use.
        self.register_buffer("_rows", torch.zeros(len(init), rows, 1), persistent=False)
        self.register_buffer("_columns", torch.zeros(len(init), 1, columns), persistent=False)
        self._rows: Tensor
        self._columns: Tensor

    @property
    def width(self) -> int:
        """How many normals `resample` takes for each cell."""
        return self._rows.shape[1] + self._columns.shape[2]

    def resample(self, normals: Tensor) -> None:
        """New noise from normals [cells, width]."""
        shaped = normals.sign() * normals.abs().sqrt()
        rows = self._rows.shape[1]
        self._rows.copy_(shaped[:, :rows, None])
        self._columns.copy_(shaped[:, None, rows:])

    def quiet(self) -> None:
        self._rows.zero_()
        self._columns.zero_()

    def forward(self, x: Tensor) -> Tensor:
        weight = self.mean.weight + self.scale * (self._rows * self._columns)
        return torch.baddbmm(self.mean.bias + self.bias_scale * self._columns, x, weight)


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
        cells = len(x)
        pixels, first, stride = first_layer(
            x.flatten(0, 1).float(), self.weights[0].flatten(0, 1) / self.top, self.strides[0]
        )
        weights = [first.view(cells, -1, *first.shape[1:]), *self.weights[1:]]
        # Unbound at once: slices one by one would make a gradient of all cells for each.
        layers = [zip(w.unbind(0), b.unbind(0), strict=True) for w, b in zip(weights, self.biases, strict=True)]
        strides = [stride, *self.strides[1:]]
        each = zip(pixels.view(cells, -1, *pixels.shape[1:]).unbind(0), zip(*layers, strict=True), strict=True)
        return torch.stack([self._one(one, mine, strides) for one, mine in each])

    def _one(self, x: Tensor, layers: Sequence[tuple[Tensor, Tensor]], strides: Sequence[int]) -> Tensor:
        """The features [batch, features] of a cell, pixel by pixel with their channels side by side."""
        for (weight, bias), stride in zip(layers, strides, strict=True):
            x = self.activation(functional.conv2d(x, weight, bias, stride))
        return x.permute(0, 2, 3, 1).flatten(1)


def first_layer(x: Tensor, weight: Tensor, stride: int) -> tuple[Tensor, Tensor, int]:
    """Images, filters and stride of an equal convolution that is faster where images have few channels.

    Blocks of stride × stride pixels become the channels of one, in images and filters alike.
    """
    kernel = weight.shape[-1]
    if kernel % stride:
        return x.contiguous(memory_format=torch.channels_last), weight, stride
    height, width = ((size - kernel) // stride * stride + kernel for size in x.shape[-2:])
    return blocks(x[..., :height, :width], stride), blocks(weight, stride), 1


def blocks(x: Tensor, size: int) -> Tensor:
    """[n, channels, height, width] → [n, size² × channels, height / size, width / size]."""
    n, channels, height, width = x.shape
    parts = x.reshape(n, channels, height // size, size, width // size, size)
    return parts.permute(0, 2, 4, 3, 5, 1).flatten(3).permute(0, 3, 1, 2)
